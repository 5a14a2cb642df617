"""JSON-LD contexts without a network: a URL is answered from what the caller gives, or refused.

A context such as schema.org's has 200 kB, a document uses ten terms of it. Only those, and what their
definitions refer to, are put into the document before pyoxigraph parses it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import urljoin
from weakref import WeakKeyDictionary

from semantic_pubsub.errors import EventError, did_you_mean
from semantic_pubsub.vocab import WELL_KNOWN_PREFIXES

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology

__all__ = ["Contexts", "context_of", "needs_contexts", "own_urls", "with_contexts"]

Contexts: TypeAlias = "Mapping[str, str | os.PathLike[str] | Mapping[str, Any] | Ontology]"

_CONTEXT: Final = '"@context"'
_REFERENCE: Final = re.compile(r'\s*:\s*["\[]')
_CONTEXT_BYTES: Final = 32 * 1024 * 1024
_MOST_REMOTE: Final = 50
_KEYWORDS: Final = ("@version", "@vocab", "@language", "@direction", "@propagate", "@protected")
_derived: WeakKeyDictionary[Ontology, Any] = WeakKeyDictionary()


def needs_contexts(text: str) -> bool:
    """Whether a document may refer to a context by URL."""
    at = text.find(_CONTEXT)  # a search for the whole expression looks at every quotation mark
    while at >= 0:
        at += len(_CONTEXT)
        if _REFERENCE.match(text, at):
            return True
        at = text.find(_CONTEXT, at)
    return '"@import"' in text


def own_urls(ontology: Ontology) -> set[str]:
    """The URLs of an ontology's own namespaces, for which it can answer; what a foreign URL means it cannot know."""
    namespaces = {iri for prefix, iri in ontology.prefixes.items() if prefix not in WELL_KNOWN_PREFIXES}
    return {url for iri in namespaces for url in (iri, iri.rstrip("#/"))}


def context_of(url: str, given: str | os.PathLike[str] | Mapping[str, Any] | Ontology) -> Any:
    """The context that was given for a URL, as data: what another process can be sent."""
    return _given(url, given)


def with_contexts(text: str, contexts: Contexts | None, ontology: Ontology | None, base: str) -> str:
    """The document with every context URL replaced by the definitions that the document uses."""
    inliner = _Inliner(contexts or {}, ontology, base)
    try:
        document = _loads(text)
        inlined = inliner.replace(document)
        if not inliner.fragments:
            return text
        inliner.select(_words(document))
        return json.dumps(inlined, allow_nan=False)
    except RecursionError:
        raise EventError("JSON is nested too deep", hint="link the parts by identifiers") from None
    except ValueError:
        raise EventError("holds a number that is out of range", hint="write it as a string with a type") from None


class _Fragment(dict[str, Any]):
    """The chosen part of one context; fills up in place, inside the document, while words are found.

    As JSON-LD has it, `@base` counts in the document's own context and not in one that a URL stands for.
    """

    def __init__(self, whole: Mapping[str, Any], within: tuple[str, ...]) -> None:
        super().__init__((keyword, whole[keyword]) for keyword in _KEYWORDS if keyword in whole)
        if not within and "@base" in whole:
            self["@base"] = whole["@base"]
        self.whole = whole
        self.within = within


class _Inliner:
    """Replaces the context URLs of one document."""

    def __init__(self, contexts: Contexts, ontology: Ontology | None, base: str) -> None:
        self.fragments: list[_Fragment] = []
        self._contexts = contexts
        self._ontology = ontology
        self._base = base
        self._remote = 0

    def replace(self, node: Any) -> Any:
        """A copy of a JSON value in which `@context` holds no URL any more."""
        if isinstance(node, dict):
            return {
                key: self._context(value, ()) if key == "@context" else self.replace(value)
                for key, value in node.items()
            }
        if isinstance(node, list):
            return [self.replace(value) for value in node]
        return node

    def select(self, words: Iterable[str]) -> None:
        """Move what the words name, and what that refers to, from each context into its fragment."""
        known = set(words)
        filled = 0
        while filled < len(self.fragments):  # a definition may bring a further context into play
            filled = len(self.fragments)
            for fragment in self.fragments:
                known.update(_words(fragment))
            self._fill(known)

    def _fill(self, known: set[str]) -> None:
        waiting = list(known)
        while waiting:
            word = waiting.pop()
            prefix, colon, _ = word.partition(":")
            found = [prefix] if colon else []
            for fragment in tuple(self.fragments):
                if word in fragment.whole and word not in fragment and word != "@base":
                    fragment[word] = self._scoped(fragment.whole[word], fragment.within)
                    found.extend(_words(fragment.whole[word]))
            for new in found:
                if new not in known:
                    known.add(new)
                    waiting.append(new)

    def _context(self, value: Any, within: tuple[str, ...]) -> Any:
        """A value of `@context` without URLs; `within` are the URLs that led to it."""
        if isinstance(value, str):
            return self._context(self._look_up(value, within), (*within, value))
        if isinstance(value, list):
            parts = (self._context(item, within) for item in value)
            return [one for part in parts for one in (part if isinstance(part, list) else [part])]
        if not isinstance(value, Mapping):
            return value
        if within or "@import" in value:
            fragment = _Fragment(self._with_import(value, within), within)
            self.fragments.append(fragment)
            return fragment
        return {term: self._scoped(definition, within) for term, definition in value.items()}

    def _scoped(self, definition: Any, within: tuple[str, ...]) -> Any:
        if isinstance(definition, dict) and "@context" in definition:
            return {**definition, "@context": self._context(definition["@context"], within)}
        return definition

    def _with_import(self, value: Mapping[str, Any], within: tuple[str, ...]) -> Mapping[str, Any]:
        if "@import" not in value:
            return value
        url = value["@import"]
        imported = self._look_up(url, within) if isinstance(url, str) else None
        if not isinstance(imported, Mapping) or "@import" in imported:
            raise EventError(f"@import of {url} is no single JSON-LD context", hint="import one object")
        return {**imported, **{key: item for key, item in value.items() if key != "@import"}}

    def _look_up(self, url: str, within: tuple[str, ...]) -> Any:
        """The value of `@context` in what the caller gave for a URL."""
        self._remote += 1
        if url in within:
            raise EventError(f"the JSON-LD context {url} includes itself", hint="break the circle")
        if self._remote > _MOST_REMOTE:
            message = f"refers to more than {_MOST_REMOTE} JSON-LD contexts by URL"
            raise EventError(message, hint="name each once, on top")
        for spelling in (url, _joined(within[-1] if within else self._base, url)):
            if spelling in self._contexts:
                return _given(spelling, self._contexts[spelling])
        if self._ontology is not None:
            return _derived_from(self._ontology)
        near = did_you_mean(url, self._contexts)
        hint = f"say contexts={{{url!r}: 'file.jsonld'}}, or --context {url}=file.jsonld; nothing is ever fetched"
        raise EventError(f"the JSON-LD context {url} is not given", hint=f"{near} {hint}" if near else hint)


def _given(url: str, value: str | os.PathLike[str] | Mapping[str, Any] | Ontology) -> Any:
    if isinstance(value, Mapping):
        return _unwrapped(value)
    if isinstance(value, str | os.PathLike):
        path = Path(value)
        try:
            status = path.stat()
            return _context_file(str(path), status.st_mtime_ns, status.st_size)
        except OSError as error:
            raise EventError(
                f"the JSON-LD context {url} cannot be read from {path}: {error.strerror}", hint="correct contexts="
            ) from None
    return _derived_from(value)


def _joined(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:  # no URL at all, such as "http://["
        return url


def _derived_from(ontology: Ontology) -> Any:
    """The context that an ontology gives, made once for each."""
    known = _derived.get(ontology)
    if known is None:
        known = _derived[ontology] = _unwrapped(ontology.jsonld_context())
    return known


@lru_cache(maxsize=64)
def _context_file(path: str, _changed: int, size: int) -> Any:
    if size > _CONTEXT_BYTES:
        raise EventError(f"is longer than {_CONTEXT_BYTES:,} bytes", source=path, hint="give a JSON-LD context")
    try:
        value = json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        message = "is not a JSON-LD context: not JSON"
        raise EventError(message, source=path, line=line, hint="correct the file") from None
    if not isinstance(value, dict | list):
        raise EventError("is not a JSON-LD context", source=path, hint="give an object with @context")
    return _unwrapped(value)


def _unwrapped(value: Any) -> Any:
    return value["@context"] if isinstance(value, Mapping) and "@context" in value else value


def _words(node: Any) -> Iterator[str]:
    """Every key and every text in a JSON value: whatever could name a term."""
    waiting = [node]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, Mapping):
            yield from value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _loads(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise EventError(
            f"is not JSON: {error.msg}", line=error.lineno, column=error.colno, hint="correct the document"
        ) from None
    except ValueError as error:
        raise EventError(f"is not JSON: {error}", hint="correct the document") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")
