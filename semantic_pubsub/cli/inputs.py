"""The options that several commands share, and how what they name is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semantic_pubsub.cli.output import Problems, warn
from semantic_pubsub.concepts import Ontology
from semantic_pubsub.errors import EventError, SemanticPubSubError
from semantic_pubsub.events import Event, events_from
from semantic_pubsub.events.contexts import own_urls
from semantic_pubsub.subscriptions import SubscriptionText, subscription_texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.matching.base import Matcher

__all__ = [
    "ContextOption",
    "EventsOption",
    "OntologyOption",
    "ReasonerOption",
    "StrictOption",
    "SubscriptionsOption",
    "add_subscriptions",
    "contexts_from",
    "known_contexts",
    "load_ontology",
    "read_events",
]

OntologyOption = Annotated[
    list[Path], typer.Option("--ontology", "-o", help="Ontology files or folders, any RDF syntax.", show_default=False)
]
SubscriptionsOption = Annotated[
    list[Path],
    typer.Option(
        "--subscriptions",
        "-s",
        help="Subscription files (.rq, .ops, .jsonl) or folders of them.",
        show_default=False,
    ),
]
EventsOption = Annotated[
    list[Path],
    typer.Option(
        "--events",
        "-e",
        help="Event files (.ttl, .nt, .rdf, .jsonld, .trig, .nq, .jsonl) or folders of them.",
        show_default=False,
    ),
]
ContextOption = Annotated[
    list[str] | None,
    typer.Option("--context", metavar="URL=PATH", help="Answer a JSON-LD context URL from a file; nothing is fetched."),
]
ReasonerOption = Annotated[
    str | None, typer.Option("--reasoner", help="Infer further hierarchy with a reasoner: hermit (needs Java 17).")
]
StrictOption = Annotated[bool, typer.Option("--strict", help="Stop at the first bad input.")]


def load_ontology(paths: list[Path], reasoner: str | None = None) -> Ontology:
    """Load the ontologies and say what deserves a look; a bad ontology ends the command."""
    if reasoner not in (None, "hermit"):
        raise typer.BadParameter(f"{reasoner!r} is not one of: hermit", param_hint="--reasoner")
    ontology = Ontology.load(*paths, reasoner=reasoner)
    for notice in ontology.warnings:
        warn(notice)
    return ontology


def contexts_from(given: list[str] | None) -> dict[str, Path]:
    """`URL=PATH` options as a mapping."""
    contexts: dict[str, Path] = {}
    for text in given or ():
        url, sign, path = text.rpartition("=")
        if not sign or not url or not path:
            raise typer.BadParameter(f"{text!r} is not of the form URL=PATH", param_hint="--context")
        contexts[url] = Path(path)
    return contexts


def read_events(
    paths: Iterable[Path], ontology: Ontology | None, contexts: list[str] | None, problems: Problems
) -> Iterator[Event]:
    """Every event of every file; what cannot be read is reported and the rest goes on."""
    known = known_contexts(ontology, contexts)
    for path in paths:
        try:
            for event in events_from(path, contexts=known, on_error=problems):
                for notice in event.warnings:
                    warn(notice)
                yield event
        except EventError as error:
            problems(error)


def known_contexts(ontology: Ontology | None, contexts: list[str] | None) -> dict[str, Path | Ontology]:
    """What answers a context URL: a file that is named for it, else the ontology for its own namespaces."""
    own = {} if ontology is None else dict.fromkeys(own_urls(ontology), ontology)
    return {**own, **contexts_from(contexts)}


def add_subscriptions(matcher: Matcher, paths: list[Path], problems: Problems, injective: bool | None) -> None:
    """Parse and add every subscription; bad ones are reported and the rest is added."""
    for path in paths:
        try:
            found: Iterable[SubscriptionText] = subscription_texts(path, on_error=problems)
            if injective is not None:
                found = (text._replace(injective=injective) for text in found)
            matcher.add_all(found, on_error=problems)
        except SemanticPubSubError as error:
            problems(error)
    for notices in matcher.warnings.values():
        for notice in notices:
            warn(notice)
