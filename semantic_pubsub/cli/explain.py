"""`semantic-pubsub explain`: why did an event match a subscription, or why not?"""

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
    add_subscriptions,
    load_ontology,
    read_events,
)
from semantic_pubsub.cli.output import OutputFormat, Problems, fail, json_line, print_tree
from semantic_pubsub.errors import SubscriptionError, did_you_mean
from semantic_pubsub.matching import ReferenceMatcher

__all__ = ["explain"]


def explain(
    ontology: OntologyOption,
    subscriptions: SubscriptionsOption,
    events: EventsOption,
    subscription_id: Annotated[
        str | None, typer.Option("--id", help="Only this subscription; default: all.", show_default=False)
    ] = None,
    event_id: Annotated[
        str | None, typer.Option("--event", help="Only the event with this id; default: all.", show_default=False)
    ] = None,
    reasoner: ReasonerOption = None,
    context: ContextOption = None,
    strict: StrictOption = False,
    output: Annotated[OutputFormat, typer.Option("--format", help="A tree, or one JSON object a line.")] = (
        OutputFormat.TABLE
    ),
) -> None:
    """Explain, requirement by requirement, why an event matches a subscription or what is missing.

    [bold]Example:[/bold] semantic-pubsub explain --ontology ontology/auction.ttl
    --subscriptions examples/subscriptions/cheap-computers.ops --events examples/events/john-desktop.ttl
    """
    problems = Problems(strict=strict)
    model = load_ontology(ontology, reasoner)
    matcher = ReferenceMatcher(model)
    add_subscriptions(matcher, subscriptions, problems, None)
    if subscription_id is not None and subscription_id not in matcher:
        fail(
            SubscriptionError(
                f"there is no subscription {subscription_id!r}", hint=did_you_mean(subscription_id, matcher.ids())
            )
        )
        raise typer.Exit(1)
    wanted = matcher.ids() if subscription_id is None else [subscription_id]
    explained = False
    for event in read_events(events, model, context, problems):
        if event_id is not None and event.id != event_id:
            continue
        for name in wanted:
            explained = True
            explanation = matcher.explain(event, name)
            if output is OutputFormat.JSON:
                json_line(explanation.to_json())
            else:
                print_tree(explanation)
    if not explained and not problems.count:
        fail(SubscriptionError("nothing to explain: no event or no subscription was read", hint="check --event"))
        raise typer.Exit(1)
    raise typer.Exit(problems.exit_code)
