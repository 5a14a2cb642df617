"""Events as bytes: whatever stands in a literal or an IRI, the kernel reads the same terms as everybody else."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from semantic_pubsub import Event, Ontology, OpsMatcher, ReferenceMatcher, Subscription
from semantic_pubsub.matching.graph.symbols import Symbols
from semantic_pubsub.matching.graph.traversal import encode
from semantic_pubsub.subscriptions.algebra import HOME, Arc, Call, Constant, Filter, Pattern, Reference, Variable
from semantic_pubsub.terms import BlankNode, Literal, NamedNode, Triple

XSD = "http://www.w3.org/2001/XMLSchema#"
P = NamedNode("http://example.org/p")
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
datatypes = st.sampled_from(["integer", "decimal", "double", "float", "boolean", "string", "byte", "dateTime"])
numbers = st.from_regex(r"[+-]?[0-9]{0,18}\.?[0-9]{0,18}([eE][+-]?[0-9]{1,3})?", fullmatch=True)
literals = st.one_of(
    st.builds(Literal, texts),
    st.builds(lambda text, tag: Literal(text, language=tag), texts, st.sampled_from(["en", "de-AT", "zh-hans-cn"])),
    st.builds(lambda text, name: Literal(text, datatype=NamedNode(XSD + name)), st.one_of(texts, numbers), datatypes),
    st.builds(lambda text: Literal(text, datatype=NamedNode("http://example.org/own")), texts),
)
names = st.builds(
    lambda tail: NamedNode("http://example.org/" + tail), st.text(st.characters(categories=["L", "N"]), max_size=30)
)
labels = st.from_regex(r"[A-Za-z0-9]{1,20}", fullmatch=True).map(BlankNode)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(literals, names, labels), min_size=1, max_size=40), st.data())
def test_terms_are_told_apart_by_their_bytes(
    values: list[Literal | NamedNode | BlankNode], data: st.DataObject
) -> None:
    ontology = Ontology.load()
    ops, reference = OpsMatcher(ontology), ReferenceMatcher(ontology)
    event = Event.from_triples([Triple(BlankNode("H"), P, value) for value in values], home=BlankNode("H"))
    x = Variable("x")
    for number in range(4):
        value = data.draw(st.one_of(st.sampled_from(values), literals))
        if isinstance(value, BlankNode):
            continue
        constant = Pattern((Arc(HOME, P, value),))
        condition = Filter(Call(data.draw(st.sampled_from(["=", "<", ">="])), (Reference("x"), Constant(value))))
        part = Literal(value.value[: data.draw(st.integers(0, 6))])
        contained = Filter(
            Call(data.draw(st.sampled_from(["CONTAINS", "STRSTARTS", "STRENDS"])), (Reference("x"), Constant(part)))
        )
        for kind, pattern in enumerate(
            (constant, Pattern((Arc(HOME, P, x),), (), (condition,)), Pattern((Arc(HOME, P, x),), (), (contained,)))
        ):
            subscription = Subscription(f"{number}-{kind}", (pattern,))
            ops.add(subscription)
            reference.add(subscription)
    assert sorted(ops.match_ids(event)) == sorted(reference.match_ids(event))


def test_a_vertex_knows_its_term() -> None:
    symbols = Symbols(Ontology.load())
    symbols.property_number(P.value)
    home, other = NamedNode("http://example.org/h"), BlankNode("b")
    triples = [Triple(home, P, other), Triple(other, P, Literal("x")), Triple(other, P, home)]
    encoded = encode(triples, home, symbols)
    assert [encoded.term(vertex) for vertex in range(3)] == [home, other, Literal("x")]


def test_names_of_events_do_not_fill_the_memory() -> None:
    """Whoever sends ever new properties makes the matcher forget, not grow."""
    matcher = OpsMatcher(Ontology.load())
    matcher.add(Subscription.parse("ASK { _:H <http://example.org/p> ?x }", id="s"))
    for start in range(0, 120_000, 20_000):
        lines = "".join(f"_:H <http://example.org/x{start + i}> 1 .\n" for i in range(20_000))
        assert matcher.match_text(lines + "_:H <http://example.org/p> 1 .\n") == ["s"]
    assert len(matcher._index.symbols.rows) < 110_000
