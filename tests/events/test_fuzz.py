"""Whatever comes in, `Event.parse` gives an event or an `EventError` of one line; nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub import Event, EventError
from semantic_pubsub.events.formats import LINES_ENDINGS
from semantic_pubsub.events.limits import Limits
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Triple
from tests.events.samples import TEXTS

SYNTAXES = list(TEXTS)
SMALL = Limits(bytes=4000, triples=50, depth=20)
# What steers the parsers into their corners more often than random letters do.
PIECES = [
    *(
        "<",
        ">",
        "<<",
        ">>",
        "<<(",
        ")>>",
        "{",
        "}",
        "{|",
        "|}",
        "[",
        "]",
        "(",
        ")",
        '"',
        '"""',
        "'",
        "\\",
        "\\u00",
        "#",
    ),
    *(
        "@prefix",
        "@base",
        "a",
        ".",
        ";",
        ",",
        "^^",
        "@en",
        "_:H",
        "_:",
        ":",
        "\0",
        "\ufeff",
        "\ud800",
        "\n",
        "\r",
        "\t",
        "é",
    ),
    *('"@context"', '"@id"', '"@graph"', '"@type"', '"@import"', "1e999", "-", "null", "http://[", "//", "%"),
    *("<!ENTITY x 'y'>", "&x;", "<?xml", "xmlns:x=''", "<!DOCTYPE", "rdf:parseType='Triple'", "rdf:nodeID='H'", "]]>"),
]


def read(data: str | bytes, syntax: str) -> None:
    try:
        event = Event.parse(data, syntax, limits=SMALL)
    except EventError as error:
        check(error)
    else:
        assert event.triples
        assert isinstance(event.warnings, tuple)


def check(error: EventError) -> None:
    assert error.message
    assert error.hint
    assert len(str(error).splitlines()) == 1


@pytest.mark.parametrize("syntax", SYNTAXES)
@settings(max_examples=80, deadline=None)
@given(data=st.one_of(st.text(max_size=60), st.binary(max_size=60), st.lists(st.sampled_from(PIECES)).map(" ".join)))
def test_any_text_and_any_bytes(syntax: str, data: str | bytes) -> None:
    read(data, syntax)


@st.composite
def mutated(draw: st.DrawFn, text: str) -> str:
    """A valid text with up to three cuts, repeats or insertions."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 20)))
        middle = draw(
            st.one_of(st.just(""), st.just(text[start:end] * 2), st.sampled_from(PIECES), st.text(max_size=3))
        )
        text = text[:start] + middle + text[end:]
    return text


@pytest.mark.parametrize("syntax", SYNTAXES)
@settings(max_examples=120, deadline=None)
@given(data=st.data())
def test_valid_texts_with_a_few_changes(syntax: str, data: st.DataObject) -> None:
    read(data.draw(mutated(TEXTS[syntax])), syntax)


@pytest.mark.parametrize("syntax", SYNTAXES)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_valid_bytes_with_a_few_changes(syntax: str, data: st.DataObject) -> None:
    text = bytearray(TEXTS[syntax].encode())
    for _ in range(data.draw(st.integers(1, 3))):
        text[data.draw(st.integers(0, len(text) - 1))] = data.draw(st.integers(0, 255))
    read(bytes(text), syntax)


@settings(max_examples=150, deadline=None)
@given(
    context=st.recursive(
        st.one_of(st.none(), st.sampled_from(["u:c", "u:d", "u:e", "http://[", "", "#"])),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["@import", "@vocab", "@base", "@context", "x", "a", "@id", "@type", "@version"]), inner
            ),
        ),
        max_leaves=8,
    ),
    given_context=st.sampled_from(
        [{"x": "u:x"}, {"@context": ["u:c"]}, {"@context": {"x": {"@context": "u:d"}}}, {"a": 1}]
    ),
)
def test_any_context(context: object, given_context: dict[str, object]) -> None:
    text = json.dumps({"@context": context, "@id": "_:H", "x": 1, "a": {"x": "y"}})
    try:
        Event.parse(text, "json-ld", contexts={"u:c": given_context, "u:d": {"@context": {"@import": "u:c"}}})
    except EventError as error:
        check(error)


values = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
labels = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,4}", fullmatch=True)
literals = st.one_of(
    values.map(Literal),
    st.builds(lambda text, lang: Literal(text, language=lang), values, st.sampled_from(["en", "de-at"])),
    st.builds(lambda text, kind: Literal(text, datatype=NamedNode("u:" + kind)), values, labels),
)
triples = st.builds(
    Triple,
    st.just(BlankNode("H")),
    labels.map(lambda name: NamedNode("http://example.org/" + name)),
    st.one_of(literals, labels.map(BlankNode), labels.map(lambda name: NamedNode("u:" + name))),
)


@pytest.mark.parametrize("syntax", SYNTAXES)
@settings(max_examples=60, deadline=None)
@given(graph=st.lists(triples, min_size=1, max_size=4))
def test_what_is_written_reads_back(syntax: str, graph: list[Triple]) -> None:
    event = Event.from_triples(graph)
    try:
        text = event.to_text(syntax)
    except EventError:
        assert syntax == "xml"  # which cannot say every character
        return
    assert Event.parse(text, syntax) == event


def test_endings_of_lines_are_no_syntax() -> None:
    for ending in LINES_ENDINGS:
        with pytest.raises(EventError, match="unknown format"):
            Event.parse("{}", ending)
