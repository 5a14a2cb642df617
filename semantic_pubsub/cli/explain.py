"""`semantic-pubsub explain`: why did an event match a subscription, or why not?"""

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
    SubscriptionsOption,
    add_subscriptions,
    load_ontology,
    read_events,
    say_what_takes_time,
)
from semantic_pubsub.cli.output import OutputFormat, Problems, fail, json_line, print_tree
from semantic_pubsub.cli.picture import write_picture
from semantic_pubsub.errors import SubscriptionError, did_you_mean

if TYPE_CHECKING:
    from semantic_pubsub.matching.graph.explained import OpsExplanation

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
    tree: Annotated[bool, typer.Option("--tree", help="Also the AND-OR matching tree of each alternative.")] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--draw", help="Draw the matching tree of one event and subscription as SVG.", show_default=False),
    ] = None,
) -> None:
    """Explain, requirement by requirement, why an event matches a subscription or what is missing.

    [bold]Example:[/bold] semantic-pubsub explain --ontology ontology/auction.ttl
    --subscriptions examples/subscriptions/cheap-computers.ops --events examples/events/john-desktop.ttl
    """
    from semantic_pubsub.matching.graph import OpsMatcher  # here, for the engine takes a moment to load

    problems = Problems(strict=strict)
    model = load_ontology(ontology, reasoner)
    say_what_takes_time("ops")
    matcher = OpsMatcher(model)
    add_subscriptions(matcher, subscriptions, problems, None)
    if subscription_id is not None and subscription_id not in matcher:
        fail(
            SubscriptionError(
                f"there is no subscription {subscription_id!r}", hint=did_you_mean(subscription_id, matcher.ids())
            )
        )
        raise typer.Exit(1)
    wanted = matcher.ids() if subscription_id is None else [subscription_id]
    explanation: OpsExplanation | None = None
    for event in read_events(events, model, context, problems):
        if event_id is not None and event.id != event_id:
            continue
        for name in wanted:
            if explanation is not None and picture is not None:
                raise typer.BadParameter("draws one event and one subscription; choose them with --id and --event")
            explanation = matcher.explain(event, name)
            _show(explanation, output, tree)
    if explanation is None and not problems.count:
        fail(SubscriptionError("nothing to explain: no event or no subscription was read", hint="check --event"))
        raise typer.Exit(1)
    if explanation is not None and picture is not None:
        write_picture(picture, explanation.draw())
    raise typer.Exit(problems.exit_code)


def _show(explanation: OpsExplanation, output: OutputFormat, tree: bool) -> None:
    if output is OutputFormat.JSON:
        trees = {"trees": [grown.to_json() for grown in explanation.trees]} if tree else {}
        json_line({**explanation.to_json(), **trees})
        return
    print_tree(explanation)
    if tree:
        for grown in explanation.trees:
            print_tree(grown)
