"""`semantic-pubsub validate`: do events conform to their SHACL shapes?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from semantic_pubsub.cli.inputs import ContextOption, EventsOption, StrictOption, load_ontology, read_events
from semantic_pubsub.cli.output import OutputFormat, Problems, json_line, progress, stderr, stdout
from semantic_pubsub.errors import ValidationError
from semantic_pubsub.events import EventValidator

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
    problems = Problems(strict=strict)
    model = load_ontology(ontology) if ontology else None
    validator = EventValidator(shapes, model)
    table = Table("event", "conforms", "violations")
    number = refused = 0
    with progress() as bar:
        task = bar.add_task("validating events", total=None)
        for number, event in enumerate(read_events(events, model, context, problems), 1):
            bar.update(task, completed=number)
            report = validator.validate(event)
            refused += not report.conforms
            if output is OutputFormat.JSON:
                json_line({"event": event.id, **report.to_json()})
            else:
                table.add_row(
                    event.id, "yes" if report.conforms else "[red]no[/red]", _words(report.text, report.conforms)
                )
            if strict and not report.conforms:
                raise ValidationError(report.text, report=report, source=event.source)
    if output is OutputFormat.TABLE and number:
        stdout().print(table)
    bad = f", {problems.count} unreadable" if problems.count else ""
    stderr().print(f"{number} events, {number - refused} conform, {refused} do not{bad}", style="dim")
    raise typer.Exit(1 if refused else problems.exit_code)


def _words(text: str, conforms: bool) -> str:
    from rich.markup import escape

    return "" if conforms else escape(text)
