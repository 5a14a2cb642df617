"""`match_events`: a DataFrame of events to a DataFrame of matches, on the compiled index, batch and streaming."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.spark.bundle import Bundle, Handle, Ship, ship
from semantic_pubsub.spark.columns import (
    BadRecords,
    EventColumns,
    bad_records,
    check_columns,
    event_columns,
    map_batches,
    result_schema,
)
from semantic_pubsub.spark.compiled import CompiledIndex, compile_matcher
from semantic_pubsub.spark.quads import QUADS, gathered, refuse_beside_quads
from semantic_pubsub.spark.texts import TextReading
from semantic_pubsub.spark.versions import IndexVersions

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events.contexts import Contexts
    from semantic_pubsub.events.limits import Limits
    from semantic_pubsub.matching.base import Matcher

__all__ = ["MatchTask", "match_events"]

Output = Literal["rows", "arrays"]
_TOGETHER = 4 * 1024**3
"""Bytes of index up to which every worker maps all parts; beyond, each task meets one part."""


def match_events(
    index: Matcher | CompiledIndex | IndexVersions | str | os.PathLike[str],
    *,
    event_id: str | None = "event_id",
    pairs: str | None = None,
    columns: Sequence[str] | Mapping[str, str] | None = None,
    text: str | None = None,
    format: str | None = None,  # noqa: A002 - rdflib's word
    format_column: str | None = None,
    quads: bool = False,
    ontology: Ontology | None = None,
    verify: bool | None = None,
    output: Output = "rows",
    keep: Sequence[str] = (),
    bindings: bool = False,
    mode: str = "PERMISSIVE",
    columnNameOfCorruptRecord: str | None = None,  # noqa: N803 - Spark's name for it
    contexts: Contexts | None = None,
    limits: Limits | None = None,
    ship: Ship = "auto",
    apart: bool | None = None,
) -> Callable[[DataFrame], DataFrame]:
    """For `DataFrame.transform`: the subscriptions that each event satisfies, as (event_id, subscription_id).

    `index` is a matcher, a compiled set or its folder, or `IndexVersions` whose newest set is taken at the border of
    each batch of a stream. Events stand in a column of `pairs`, in one of texts (`text`, with `format` or a column of
    formats), in a column per attribute (`columns`: a list, or {column: attribute}), or are `quads`.
    `verify=True` asks for the graph answer: the index must have been compiled with it. `output="arrays"` gives one row
    an event, `keep` passes columns through, `bindings` adds a map from variable to term. `apart` lets each task meet
    one part of a set that was compiled in parts. With `ontology` the set must have been compiled with it.
    """
    if output not in ("rows", "arrays"):
        raise ValueError(f"output={output!r} is not one of: rows, arrays")
    if quads:
        refuse_beside_quads(
            event_id, text=text, format=format, format_column=format_column, pairs=pairs, columns=columns
        )
    wanted = QUADS if quads else event_columns(event_id, pairs, text, columns, format, format_column)
    bad = bad_records(mode, columnNameOfCorruptRecord)
    reading = TextReading.given(contexts, limits)
    compiled = _compiled(index)
    newest = compiled.current() if isinstance(compiled, IndexVersions) else compiled
    _check_asked(newest, wanted, verify, output, bindings)
    if ontology is not None:
        newest.check_ontology(ontology)

    def transform(events: DataFrame) -> DataFrame:
        frame = gathered(events, keep) if quads else events
        return _Plan(compiled, wanted, bad, reading, output, tuple(keep), bindings, ship, apart).apply(frame)

    return transform


def _compiled(index: Any) -> CompiledIndex | IndexVersions:
    if isinstance(index, CompiledIndex | IndexVersions):
        return index
    if hasattr(index, "match_ids"):
        return compile_matcher(index)
    return CompiledIndex.load(index)


def _check_asked(
    index: CompiledIndex, wanted: EventColumns, verify: bool | None, output: Output, bindings: bool
) -> None:
    """Refuse what the index cannot give, before anything runs."""
    where = str(index.folder)
    if verify is not None and verify != index.verify:
        how = "with" if verify else "without"
        hint = f"compile it {how} verify=True"
        raise SemanticPubSubError(f"the index was not compiled {how} verification", source=where, hint=hint)
    if index.kind == "ops" and wanted.kind != "text":
        hint = "compile a FlatMatcher, or name a column of texts"
        raise SemanticPubSubError("a graph matcher reads graphs, not pairs", source=where, hint=hint)
    if bindings and (wanted.kind != "text" or not index.verify or output == "arrays"):
        hint = "bindings come with rows, from texts or quads, with an index compiled with verify=True"
        raise SemanticPubSubError("no bindings can be given", source=where, hint=hint)


@dataclass(frozen=True)
class _Plan:
    """Everything that was asked for, ready to be put on a DataFrame."""

    index: CompiledIndex | IndexVersions
    wanted: EventColumns
    bad: BadRecords
    reading: TextReading
    output: Output
    keep: tuple[str, ...]
    bindings: bool
    ship: Ship
    apart: bool | None

    def apply(self, events: DataFrame) -> DataFrame:
        check_columns(events.schema, self.wanted, self.keep)
        session = events.sparkSession
        schema = self._schema(events)
        if isinstance(self.index, IndexVersions):
            if events.isStreaming:
                return self._mapped(events, schema, self.index.watched())
            index = self.index.current()
        else:
            index = self.index
        bundles = self._bundles(index)
        frames = [self._mapped(events, schema, ship(bundle, session, self.ship)) for bundle in bundles]
        return reduce(lambda one, other: one.unionAll(other), frames)

    def _mapped(self, events: DataFrame, schema: Any, source: Any) -> DataFrame:
        task = MatchTask(source, self.wanted, self.bad, self.reading, self.output, self.keep, self.bindings)
        return map_batches(events, self.wanted, self.keep, task.run, schema)

    def _bundles(self, index: CompiledIndex) -> list[Bundle]:
        """All files for everyone, or one part for each of several plans that are united."""
        whole = index.bundle()
        several = len(index.parts) > 1
        apart = several and whole.size > _TOGETHER if self.apart is None else several and self.apart
        if not apart:
            return [whole]
        if self.output == "arrays":
            hint = "say output='rows', or apart=False"
            raise SemanticPubSubError("parts that are matched apart give rows, not arrays", hint=hint)
        return [index.bundle(part) for part in range(len(index.parts))]

    def _schema(self, events: DataFrame) -> Any:
        from pyspark.sql.types import ArrayType, DataType, MapType, StringType

        text = StringType()
        rows = self.output == "rows"
        new: dict[str, DataType] = {"subscription_id": text} if rows else {"subscription_ids": ArrayType(text)}
        if self.bindings:
            new["bindings"] = MapType(text, text)
        return result_schema(events.schema, self.wanted, new, self.keep, self.bad)


@dataclass(frozen=True)
class MatchTask:
    """What runs on executors; small, since the index comes as files."""

    source: Handle | Any
    wanted: EventColumns
    bad: BadRecords
    reading: TextReading
    output: Output
    keep: tuple[str, ...]
    bindings: bool

    def run(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from semantic_pubsub.spark.match_worker import run

        return run(self, batches)
