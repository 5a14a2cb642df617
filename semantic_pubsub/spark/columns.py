"""Which columns a transformation reads, checked against a DataFrame before anything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from semantic_pubsub.errors import SemanticPubSubError, did_you_mean
from semantic_pubsub.events.formats import format_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType, StructType

__all__ = [
    "GO_ON",
    "PAIR_FIELDS",
    "BadRecords",
    "EventColumns",
    "Mode",
    "bad_records",
    "check_columns",
    "event_columns",
    "field_of",
    "map_batches",
    "quoted",
    "result_schema",
    "structs_type",
]

Mode = Literal["PERMISSIVE", "DROPMALFORMED", "FAILFAST"]
GO_ON: Final = "mode='PERMISSIVE' or 'DROPMALFORMED' would go on"
Batches: TypeAlias = "Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]"
PAIR_FIELDS: Final = ("path", "kind", "value", "datatype")
_PLAIN: Final = frozenset(
    ("string", "boolean", "byte", "short", "integer", "long", "float", "double", "date", "timestamp", "timestamp_ntz")
)


@dataclass(frozen=True)
class EventColumns:
    """Where events stand: in one column of pairs, in one of texts, or in a column per attribute."""

    kind: Literal["pairs", "text", "wide"]
    event_id: str | None
    columns: tuple[tuple[str, str], ...]
    """(column, attribute); of pairs and texts the only one, without an attribute."""
    format: str | None = None
    format_column: str | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Every column that is read, each once."""
        more = (self.event_id, self.format_column)
        names = [name for name in more if name is not None] + [column for column, _ in self.columns]
        return tuple(dict.fromkeys(names))


@dataclass(frozen=True)
class BadRecords:
    """What becomes of a record that is no event: `mode` and a column for it, as Spark's readers have them."""

    mode: Mode
    column: str | None

    @property
    def reason(self) -> str | None:
        """The column that says why."""
        return f"{self.column}_reason" if self.column else None


def bad_records(mode: str, column: str | None) -> BadRecords:
    """Checked settings for bad records."""
    chosen: Mode | None = next((one for one in get_args(Mode) if one == str(mode).upper()), None)
    if chosen is None:
        raise ValueError(f"mode={mode!r} is not one of: {', '.join(get_args(Mode))}")
    if column is not None and chosen != "PERMISSIVE":
        raise ValueError(f"columnNameOfCorruptRecord goes with mode='PERMISSIVE', not with {chosen}")
    return BadRecords(chosen, column)


def event_columns(
    event_id: str | None,
    pairs: str | None,
    text: str | None,
    columns: Sequence[str] | Mapping[str, str] | None,
    format_name: str | None,
    format_column: str | None,
) -> EventColumns:
    """The one kind of input that the arguments name; pairs where they name none."""
    given = [name for name, value in (("pairs", pairs), ("text", text), ("columns", columns)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} exclude each other: name one kind of input")
    if text is not None:
        if format_name is not None:
            format_named(format_name)  # an unknown one is refused here, and not by each executor
        return EventColumns("text", event_id, ((text, ""),), format_name, format_column)
    if format_name is not None or format_column is not None:
        raise ValueError("format is for texts: name their column with text=")
    if event_id is None:
        raise ValueError("name the column of ids with event_id=: only texts bring ids of their own")
    if columns is not None:
        if isinstance(columns, str) or not columns:
            raise ValueError("columns must be a list of columns or {column: attribute}, and not empty")
        named = columns.items() if hasattr(columns, "items") else ((name, name) for name in columns)
        return EventColumns("wide", event_id, tuple(named))
    return EventColumns("pairs", event_id, ((pairs or "pairs", ""),))


def quoted(name: str) -> str:
    """A column's name as Spark's expressions have it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def field_of(schema: StructType, name: str, advice: str = "") -> Any:
    """The field of a column; an error that lists the columns there are, with advice for who meant something else."""
    for field in schema.fields:
        if field.name == name:
            return field
    there = [field.name for field in schema.fields]
    hint = did_you_mean(name, there) or f"there are {', '.join(there[:20])}"
    raise SemanticPubSubError(f"there is no column {name!r}", hint=f"{hint}; {advice}" if advice else hint)


def map_batches(
    frame: DataFrame, wanted: EventColumns, keep: Sequence[str], run: Batches, schema: StructType
) -> DataFrame:
    """What `run` makes of the columns that are read or kept, each once.

    PySpark looks columns up by their bare names, which one with a dot or a backtick does not survive: on the way
    to `run` they are numbered.
    """
    from pyspark.sql import functions as f

    names = list(dict.fromkeys((*wanted.needed, *keep)))
    chosen = frame.select(*(f.col(quoted(name)).alias(f"c{number}") for number, name in enumerate(names)))
    return chosen.mapInArrow(lambda batches: run(batch.rename_columns(names) for batch in batches), schema)


def result_schema(
    schema: StructType, wanted: EventColumns, new: Mapping[str, DataType], keep: Sequence[str], bad: BadRecords
) -> StructType:
    """The columns of a result: the event's id, the new ones, kept ones, and those of bad records."""
    from pyspark.sql.types import StringType, StructField, StructType

    text = StringType()
    name = wanted.event_id
    columns: list[tuple[str, DataType]] = [
        (name or "event_id", text if name is None else field_of(schema, name).dataType),
        *new.items(),
        *((column, field_of(schema, column).dataType) for column in keep),
    ]
    if bad.column is not None and bad.reason is not None:
        columns += [(bad.column, text), (bad.reason, text)]
    names = [column for column, _ in columns]
    twice = next((one for one in names if names.count(one) > 1), None)
    if twice is not None:
        hint = "rename it, or choose another columnNameOfCorruptRecord"
        raise SemanticPubSubError(f"the result would have two columns {twice!r}", hint=hint)
    return StructType([StructField(column, kind) for column, kind in columns])


def structs_type(names: Sequence[str]) -> DataType:
    """A list of structs whose fields are all texts."""
    from pyspark.sql.types import ArrayType, StringType, StructField, StructType

    return ArrayType(StructType([StructField(name, StringType()) for name in names]))


def check_columns(schema: StructType, wanted: EventColumns, keep: Sequence[str] = ()) -> None:
    """Refuse a DataFrame that lacks a column or has one of the wrong type, and say which."""
    for name in (*wanted.needed, *keep):
        field_of(schema, name, _advice(wanted, name))
    if wanted.format_column is not None:
        _check(wanted.format_column, field_of(schema, wanted.format_column).dataType, ("string",), "string")
    for column, _ in wanted.columns:
        _CHECKS[wanted.kind](column, field_of(schema, column).dataType)


def _advice(wanted: EventColumns, name: str) -> str:
    """What whoever relied on a default column can say instead."""
    if name == wanted.event_id == "event_id":
        return "name another with event_id=" + (", or None for the ids in the texts" if wanted.kind == "text" else "")
    if wanted.kind == "pairs" and name == wanted.columns[0][0] == "pairs":
        return "events in other columns are named with text=, columns= or quads=True"
    return ""


def _check(name: str, kind: DataType, allowed: Sequence[str], expected: str) -> None:
    if kind.typeName() not in allowed:
        hint = f"cast it, or name another column; expected {expected}"
        raise SemanticPubSubError(f"the column {name!r} is {kind.simpleString()}", hint=hint)


def _check_text(name: str, kind: DataType) -> None:
    _check(name, kind, ("string", "binary"), "string or binary")


def _check_pairs(name: str, kind: Any) -> None:
    expected = "array<struct<path:string,kind:string,value:string,datatype:string>> or map<string,…>"
    _check(name, kind, ("array", "map"), expected)
    if kind.typeName() == "map":
        _check(f"key of {name}", kind.keyType, ("string",), "string")
        _check_plain(f"value of {name}", kind.valueType)
        return
    inner = kind.elementType
    fields = {field.name: field.dataType.typeName() for field in getattr(inner, "fields", ())}
    if dict.fromkeys(PAIR_FIELDS, "string") != {name: fields.get(name) for name in PAIR_FIELDS}:
        raise SemanticPubSubError(f"the column {name!r} is {kind.simpleString()}", hint=f"expected {expected}")


def _check_plain(name: str, kind: Any) -> None:
    inner = kind.elementType if kind.typeName() == "array" else kind
    allowed = inner.typeName() in _PLAIN or inner.typeName().startswith("decimal")
    if not allowed:
        hint = "an attribute is a number, a text, a truth value, a date or a timestamp, or an array of them"
        raise SemanticPubSubError(f"the column {name!r} is {kind.simpleString()}", hint=hint)


_CHECKS: Final = {"text": _check_text, "pairs": _check_pairs, "wide": _check_plain}
