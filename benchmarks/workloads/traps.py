"""*traps*: patterns that a plain backtracking search does not get out of.

Each is one subscription and one event that do not match, with a twin of the subscription that does. Arc by arc every
pattern could match; only all of it together cannot.

- `twins`: 12 vertices, all alike, asked of 11. Injective only: with SPARQL's semantics they may share one.
- `star`: 40 arms, of which one asks for two arcs that no vertex has both. A search that comes to it last tries 40 to
  the power of 39 ways before.
- `ring`: a star of 40 with a ring of three arcs, asked of an event whose rings have four: here the vertices agree with
  all of their neighbours, and only a search can tell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.workloads.base import load_ontology
from semantic_pubsub import Ontology

__all__ = ["Trap", "traps"]

NS = "http://example.org/trap#"
TWINS = 11
ARMS = 40


@dataclass(frozen=True)
class Trap:
    """A subscription that the event does not match, and a similar one that it does."""

    name: str
    injective: bool
    impossible: str
    possible: str
    event: str

    def ontology(self) -> Ontology:
        """One class and three properties."""
        return load_ontology(
            f"@prefix : <{NS}> .\n@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"
            ":A a owl:Class .\n:p a owl:ObjectProperty .\n:q a owl:ObjectProperty .\n:r a owl:ObjectProperty .\n"
        )


def traps() -> Iterator[Trap]:
    """All traps, those that are traps under both semantics once for each."""
    yield _twins()
    for injective in (False, True):
        yield _star(injective)
    for injective in (False, True):
        yield _ring(injective)


def _twins() -> Trap:
    event = [f"_:H :p _:t{i} . _:t{i} a :A ." for i in range(TWINS)]
    asked = [f"_:H :p ?t{i} . ?t{i} a :A ." for i in range(TWINS + 1)]
    return Trap("twins", True, _query(asked), _query(asked[:-1]), _event(event))


def _star(injective: bool) -> Trap:
    event = [f"_:H :p _:a{i} . _:a{i} a :A ." for i in range(ARMS)]
    event += [f"_:a{i} :{'q' if i % 2 else 'r'} _:e{i} ." for i in range(ARMS)]
    asked = [f"_:H :p ?a{i} . ?a{i} a :A ." for i in range(ARMS)]
    impossible = [*asked, f"?a{ARMS - 1} :q ?x . ?a{ARMS - 1} :r ?y ."]
    possible = [*asked, f"?a{ARMS - 1} :q ?x . ?a{ARMS - 2} :r ?y ."]
    return Trap("star", injective, _query(impossible), _query(possible), _event(event))


def _ring(injective: bool) -> Trap:
    event = [f"_:H :p _:a{i} . _:a{i} a :A . _:a{i} :q _:a{i // 4 * 4 + (i + 1) % 4} ." for i in range(ARMS)]
    asked = [f"_:H :p ?a{i} . ?a{i} a :A ." for i in range(ARMS)]
    impossible = asked + [f"?a{ARMS - 3 + i} :q ?a{ARMS - 3 + (i + 1) % 3} ." for i in range(3)]
    possible = asked + [f"?a{ARMS - 4 + i} :q ?a{ARMS - 4 + (i + 1) % 4} ." for i in range(4)]
    return Trap("ring", injective, _query(impossible), _query(possible), _event(event))


def _query(lines: list[str]) -> str:
    return f"PREFIX : <{NS}>\nSELECT * WHERE {{\n  _:H a :A .\n  " + "\n  ".join(lines) + "\n}\n"


def _event(lines: list[str]) -> str:
    return f"@prefix : <{NS}> .\n_:H a :A .\n" + "\n".join(lines) + "\n"
