"""`semantic-pubsub demo`: the auction of the papers on one screen, from what comes with the project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from semantic_pubsub.cli.output import stdout
from semantic_pubsub.cli.picture import as_svg, write_picture
from semantic_pubsub.concepts import Ontology
from semantic_pubsub.events import Event, events_from
from semantic_pubsub.matching import Explanation, ReferenceMatcher
from semantic_pubsub.shipped import shipped
from semantic_pubsub.subscriptions import Subscription, subscriptions_from

if TYPE_CHECKING:
    from semantic_pubsub.events.validator import EventValidator

__all__ = ["demo"]

_WIDTH = 100
_REASONS = 71  # what is left of it beside indentation and the event's name
_EVENTS = (
    "jinling-wang-desktop.ttl",
    "john-desktop.ttl",
    "mary-wants-desktop.ttl",
    "notebook.ttl",
    "market.trig",
    "refused.ttl",
)
_MISS = ("jinling-wang-desktop", "cheap-computers")
_KINDS = (("class", "class"), ("property", "arc"), ("value", "filter"))
_STYLES = {"class": "yellow", "arc": "magenta", "filter": "blue"}


def demo(
    draw: Annotated[
        Path | None, typer.Option("--draw", metavar="FILE.svg", help="Draw the screen as well.", show_default=False)
    ] = None,
) -> None:
    """Show the papers' auction example on one screen: ontology, events, matches, and why one did not match.

    [bold]Example:[/bold] semantic-pubsub demo
    """
    screen = stdout()
    console = Console(
        file=screen.file,
        width=min(screen.width, _WIDTH) if screen.is_terminal else _WIDTH,
        highlight=False,
        markup=False,
        emoji=False,
        record=True,
    )
    ontology = Ontology.load(shipped("ontology/auction.ttl"))
    matcher = ReferenceMatcher(ontology)
    subscriptions = list(subscriptions_from(shipped("examples/subscriptions")))
    matcher.add_all(subscriptions)
    _show_ontology(console, ontology)
    console.print()
    accepted = _show_validation(console, _validator(ontology), _read(ontology))
    console.print()
    _show_matches(console, matcher, {each.id: _purpose(each) for each in subscriptions}, accepted)
    console.print()
    _show_miss(console, matcher, accepted)
    if draw is not None:
        write_picture(draw, as_svg(console))


def _validator(ontology: Ontology) -> EventValidator:
    # pyshacl takes a while to import: only here, so that the other commands start at once.
    from semantic_pubsub.events.validator import EventValidator

    return EventValidator([shipped("shapes/auction.ttl")], ontology)


def _read(ontology: Ontology) -> list[Event]:
    folder = shipped("examples/events")
    events = [event for name in _EVENTS for event in events_from(folder / name, ontology=ontology)]
    return [event.with_id(_short(event.id or "")) for event in events]


def _short(name: str) -> str:
    """`john-desktop` for a file's name, `market/1` for a graph's."""
    return name.removesuffix(".ttl").removeprefix("http://example.org/")


def _purpose(subscription: Subscription) -> str:
    """What the comment at its top says, in short."""
    first_line = (subscription.text or "").partition("\n")[0]
    return re.split(r"[:,(]", first_line)[0].strip("# .")


def _show_ontology(console: Console, ontology: Ontology) -> None:
    _headline(console, "1  The ontology says what words mean", "ontology/auction.ttl")
    _indented(
        console,
        f"{len(list(ontology.classes))} classes, {len(list(ontology.properties))} properties, "
        f"{len(ontology.meta_statements)} statements on what may lead where; so it is known that",
    )
    _indented(console, "NotebookPC ⊑ Computer ⊑ Product", _STYLES["class"])
    _indented(console, "cellPhoneNumber ⊑ telephoneNumber ⊑ contactInformation", _STYLES["arc"])


def _show_validation(console: Console, validator: EventValidator, events: list[Event]) -> list[Event]:
    """Print the verdict on each event; the valid ones go on."""
    _headline(console, "2  Events are checked before anybody gets them", "shapes/auction.ttl")
    accepted = []
    for event in events:
        report = validator.validate(event)
        if report.conforms:
            accepted.append(event)
            continue
        _indented(console, f"✗ {event.id} is refused:", "bold red")
        for violation in report.violations:
            _indented(console, f"- {violation}", "red", 5)
    _indented(console, f"✓ {', '.join(event.id or '' for event in accepted)}", "green")
    return accepted


def _show_matches(console: Console, matcher: ReferenceMatcher, purposes: dict[str, str], events: list[Event]) -> None:
    legend = Text(", ").join(Text(f"by {name}", style=_STYLES[kind]) for name, kind in _KINDS)
    _headline(console, "3  Each event reaches whoever asked for it", "examples/subscriptions", legend, Text("  "))
    for name, purpose in purposes.items():
        _indented(console, Text.assemble((f"{name}  ", "bold"), purpose))
        grid = Table.grid(Column(width=24), Column())
        for event in events:
            explanation = matcher.explain(event, name)
            if explanation.matched:
                grid.add_row(Text.assemble(("✓ ", "green"), event.id or ""), _reasons(explanation))
        console.print(Padding(grid, (0, 0, 0, 5), expand=False))


def _reasons(explanation: Explanation) -> Text:
    """The steps that made it a match, each once; those up to a top or between datatypes go without saying."""
    matched = next(alternative for alternative in explanation.alternatives if alternative.matched)
    steps = {f.step: f.kind for f in matched.findings if f.step and not re.search(r" ⊑ (owl|xsd|rdfs):", f.step)}
    reasons = Text()
    column = 0
    for step, kind in steps.items():
        if column + len(step) > _REASONS:
            reasons.append("\n")
            column = 0
        reasons.append(step, style=_STYLES[kind]).append("  ")
        column += len(step) + 2
    return reasons


def _show_miss(console: Console, matcher: ReferenceMatcher, events: list[Event]) -> None:
    event_id, subscription_id = _MISS
    _headline(console, "4  And if nothing arrived, there is an answer to why", "semantic-pubsub explain")
    event = next(event for event in events if event.id == event_id)
    console.print(Padding(matcher.explain(event, subscription_id).__rich__(), (0, 0, 0, 3), expand=False))


def _headline(console: Console, title: str, source: str, *more: Text) -> None:
    console.print(Text.assemble((f"{title}  ", "bold cyan"), *more, (source, "dim")))


def _indented(console: Console, line: str | Text, style: str = "", columns: int = 3) -> None:
    text = Text(line, style=style) if isinstance(line, str) else line
    console.print(Padding(text, (0, 0, 0, columns), expand=False))
