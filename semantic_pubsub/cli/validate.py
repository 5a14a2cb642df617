"""`semantic-pubsub validate`: do events conform to their SHACL shapes?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from semantic_pubsub.cli.inputs import ContextOption, EventsOption, StrictOption, load_ontology, read_events
from semantic_pubsub.cli.output import OutputFormat, Problems, counted, json_line, progress, stderr, stdout
from semantic_pubsub.errors import EventError, ValidationError

if TYPE_CHECKING:
    from semantic_pubsub.events import Event
    from semantic_pubsub.events.report import ValidationReport

__all__ = ["validate"]


def validate(
    shapes: Annotated[list[Path], typer.Option("--shapes", help="SHACL shapes, files or folders.", show_default=False)],
    events: EventsOption,
    ontology: Annotated[
        list[Path] | None,
        typer.Option("--ontology", "-o", help="Ontologies whose sub-classes the shapes respect.", show_default=False),
    ] = None,
    context: ContextOption = None,
    strict: StrictOption = False,
    output: Annotated[OutputFormat, typer.Option("--format", help="A table, or one JSON object a line.")] = (
        OutputFormat.TABLE
    ),
) -> None:
    """Validate events against SHACL shapes. An event that does not conform counts as bad input: exit code 1.

    [bold]Example:[/bold] semantic-pubsub validate --shapes shapes/auction.ttl --ontology ontology/auction.ttl
    --events examples/events
    """
    # pyshacl takes a while to import: only here, so that the other commands start at once.
    from semantic_pubsub.events.validator import EventValidator

    problems = Problems(strict=strict)
    model = load_ontology(ontology) if ontology else None
    validator = EventValidator(shapes, model)
    table = Table("event", "conforms", "what is wrong")
    valid = refused = 0
    try:
        with progress() as bar:
            task = bar.add_task("validating events", total=None)
            for event in read_events(events, model, context, problems):
                try:
                    report = validator.validate(event)
                except EventError as error:
                    problems(error)
                    continue
                valid += report.conforms
                refused += not report.conforms
                bar.update(task, completed=valid + refused)
                _report(event, report, table if output is OutputFormat.TABLE else None)
                if strict and not report.conforms:
                    raise ValidationError(report.text, report=report, source=event.source)
    finally:
        if table.row_count:
            stdout().print(table)
    bad = f", {problems.count} unreadable" if problems.count else ""
    stderr().print(f"{counted(valid + refused, 'event')}: {valid} valid, {refused} refused{bad}", style="dim")
    raise typer.Exit(1 if refused else problems.exit_code)


def _report(event: Event, report: ValidationReport, table: Table | None) -> None:
    if table is None:
        violations = [violation.to_dict() for violation in report.violations]
        json_line({"event": event.id, "conforms": report.conforms, "violations": violations})
    else:
        verdict = Text("yes", style="green") if report.conforms else Text("no", style="bold red")
        table.add_row(event.id, verdict, "\n".join(str(violation) for violation in report.violations))
