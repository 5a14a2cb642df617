"""A column of texts to events, one a record; what is no event is noted with a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.events import Event
from semantic_pubsub.events.contexts import context_of, own_urls
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.events.limits import DEFAULT_LIMITS, Limits
from semantic_pubsub.events.model import make_event
from semantic_pubsub.events.parser import DEFAULT_BASE, Reading, read_graph
from semantic_pubsub.terms import NamedNode

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyoxigraph import RdfFormat

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.spark.columns import EventColumns

__all__ = ["Formats", "TextBatch", "TextReading", "contexts_as_data", "read_texts", "there"]


@dataclass(frozen=True)
class TextReading:
    """How texts are read, the same for all records. Contexts are JSON-LD contexts as data, by their URL."""

    contexts: Mapping[str, Any] | None
    limits: Limits

    @classmethod
    def given(cls, contexts: Contexts | None, limits: Limits | None) -> TextReading:
        """What a caller asks for; contexts in files are read here, since executors may not see them."""
        return cls(contexts_as_data(contexts), limits or DEFAULT_LIMITS)

    def reading(self, ontology: Ontology | None) -> Reading:
        """With an ontology, which answers for the contexts of its own namespaces and for no foreign URL."""
        own = dict.fromkeys(own_urls(ontology), ontology) if ontology is not None else {}
        return Reading(DEFAULT_BASE, {**own, **(self.contexts or {})}, None, self.limits)


def contexts_as_data(contexts: Contexts | None) -> dict[str, Any] | None:
    """JSON-LD contexts in a form that can be sent to executors."""
    if not contexts:
        return None
    return {url: {"@context": context_of(url, given)} for url, given in contexts.items()}


class TextBatch(NamedTuple):
    """An event for each record, or None and a reason in `bad`."""

    events: list[Event | None]
    bad: dict[int, str]


class Formats:
    """The syntax of each record: named in a column, or, where that is null or not there, the same for all."""

    def __init__(self, batch: pa.RecordBatch, wanted: EventColumns) -> None:
        named = batch.column(wanted.format_column).to_pylist() if wanted.format_column else None
        self._named: list[str | None] | None = named
        self._else = format_named(wanted.format)

    def of(self, row: int) -> RdfFormat:
        """The syntax of a record."""
        name = self._named[row] if self._named is not None else None
        return self._else if name is None else format_named(name)


def there(body: str | bytes | None) -> str | bytes:
    """The text of a record that has one."""
    if body is None:
        raise SemanticPubSubError("the event is null")
    return body


def read_texts(batch: pa.RecordBatch, wanted: EventColumns, reading: Reading) -> TextBatch:
    """Parse every record of a batch."""
    bodies = batch.column(wanted.columns[0][0])
    names = batch.column(wanted.event_id).to_pylist() if wanted.event_id else [None] * len(bodies)
    formats = Formats(batch, wanted)
    events: list[Event | None] = []
    bad: dict[int, str] = {}
    for number in range(len(bodies)):
        try:
            body = there(bodies[number].as_py())  # one at a time: a batch of large texts is not held twice
            graph = read_graph(body, formats.of(number), reading)
            given = names[number]
            event = make_event(Event, graph, reading, id=None if given is None else str(given))
            if event.id is None and isinstance(event.home, NamedNode):
                event = event.with_id(event.home.value)
        except SemanticPubSubError as error:
            bad[number] = str(error)
            events.append(None)
        else:
            events.append(event)
    return TextBatch(events, bad)
