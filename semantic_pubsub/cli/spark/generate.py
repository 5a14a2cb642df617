"""`semantic-pubsub spark generate`: a seeded set of events of any size, and subscriptions to them."""

from __future__ import annotations

import json
import shutil
from enum import StrEnum
from typing import Annotated

import typer

from semantic_pubsub.cli.output import counted, stderr
from semantic_pubsub.cli.spark.jobs import MasterOption, OutputOption, check_output, session

__all__ = ["generate"]


class EventFormat(StrEnum):
    """How generated events are written."""

    JSONL = "jsonl"
    NQ = "nq"


def generate(
    output: OutputOption,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="How many events.")] = 10_000,
    subscriptions: Annotated[int, typer.Option("--asking", min=0, help="How many subscriptions beside them.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="The same seed gives the same set.")] = 7,
    files: Annotated[int, typer.Option("--files", min=1, help="In how many files.")] = 4,
    form: Annotated[EventFormat, typer.Option("--format", help="JSON-LD lines or N-Quads.")] = EventFormat.JSONL,
    master: MasterOption = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the output folder.")] = False,
) -> None:
    """Write events of the auction example into FOLDER/events, and subscriptions beside them.

    [bold]Example:[/bold] semantic-pubsub spark generate --number 100000 --output market
    """
    check_output(output, overwrite)
    with session(master) as spark:
        from semantic_pubsub.spark.generate import generate_events, generate_subscriptions
        from semantic_pubsub.spark.job import make_folder

        if output.exists():
            shutil.rmtree(output)
        make_folder(output)
        written = generate_events(spark, output / "events", number, seed, files, form.value)
    with (output / "subscriptions.jsonl").open("w", encoding="utf-8") as file:
        for name, text in generate_subscriptions(seed, subscriptions):
            file.write(json.dumps({"id": name, "pattern": text}) + "\n")
    what = f"{counted(written, 'event')}, {counted(subscriptions, 'subscription')}: {output}"
    stderr().print(what, style="dim")
