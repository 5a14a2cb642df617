"""Rows of texts as numbers: equal rows have one number and different rows have two, from batch to batch."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub.matching.flat.text_rows import TextColumn, TextRows

Row = tuple[str | None, str | None]
few = st.one_of(
    st.none(), st.sampled_from(["", "a", "b", "aaaaaaaa", "aaaaaaaab", "ä", "a" * 40]), st.text(max_size=20)
)
rows_of_two = st.lists(st.tuples(few, few), max_size=30)


def column(texts: list[str | None]) -> TextColumn:
    """As Arrow lays texts out; letters of nulls may stand there, too."""
    parts = [b"rubbish" if text is None else text.encode("utf-8", "surrogatepass") for text in texts]
    starts = np.cumsum([3, *map(len, parts)]).astype(np.int32)
    present = np.array([text is not None for text in texts], np.uint8)
    letters = np.frombuffer(b"xyz" + b"".join(parts), np.uint8)
    return TextColumn(starts, letters, np.zeros(0, np.uint8) if present.all() else present)


def numbered(rows: TextRows, batch: list[Row]) -> tuple[list[int], list[int]]:
    codes, new = rows.number([column([one for one, _ in batch]), column([other for _, other in batch])])
    return codes.tolist(), new.tolist()


@settings(max_examples=300, deadline=None)
@given(st.lists(rows_of_two, min_size=1, max_size=4))
def test_numbers_are_those_of_a_dict(batches: list[list[Row]]) -> None:
    rows, known = TextRows(2), dict[Row, int]()
    for batch in batches:
        first = [number for number, row in enumerate(batch) if row not in known and row not in batch[:number]]
        for row in batch:
            known.setdefault(row, len(known))
        assert numbered(rows, batch) == ([known[row] for row in batch], first)
    assert len(rows) == len(known)


def test_many_rows_and_long_texts_make_it_grow() -> None:
    rows = TextRows(2)
    batch: list[Row] = [(f"path {number % 50}", "x" * (number % 300) + str(number)) for number in range(20_000)]
    codes, new = numbered(rows, batch)
    assert codes == list(range(20_000)) == new
    assert numbered(rows, batch[::-1]) == (codes[::-1], [])
