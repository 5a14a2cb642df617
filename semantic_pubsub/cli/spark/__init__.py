"""`semantic-pubsub spark`: the verbs of the command line for folders of any size, on Spark."""

from __future__ import annotations

import typer

from semantic_pubsub.cli.spark.generate import generate
from semantic_pubsub.cli.spark.match import match
from semantic_pubsub.cli.spark.transform import flatten, validate

__all__ = ["spark"]

spark = typer.Typer(
    name="spark",
    help="Match, flatten, validate and generate events on Spark.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
for command in (match, flatten, validate, generate):
    spark.command()(command)
