"""`semantic-pubsub spark match`: which subscriptions does each event of a folder satisfy?"""

from __future__ import annotations

from typing import Annotated

import typer

from semantic_pubsub.cli.inputs import (
    ContextOption,
    EventsOption,
    OntologyOption,
    ReasonerOption,
    StrictOption,
    SubscriptionsOption,
    contexts_from,
    known_contexts,
    load_ontology,
)
from semantic_pubsub.cli.output import Problems, counted
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
from semantic_pubsub.subscriptions import subscription_texts

__all__ = ["match"]


def match(
    ontology: OntologyOption,
    subscriptions: SubscriptionsOption,
    events: EventsOption,
    output: OutputOption,
    verify: Annotated[bool, typer.Option("--verify", help="The graph answer: look at the graph as well.")] = False,
    master: MasterOption = None,
    reasoner: ReasonerOption = None,
    context: ContextOption = None,
    strict: StrictOption = False,
    form: Annotated[TableFormat, typer.Option("--format", help="How matches are written.")] = TableFormat.PARQUET,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output folder.")] = False,
) -> None:
    """Match folders of events on Spark: event_id and subscription_id of each match.

    [bold]Example:[/bold] semantic-pubsub spark match --ontology ontology/auction.ttl
    --subscriptions examples/subscriptions --events examples/events --output matches
    """
    check_output(output, overwrite, [*ontology, *subscriptions, *events])
    problems = Problems(strict=strict)
    model = load_ontology(ontology, reasoner)
    contexts = contexts_from(context)
    with session(master) as spark:
        from semantic_pubsub.spark import compile_subscriptions, match_events

        texts = subscription_texts(*subscriptions, on_error=problems)
        compiled = compile_subscriptions(model, texts, verify=verify, on_error=problems)
        task = match_events(compiled, **reading(strict, contexts))
        columns = ["event_id", "subscription_id"]
        counts = write(
            spark, events, known_contexts(model, context), strict, task, "subscription_id", columns, output, form
        )
    raise typer.Exit(summary(counts, counted(counts.found, "match", "matches"), problems.count))
