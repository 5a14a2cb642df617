"""*bands*: subscriptions that differ in nothing but the numbers of a price filter.

`two-sided`: bands `low <= price < high` of different widths. `one-sided`: thresholds `price < x`, drawn evenly, on
offers whose price lies above nearly all of them, so that an index has to turn nearly all of them down. In both about
one subscription in a thousand matches, whatever their number: the matches grow with the subscriptions.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from benchmarks.workloads.base import Workload
from benchmarks.workloads.shop_words import NS, ontology_text

__all__ = ["Bands"]

_HIGHEST = 10_000.0
_TEXT = """PREFIX : <{ns}>
SELECT * WHERE {{
  _:H a :Offer .
  _:H :price ?price .
  FILTER({test})
}}
"""


@dataclass(frozen=True)
class Bands(Workload):
    """Price filters, two-sided or one-sided."""

    kind: Literal["two-sided", "one-sided"] = "two-sided"
    name: str = field(default="bands", init=False)

    def ontology_text(self) -> str:
        return ontology_text()

    def endless_subscriptions(self) -> Iterator[tuple[str, str]]:
        for number, (low, high) in enumerate(self.limits()):
            test = f"?price < {high:.2f}" if low is None else f"?price >= {low:.2f} && ?price < {high:.2f}"
            yield f"s{number}", _TEXT.format(ns=NS, test=test)

    def limits(self) -> Iterator[tuple[float | None, float]]:
        """The limits of each subscription in turn; what a test can compare prices with."""
        draw = random.Random(f"{self.seed} limits")
        while True:
            if self.kind == "one-sided":
                yield None, round(_HIGHEST * draw.random(), 2)
            else:
                width = 10 ** (2 * draw.random() - 0.5)  # 0.3 to 30, 7 in the mean
                low = round((_HIGHEST - width) * draw.random(), 2)
                yield low, round(low + width, 2)

    def endless_events(self) -> Iterator[str]:
        draw = random.Random(f"{self.seed} events")
        lowest = 0.998 * _HIGHEST if self.kind == "one-sided" else 0.0
        while True:
            price = lowest + (_HIGHEST - lowest) * draw.random()
            yield (
                f"@prefix : <{NS}> .\n"
                f"_:H a :Sale ; :price {price:.2f} ; :currency :euro ; :target _:p ; :seller _:s .\n"
                f'_:p a :GardenB2 ; :brand "Gartec" ; :weight {draw.randint(10, 5000)} .\n_:s a :Retailer .\n'
            )
