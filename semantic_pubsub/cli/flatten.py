"""`semantic-pubsub flatten`: events as pairs ⟨path, value⟩."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from semantic_pubsub.cli.inputs import (
    ContextOption,
    EventsOption,
    OntologyOption,
    ReasonerOption,
    StrictOption,
    add_subscriptions,
    load_ontology,
    read_events,
)
from semantic_pubsub.cli.output import Problems, counted, progress, stderr
from semantic_pubsub.cli.pair_writers import PairFormat, check_target, pair_writer
from semantic_pubsub.errors import EventError
from semantic_pubsub.matching.flat.flatten import flatten as unfold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.matching.flat.pairs import FlatEvent
    from semantic_pubsub.matching.flat.paths import Path as Steps

__all__ = ["flatten"]


def flatten(
    ontology: OntologyOption,
    events: EventsOption,
    subscriptions: Annotated[
        list[Path] | None,
        typer.Option("--subscriptions", "-s", help="Unfold only the paths that these use.", show_default=False),
    ] = None,
    reasoner: ReasonerOption = None,
    context: ContextOption = None,
    strict: StrictOption = False,
    form: Annotated[
        PairFormat, typer.Option("--format", help="A table, one JSON object a line, or Parquet: one row an event.")
    ] = PairFormat.TABLE,
    output: Annotated[
        Path | None, typer.Option("--output", metavar="FILE", help="Write into this file.", show_default=False)
    ] = None,
) -> None:
    """Flatten events: each path of properties from home, and the classes, IRI or literal at its end.

    [bold]Example:[/bold] semantic-pubsub flatten --ontology ontology/auction.ttl --events examples/events/notebook.ttl
    """
    check_target(form, output)
    problems = Problems(strict=strict)
    model = load_ontology(ontology, reasoner)
    paths = _paths_of(model, subscriptions, problems) if subscriptions else None
    found = read_events(events, model, context, problems)
    number = pairs = 0
    with progress() as bar, pair_writer(form, model, output) as writer:
        task = bar.add_task("flattening events", total=None)
        for number, flat in enumerate(_flattened(found, model, paths, problems), 1):
            bar.update(task, completed=number)
            writer.write(flat)
            pairs += len(flat)
    _summary(number, pairs, problems, output)
    raise typer.Exit(problems.exit_code)


def _paths_of(model: Ontology, subscriptions: list[Path], problems: Problems) -> tuple[Steps, ...]:
    """What the subscriptions look at."""
    from semantic_pubsub.matching.flat_matcher import FlatMatcher  # brings numba: only where it is needed

    matcher = FlatMatcher(model, "scan")  # the index that needs no compiling: nothing is matched here
    add_subscriptions(matcher, subscriptions, problems, None)
    return matcher.paths


def _flattened(
    events: Iterable[Event], model: Ontology, paths: tuple[Steps, ...] | None, problems: Problems
) -> Iterator[FlatEvent]:
    for event in events:
        try:
            yield unfold(event, model, paths)
        except EventError as error:
            problems(error)


def _summary(events: int, pairs: int, problems: Problems, output: Path | None) -> None:
    counts = [
        counted(events, "event"),
        counted(pairs, "pair"),
        *([counted(problems.count, "bad input")] if problems.count else ()),
    ]
    place = f": {output}" if output is not None else ""
    stderr().print(", ".join(counts) + place, style="dim")
