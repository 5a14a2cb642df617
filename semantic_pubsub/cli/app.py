"""The commands put together, and the words before them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from semantic_pubsub.cli.bench import bench
from semantic_pubsub.cli.check import check
from semantic_pubsub.cli.demo import demo
from semantic_pubsub.cli.explain import explain
from semantic_pubsub.cli.flatten import flatten
from semantic_pubsub.cli.match import match
from semantic_pubsub.cli.output import fail
from semantic_pubsub.cli.serve import serve
from semantic_pubsub.cli.spark import spark
from semantic_pubsub.cli.validate import validate
from semantic_pubsub.errors import SemanticPubSubError

__all__ = ["app", "main"]

# Options that take several values in a row, as in `--events a.ttl b.ttl`; click knows only repeated options.
_SEVERAL = frozenset(("--ontology", "-o", "--subscriptions", "-s", "--events", "-e", "--shapes", "--context"))

app = typer.Typer(
    name="semantic-pubsub",
    help="Route RDF events to graph-pattern subscriptions by meaning.",
    epilog="Start with: semantic-pubsub demo",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (demo, check, validate, match, explain, flatten, bench):
    app.command()(command)
app.add_typer(serve)
app.add_typer(spark)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"semantic-pubsub {version('semantic-pubsub')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; bad input ends with one line on stderr, never with a traceback."""
    given = sys.argv[1:] if arguments is None else arguments
    try:
        app(_repeat_options(given), prog_name="semantic-pubsub")
    except SemanticPubSubError as error:
        fail(error)
        sys.exit(1)
    except MemoryError:
        fail(SemanticPubSubError("out of memory", hint="split the input"))
        sys.exit(1)


def _repeat_options(arguments: list[str]) -> list[str]:
    """`--events a b` as `--events a --events b`."""
    spread: list[str] = []
    current: str | None = None
    for position, argument in enumerate(arguments):
        if argument == "--":
            return spread + arguments[position:]
        if argument.startswith("-") and argument != "-":
            current = argument if argument in _SEVERAL else None
            spread.append(argument)
        elif current is not None and spread[-1] != current:
            spread += [current, argument]
        else:
            spread.append(argument)
    return spread
