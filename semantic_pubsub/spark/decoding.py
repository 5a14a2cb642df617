"""Arrow columns to the events of one batch: distinct pairs, each read once, and a code for each occurrence."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from semantic_pubsub.matching.flat.plain import ClassName, Iri, Text, known
from semantic_pubsub.matching.flat.text_rows import TextColumn, TextRows
from semantic_pubsub.terms import Literal, NamedNode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from semantic_pubsub.spark.columns import EventColumns

__all__ = ["FlatBatch", "PairReader", "decode_wide", "pair_of"]

PairItem = tuple[str, Any]
_FIELDS: Final = ("path", "kind", "value", "datatype")
_MOST_PAIRS: Final = 100_000  # different ones that are remembered: whoever sends ever new ones fills no memory
_NULL: Final = "the event is null"
_NO_BYTES: Final = np.zeros(0, np.uint8)


class FlatBatch(NamedTuple):
    """Events one after the other: `codes[offsets[i]:offsets[i + 1]]` are the pairs of event i. `bad` are no events."""

    offsets: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    pairs: Sequence[PairItem]
    bad: dict[int, str]


@lru_cache(maxsize=200_000)
def pair_of(path: str | None, kind: str | None, value: str | None, datatype: str | None) -> PairItem | str:
    """A pair as an item of a `FlatEvent`, or what is wrong with it."""
    if path is None or value is None:
        return "a pair without a path" if path is None else f"the pair of {path!r} has no value"
    try:
        if kind == "literal" or (kind is None and datatype is not None):
            return path, _literal(value, datatype)
        if kind == "iri":
            return path, Iri(NamedNode(value).value)
        if kind == "class":
            return path, ClassName(NamedNode(value).value)
    except ValueError as error:
        return f"the pair of {path!r}: {error}"
    if kind is None:
        return path, Text(value)
    return f"the pair of {path!r} is of the kind {kind!r}, not literal, iri, class or null"


def _literal(value: str, datatype: str | None) -> Literal:
    if datatype is None:
        return Literal(value)
    if datatype.startswith("@"):
        return Literal(value, language=datatype[1:])
    return Literal(value, datatype=NamedNode(datatype))


class PairReader:
    """Reads columns of pairs; what stands in a pair is looked at once, however many batches have it."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._rows = TextRows(len(_FIELDS))
        self._pairs: list[PairItem] = []
        self._wrong: dict[int, str] = {}

    def read(self, column: pa.Array) -> FlatBatch:
        """The events of a column of arrays of pairs, or of maps from attribute to value."""
        if pa.types.is_map(column.type):
            return _decode_map(column)
        if len(self._rows) > _MOST_PAIRS:
            self._start()
        offsets, flat, missing = _lists(column)
        parts = [flat.field(flat.type.get_field_index(name)) for name in _FIELDS]
        codes, new = self._rows.number([_text_column(part) for part in parts])
        rows = [part.take(pa.array(new)).to_pylist() for part in parts]
        for row in zip(*rows, strict=True):
            self._add(pair_of(*row))
        return FlatBatch(offsets, codes, self._pairs, _bad_events(offsets, codes, self._wrong, missing))

    def _add(self, pair: PairItem | str) -> None:
        if isinstance(pair, str):
            self._wrong[len(self._pairs)] = pair
            pair = ("", Text(""))
        self._pairs.append(pair)


def _text_column(part: pa.Array) -> TextColumn:
    """An Arrow column of texts as numpy sees it, without a copy."""
    if part.type != pa.string():
        part = part.cast(pa.string())
    _, starts, letters = part.buffers()
    first = (
        np.frombuffer(starts, np.int32)[part.offset : part.offset + len(part) + 1] if starts else np.zeros(1, np.int32)
    )
    present = part.is_valid().to_numpy(zero_copy_only=False).view(np.uint8) if part.null_count else _NO_BYTES
    return TextColumn(first, np.frombuffer(letters, np.uint8) if letters else _NO_BYTES, present)


def _decode_map(column: pa.Array) -> FlatBatch:
    offsets, entries, missing = _lists(column)
    keys, values = entries.field(0), entries.field(1)
    if pa.types.is_list(values.type):
        inner = values.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(inner, dtype=np.int64)])
        offsets = ends[offsets]
        keys, values = keys.take(pa.array(np.repeat(np.arange(len(inner)), inner))), values.flatten()
    present = pc.and_(values.is_valid(), keys.is_valid()).to_numpy(zero_copy_only=False)
    kept = np.concatenate([np.zeros(1, np.int64), np.cumsum(present, dtype=np.int64)])
    chosen = pa.array(np.flatnonzero(present))
    parts = [keys.take(chosen), values.take(chosen)]
    codes, firsts = _distinct(parts)
    rows = [part.take(pa.array(firsts)).to_pylist() for part in parts]
    pairs = [(key, known(value)) for key, value in zip(*rows, strict=True)]
    return FlatBatch(
        kept[offsets], codes.astype(np.int32), pairs, _bad_events(kept[offsets], codes.astype(np.int32), {}, missing)
    )


def _lists(column: pa.Array) -> tuple[npt.NDArray[np.int64], Any, npt.NDArray[np.bool_]]:
    """Offsets from 0 on, the entries of all lists, and which lists are null."""
    raw = column.offsets.to_numpy(zero_copy_only=False).astype(np.int64)
    entries = column.values if hasattr(column, "values") else pa.StructArray.from_arrays([column.keys, column.items])
    missing = column.is_null().to_numpy(zero_copy_only=False)
    entries = entries.slice(int(raw[0]), int(raw[-1] - raw[0]))
    return raw - raw[0], entries, missing


def _distinct(parts: Sequence[pa.Array]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """A code for each row, equal for equal rows, and the first row of each code."""
    total = np.zeros(len(parts[0]), np.int64)
    for part in parts:
        coded = part.dictionary_encode(null_encoding="encode")
        size = max(1, len(coded.dictionary))
        total = total * size + coded.indices.to_numpy(zero_copy_only=False)
        packed = pa.array(total).dictionary_encode()  # small numbers again: the next product cannot overflow
        total = packed.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    firsts = np.zeros(int(total.max()) + 1 if len(total) else 0, np.int64)
    firsts[total[::-1]] = np.arange(len(total) - 1, -1, -1)
    return total, firsts


def _bad_events(
    offsets: npt.NDArray[np.int64],
    codes: npt.NDArray[np.int32],
    wrong: Mapping[int, str],
    missing: npt.NDArray[np.bool_],
) -> dict[int, str]:
    """The events with a wrong pair, or without any list of pairs, and why."""
    bad = dict.fromkeys(np.flatnonzero(missing).tolist(), _NULL)
    if wrong:
        for place in np.flatnonzero(np.isin(codes, list(wrong))).tolist():
            event = int(np.searchsorted(offsets, place, side="right")) - 1
            bad.setdefault(event, wrong[int(codes[place])])
    return bad


_NOTHING: Final = -1


def decode_wide(batch: pa.RecordBatch, wanted: EventColumns) -> FlatBatch:
    """A column per attribute; null and NaN are no value, an array is several."""
    rows = batch.num_rows
    pairs: list[PairItem] = []
    counts = np.zeros(rows, np.int64)
    found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]] = []
    for name, attribute in wanted.columns:
        column = batch.column(name)
        owners = np.arange(rows)
        if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
            owners, column = np.repeat(owners, lengths), column.flatten()
        codes = _codes(column, attribute, pairs)
        there = codes != _NOTHING
        owners, codes = owners[there], codes[there]
        counts += np.bincount(owners, minlength=rows)
        found.append((owners, codes))
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return FlatBatch(offsets, _by_row(offsets, found), pairs, {})


def _by_row(
    offsets: npt.NDArray[np.int64], found: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]]
) -> npt.NDArray[np.int32]:
    """The codes of all columns, those of a row together."""
    codes = np.empty(int(offsets[-1]), np.int32)
    following = offsets[:-1].copy()
    for owners, some in found:
        before = np.arange(len(owners)) - np.searchsorted(owners, owners)  # which value of its row it is
        codes[following[owners] + before] = some
        following += np.bincount(owners, minlength=len(following))
    return codes


def _codes(column: pa.Array, attribute: str, pairs: list[PairItem]) -> npt.NDArray[np.int32]:
    """The codes of a column's values; each distinct value becomes a pair."""
    coded = column.dictionary_encode()
    own = np.full(len(coded.dictionary) + 1, _NOTHING, np.int32)
    for number, value in enumerate(coded.dictionary.to_pylist()):
        if value is None or value != value:
            continue
        own[number] = len(pairs)
        pairs.append((attribute, known(value)))
    places: npt.NDArray[np.int32] = coded.indices.fill_null(len(coded.dictionary)).to_numpy(zero_copy_only=False)
    return own[places]
