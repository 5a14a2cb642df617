"""`semantic-pubsub check`: an ontology, its hierarchies and its problems; subscriptions that are redundant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from semantic_pubsub.cli.hierarchy import draw_hierarchy, hierarchy_tree
from semantic_pubsub.cli.inputs import ReasonerOption, load_ontology
from semantic_pubsub.cli.output import OutputFormat, Problems, json_line, print_tree, stdout
from semantic_pubsub.cli.picture import write_picture
from semantic_pubsub.cli.redundant import check_subscriptions
from semantic_pubsub.matching.words import Words

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology

__all__ = ["check"]


def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="ONTOLOGY...", help="Ontology files or folders.", show_default=False),
    ] = None,
    ontology: Annotated[
        list[Path] | None, typer.Option("--ontology", "-o", help="The same as ONTOLOGY.", show_default=False)
    ] = None,
    reasoner: ReasonerOption = None,
    tree: Annotated[bool, typer.Option("--tree", help="Print the class and property hierarchies.")] = False,
    root: Annotated[
        str | None, typer.Option("--root", help="Only what is below this class or property.", show_default=False)
    ] = None,
    draw: Annotated[
        Path | None, typer.Option("--draw", metavar="FILE.svg", help="Draw the class hierarchy.", show_default=False)
    ] = None,
    inferred: Annotated[bool, typer.Option("--inferred", help="List what only the reasoner knows.")] = False,
    subscriptions: Annotated[
        list[Path] | None,
        typer.Option(
            "--subscriptions",
            "-s",
            help="Report duplicates, covered and unsatisfiable ones (.rq, .ops, .jsonl, folders).",
            show_default=False,
        ),
    ] = None,
    output: Annotated[OutputFormat, typer.Option("--format", help="A table, or one JSON object.")] = OutputFormat.TABLE,
) -> None:
    """Load an ontology and show what it holds: counts, hierarchies, what deserves a look.

    With subscriptions: which mean the same, which are covered by another, which nothing can be expected to match.

    [bold]Example:[/bold] semantic-pubsub check ontology/auction.ttl --tree --subscriptions examples/subscriptions
    """
    given = [*(paths or ()), *(ontology or ())]
    if not given:
        raise typer.BadParameter("name at least one ontology file", param_hint="ONTOLOGY...")
    if inferred and reasoner is None:
        raise typer.BadParameter("only a reasoner infers: add --reasoner hermit", param_hint="--inferred")
    model = load_ontology(given, reasoner)
    counts = _counts(model, reasoner is not None)
    pairs = [(str(lower), str(upper)) for lower, upper in sorted(model.inferred)] if inferred else []
    problems = Problems()
    checked = check_subscriptions(subscriptions, model, problems) if subscriptions else None
    if output is OutputFormat.JSON:
        json_line(_as_json(model, counts, pairs, reasoner is not None) | (checked.as_json() if checked else {}))
    else:
        _print(model, counts, pairs, tree, root)
        if checked is not None:
            checked.print()
    if draw is not None:
        write_picture(draw, draw_hierarchy(model, root))
    raise typer.Exit(problems.exit_code)


def _counts(model: Ontology, reasoned: bool) -> dict[str, int]:
    classes, properties = list(model.classes), list(model.properties)
    counts = {
        "triples": model.triples,
        "classes": len(classes),
        "properties": len(properties),
        "individuals": len(model.individuals),
        "class subsumptions": model.classes.pairs,
        "property subsumptions": model.properties.pairs,
        "deepest class": max((model.depth(name) for name in classes), default=0),
        "classes with several parents": sum(len(model.parents(name)) > 1 for name in classes),
        "meta-statements": len(model.meta_statements),
    }
    if reasoned:
        counts["inferred by the reasoner"] = len(model.inferred)
        counts["unsatisfiable classes"] = len(model.unsatisfiable)
    return counts


def _as_json(
    model: Ontology, counts: dict[str, int], pairs: list[tuple[str, str]], reasoned: bool
) -> dict[str, object]:
    data: dict[str, object] = {name.replace(" ", "_").replace("-", "_"): count for name, count in counts.items()}
    data["warnings"] = [str(notice) for notice in model.warnings]
    if reasoned:
        data["unsatisfiable"] = sorted(str(name) for name in model.unsatisfiable)
    if pairs:
        data["inferred"] = pairs
    return data


def _print(model: Ontology, counts: dict[str, int], pairs: list[tuple[str, str]], tree: bool, root: str | None) -> None:
    console, words = stdout(), Words(model)
    table = Table(show_header=False)
    for name, count in counts.items():
        table.add_row(name, f"{count:,}")
    console.print(table)
    if model.unsatisfiable:
        names = ", ".join(sorted(words.iri(str(name)) for name in model.unsatisfiable))
        console.print(f"nothing can be a member of: {names}", style="yellow")
    for lower, upper in pairs:
        console.print(f"{words.iri(lower)} ⊑ {words.iri(upper)}")
    if tree:
        for branch in hierarchy_tree(model, root):
            print_tree(branch)
