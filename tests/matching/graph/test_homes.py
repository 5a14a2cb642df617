"""Home found in bytes is home found in terms, and where there is none the text is left to those who can say why."""

from __future__ import annotations

import pytest
import rdflib
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import BlankNode, Literal, NamedNode, Quad, RdfFormat, Triple, serialize

from semantic_pubsub import EventError, Ontology, OpsMatcher, SemanticPubSubError
from semantic_pubsub.events.home import choose_home
from semantic_pubsub.events.parser import Reading
from semantic_pubsub.matching.graph.symbols import Symbols
from semantic_pubsub.matching.graph.traversal import encode_text
from semantic_pubsub.vocab import RDF_TYPE

PREFIX = "@prefix : <http://example.org/> . "
STATED = PREFIX + ":p a <http://www.w3.org/2002/07/owl#ObjectProperty> ."
ONTOLOGY = Ontology.load(rdflib.Graph().parse(data=STATED, format="turtle"))
SYMBOLS = Symbols(ONTOLOGY)

resources = st.sampled_from(
    [BlankNode("H"), BlankNode("a"), BlankNode("Hb"), NamedNode("http://x/a"), NamedNode("http://x/aa")]
)
properties = st.sampled_from([NamedNode(RDF_TYPE), NamedNode("http://x/p"), NamedNode(RDF_TYPE + "s")])
literals = st.sampled_from([Literal("_:H"), Literal('a " <http://x/a> .'), Literal("x", language="en"), Literal(1)])
triples = st.lists(st.builds(Triple, resources, properties, st.one_of(resources, literals)), max_size=7)


@settings(max_examples=600, deadline=None)
@given(triples)
def test_the_same_home(found: list[Triple]) -> None:
    text = serialize(found, format=RdfFormat.N_QUADS) or b""
    encoded = encode_text(text, SYMBOLS)
    try:
        home = choose_home(found)
    except EventError:
        assert encoded is None
    else:
        assert encoded is not None
        assert encoded.home == home
        assert list(encoded.triples) == found


def test_several_graphs_and_quoted_triples_are_left_to_others() -> None:
    home, p = NamedNode("http://x/h"), NamedNode("http://x/p")
    plain, named = Quad(home, p, Literal(1)), Quad(home, p, Literal(2), NamedNode("http://x/g"))
    assert encode_text(serialize([plain, named], format=RdfFormat.N_QUADS) or b"", SYMBOLS) is None
    quoted = Triple(home, p, Triple(home, p, Literal(1)))
    assert encode_text(serialize([quoted], format=RdfFormat.N_TRIPLES) or b"", SYMBOLS) is None


def matcher() -> OpsMatcher:
    made = OpsMatcher(ONTOLOGY)
    made.add("(_:H, ?1, (owl:Thing, <http://example.org/p>, owl:Thing))")
    return made


def test_many_texts_with_wrong_ones_between() -> None:
    asked = matcher()
    turtle, json_ld = RdfFormat.TURTLE, RdfFormat.JSON_LD
    fine = PREFIX + "_:H :p [] ."
    texts = [
        (fine, turtle),
        (PREFIX + ":a :p :b . :c :p :d .", turtle),
        ("no RDF", turtle),
        ('{"@graph": [{"@id": "urn:h", "http://example.org/p": {"@id": "urn:o"}}], "@id": "urn:g"}', json_ld),
        (fine, turtle),
    ]
    found = asked.texts_owners(texts, Reading(ontology=ONTOLOGY))
    assert [isinstance(one, SemanticPubSubError) for one in found] == [False, True, True, False, False]
    assert [one for one in found if not isinstance(one, SemanticPubSubError)] == [[0], [0], [0]]
    assert "could be home" in str(found[1])


def test_names_that_are_forgotten_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = matcher()
    monkeypatch.setattr("semantic_pubsub.matching.graph.symbols._MOST_ROWS", 3)
    texts = [(PREFIX + f"_:H :p [ a :C{n} ] ; :q{n} 1 .", RdfFormat.TURTLE) for n in range(40)]
    assert asked.texts_owners(texts, Reading(ontology=ONTOLOGY)) == [[0]] * 40
