"""`flatten_events`: a DataFrame of event texts to a DataFrame of pairs, once, for many subscription sets."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from semantic_pubsub.matching.fingerprint import fingerprint
from semantic_pubsub.matching.flat.paths import dotted
from semantic_pubsub.matching.flat.plain import ClassName, Iri
from semantic_pubsub.spark.bundle import Bundle, Handle, Ship, hash_files, ship
from semantic_pubsub.spark.columns import (
    PAIR_FIELDS,
    BadRecords,
    EventColumns,
    bad_records,
    check_columns,
    map_batches,
    result_schema,
    structs_type,
)
from semantic_pubsub.spark.compiled import kept_folder
from semantic_pubsub.spark.quads import gathered, text_columns
from semantic_pubsub.spark.text_task import TextTask
from semantic_pubsub.spark.texts import TextReading
from semantic_pubsub.terms import Literal
from semantic_pubsub.vocab import RDF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pyspark.sql import DataFrame

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.events.limits import Limits
    from semantic_pubsub.matching.flat.pairs import FlatEvent
    from semantic_pubsub.matching.flat.paths import Path as Steps

__all__ = ["flatten_events", "ontology_bundle", "pairs_as_rows"]

_bundles: dict[tuple[int, str], Bundle] = {}


def flatten_events(
    ontology: Ontology,
    *,
    text: str | None = None,
    format: str | None = None,  # noqa: A002 - rdflib's word
    format_column: str | None = None,
    quads: bool = False,
    event_id: str | None = "event_id",
    paths: Iterable[Steps] | None = None,
    keep: Sequence[str] = (),
    mode: str = "PERMISSIVE",
    columnNameOfCorruptRecord: str | None = None,  # noqa: N803 - Spark's name for it
    contexts: Contexts | None = None,
    limits: Limits | None = None,
    ship: Ship = "auto",
) -> Callable[[DataFrame], DataFrame]:
    """For `DataFrame.transform`: the pairs of each event, as (event_id, pairs), ready for `match_events`.

    With `paths` (`FlatMatcher.paths`) only what some subscription looks at is unfolded. In `pairs`, a literal with
    a language has `@` and the language in the place of its datatype.
    """
    wanted = text_columns(event_id, text, format, format_column, quads)
    bad = bad_records(mode, columnNameOfCorruptRecord)
    reading = TextReading.given(contexts, limits)
    bundle = ontology_bundle(ontology)
    chosen = None if paths is None else tuple(paths)

    def transform(events: DataFrame) -> DataFrame:
        frame = gathered(events, keep) if quads else events
        return _apply(frame, bundle, wanted, bad, reading, tuple(keep), chosen, ship)

    return transform


def _apply(
    events: DataFrame,
    bundle: Bundle,
    wanted: EventColumns,
    bad: BadRecords,
    reading: TextReading,
    keep: tuple[str, ...],
    paths: tuple[Steps, ...] | None,
    way: Ship,
) -> DataFrame:
    check_columns(events.schema, wanted, keep)
    keep = tuple(name for name in keep if name != wanted.event_id)  # which is there already
    schema = result_schema(events.schema, wanted, {"pairs": structs_type(PAIR_FIELDS)}, keep, bad)
    handle = ship(bundle, events.sparkSession, way)
    task = TextTask(wanted, bad, reading, keep, Flattening(handle, paths), handle)
    return map_batches(events, wanted, keep, task.run, schema)


@dataclass(frozen=True)
class Flattening:
    """From an event to its pairs, on an executor."""

    handle: Handle
    paths: tuple[Steps, ...] | None

    def columns(self) -> dict[str, Any]:
        """The Arrow types of the new columns."""
        import pyarrow as pa  # type: ignore[import-untyped]

        return {"pairs": pa.list_(pa.struct([(name, pa.string()) for name in PAIR_FIELDS]))}

    def prepare(self, ontology: Ontology | None) -> Callable[[Event], tuple[Any, ...]]:
        """A function from event to new values."""
        from semantic_pubsub.matching.flat.flatten import flatten

        if ontology is None:
            raise ValueError("flattening needs an ontology")
        name = cache(lambda path: dotted(path, ontology))
        paths = self.paths
        return lambda event: (pairs_as_rows(flatten(event, ontology, paths), name),)


def pairs_as_rows(event: FlatEvent, dotted_name: Callable[[Any], str]) -> list[tuple[str, str, str, str | None]]:
    """The pairs of a flattened event as (path, kind, value, datatype)."""
    rows: list[tuple[str, str, str, str | None]] = []
    for path, value in event.items:
        if isinstance(value, Literal):
            datatype = value.datatype.value
            if datatype == RDF + "langString":
                datatype = f"@{value.language}"
            rows.append((dotted_name(path), "literal", value.value, datatype))
        elif isinstance(value, ClassName | Iri):
            rows.append((dotted_name(path), "class" if isinstance(value, ClassName) else "iri", value.iri, None))
    return rows


def ontology_bundle(ontology: Ontology) -> Bundle:
    """The ontology as a file for executors, written once in this process."""
    key = (id(ontology), fingerprint(ontology))
    if key not in _bundles:
        folder = kept_folder()
        file = folder / "new"
        file.write_bytes(pickle.dumps(ontology, protocol=5))
        digest = hash_files([file])
        file.rename(folder / f"{digest}.ontology")
        _bundles[key] = Bundle(folder, digest, (f"{digest}.ontology",))
    return _bundles[key]
