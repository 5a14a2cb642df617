"""`semantic-pubsub explain`: why did an event match a subscription, or why not?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from semantic_pubsub.cli.algorithms import AlgorithmOption, VerifyOption, check_algorithm, grows_trees, make_matcher
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
from semantic_pubsub.cli.output import OutputFormat, Problems, json_line, print_tree
from semantic_pubsub.cli.picture import write_picture
from semantic_pubsub.errors import EventError, SubscriptionError, did_you_mean

if TYPE_CHECKING:
    from semantic_pubsub.matching import Explanation, Matcher
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
    algorithm: AlgorithmOption = "ops",
    verify: VerifyOption = False,
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
    check_algorithm(algorithm, verify)
    if (tree or picture is not None) and not grows_trees(algorithm, verify):
        remedy = "use ops" if algorithm == "reference" else "use ops, or add --verify"
        raise typer.BadParameter(f"{algorithm} grows no matching tree: {remedy}", param_hint="--algorithm")
    problems = Problems(strict=strict)
    model = load_ontology(ontology, reasoner)
    matcher = make_matcher(algorithm, verify, model)
    add_subscriptions(matcher, subscriptions, problems, None)
    wanted = matcher.ids() if subscription_id is None else [_known(subscription_id, matcher)]
    explanation: Explanation | None = None
    for event in read_events(events, model, context, problems):
        if event_id is not None and event.id != event_id:
            continue
        for name in wanted:
            if explanation is not None and picture is not None:
                raise typer.BadParameter("draws one event and one subscription; choose them with --id and --event")
            try:
                explanation = matcher.explain(event, name)
            except EventError as error:
                problems(error)
                break
            _show(explanation, output, tree)
    if explanation is None and not problems.count:
        raise SubscriptionError("nothing to explain: no event or no subscription was read", hint="check --event")
    if explanation is not None and picture is not None:
        write_picture(picture, _with_trees(explanation).draw())
    raise typer.Exit(problems.exit_code)


def _known(subscription_id: str, matcher: Matcher) -> str:
    if subscription_id not in matcher:
        raise SubscriptionError(
            f"there is no subscription {subscription_id!r}", hint=did_you_mean(subscription_id, matcher.ids())
        )
    return subscription_id


def _with_trees(explanation: Explanation) -> OpsExplanation:
    return cast("OpsExplanation", explanation)  # `grows_trees` has said so


def _show(explanation: Explanation, output: OutputFormat, tree: bool) -> None:
    trees = _with_trees(explanation).trees if tree else ()
    if output is OutputFormat.JSON:
        json_line({**explanation.to_json(), **({"trees": [grown.to_json() for grown in trees]} if tree else {})})
        return
    print_tree(explanation)
    for grown in trees:
        print_tree(grown)
