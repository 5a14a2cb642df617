"""The ids of JSON-LD documents, found without parsing them as RDF where their form leaves no doubt.

An event's id is the IRI of its home, or of its graph. In a document that is one tree the home can only be the vertex on
top: every other one is reached from it. What could make it more than a tree, or its `@id` anything but the IRI that is
written there, is looked for in the text; so is a vertex under a key that means nothing, which the parser leaves without
an arc that leads to it. Where one is found the document is read as RDF.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from pyoxigraph import RdfFormat

from semantic_pubsub.errors import EventError
from semantic_pubsub.events.contexts import needs_contexts
from semantic_pubsub.events.home import choose_home
from semantic_pubsub.events.parser import Reading, read_graph
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["id_of_graph", "id_of_line"]

_DOUBT: Final = re.compile(
    r'"@(?:graph|reverse|included|import)"'
    r'|"_:'  # some vertex may be called _:H
    r"|\\u"  # any of these words in disguise
    r'|(?<!@)type"\s*[:},]'  # types that are written as arcs do not count as such
    r'|"@context"(?!\s*:\s*\{)|"@context".*"@context"',
    re.DOTALL,
)
_KEYWORDS: Final = frozenset(("@id", "@type", "@value", "@list", "@set", "@nest", "@index", "@language"))
_PLAIN_IRI: Final = re.compile(r"([A-Za-z][A-Za-z0-9+-]*):(//)?(?:[A-Za-z0-9:_~#?=&%@!$()*+,;/-]|\.(?=[A-Za-z0-9]))+")


def id_of_line(text: str, contexts: Mapping[str, Any] | None = None) -> str | None:
    """The IRI of home, else of the graph, if there is one; None also for what is no event."""
    if '"@id"' not in text and "\\u" not in text and not (contexts and needs_contexts(text)):
        return None  # else a context elsewhere may have another word for it
    return _written_on_top(text) or _read(text, RdfFormat.JSON_LD, contexts, home_first=True)


def id_of_graph(text: str, syntax: RdfFormat, contexts: Mapping[str, Any] | None = None) -> str | None:
    """The IRI of the graph of a file with one event, if it has one."""
    return _read(text, syntax, contexts, home_first=False)


def _written_on_top(text: str) -> str | None:
    if _DOUBT.search(text):
        return None
    try:
        top = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(top, dict):
        return None
    name, context = top.get("@id"), top.get("@context") or {}
    found = _PLAIN_IRI.fullmatch(name) if isinstance(name, str) else None
    if found is None or (not found[2] and found[1] in context):  # a prefix, not a scheme
        return None
    return found[0] if _all_defined(top, context) else None


def _all_defined(top: dict[str, Any], context: Mapping[str, Any]) -> bool:
    """Whether every key under which vertices may stand means something."""
    has_vocabulary = isinstance(context.get("@vocab"), str)
    waiting: list[Any] = [top]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            for key, value in node.items():
                if key == "@context" or not isinstance(value, dict | list):
                    continue
                if not _is_defined(key, context, has_vocabulary):
                    return False
                waiting.append(value)
    return True


def _is_defined(key: str, context: Mapping[str, Any], has_vocabulary: bool) -> bool:
    if key in _KEYWORDS:
        return True
    if key not in context:
        return has_vocabulary or _is_iri(key)
    given = context[key]
    meaning = given.get("@id", key) if isinstance(given, dict) else given
    return isinstance(meaning, str) and (has_vocabulary or _is_iri(meaning))


@lru_cache(maxsize=1024)
def _is_iri(word: str) -> bool:
    return _PLAIN_IRI.fullmatch(word) is not None


def _read(text: str, syntax: RdfFormat, contexts: Mapping[str, Any] | None, home_first: bool) -> str | None:
    try:
        graph = read_graph(text, syntax, Reading(contexts=contexts))
        home = choose_home(graph.triples) if home_first else None
    except EventError:  # whoever reads the event says what is wrong with it
        return None
    name = home if isinstance(home, NamedNode) else graph.name
    return name.value if isinstance(name, NamedNode) else None
