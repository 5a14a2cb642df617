"""Seeded events and subscriptions of the auction example, of any number, for trying and measuring.

Event n depends on the seed and on n alone: however the work is divided, the same set comes out.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

__all__ = ["event_quads", "event_text", "generate_events", "generate_subscriptions"]

A: Final = "http://example.org/auction#"
UNITS: Final = "http://example.org/units#"
RDF: Final = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
XSD: Final = "http://www.w3.org/2001/XMLSchema#"

_PRODUCTS: Final = ("DesktopPC", "NotebookPC", "Computer", "Book", "EBook", "MP3", "Memory", "SolidStateDisk")
_ASKED: Final = ("Product", "Computer", "DesktopPC", "NotebookPC", "DigitalProduct", "Book", "EBook", "ComputerPart")
_MAKERS: Final = ("IBM", "HP", "Lenovo", "Dell", "Acer", "Asus")
_CONTEXT: Final = {
    "@vocab": A,
    "units": UNITS,
    "value": {"@id": f"{RDF}value", "@type": f"{XSD}decimal"},
    "currency": {"@type": "@id"},
}


def event_text(seed: int, number: int) -> str:
    """Event `number` as one line of JSON-LD."""
    draw = random.Random(f"{seed} {number}")  # noqa: S311 - for play, not for secrets
    event: dict[str, Any] = {
        "@context": _CONTEXT,
        "@id": f"urn:event:{seed}:{number}",
        "@type": draw.choice(("Selling", "Selling", "AuctionLot", "Buying")),
        "seller": {"@type": draw.choice(("Person", "Dealer")), "name": f"Seller {draw.randrange(1000)}"},
        "target": {
            "@type": draw.choice(_PRODUCTS),
            "title": f"offer {draw.randrange(500)}",
            "used": draw.random() < 0.5,
            "manufacture": {"@type": "Company", "name": draw.choice(_MAKERS)},
        },
        "price": {
            "@type": "MoneyValue",
            "value": f"{10 ** (1 + 3 * draw.random()):.2f}",
            "currency": draw.choice(("units:dollar", "units:euro")),
        },
    }
    if draw.random() < 0.4:
        event["seller"]["cellPhoneNumber"] = f"555-{draw.randrange(10_000):04}"
    return json.dumps(event)


def event_quads(seed: int, number: int) -> str:
    """Event `number` as N-Quads."""
    from semantic_pubsub.events import Event

    name = f"urn:event:{seed}:{number}"
    event = Event.parse(event_text(seed, number), "json-ld", id=name)
    return event.to_text("nquads")


def generate_subscriptions(seed: int, number: int) -> Iterator[tuple[str, str]]:
    """(id, SPARQL text) of subscriptions to kinds of products, makers and bands of prices."""
    draw = random.Random(f"{seed} subscriptions")  # noqa: S311 - for play, not for secrets
    for count in range(number):
        low = 10 ** (1 + 3 * draw.random())
        lines = [f"_:H a:target ?t . ?t a a:{draw.choice(_ASKED)} ."]
        if draw.random() < 0.5:
            lines.append(f'?t a:manufacture/a:name "{draw.choice(_MAKERS)}" .')
        lines.append(f"_:H a:price/rdf:value ?p . FILTER(?p >= {low:.2f} && ?p < {low * 1.3:.2f})")
        yield f"s{count}", f"PREFIX a: <{A}> PREFIX rdf: <{RDF}>\nSELECT ?p {{ {' '.join(lines)} }}"


def generate_events(session: SparkSession, folder: Path, number: int, seed: int, files: int, ending: str) -> int:
    """Write events into files of a folder that all executors see; gives how many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    place = str(folder.resolve())
    task = _Writer(place, seed, ending)
    counts = session.range(0, number, 1, files).mapInArrow(lambda batches: task.run(batches), "written long")
    return sum(row.written for row in counts.collect())


class _Writer:
    """Writes the events of a partition into one file, which appears when it is complete."""

    def __init__(self, folder: str, seed: int, ending: str) -> None:
        self._folder, self._seed, self._ending = folder, seed, ending

    def run(self, batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyspark import TaskContext

        context = TaskContext.get()
        part = context.partitionId() if context else 0
        target = Path(self._folder, f"events-{self._seed}-{part:05}.{self._ending}")
        hidden = target.with_name(f".{target.name}.{os.getpid()}")
        made = event_text if self._ending == "jsonl" else event_quads
        written = 0
        with hidden.open("w", encoding="utf-8") as file:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    file.write(made(self._seed, number).rstrip("\n") + "\n")
                written += batch.num_rows
        if written:
            hidden.rename(target)
        else:
            hidden.unlink()
        yield pa.RecordBatch.from_arrays([pa.array([written], pa.int64())], names=["written"])
