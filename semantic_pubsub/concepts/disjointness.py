"""Which classes are stated to have nothing in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.vocab import OWL, RDF_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.concepts.facts import Facts

__all__ = ["Disjointness"]


class Disjointness:
    """Groups of pairwise disjoint names.

    From owl:disjointWith, owl:complementOf, owl:AllDisjointClasses and owl:disjointUnionOf.
    """

    def __init__(self, facts: Facts) -> None:
        self._groups: dict[str, list[int]] = {}
        for number, group in enumerate(_groups(facts)):
            for name in group:
                self._groups.setdefault(name, []).append(number)

    def between(self, first: Iterable[str], second: Iterable[str]) -> bool:
        """Whether a name of the first and another of the second are in one group; given all that is above each."""
        found: dict[int, set[str]] = {}
        for name in first:
            for group in self._groups.get(name, ()):
                found.setdefault(group, set()).add(name)
        if not found:
            return False
        return any(found[group] - {name} for name in second for group in self._groups.get(name, ()) if group in found)


def _groups(facts: Facts) -> Iterable[set[str]]:
    for predicate in (OWL + "disjointWith", OWL + "complementOf"):
        yield from ({first, second} for first, second in facts.named(predicate) if first != second)
    lists = [head for _, head in facts.pairs(OWL + "disjointUnionOf")]
    lists += [
        head
        for node, kind in facts.pairs(RDF_TYPE)
        if kind == OWL + "AllDisjointClasses"
        for head in facts.objects(node, OWL + "members")
    ]
    yield from ({name for name in facts.members(head) if isinstance(name, str)} for head in lists)
