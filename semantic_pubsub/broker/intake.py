"""From what a publisher gives to an event that can be matched and stored."""

from __future__ import annotations

import hashlib
import re
import uuid
from typing import TYPE_CHECKING, Final

from pyoxigraph import RdfFormat

from semantic_pubsub.broker.errors import LimitError
from semantic_pubsub.broker.model import NewEvent
from semantic_pubsub.errors import EventError
from semantic_pubsub.events import Event
from semantic_pubsub.events.formats import format_named
from semantic_pubsub.events.parser import Reading
from semantic_pubsub.events.written import WrittenEvent, read_written
from semantic_pubsub.terms import BlankNode

if TYPE_CHECKING:
    from semantic_pubsub.broker.limits import BrokerLimits
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import EventValidator
    from semantic_pubsub.events.contexts import Contexts

__all__ = ["Intake", "check_name"]

_LABEL: Final = re.compile(r"\w(?:[\w.-]*[\w-])?")
_KEPT_AS_IT_IS: Final = {RdfFormat.TURTLE: "turtle", RdfFormat.N_TRIPLES: "nt"}


class Intake:
    """Reads, validates and packs events."""

    def __init__(self, limits: BrokerLimits, validator: EventValidator | None, contexts: Contexts | None) -> None:
        self._limits = limits
        self._contexts = contexts
        self.validator = validator

    def read(
        self, event: Event | str | bytes, syntax: str | None, ontology: Ontology, identifier: str | None = None
    ) -> Event | WrittenEvent:
        """The event with an id, on the shortest way: without an object for each term where nothing validates it."""
        if self.validator is None and not isinstance(event, Event):
            written = read_written(event, format_named(syntax), Reading(limits=self._limits.event))
            if written is not None:
                if identifier is not None:
                    check_name("an event's id", identifier, 4 * self._limits.name_characters)
                written.id = identifier or _new_id()
                return written
        return self.validate(self.parse(event, syntax, ontology, identifier))

    def parse(
        self,
        event: Event | str | bytes,
        syntax: str | None,
        ontology: Ontology,
        identifier: str | None = None,
    ) -> Event:
        """The event with an id; an EventError if it is none, or too large."""
        if not isinstance(event, Event):
            event = Event.parse(
                event, syntax, id=identifier, contexts=self._contexts, ontology=ontology, limits=self._limits.event
            )
        elif len(event.triples) > self._limits.event.triples:
            hint = "an event is a small graph; raise the limit if it is meant"
            raise LimitError(f"has more than {self._limits.event.triples:,} triples", hint=hint)
        if event.id is None:
            return event.with_id(_new_id())
        check_name("an event's id", event.id, 4 * self._limits.name_characters)
        return event

    def validate(self, event: Event) -> Event:
        """The event with what SHACL rules derive; a ValidationError with the report if it does not conform."""
        return event if self.validator is None else self.validator.check(event)

    def pack(
        self,
        event: Event | WrittenEvent,
        *,
        original: Event | str | bytes,
        syntax: str | None,
        tenant: str,
        now: float,
        idempotency_key: str | None,
        fingerprint: bytes | None,
        matches: tuple[tuple[int, int], ...],
        undecided: int,
    ) -> NewEvent:
        """The event as it is stored: in the publisher's own words where these name all blank nodes."""
        words = None if self.validator is not None else _own_words(original, syntax)
        kept, body = words or ("turtle", _turtle(event))
        return NewEvent(
            tenant=tenant,
            id=str(event.id),
            published_at=now,
            format=kept,
            home=str(event.home),
            body=body,
            matches=matches,
            idempotency_key=idempotency_key,
            fingerprint=(fingerprint or _fingerprint(original)) if idempotency_key is not None else b"",
            undecided=undecided,
        )


def check_name(what: str, name: str, most: int) -> None:
    """Refuse names that are empty, too long, or hold what no name should."""
    if not name or len(name) > most or not name.isprintable():
        raise LimitError(f"{what} has 1 to {most} printable characters, not {name[:40]!r}", hint="choose another")


def _own_words(original: Event | str | bytes, syntax: str | None) -> tuple[str, bytes] | None:
    if isinstance(original, Event):
        return None
    kept = _KEPT_AS_IT_IS.get(format_named(syntax))
    data = original.encode("utf-8") if isinstance(original, str) else original
    if kept is None or b"[" in data or b"(" in data:  # blank nodes without a label: each reader would make its own
        return None
    return kept, data


def _turtle(event: Event | WrittenEvent) -> bytes:
    if not isinstance(event, Event):
        return event.to_turtle()
    for label in {term.value for triple in event.triples for term in triple if isinstance(term, BlankNode)}:
        if _LABEL.fullmatch(label) is None:  # JSON-LD and RDF/XML have some that cannot be read again
            hint = "use letters, digits, _ and -"
            raise EventError(f"{label[:60]!r} is no label of a blank node", source=event.id, hint=hint)
    return event.to_text("turtle").encode("utf-8")


def _new_id() -> str:
    return f"urn:uuid:{uuid.uuid4()}"


def _fingerprint(original: Event | str | bytes) -> bytes:
    """What tells one event from another: the publisher's bytes, or the set of triples."""
    if isinstance(original, Event):
        data = "\n".join(sorted(original.to_text("nt").splitlines())).encode("utf-8")
    else:
        data = original.encode("utf-8") if isinstance(original, str) else original
    return hashlib.sha256(data).digest()
