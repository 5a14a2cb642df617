"""The vocabulary of the *shop* workload: classes, properties, and the words that fill offers and subscriptions."""

from __future__ import annotations

from typing import Final

__all__ = [
    "ADJECTIVES",
    "AGENTS",
    "BRANDS",
    "CITIES",
    "COLOURS",
    "COMPANIES",
    "CONDITIONS",
    "COUNTRIES",
    "CURRENCIES",
    "DEPARTMENTS",
    "GROUPS",
    "LINES",
    "NS",
    "OFFERS",
    "PARTS",
    "SERIES",
    "SUBPROPERTIES",
    "ontology_text",
]

NS: Final = "http://example.org/shop#"

DEPARTMENTS: Final = ("Electronics", "Furniture", "Clothing", "Sport", "Garden", "Media", "Toys", "Kitchen")
GROUPS: Final = {d: tuple(f"{d}{letter}" for letter in "ABCD") for d in DEPARTMENTS}
LINES: Final = {g: tuple(f"{g}{number}" for number in range(1, 5)) for d in DEPARTMENTS for g in GROUPS[d]}

# child: parent; the roots are Offer, Agent, Part, Product
OFFERS: Final = {"Sale": "Offer", "Auction": "Sale", "FlashSale": "Sale", "Rental": "Offer", "Lease": "Rental"}
AGENTS: Final = {
    "Company": "Agent",
    "Person": "Agent",
    "Retailer": "Company",
    "Wholesaler": "Company",
    "Manufacturer": "Company",
    "OnlineRetailer": "Retailer",
    "Private": "Person",
    "Professional": "Person",
}
PARTS: Final = {
    "Storage": "Part",
    "HardDisk": "Storage",
    "FlashDrive": "Storage",
    "Motor": "Part",
    "Battery": "Part",
    "LithiumBattery": "Battery",
    "Frame": "Part",
    "Display": "Part",
}
# Every eighth line stands in a second group as well: the hierarchy is no tree.
SECOND_PARENTS: Final = {
    LINES[GROUPS[d][0]][0]: GROUPS[DEPARTMENTS[(i + 1) % len(DEPARTMENTS)]][3] for i, d in enumerate(DEPARTMENTS)
}

# child: parent
SUBPROPERTIES: Final = {
    "target": "involves",
    "seller": "involves",
    "carrier": "involves",
    "madeBy": "origin",
    "country": "place",
    "city": "place",
    "street": "place",
    "telephone": "contact",
    "mobile": "telephone",
    "landline": "telephone",
    "email": "contact",
    "price": "amount",
    "listPrice": "amount",
    "shippingCost": "amount",
    "title": "text",
    "summary": "text",
    "name": "text",
    "brand": "label",
    "model": "label",
    "weight": "measure",
    "width": "measure",
    "height": "measure",
    "capacity": "measure",
}
OTHER_PROPERTIES: Final = (
    "part",
    "colour",
    "condition",
    "currency",
    "rating",
    "stock",
    "year",
    "validUntil",
    "warranty",
    "keyword",
)

BRANDS: Final = {d: tuple(f"{d[:3]}{ending}" for ending in
                          ("ora", "tec", "line", "max", "ix", "well", "star", "on", "ium", "ley", "dor", "vik"))
                 for d in DEPARTMENTS}  # fmt: skip
ADJECTIVES: Final = (
    "compact",
    "robust",
    "silent",
    "classic",
    "modern",
    "elegant",
    "light",
    "heavy",
    "folding",
    "wireless",
    "smart",
    "solid",
    "soft",
    "bright",
    "dark",
    "smooth",
    "vintage",
    "premium",
    "basic",
    "deluxe",
    "portable",
    "outdoor",
    "indoor",
    "ergonomic",
    "adjustable",
    "waterproof",
    "digital",
    "analogue",
    "handmade",
    "organic",
    "recycled",
    "slim",
    "wide",
    "tall",
    "mini",
    "giant",
    "double",
    "single",
    "triple",
    "rapid",
    "gentle",
    "magnetic",
    "thermal",
    "solar",
    "hybrid",
    "cordless",
    "stackable",
    "modular",
    "rotating",
    "floating",
)
COLOURS: Final = ("black", "white", "red", "blue", "green", "grey", "silver", "brown")
CONDITIONS: Final = ("new", "refurbished", "used")
CITIES: Final = (
    "Hamburg",
    "Paris",
    "Madrid",
    "Rome",
    "Vienna",
    "Oslo",
    "Lisbon",
    "Dublin",
    "Prague",
    "Warsaw",
    "Athens",
    "Helsinki",
    "Zurich",
    "Brussels",
    "Budapest",
    "Stockholm",
    "Sofia",
    "Riga",
    "Vilnius",
    "Tallinn",
)
COUNTRIES: Final = (
    "Germany",
    "France",
    "Spain",
    "Italy",
    "Austria",
    "Norway",
    "Portugal",
    "Ireland",
    "Poland",
    "Greece",
)
CURRENCIES: Final = ("euro", "dollar", "pound", "franc")
SERIES: Final = tuple(a + b for a in "ABCDEFGHKL" for b in "XYZTR")
COMPANIES: Final = tuple(f"company{number}" for number in range(60))


def ontology_text() -> str:
    """About 200 classes up to four levels deep and 40 properties up to three, in Turtle."""
    above = {**OFFERS, **AGENTS, **PARTS}
    above |= dict.fromkeys(DEPARTMENTS, "Product")
    above |= {g: d for d in DEPARTMENTS for g in GROUPS[d]}
    above |= {line: g for g in LINES for line in LINES[g]}
    pairs = [*above.items(), *SECOND_PARENTS.items()]
    names = dict.fromkeys(["Offer", "Agent", "Part", "Product", *above])
    properties = dict.fromkeys([*SUBPROPERTIES, *SUBPROPERTIES.values(), *OTHER_PROPERTIES])
    lines = [
        f"@prefix : <{NS}> .",
        "@prefix owl: <http://www.w3.org/2002/07/owl#> .",
        "@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .",
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .",
    ]
    lines += [f":{name} a owl:Class ." for name in names]
    lines += [f":{low} rdfs:subClassOf :{high} ." for low, high in pairs]
    lines += [f":{name} a rdf:Property ." for name in properties]
    lines += [f":{low} rdfs:subPropertyOf :{high} ." for low, high in SUBPROPERTIES.items()]
    return "\n".join(lines) + "\n"
