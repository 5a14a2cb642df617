"""From text to tokens."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub.subscriptions.tokens import line_and_column, place, tokenize


def shown(text: str) -> list[tuple[str, str]]:
    kinds, texts, _ = tokenize(text)
    return list(zip(kinds, texts, strict=True))[:-1]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("ex:p+3", [("name", "ex:p"), ("+", "+"), ("integer", "3")]),
        ("ex:a.", [("name", "ex:a"), (".", ".")]),
        ("_:a.b.", [("blank", "_:a.b"), (".", ".")]),
        ("?x$y", [("variable", "?x"), ("variable", "$y")]),
        ("1.5.", [("decimal", "1.5"), (".", ".")]),
        ("1.", [("integer", "1"), (".", ".")]),
        ("1e5", [("double", "1e5")]),
        ("a<b>c", [("word", "a"), ("iri", "<b>"), ("word", "c")]),
        ("a < b", [("word", "a"), ("<", "<"), ("word", "b")]),
        ("a<=b!=c", [("word", "a"), ("<=", "<="), ("word", "b"), ("!=", "!="), ("word", "c")]),
        ("'a'@en^^", [("string", "'a'"), ("language", "@en"), ("^^", "^^")]),
        ("''''a'''", [("string", "''''a'''")]),
        ("''", [("string", "''")]),
        ('"a\\"b"', [("string", '"a\\"b"')]),
        ("'open", [("wrong", "'"), ("word", "open")]),
        ("# comment\r\n a # end", [("word", "a")]),
        (":", [("name", ":")]),
        ("é:ü", [("name", "é:ü")]),
    ],
)
def test_kinds_of_tokens(text: str, tokens: list[tuple[str, str]]) -> None:
    assert shown(text) == tokens


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab:_?$<>'\"\\ \n#.1e@-^&|(){}é\u200d", max_size=40))
def test_every_text_becomes_tokens_that_are_its_parts(text: str) -> None:
    kinds, texts, offsets = tokenize(text)
    assert kinds[-1] == "end"
    assert kinds.count("end") == 1
    assert all(text.startswith(token, offset) for token, offset in zip(texts, offsets, strict=True))
    assert offsets == sorted(offsets)
    covered = set().union(*(range(offset, offset + len(t)) for t, offset in zip(texts, offsets, strict=True)))
    left = "".join(sign for at, sign in enumerate(text) if at not in covered)
    assert not left.strip(" \t\r\n") or "#" in left


def test_places() -> None:
    text = "one\ntwo three\n"
    assert line_and_column(text, 0) == (1, 1)
    assert line_and_column(text, 8) == (2, 5)
    assert place(None, 3) == (None, None)
    assert place(text, -1) == (None, None)
