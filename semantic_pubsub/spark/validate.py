"""`validate_events`: SHACL at scale. Every event gets a verdict and what is wrong with it."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import rdflib

from semantic_pubsub.events.shapes import PreparedShapes
from semantic_pubsub.spark.bundle import Bundle, Handle, Ship, hash_files, ship
from semantic_pubsub.spark.columns import bad_records, check_columns, map_batches, result_schema, structs_type
from semantic_pubsub.spark.compiled import kept_folder
from semantic_pubsub.spark.quads import gathered, text_columns
from semantic_pubsub.spark.text_task import TextTask
from semantic_pubsub.spark.texts import TextReading

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import DataFrame

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.events.limits import Limits
    from semantic_pubsub.events.shapes import ShapesSource
    from semantic_pubsub.events.validator import EventValidator

__all__ = ["validate_events"]

_FIELDS: Final = ("focus", "path", "value", "message", "severity", "constraint", "shape")


def validate_events(
    shapes: ShapesSource,
    ontology: Ontology | None = None,
    *,
    text: str | None = None,
    format: str | None = None,  # noqa: A002 - rdflib's word
    format_column: str | None = None,
    quads: bool = False,
    event_id: str | None = "event_id",
    keep: Sequence[str] | None = None,
    allow_warnings: bool = False,
    mode: str = "PERMISSIVE",
    columnNameOfCorruptRecord: str | None = None,  # noqa: N803 - Spark's name for it
    contexts: Contexts | None = None,
    limits: Limits | None = None,
    ship: Ship = "auto",
) -> Callable[[DataFrame], DataFrame]:
    """For `DataFrame.transform`: the table with two more columns, `conforms` and `violations`.

    All columns are kept unless `keep` names some. Of a record that is no event `conforms` is null.
    """
    wanted = text_columns(event_id, text, format, format_column, quads)
    bad = bad_records(mode, columnNameOfCorruptRecord)
    reading = TextReading.given(contexts, limits)
    bundle = _bundle(shapes, ontology)

    def transform(events: DataFrame) -> DataFrame:
        from pyspark.sql.types import BooleanType

        frame = gathered(events, keep or ()) if quads else events
        kept = tuple(name for name in (frame.columns if keep is None else keep) if name != event_id)
        check_columns(frame.schema, wanted, kept)
        new = {"conforms": BooleanType(), "violations": structs_type(_FIELDS)}
        schema = result_schema(frame.schema, wanted, new, kept, bad)
        handle = _ship(bundle, frame, ship)
        has_ontology = handle if ontology is not None else None
        task = TextTask(wanted, bad, reading, kept, Validation(handle, allow_warnings), has_ontology)
        return map_batches(frame, wanted, kept, task.run, schema)

    return transform


def _ship(bundle: Bundle, frame: DataFrame, way: Ship) -> Handle:
    return ship(bundle, frame.sparkSession, way)


def _bundle(shapes: ShapesSource, ontology: Ontology | None) -> Bundle:
    """Shapes as one file, read once on the driver so that mistakes show there; the ontology beside them."""
    prepared = PreparedShapes(shapes)
    folder = kept_folder()
    (folder / "shapes").write_text(prepared.graph.serialize(format="turtle"), encoding="utf-8")
    if ontology is not None:
        (folder / "ontology").write_bytes(pickle.dumps(ontology, protocol=5))
    files = sorted(folder.iterdir())
    digest = hash_files(files)
    for file in files:
        file.rename(folder / f"{digest}.{file.name}")
    return Bundle(folder, digest, tuple(f"{digest}.{file.name}" for file in files))


@dataclass(frozen=True)
class Validation:
    """From an event to its verdict, on an executor."""

    handle: Handle
    allow_warnings: bool

    def columns(self) -> dict[str, Any]:
        """The Arrow types of the new columns."""
        import pyarrow as pa  # type: ignore[import-untyped]

        return {
            "conforms": pa.bool_(),
            "violations": pa.list_(pa.struct([(name, pa.string()) for name in _FIELDS])),
        }

    def prepare(self, ontology: Ontology | None) -> Callable[[Event], tuple[Any, ...]]:
        """A function from event to (conforms, violations)."""
        from semantic_pubsub.spark.worker import cached

        key = f"validator {self.handle.digest} {self.allow_warnings}"
        validator: EventValidator = cached(key, lambda: self._validator(ontology))

        def work(event: Event) -> tuple[bool, list[tuple[Any, ...]]]:
            report = validator.validate(event)
            told = (violation.to_dict() for violation in report.violations)
            return report.conforms, [tuple(one[name] for name in _FIELDS) for one in told]

        return work

    def _validator(self, ontology: Ontology | None) -> EventValidator:
        from semantic_pubsub.events.validator import EventValidator
        from semantic_pubsub.spark.bundle import located

        name = next(name for name in self.handle.names if name.endswith(".shapes"))
        graph = rdflib.Graph().parse(Path(located(self.handle)) / name, format="turtle")
        return EventValidator(graph, ontology, allow_warnings=self.allow_warnings)
