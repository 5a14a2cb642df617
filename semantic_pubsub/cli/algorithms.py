"""Which matcher a command uses: `--algorithm` and `--verify`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from semantic_pubsub.cli.output import note
from semantic_pubsub.matching import ALGORITHMS, is_ready

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.base import Matcher

__all__ = ["AlgorithmOption", "VerifyOption", "check_algorithm", "grows_trees", "make_matcher"]

_ON_THE_GRAPH = ("ops", "reference")

AlgorithmOption = Annotated[
    str,
    typer.Option(
        "--algorithm",
        help=f"One of: {', '.join(ALGORITHMS)}. All but {' and '.join(_ON_THE_GRAPH)} look at flat pairs.",
    ),
]
VerifyOption = Annotated[
    bool,
    typer.Option("--verify", help="Look at the graph as well where an algorithm looks at flat pairs."),
]


def check_algorithm(algorithm: str, verify: bool) -> None:
    """Refuse what does not exist or makes no sense, before anything is read."""
    if algorithm not in ALGORITHMS:
        raise typer.BadParameter(f"{algorithm!r} is not one of: {', '.join(ALGORITHMS)}", param_hint="--algorithm")
    if verify and algorithm in _ON_THE_GRAPH:
        raise typer.BadParameter(f"{algorithm} gives the graph answer anyway: leave it out", param_hint="--verify")


def grows_trees(algorithm: str, verify: bool) -> bool:
    """Whether explanations have matching trees: those of OPS, which also verifies."""
    return verify or algorithm == "ops"


def make_matcher(algorithm: str, verify: bool, ontology: Ontology) -> Matcher:
    """An empty matcher; whoever waits is told if it has to be compiled first."""
    if not (is_ready(algorithm) and (is_ready("ops") or not verify)):
        note("compiling the matcher for this machine: once, about half a minute")
    return ALGORITHMS[algorithm](ontology, verify=True) if verify else ALGORITHMS[algorithm](ontology)
