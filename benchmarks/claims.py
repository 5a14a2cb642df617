"""What the papers claim, as data: which two candidates, where, by how much; beside it what a run says.

A claim is a ratio: the peer's value over that of the paper's own algorithm, so above 1 speaks for the paper. `agree` is
said where the order is the paper's and the advantage at least half of it (of 1.6 times, 0.6: at least 1.3); *order
only* where just the order is; where spreads overlap there is no difference. Some claims compare an algorithm with
itself in another setting, and some say that two are alike: these agree within `_ALIKE` times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.candidates import ADJUSTED
from benchmarks.index_rows import Row, overlap
from benchmarks.measuring import number_text

__all__ = ["CLAIMS", "Claim", "table_of"]

_GEM_TREE: Final = "gem-tree" + ADJUSTED
_MILLION: Final = 1_000_000
_NOT_YET: Final = "not measured yet"
_ALIKE: Final = 1.5
_HUNDRED_THOUSAND: Final = 100_000


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
    alike: bool = False
    """Whether the paper says that it makes no difference."""
    beside: tuple[str, float] | None = None
    """The scenario and x of the peer, where these are others."""

    @property
    def said(self) -> str:
        """The ratio that the paper gives."""
        return "1" if self.alike else "" if self.ratio is None else f"{self.ratio:.2g}"

    def measured(self, rows: Sequence[Row]) -> tuple[str, str]:
        """The ratio of a run, and whether that agrees."""
        at = self._greatest(rows) if self.x is None else self.x
        own = _row_of(rows, self.scenario, at, self.own)
        peer = _row_of(rows, *(self.beside or (self.scenario, at)), self.peer)
        if own is None or peer is None or not getattr(own, self.measure):
            return _NOT_YET, _NOT_YET
        ratio = getattr(peer, self.measure) / getattr(own, self.measure)
        return f"{ratio:.2f} (at {number_text(at)})", self._verdict(ratio, own, peer)

    def _greatest(self, rows: Sequence[Row]) -> float:
        xs = (row.x for row in rows if row.scenario == self.scenario and row.candidate in (self.own, self.peer))
        return max(xs, default=0)

    def _verdict(self, ratio: float, own: Row, peer: Row) -> str:
        if self.alike:
            return "agree" if 1 / _ALIKE <= ratio <= _ALIKE else "disagree"
        if self.measure == "event" and overlap(own, peer):
            return "no difference"
        if (ratio < 1) != self.slower:
            return "disagree"
        if self.ratio is None:
            return "agree"
        ahead, claimed = (1 / ratio, 1 / self.ratio) if self.slower else (ratio, self.ratio)
        return "agree" if ahead - 1 >= (claimed - 1) / 2 else "order only"


def _row_of(rows: Sequence[Row], scenario: str, x: float, candidate: str) -> Row | None:
    return next((row for row in rows if (row.scenario, row.x, row.candidate) == (scenario, x, candidate)), None)


def _gem(figure: str, scenario: str, text: str, **more: float) -> tuple[Claim, ...]:
    """One claim against each of the paper's three peers."""
    return tuple(
        Claim(figure, f"{text}: faster than {peer}", scenario, _GEM_TREE, peer, **more)  # type: ignore[arg-type]
        for peer in ("be-tree", "opindex", "tama")
    )


def _slower_by_zipf(candidate: str) -> Claim:
    """What Zipf values do to one candidate at a million."""
    name, beside = candidate.partition(",")[0], ("gem-zipf", _MILLION)
    return Claim("4", f"Zipf slows down {name}", "gem-size", candidate, candidate, x=_MILLION, beside=beside)


def _kept(figure: str, measure: str, text: str, peer: str, ratio: float | None = None, **more: bool) -> Claim:
    """A claim on memory or building, at the largest size."""
    return Claim(figure, text, "gem-size", "gem-tree", peer, ratio, measure=measure, **more)  # type: ignore[arg-type]


def _itself(figure: str, text: str, scenario: str, x: float, other: float, *, alike: bool = False) -> Claim:
    """GEM-Tree at one setting against the same at another."""
    return Claim(figure, text, scenario, _GEM_TREE, _GEM_TREE, x=x, alike=alike, beside=(scenario, other))


def _compme(figure: str, text: str, scenario: str, other: str, *, who: str = "compme", alike: bool = True) -> Claim:
    """COMPME or its peer in one scenario against the same in another, at 100,000 subscriptions."""
    beside = other, _HUNDRED_THOUSAND
    return Claim(figure, text, scenario, who, who, x=_HUNDRED_THOUSAND, alike=alike, beside=beside)


def _built(text: str, scenario: str) -> Claim:
    return Claim("2 (f)", text, scenario, "compme", "opindex", measure="insert_bulk", slower=True)


CLAIMS: Final[dict[str, tuple[Claim, ...]]] = {
    "gem-tree": (
        Claim("3", "1.6 times faster than BE-Tree at 1M", "gem-size", _GEM_TREE, "be-tree", 1.6, _MILLION),
        Claim("3", "13.3 times faster than OP-Index at 1M", "gem-size", _GEM_TREE, "opindex", 13.3, _MILLION),
        Claim("3", "17.2 times faster than TAMA at 1M", "gem-size", _GEM_TREE, "tama", 17.2, _MILLION),
        Claim("3", "global adjustment improves by 16 %", "gem-size", _GEM_TREE, "gem-tree", 1.16, _MILLION),
        *_gem("3", "gem-size", "at 3M", x=3 * _MILLION),
        *_gem("4", "gem-zipf", "Zipf"),
        *map(_slower_by_zipf, (_GEM_TREE, "be-tree", "opindex", "tama")),
        *_gem("5", "gem-attributes", "100 dimensions", x=100),
        _itself("5", "faster with 100 dimensions than with 20", "gem-attributes", 100, 20),
        Claim("5", "before M = 40 TAMA is faster than OP-Index", "gem-attributes", "tama", "opindex", x=20),
        Claim("5", "… and after, OP-Index is", "gem-attributes", "opindex", "tama", x=60),
        *_gem("6", "gem-cardinality", "80 values", x=80),
        _itself("6", "80 values or 16: can be ignored", "gem-cardinality", 80, 16, alike=True),
        *_gem("7", "gem-predicates", "20 attributes in subscriptions", x=20),
        Claim("7", "with 4, OP-Index is faster than TAMA", "gem-predicates", "opindex", "tama", x=4),
        *_gem("8", "gem-rate", "match rate 10 %", x=10),
        Claim("8", "below 4 % OP-Index is faster than TAMA", "gem-rate", "opindex", "tama", x=2),
        *_gem("9", "gem-equalities", "60 % single values", x=60),
        _itself("9", "faster with 60 % single values than with 10 %", "gem-equalities", 60, 10),
        _kept("10", "insert_bulk", "builds faster than TAMA", "tama"),
        _kept("10", "insert_bulk", "builds slower than BE-Tree", "be-tree", slower=True),
        _kept("10", "insert_bulk", "builds slower than OP-Index", "opindex", slower=True),
        _kept("11", "bytes_each", "less memory than TAMA (1.53 against 2.0 KB)", "tama", 1.3),
        _kept("11", "bytes_each", "more memory than OP-Index (1.0 KB)", "opindex", 0.65, slower=True),
        _kept("11", "bytes_each", "more memory than BE-Tree (0.80 KB)", "be-tree", 0.52, slower=True),
        _kept("11", "bytes_each", "adjusted or not, the memory is the same", _GEM_TREE, alike=True),
    ),
    "compme": (
        Claim("2 (a)", "less memory than OPIndex, low", "compme-low", "compme", "opindex", measure="bytes_each"),
        Claim("2 (b)", "less memory than OPIndex, high", "compme-high", "compme", "opindex", measure="bytes_each"),
        Claim("2 (b)", "… with 20 predicates", "compme-high-20", "compme", "opindex", measure="bytes_each"),
        Claim("2 (c)", "OPIndex is faster with few predicates, high", "compme-high", "compme", "opindex", slower=True),
        Claim("2 (c)", "faster with 20 predicates, high", "compme-high-20", "compme", "opindex"),
        Claim("2 (d)", "faster, low", "compme-low", "compme", "opindex"),
        Claim("2 (d)", "faster with 20 predicates, low", "compme-low-20", "compme", "opindex"),
        _compme("2 (d)", "20 predicates or 4, low: its lines almost overlap", "compme-low-20", "compme-low"),
        _compme("2 (e)", "as fast high as low", "compme-high", "compme-low"),
        _compme("2 (e)", "OPIndex is faster high than low", "compme-high", "compme-low", who="opindex", alike=False),
        _built("OPIndex builds faster, high", "compme-high"),
        _built("OPIndex builds faster, low", "compme-low"),
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
        lines.append(f"| {claim.figure} | {claim.text} | {claim.said} | {ratio} | {verdict} |")
    return "\n".join(lines) + "\n"
