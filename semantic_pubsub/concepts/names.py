"""From what people write (an IRI, a prefixed name, a local name, an rdflib term) to an IRI string."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import rdflib
from pyoxigraph import NamedNode

from semantic_pubsub.errors import OntologyError, did_you_mean, quoted
from semantic_pubsub.vocab import WELL_KNOWN_PREFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["Kind", "NameLike", "Names", "local_name"]

Kind: TypeAlias = Literal["class", "property", "individual"]
NameLike: TypeAlias = str | rdflib.URIRef | NamedNode

# Schemes of IRIs without `//`: with these a colon does not mean a prefix.
_SCHEMES: Final = frozenset(
    [
        "about",
        "arn",
        "cid",
        "data",
        "did",
        "doi",
        "geo",
        "hdl",
        "info",
        "isbn",
        "mailto",
        "mid",
        "news",
        "ni",
        "oid",
        "orcid",
        "sip",
        "sms",
        "tag",
        "tel",
        "urn",
        "uuid",
        "x-arn",
    ]
)
_ABSOLUTE: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\s<>\"{}|\\^`]*\Z")


def local_name(iri: str) -> str:
    """What follows the last `#`, `/` or (where there is neither) `:` of an IRI."""
    stem = iri.rstrip("/#")
    cut = max(stem.rfind("#"), stem.rfind("/"))
    return stem[(cut if cut >= 0 else stem.rfind(":")) + 1 :]


class Names:
    """The names that an ontology knows, by kind."""

    def __init__(
        self,
        prefixes: Mapping[str, str],
        kinds: Mapping[Kind, Callable[[], Iterable[str]]],
        knows: Callable[[str], bool],
        same: Callable[[str], tuple[str, ...]],
        words: Callable[[], Iterable[tuple[str, str]]],
    ) -> None:
        self._prefixes = {**WELL_KNOWN_PREFIXES, **prefixes}
        self._kinds = kinds
        self._knows = knows
        self._same = same
        self._words = words
        self._found: dict[tuple[str, Kind | None], str] = {}

    def expand(self, name: NameLike, kind: Kind | None = None) -> str:
        """The IRI that a name stands for; an `OntologyError` for one that is unknown or ambiguous."""
        if isinstance(name, NamedNode):
            return name.value
        if isinstance(name, rdflib.URIRef):
            return str(name)
        if not isinstance(name, str) or isinstance(name, rdflib.term.Identifier):
            raise OntologyError(f"{name!r} is not a name", hint="give an IRI, a prefixed name or a local name")
        if kind is not None and kind not in self._kinds:
            raise ValueError(f"kind must be one of {', '.join(self._kinds)}, not {kind!r}")
        known = self._found.get((name, kind))
        if known is None:
            known = self._found[name, kind] = self._look_up(name, kind)
        return known

    def find(self, name: str, kind: Kind | None = None) -> str | None:
        """The IRI that a text stands for, or None: for texts that may or may not be names, and may be many."""
        known = self._found.get((name, kind))
        if known is not None or not name:
            return known
        if ":" in name or name[0] == "<":
            try:
                return self._look_up(name, kind) if _ABSOLUTE.match(name.strip("<>")) else None
            except OntologyError:
                return None
        kinds = self._kinds if kind is None else (kind,)
        found = sorted({iri for each in kinds for iri in self._by_local[each].get(name, ())})
        return found[0] if found and (len(found) == 1 or set(found) <= set(self._same(found[0]))) else None

    def _look_up(self, name: str, kind: Kind | None) -> str:
        if name.startswith("<") and name.endswith(">"):
            return name[1:-1]
        if ":" in name:
            return self._of_prefixed(name)
        return self._of_local(name, kind)

    def _of_prefixed(self, name: str) -> str:
        prefix, _, rest = name.partition(":")
        if not rest.startswith("//"):
            namespace = self._prefixes.get(prefix)
            if namespace is not None:
                return namespace + rest
        absolute = _ABSOLUTE.match(name) is not None
        if absolute and (rest.startswith("//") or prefix.lower() in _SCHEMES or self._knows(name)):
            return name
        if absolute or not prefix:
            hint = did_you_mean(prefix, self._prefixes) or f"known are {', '.join(sorted(self._prefixes))}"
            raise OntologyError(f"unknown prefix {prefix}: in {quoted(name)}", hint=hint)
        raise OntologyError(f"{quoted(name)} is neither an IRI nor a name", hint="an IRI has no spaces or brackets")

    def _of_local(self, name: str, kind: Kind | None) -> str:
        kinds = self._kinds if kind is None else (kind,)
        found = sorted({iri for each in kinds for iri in self._by_local[each].get(name, ())})
        if len(found) > 1 and set(found) <= set(self._same(found[0])):
            return found[0]
        what = kind or "name"
        if len(found) > 1:
            raise OntologyError(
                f"ambiguous {what} {quoted(name)}: {', '.join(found)}",
                candidates=found,
                hint="write the IRI or a prefix",
            )
        if not found:
            raise self._unknown(name, what, kinds)
        return found[0]

    def _unknown(self, name: str, what: str, kinds: Iterable[Kind]) -> OntologyError:
        """An error that lists what was perhaps meant: near names, and concepts that go by this word."""
        index = {local: iris for kind in kinds for local, iris in self._by_local[kind].items()}
        lowered = name.casefold()
        meant = [iri for word, iri in self._words() if word.casefold() == lowered]
        hint = did_you_mean(name, [*index, *map(local_name, meant)])
        other = next((kind for kind in self._kinds if kind not in kinds and name in self._by_local[kind]), None)
        if other is not None:
            hint = f"{name} is {'an' if other == 'individual' else 'a'} {other}"
        elif meant:
            hint = f"did you mean {', '.join(dict.fromkeys(map(local_name, meant)))}?"
        elif hint:
            near = hint.removeprefix("did you mean ").removesuffix("?").split(", ")
            meant = [iri for local in near for iri in index.get(local, ())]
        return OntologyError(f"unknown {what} {quoted(name)}", candidates=dict.fromkeys(meant), hint=hint)

    def near(self, iri: str) -> str | None:
        """`did you mean …?` for the known names nearest to an unknown IRI's local name."""
        locals_ = {local: iris for index in self._by_local.values() for local, iris in index.items()}
        same = locals_.get(local_name(iri))
        return f"did you mean <{same[0]}>?" if same else did_you_mean(local_name(iri), locals_)

    @cached_property
    def _by_local(self) -> dict[Kind, dict[str, list[str]]]:
        indexes: dict[Kind, dict[str, list[str]]] = {}
        for kind, names in self._kinds.items():
            index: dict[str, list[str]] = {}
            for iri in names():
                index.setdefault(local_name(iri), []).append(iri)
            indexes[kind] = index
        return indexes

    def unique(self) -> dict[str, str]:
        """Every local name that stands for one IRI only, over all kinds."""
        merged: dict[str, set[str]] = {}
        for index in self._by_local.values():
            for local, iris in index.items():
                merged.setdefault(local, set()).update(iris)
        return {local: next(iter(iris)) for local, iris in merged.items() if len(iris) == 1 and local}
