"""`semantic-pubsub spark flatten` and `validate`: pairs of events, and verdicts on them, as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from semantic_pubsub.cli.inputs import (
    ContextOption,
    EventsOption,
    OntologyOption,
    StrictOption,
    contexts_from,
    known_contexts,
    load_ontology,
)
from semantic_pubsub.cli.output import counted
from semantic_pubsub.cli.spark.jobs import (
    MasterOption,
    OutputOption,
    TableFormat,
    check_output,
    reading,
    session,
    summary,
    write,
)

__all__ = ["flatten", "validate"]

FormatOption = Annotated[TableFormat, typer.Option("--format", help="How the table is written; lists as JSON in csv.")]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace the output folder.")]


def flatten(
    ontology: OntologyOption,
    events: EventsOption,
    output: OutputOption,
    master: MasterOption = None,
    context: ContextOption = None,
    strict: StrictOption = False,
    form: FormatOption = TableFormat.PARQUET,
    overwrite: OverwriteOption = False,
) -> None:
    """Flatten folders of events on Spark: event_id and pairs of each.

    [bold]Example:[/bold] semantic-pubsub spark flatten --ontology ontology/auction.ttl --events examples/events
    --output pairs
    """
    check_output(output, overwrite, [*ontology, *events])
    model = load_ontology(ontology)
    contexts = contexts_from(context)
    with session(master) as spark:
        from semantic_pubsub.spark import flatten_events

        task = flatten_events(model, **reading(strict, contexts))
        counts = write(
            spark, events, known_contexts(model, context), strict, task, "pairs", ["event_id", "pairs"], output, form
        )
    raise typer.Exit(summary(counts, f"{counts.found:,} flattened"))


def validate(
    shapes: Annotated[list[Path], typer.Option("--shapes", help="SHACL shapes, files or folders.", show_default=False)],
    events: EventsOption,
    output: OutputOption,
    ontology: Annotated[
        list[Path] | None,
        typer.Option("--ontology", "-o", help="Ontologies whose sub-classes the shapes respect.", show_default=False),
    ] = None,
    master: MasterOption = None,
    context: ContextOption = None,
    strict: StrictOption = False,
    form: FormatOption = TableFormat.PARQUET,
    overwrite: OverwriteOption = False,
) -> None:
    """Validate folders of events on Spark: event_id, conforms and violations of each. Exit code 1 if one is refused.

    [bold]Example:[/bold] semantic-pubsub spark validate --shapes shapes/auction.ttl --ontology ontology/auction.ttl
    --events examples/events --output verdicts
    """
    check_output(output, overwrite, [*shapes, *(ontology or ()), *events])
    model = load_ontology(ontology) if ontology else None
    contexts = contexts_from(context)
    with session(master) as spark:
        from semantic_pubsub.spark import validate_events

        task = validate_events(shapes, model, **reading(strict, contexts))
        columns = ["event_id", "conforms", "violations"]
        counts = write(spark, events, known_contexts(model, context), strict, task, "conforms", columns, output, form)
    code = summary(counts, counted(counts.refused, "refused", "refused"))
    raise typer.Exit(1 if counts.refused else code)
