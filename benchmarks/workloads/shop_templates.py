"""The templates of the *shop* workload: which statements a subscription has, and how its constants are drawn.

Each ingredient adds statements to a template and a function that draws their constants. `share` is how much of the
offers of a fitting product its statements let through, roughly; the dial (a numeric filter that every template has)
takes what is left of the wanted match rate.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.workloads import shop_words as words
from benchmarks.workloads.shop_words import NS

__all__ = ["Template", "Uniform", "Values", "make_templates"]

Values = dict[str, Any]
Uniform = Callable[[], float]
Fill = Callable[[Uniform, Values], None]
Dial = Callable[[Uniform, Values, float], None]


@dataclass(frozen=True)
class Ingredient:
    """Statements (their number counts arcs), the share they let through, and how their constants are drawn."""

    name: str
    text: str
    arcs: int
    share: float
    fill: Fill | None = None
    needs: str | None = None


@dataclass(frozen=True)
class Template:
    """A text with named gaps and what fills them."""

    text: str
    arcs: int
    share: float
    fills: tuple[Fill, ...]
    dial: Dial


def _one_of(key: str, choices: tuple[str, ...]) -> Fill:
    number = len(choices)

    def fill(uniform: Uniform, values: Values) -> None:
        values[key] = choices[int(uniform() * number)]

    return fill


def _brand(uniform: Uniform, values: Values) -> None:
    values["brand"] = words.BRANDS[values["department"]][int(uniform() * 12)]


def _model(uniform: Uniform, values: Values) -> None:
    values["model"] = words.SERIES[int(uniform() * 50)] + ("-" if uniform() < 0.5 else f"-{int(1 + 9 * uniform())}")


def _year(uniform: Uniform, values: Values) -> None:
    values["year"] = 2000 + int(uniform() * 25)


def _rating(uniform: Uniform, values: Values) -> None:
    values["rating"] = f"{int(10 + uniform() * 40) / 10}"


def _capacity(uniform: Uniform, values: Values) -> None:
    values["capacity"] = int(uniform() * 1000)
    values["partclass"] = _PART_CLASSES[int(uniform() * len(_PART_CLASSES))]


_PART_CLASSES = ("Storage", "HardDisk", "Battery", "Motor", "Display", "Part")
_SELLER_CLASSES = ("Agent", "Company", "Retailer", "Person", "OnlineRetailer")

INGREDIENTS = (
    Ingredient("sale", "  _:H a :Sale .\n", 0, 0.6),
    Ingredient("brand", '  ?product :brand "%(brand)s" .\n', 1, 1 / 12, _brand),
    Ingredient("brand test", '  ?product :brand ?brand . FILTER(?brand = "%(brand)s")\n', 1, 1 / 12, _brand),
    Ingredient("label", '  ?product :label "%(brand)s" .\n', 1, 1 / 12, _brand),
    Ingredient("title", '  ?product :title ?title . FILTER(CONTAINS(?title, "%(word)s"))\n', 1, 1 / 25,
               _one_of("word", words.ADJECTIVES)),
    Ingredient("text", '  ?product :text ?title . FILTER(CONTAINS(?title, "%(word)s"))\n', 1, 1 / 25,
               _one_of("word", words.ADJECTIVES)),
    Ingredient("model", '  ?product :model ?model . FILTER(STRSTARTS(?model, "%(model)s"))\n', 1, 1 / 90, _model),
    Ingredient("colour", '  ?product :colour "%(colour)s" .\n', 1, 1 / 16, _one_of("colour", words.COLOURS)),
    Ingredient("year", "  ?product :year ?year . FILTER(?year >= %(year)d)\n", 1, 1 / 4, _year),
    Ingredient("maker", "  ?product :origin :%(company)s .\n", 1, 1 / 60, _one_of("company", words.COMPANIES)),
    Ingredient("part", "  ?product :part ?part . ?part a :%(partclass)s ; :capacity ?capacity . "
               "FILTER(?capacity > %(capacity)d)\n", 2, 1 / 6, _capacity),
    Ingredient("seller", "  _:H :seller ?seller . ?seller a :%(seller)s .\n", 1, 1 / 2,
               _one_of("seller", _SELLER_CLASSES)),
    Ingredient("country", "  ?seller :country :%(country)s .\n", 1, 1 / 10,
               _one_of("country", words.COUNTRIES), needs="seller"),
    Ingredient("city", '  ?seller :place "%(city)s" .\n', 1, 1 / 33, _one_of("city", words.CITIES), needs="seller"),
    Ingredient("rating", "  ?seller :rating ?rating . FILTER(?rating >= %(rating)s)\n", 1, 1 / 3.3, _rating,
               needs="seller"),
    Ingredient("telephone", "  ?seller :telephone ?telephone .\n", 1, 0.84, needs="seller"),
    Ingredient("currency", "  _:H :currency :%(currency)s .\n", 1, 1 / 4, _one_of("currency", words.CURRENCIES)),
)  # fmt: skip


def _price_band(uniform: Uniform, values: Values, width: float) -> None:
    low = uniform() * (1 - width)
    values["low"], values["high"] = f"{10 ** (4 * low):.2f}", f"{10 ** (4 * (low + width)):.2f}"


def _price_below(_: Uniform, values: Values, width: float) -> None:
    values["high"] = f"{10 ** (4 * width):.2f}"


def _weight_band(uniform: Uniform, values: Values, width: float) -> None:
    low = uniform() * (1 - width)
    values["low"], values["high"] = int(10 * 5000**low), int(10 * 5000 ** (low + width)) + 1


DIALS: tuple[tuple[str, Dial], ...] = (
    ("  _:H :price ?price . FILTER(?price >= %(low)s && ?price < %(high)s)\n", _price_band),
    ("  _:H :price ?price . FILTER(?price >= %(low)s && ?price < %(high)s)\n", _price_band),
    ("  _:H :price ?price . FILTER(?price < %(high)s)\n", _price_below),
    ("  ?product :weight ?weight . FILTER(?weight >= %(low)d && ?weight < %(high)d)\n", _weight_band),
)


def make_templates(draw: random.Random, number: int) -> list[Template]:
    """Templates of 3 to 6 arcs, all different."""
    found: dict[str, Template] = {}
    while len(found) < number:
        chosen = _combination(draw)
        dial_text, dial = draw.choice(DIALS)
        arcs = 2 + sum(i.arcs for i in chosen)  # the target and the dial
        share = 1.0
        for ingredient in chosen:
            share *= ingredient.share
        if not 3 <= arcs <= 6 or share < 1 / 300:
            continue
        body = "  _:H :target ?product .\n  ?product a :%(class)s .\n" + "".join(i.text for i in chosen) + dial_text
        text = f"PREFIX : <{NS}>\nSELECT * WHERE {{\n{body}}}\n"
        found[text] = Template(text, arcs, share, tuple(i.fill for i in chosen if i.fill), dial)
    return list(found.values())


def _combination(draw: random.Random) -> list[Ingredient]:
    """Up to four ingredients, none twice and each with what it needs."""
    chosen: dict[str, Ingredient] = {}
    gaps: set[str] = set()
    for ingredient in draw.sample(INGREDIENTS, draw.randint(1, 4)):
        gap = ingredient.text.partition("%(")[2]
        if gap and gap in gaps:
            continue
        gaps.add(gap)
        if ingredient.needs and ingredient.needs not in chosen:
            chosen[ingredient.needs] = next(i for i in INGREDIENTS if i.name == ingredient.needs)
        chosen[ingredient.name] = ingredient
    return list(chosen.values())
