"""The OPS matcher against the reference matcher: many subscriptions at once, added and removed in between."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rdflib import Graph as RdfGraph

from semantic_pubsub import Event, Matcher, Ontology, OpsMatcher, ReferenceMatcher, Subscription
from tests.generators import XSD, Asked, Graph, World, graphs, patterns, worlds

many = settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)

VALUES = [
    "1",
    "2",
    "1.5",
    "-3",
    "1.0",
    "100000",
    "0.1",
    "349.90",
    "1e0",
    "1.5e3",
    f'"0.1"^^<{XSD}float>',
    f'"INF"^^<{XSD}double>',
    f'"NaN"^^<{XSD}double>',
    "9007199254740993",
    "9007199254740992",
    "0.1000000000000000000001",
    "123456789012345678901234567890",
    '"x"',
    '"xyzzy and more"',
    '"äöü xyz"',
    '"say \\"xyz\\" and \\\\ or \\n\\t\\r 漢字 🎈"',
    '"\\u0001\\u007Fxyz"',
    '"xyz"@en',
    '""',
    f'"2024-05-01T12:00:00Z"^^<{XSD}dateTime>',
    f'"2024-05-01"^^<{XSD}date>',
    "true",
    f'"abc"^^<{XSD}integer>',
    "<http://example.org/i>",
]
CONDITIONS = [
    "?{0} < {1}",
    "?{0} <= {1}",
    "?{0} > {1}",
    "?{0} >= {1}",
    "?{0} = {1}",
    "?{0} != {1}",
    "{1} < ?{0}",
    "{1} >= ?{0}",
    "?{0} > {1} && ?{0} < {2}",
    "?{0} >= {1} && ?{0} <= {2}",
    "?{0} IN ({1}, {2})",
    'CONTAINS(?{0}, "xyz")',
    'STRSTARTS(?{0}, "xy")',
    'STRENDS(?{0}, "xyz")',
    'CONTAINS(?{0}, "ö")',
    'CONTAINS(?{0}, "")',
    'CONTAINS(?{0}, "\\n\\t")',
    'STRENDS(?{0}, "🎈")',
    'CONTAINS(?{0}, "\\"xyz")',
    'regex(?{0}, "X.Z", "i")',
    "sameTerm(?{0}, {1})",
    "?{0} + 1 > {1}",
    "isLiteral(?{0}) && ?nobody = 1",
    "!BOUND(?nobody)",
    "1 < 2",
    "1 > 2",
]


@st.composite
def valued_graphs(draw: st.DrawFn) -> Graph:
    """An event with further values on it."""
    event = draw(graphs())
    forms = {"true": f'"true"^^<{XSD}boolean>'}
    for value in draw(st.lists(st.sampled_from(VALUES), max_size=4)):
        term = forms.get(value, value)
        if term[0] in "-0123456789":
            kind = "double" if "e" in term else "decimal" if "." in term else "integer"
            term = f'"{term}"^^<{XSD}{kind}>'
        prop = draw(st.sampled_from(["p", "q"]))
        subject = draw(st.sampled_from(["_:H", "_:a"]))
        event.arcs.append((subject, f"http://example.org/{prop}", term))
    return event


@st.composite
def conditioned(draw: st.DrawFn, event: Graph, world: World) -> Asked:
    """A pattern, often with a condition on values."""
    asked = draw(patterns(event, world))
    names = sorted({v[1:] for arc in asked.arcs for v in (arc[0], arc[2]) if v.startswith("?")})
    for _ in range(draw(st.integers(0, 2))):
        if names:
            template = draw(st.sampled_from(CONDITIONS))
            one, two = draw(st.sampled_from(VALUES)), draw(st.sampled_from(VALUES))
            asked.filters.append(template.format(draw(st.sampled_from(names)), one, two))
    return asked


def answers(matcher: Matcher, event: Event) -> dict[str, set[frozenset[tuple[str, str]]]]:
    return {
        match.subscription_id: {frozenset((n, t.n3()) for n, t in s.items()) for s in match.solutions()}
        for match in matcher.match(event)
    }


@many
@given(st.data())
def test_all_solutions_of_all_subscriptions_agree(data: st.DataObject) -> None:
    world = data.draw(worlds())
    events = data.draw(st.lists(valued_graphs(), min_size=1, max_size=3))
    ontology = Ontology.load(RdfGraph().parse(data=world.text(), format="nt"))
    ops, reference = OpsMatcher(ontology), ReferenceMatcher(ontology)
    for step, event in enumerate(events):
        for number in range(data.draw(st.integers(1, 6))):
            asked = data.draw(conditioned(data.draw(st.sampled_from(events)), world))
            text = asked.sparql()
            if data.draw(st.integers(0, 5)) == 0:
                other = data.draw(conditioned(event, world))
                text = f"SELECT * WHERE {{ {{ {asked.body()} }} UNION {{ {other.body().replace('_:n', '_:m')} }} }}"
            subscription = Subscription.parse(text, id=f"{step}-{number}", injective=data.draw(st.booleans()))
            ops.add(subscription)
            reference.add(subscription)
        for name in data.draw(st.sets(st.sampled_from(sorted(reference.ids())), max_size=2)):
            ops.remove(name)
            reference.remove(name)
        for graph in events:
            parsed = Event.parse(graph.text(), format="nt")
            expected = answers(reference, parsed)
            assert sorted(ops.match_ids(parsed)) == sorted(expected)
            assert answers(ops, parsed) == expected
    assert sorted(ops.ids()) == sorted(reference.ids())
