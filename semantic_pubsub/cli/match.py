"""`semantic-pubsub match`: which subscriptions does each event satisfy?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from semantic_pubsub.cli.algorithms import AlgorithmOption, VerifyOption, check_algorithm, make_matcher
from semantic_pubsub.cli.inputs import (
    ContextOption,
    EventsOption,
    OntologyOption,
    ReasonerOption,
    StrictOption,
    SubscriptionsOption,
    add_subscriptions,
    load_ontology,
    read_events,
)
from semantic_pubsub.cli.output import OutputFormat, Problems, counted, json_line, progress, stderr, stdout
from semantic_pubsub.errors import EventError

if TYPE_CHECKING:
    from semantic_pubsub.events import Event
    from semantic_pubsub.matching.base import Match, Matcher

__all__ = ["match"]


def match(
    ontology: OntologyOption,
    subscriptions: SubscriptionsOption,
    events: EventsOption,
    algorithm: AlgorithmOption = "ops",
    verify: VerifyOption = False,
    injective: Annotated[
        bool | None,
        typer.Option(
            "--injective/--no-injective",
            help="Distinct vertices match distinct vertices, or not; default: as each syntax has it.",
            show_default=False,
        ),
    ] = None,
    reasoner: ReasonerOption = None,
    context: ContextOption = None,
    strict: StrictOption = False,
    output: Annotated[OutputFormat, typer.Option("--format", help="A table, or one JSON object a line.")] = (
        OutputFormat.TABLE
    ),
) -> None:
    """Match events against subscriptions.

    [bold]Example:[/bold] semantic-pubsub match --ontology ontology/auction.ttl
    --subscriptions examples/subscriptions --events examples/events --format json
    """
    check_algorithm(algorithm, verify)
    problems = Problems(strict=strict)
    model = load_ontology(ontology, reasoner)
    matcher = make_matcher(algorithm, verify, model)
    add_subscriptions(matcher, subscriptions, problems, injective)
    table = Table("event", "subscription", "bindings")
    number = matches = 0
    try:
        with progress() as bar:
            task = bar.add_task("matching events", total=None)
            for number, event in enumerate(read_events(events, model, context, problems), 1):
                bar.update(task, completed=number)
                for found in _matches(matcher, event, problems):
                    matches += 1
                    _report(event, found, table if output is OutputFormat.TABLE else None)
    finally:
        if table.row_count:
            stdout().print(table)
    _summary(number, matches, matcher, problems)
    raise typer.Exit(problems.exit_code)


def _matches(matcher: Matcher, event: Event, problems: Problems) -> list[Match]:
    try:
        return sorted(matcher.match(event), key=lambda m: m.subscription_id)
    except EventError as error:
        problems(error)
        return []


def _report(event: Event, found: Match, table: Table | None) -> None:
    bindings = {name: term.n3() for name, term in found.bindings.items()}
    if table is None:
        json_line({"event": event.id, "subscription": found.subscription_id, "bindings": bindings})
    else:
        table.add_row(event.id, found.subscription_id, "  ".join(f"?{n} = {t}" for n, t in bindings.items()))


def _summary(events: int, matches: int, matcher: Matcher, problems: Problems) -> None:
    counts = [
        counted(events, "event"),
        counted(len(matcher), "subscription"),
        counted(matches, "match", "matches"),
        *([counted(problems.count, "bad input")] if problems.count else ()),
    ]
    stderr().print(", ".join(counts), style="dim")
