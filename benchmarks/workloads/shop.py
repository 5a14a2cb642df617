"""*shop*: offers of an online shop and what its customers wait for.

About 200 classes up to four levels deep, 40 properties with a hierarchy, offers of 15 to 40 triples, subscriptions of
3 to 6 statements from at most 50 templates (the same text with other constants), with classes of different depth,
numeric filters (`<`, bands) and tests of strings (`CONTAINS`, `STRSTARTS`, equality).

`rate` is the share of subscriptions that an event should match: the numeric filter of each subscription is made as
wide as its other statements leave room for. What comes out is near it and is reported beside every measurement.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from benchmarks.workloads import shop_words as words
from benchmarks.workloads.base import Workload
from benchmarks.workloads.shop_templates import Template, Uniform, Values, make_templates
from benchmarks.workloads.shop_words import NS

__all__ = ["Shop"]

_LEVELS = ((0.15, 0), (0.45, 1), (1.0, 2))  # share (cumulative) of subscriptions on a department, group, line
_CLASS_SHARE = (1 / 8, 1 / 32, 1 / 128)
_LIGHTEST, _HEAVIEST = 10, 50_000  # grams


@dataclass(frozen=True)
class Shop(Workload):
    """Offers and subscriptions with a match rate near `rate`."""

    rate: float = 0.001
    name: str = field(default="shop", init=False)

    def ontology_text(self) -> str:
        return words.ontology_text()

    @cached_property
    def templates(self) -> list[Template]:
        """What subscriptions are made from: never more than 50."""
        return make_templates(random.Random(f"{self.seed} templates"), 48)

    def endless_subscriptions(self) -> Iterator[tuple[str, str]]:
        draw = random.Random(f"{self.seed} subscriptions")
        uniform, number = draw.random, 0
        while True:
            template = self.templates[int(uniform() * len(self.templates))]
            department = words.DEPARTMENTS[int(uniform() * 8)]
            level, name = self._class(uniform, department, template.share)
            values: Values = {"department": department, "class": name}
            for fill in template.fills:
                fill(uniform, values)
            room = self.rate * (0.5 + uniform()) / (template.share * _CLASS_SHARE[level])
            template.dial(uniform, values, min(max(room, 0.0005), 0.5 + 0.45 * uniform()))
            yield f"s{number}", template.text % values
            number += 1

    def _class(self, uniform: Uniform, department: str, share: float) -> tuple[int, str]:
        """A line, its group or its department: as deep as drawn, unless that leaves less than the wanted rate."""
        group = words.GROUPS[department][int(uniform() * 4)]
        line = words.LINES[group][int(uniform() * 4)]
        chosen = uniform()
        level = next(level for until, level in _LEVELS if chosen < until)
        while level and share * _CLASS_SHARE[level] < self.rate:
            level -= 1
        return level, (department, group, line)[level]

    def endless_events(self) -> Iterator[str]:
        draw = random.Random(f"{self.seed} events")
        while True:
            yield f"@prefix : <{NS}> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n" + _offer(draw)


def _offer(draw: random.Random) -> str:
    department = draw.choice(words.DEPARTMENTS)
    line = draw.choice(words.LINES[draw.choice(words.GROUPS[department])])
    parts = draw.randrange(4)
    blocks = [_home(draw), _product(draw, department, line, parts), _seller(draw)]
    blocks += [_part(draw, number) for number in range(parts)]
    return "\n".join(blocks) + "\n"


def _home(draw: random.Random) -> str:
    facts = [
        f"a :{draw.choice(('Sale', 'Auction', 'FlashSale', 'Rental', 'Lease'))}",
        ":target _:product",
        ":seller _:seller",
        f":price {10 ** (4 * draw.random()):.2f}",
        f":currency :{draw.choice(words.CURRENCIES)}",
    ]
    if draw.random() < 0.5:
        facts.append(f":shippingCost {20 * draw.random():.2f}")
    if draw.random() < 0.5:
        facts.append(f':validUntil "2025-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"^^xsd:date')
    if draw.random() < 0.3:
        facts.append(':carrier [ a :Company ; :name "Carrier" ]')
    return _block("_:H", facts)


def _product(draw: random.Random, department: str, line: str, parts: int) -> str:
    brand, first, second = draw.choice(words.BRANDS[department]), *draw.sample(words.ADJECTIVES, 2)
    weight = _LIGHTEST * (_HEAVIEST / _LIGHTEST) ** draw.random()
    facts = [
        f"a :{line}",
        f':title "{brand} {first} {second} {line}"',
        f':brand "{brand}"',
        f':model "{draw.choice(words.SERIES)}-{draw.randrange(1000, 10000)}"',
        f":madeBy :{draw.choice(words.COMPANIES)}",
        f":weight {weight:.0f}",
    ]
    facts += [f":part _:part{number}" for number in range(parts)]
    optional = [
        f':colour "{draw.choice(words.COLOURS)}"',
        f':condition "{draw.choice(words.CONDITIONS)}"',
        f":year {draw.randint(2000, 2025)}",
        f":width {draw.randint(1, 300)} ; :height {draw.randint(1, 300)}",
        f':summary "A {first} and {second} thing"@en',
        f":stock {draw.randint(0, 500)}",
    ]
    facts += [fact for fact in optional if draw.random() < 0.5]
    return _block("_:product", facts)


def _seller(draw: random.Random) -> str:
    facts = [
        f"a :{draw.choice(('Retailer', 'OnlineRetailer', 'Wholesaler', 'Private', 'Professional'))}",
        f":country :{draw.choice(words.COUNTRIES)}",
    ]
    optional = [
        f':city "{draw.choice(words.CITIES)}"',
        f":rating {draw.randint(10, 50) / 10}",
        f':mobile "+49 17{draw.randrange(10**7)}"',
        f':landline "+49 40{draw.randrange(10**6)}"',
        f':name "Seller {draw.randrange(5000)}"',
    ]
    facts += [fact for fact in optional if draw.random() < 0.6]
    return _block("_:seller", facts)


def _part(draw: random.Random, number: int) -> str:
    kind = draw.choice(tuple(words.PARTS))
    facts = [f"a :{kind}", f":capacity {draw.randint(1, 1000)}"]
    if draw.random() < 0.4:
        facts.append(f":madeBy :{draw.choice(words.COMPANIES)}")
    return _block(f"_:part{number}", facts)


def _block(subject: str, facts: list[str]) -> str:
    return f"{subject} " + " ;\n    ".join(facts) + " ."
