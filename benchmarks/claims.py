"""What the papers claim, as data: which two candidates, where, by how much; beside it what a run says.

A claim is a ratio: the peer's value over that of the paper's own algorithm, so above 1 speaks for the paper. `agree` is
said where the order is the paper's and the ratio at least half of it; *order only* where just the order is; where
spreads overlap there is no difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.candidates import ADJUSTED
from benchmarks.index_rows import Row

__all__ = ["CLAIMS", "Claim", "table_of"]

_GEM_TREE: Final = "gem-tree" + ADJUSTED
_MILLION: Final = 1_000_000
_NOT_YET: Final = "not measured yet"


@dataclass(frozen=True)
class Claim:
    """One row of a table. An `x` of None is the greatest that was measured."""

    figure: str
    text: str
    scenario: str
    own: str
    peer: str
    ratio: float | None = None
    x: float | None = None
    measure: str = "event"
    slower: bool = False
    """Whether the paper says that its own algorithm is behind here."""

    def measured(self, rows: Sequence[Row]) -> tuple[str, str]:
        """The ratio of a run, and whether that agrees."""
        here = [row for row in rows if row.scenario == self.scenario]
        xs = sorted({row.x for row in here if row.candidate in (self.own, self.peer)})
        at = self.x if self.x is not None else max(xs, default=None)
        own = next((row for row in here if row.candidate == self.own and row.x == at), None)
        peer = next((row for row in here if row.candidate == self.peer and row.x == at), None)
        if own is None or peer is None or not getattr(own, self.measure):
            return _NOT_YET, _NOT_YET
        ratio = getattr(peer, self.measure) / getattr(own, self.measure)
        return f"{ratio:.2f} (at {at:,g})", self._verdict(ratio, own, peer)

    def _verdict(self, ratio: float, own: Row, peer: Row) -> str:
        overlap = own.event_least <= peer.event_most and peer.event_least <= own.event_most
        if self.measure == "event" and overlap:
            return "no difference"
        if (ratio < 1) != self.slower:
            return "disagree"
        if self.ratio is None or (ratio < self.ratio if self.slower else ratio > self.ratio):
            return "agree"
        return "agree" if min(ratio / self.ratio, self.ratio / ratio) >= 0.5 else "order only"


def _gem(figure: str, scenario: str, text: str, **more: float) -> tuple[Claim, ...]:
    """One claim against each of the paper's three peers."""
    return tuple(
        Claim(figure, f"{text}: faster than {peer}", scenario, _GEM_TREE, peer, **more)  # type: ignore[arg-type]
        for peer in ("be-tree", "opindex", "tama")
    )


def _kept(
    figure: str, measure: str, text: str, peer: str, ratio: float | None = None, *, slower: bool = False
) -> Claim:
    """A claim on memory or building, at the largest size."""
    return Claim(figure, text, "gem-size", "gem-tree", peer, ratio, measure=measure, slower=slower)


CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    "gem-tree": (
        Claim("3", "1.6 times faster than BE-Tree at 1M", "gem-size", _GEM_TREE, "be-tree", 1.6, _MILLION),
        Claim("3", "13.3 times faster than OP-Index at 1M", "gem-size", _GEM_TREE, "opindex", 13.3, _MILLION),
        Claim("3", "17.2 times faster than TAMA at 1M", "gem-size", _GEM_TREE, "tama", 17.2, _MILLION),
        Claim("3", "global adjustment improves by 16 %", "gem-size", _GEM_TREE, "gem-tree", 1.16, _MILLION),
        *_gem("4", "gem-zipf", "Zipf"),
        *_gem("5", "gem-attributes", "100 dimensions", x=100),
        Claim("5", "before M = 40 TAMA is faster than OP-Index", "gem-attributes", "tama", "opindex", x=20),
        Claim("5", "… and after, OP-Index is", "gem-attributes", "opindex", "tama", x=60),
        *_gem("6", "gem-cardinality", "80 values", x=80),
        *_gem("7", "gem-predicates", "20 attributes in subscriptions", x=20),
        *_gem("8", "gem-rate", "match rate 10 %", x=10),
        Claim("8", "below 4 % OP-Index is faster than TAMA", "gem-rate", "opindex", "tama", x=2),
        *_gem("9", "gem-equalities", "60 % single values", x=60),
        _kept("10", "insert_bulk", "builds faster than TAMA", "tama"),
        _kept("10", "insert_bulk", "builds slower than BE-Tree", "be-tree", slower=True),
        _kept("10", "insert_bulk", "builds slower than OP-Index", "opindex", slower=True),
        _kept("11", "bytes_each", "less memory than TAMA (1.53 against 2.0 KB)", "tama", 1.3),
        _kept("11", "bytes_each", "more memory than OP-Index (1.0 KB)", "opindex", 0.65, slower=True),
        _kept("11", "bytes_each", "more memory than BE-Tree (0.80 KB)", "be-tree", 0.52, slower=True),
    ),
    "compme": (
        Claim("2 (a)", "less memory than OPIndex, low", "compme-low", "compme", "opindex", measure="bytes_each"),
        Claim("2 (b)", "less memory than OPIndex, high", "compme-high", "compme", "opindex", measure="bytes_each"),
        Claim("2 (b)", "… with 20 predicates", "compme-high-20", "compme", "opindex", measure="bytes_each"),
        Claim("2 (c)", "OPIndex is faster with few predicates, high", "compme-high", "compme", "opindex", slower=True),
        Claim("2 (c)", "faster with 20 predicates, high", "compme-high-20", "compme", "opindex"),
        Claim("2 (d)", "faster, low", "compme-low", "compme", "opindex"),
        Claim("2 (d)", "faster with 20 predicates, low", "compme-low-20", "compme", "opindex"),
        Claim("2 (f)", "OPIndex builds faster", "compme-high", "compme", "opindex", measure="insert_bulk", slower=True),
    ),
    "hmacd": (
        Claim("3", "54 % of the time of Siena's poset at 10,000", "hmacd-1", "hmacd", "siena", 1 / 0.54, 10_000),
        Claim("3", "45 % of the time of counting at 10,000", "hmacd-1", "hmacd", "counting", 1 / 0.45, 10_000),
        Claim("3", "the same order at 50,000: poset", "hmacd-1", "hmacd", "siena", x=50_000),
        Claim("3", "the same order at 50,000: counting", "hmacd-1", "hmacd", "counting", x=50_000),
        Claim("4", "54 % of the time of Siena's poset at 10,000", "hmacd-2", "hmacd", "siena", 1 / 0.54, 10_000),
        Claim("4", "45 % of the time of counting at 10,000", "hmacd-2", "hmacd", "counting", 1 / 0.45, 10_000),
        Claim("4", "the same order at 50,000: poset", "hmacd-2", "hmacd", "siena", x=50_000),
        Claim("4", "the same order at 50,000: counting", "hmacd-2", "hmacd", "counting", x=50_000),
    ),
}


def table_of(paper: str, rows: Sequence[Row]) -> str:
    """The claims of a paper as a table in Markdown."""
    lines = ["| figure | the paper says | its ratio | ours, like for like | |", "|---|---|---|---|---|"]
    for claim in CLAIMS[paper]:
        ratio, verdict = claim.measured(rows)
        said = "" if claim.ratio is None else f"{claim.ratio:.2g}"
        lines.append(f"| {claim.figure} | {claim.text} | {said} | {ratio} | {verdict} |")
    return "\n".join(lines) + "\n"
