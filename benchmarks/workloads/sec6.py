"""*sec6*: the workload of section 6 of the OPS paper, with correlated data.

C classes and 10 properties without any hierarchy, each class with exactly 2 properties. A subscription has 10 vertices
and 11 arcs and asks a class of every vertex; an event has 50 blank nodes and 55 arcs.

Graphs drawn independently practically never match, so the paper's 3 % need data that belong together: there is one
template of 50 vertices for each class of the home vertex, a subscription is a rooted sub-graph of a template, an event
is a whole template, and both are mutated. With 10 classes one subscription in ten is of the event's template, and the
mutations leave a third of those.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, count, islice

from benchmarks.workloads.base import Workload
from semantic_pubsub import Subscription
from semantic_pubsub.subscriptions.algebra import HOME, Arc, ClassAsked, Pattern, Variable
from semantic_pubsub.terms import NamedNode

__all__ = ["Sec6"]

NS = "http://example.org/sec6#"
PROPERTIES = 10
VERTICES, ARCS = 50, 55
ASKED_VERTICES, ASKED_ARCS = 10, 11
CHORDS = ASKED_ARCS - (ASKED_VERTICES - 1)

NEW_CLASS = 0.075  # an event's vertex
NEW_CHORD = 0.09  # an event's arc outside the spanning tree
MUTATED = 0.40  # a subscription

# Numbers of vertices, properties and classes; vertex 0 is home.
Statement = tuple[int, int, int]
Typed = tuple[int, int]


@dataclass(frozen=True)
class Template:
    """A graph of 50 vertices: `tree[v]` leads to v from a vertex before it, `chords` are the other arcs."""

    classes: list[int]
    tree: list[Statement]
    chords: list[Statement]

    @cached_property
    def children(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.classes]
        for subject, _, value in self.tree[1:]:
            found[subject].append(value)
        return found

    @cached_property
    def cores(self) -> list[tuple[tuple[Statement, ...], tuple[int, ...], tuple[int, ...]]]:
        """Chords that fit into one subscription: (chords, the vertices they need, the vertices next to those)."""
        found = []
        for chosen in combinations(self.chords, CHORDS):
            needed = {0}
            for subject, _, value in chosen:
                needed.update(self._way_to(subject), self._way_to(value))
            if len(needed) <= ASKED_VERTICES:
                frontier = tuple(c for v in sorted(needed) for c in self.children[v] if c not in needed)
                found.append((chosen, tuple(sorted(needed)), frontier))
        return found

    def _way_to(self, vertex: int) -> Iterator[int]:
        while vertex:
            yield vertex
            vertex = self.tree[vertex][0]


@dataclass(frozen=True)
class Sec6(Workload):
    """The paper's section 6 with C = `classes`."""

    classes: int = 10
    name: str = field(default="sec6", init=False)

    def ontology_text(self) -> str:
        lines = [
            f"@prefix : <{NS}> .",
            "@prefix owl: <http://www.w3.org/2002/07/owl#> .",
            "@prefix schema: <http://schema.org/> .",
        ]
        lines += [f":C{c} a owl:Class ." for c in range(self.classes)]
        lines += [f":p{p} a owl:ObjectProperty ." for p in range(PROPERTIES)]
        lines += [f":p{p} schema:domainIncludes :C{c} ." for c, pair in enumerate(self.properties) for p in pair]
        return "\n".join(lines) + "\n"

    @cached_property
    def properties(self) -> list[list[int]]:
        """The two properties of each class."""
        draw = random.Random(f"{self.seed} properties")
        return [sorted(draw.sample(range(PROPERTIES), 2)) for _ in range(self.classes)]

    @cached_property
    def templates(self) -> list[Template]:
        """One for each class of the home vertex."""
        return [self._template(home) for home in range(self.classes)]

    def _template(self, home: int) -> Template:
        draw = random.Random(f"{self.seed} template {home}")
        while True:
            classes = [home] + [draw.randrange(self.classes) for _ in range(VERTICES - 1)]
            parents = [0] + [int(v * draw.random() ** 1.5) for v in range(1, VERTICES)]
            tree = [(parents[v], draw.choice(self.properties[classes[parents[v]]]), v) for v in range(VERTICES)]
            linked = {(s, o) for s, _, o in tree}
            chords = [self._chord(draw, classes, linked) for _ in range(ARCS - VERTICES + 1)]
            template = Template(classes, tree, chords)
            if len(template.cores) >= 12:  # otherwise its subscriptions would be too much alike
                return template

    def _chord(self, draw: random.Random, classes: list[int], linked: set[tuple[int, int]]) -> Statement:
        while True:
            # Nearer to home than a uniform draw: more chords fit together into one subscription.
            subject, value = (int(VERTICES * draw.random() ** 2) for _ in range(2))
            if subject != value and (subject, value) not in linked:
                linked.add((subject, value))
                return subject, draw.choice(self.properties[classes[subject]]), value

    # subscriptions

    def endless_subscriptions(self) -> Iterator[tuple[str, str]]:
        typed_text, arc_text = _TypedText(), _ArcText()
        for number, (typed, arcs) in zip(count(), self._drawn(), strict=False):
            body = "".join([typed_text[t] for t in typed] + [arc_text[a] for a in arcs])
            yield f"s{number}", f"PREFIX : <{NS}>\nSELECT * WHERE {{\n{body}}}\n"

    def parsed(self, number: int, *, injective: bool = False) -> Iterator[Subscription]:
        """The same subscriptions without the way through a text: a million texts take minutes to parse."""
        asked, arc = _Asked(), _Arc()
        for at, (typed, arcs) in enumerate(islice(self._drawn(), number)):
            pattern = Pattern(tuple([arc[a] for a in arcs]), tuple([asked[t] for t in typed]))
            yield Subscription(f"s{at}", (pattern,), injective)

    def _drawn(self) -> Iterator[tuple[list[Typed], list[Statement]]]:
        draw = random.Random(f"{self.seed} subscriptions")
        uniform, templates = draw.random, self.templates
        while True:
            template = templates[int(uniform() * self.classes)]
            chords, needed, near = template.cores[int(uniform() * len(template.cores))]
            members, frontier = list(needed), list(near)
            while len(members) < ASKED_VERTICES:
                at = int(uniform() * len(frontier))
                frontier[at], frontier[-1] = frontier[-1], frontier[at]
                members.append(frontier.pop())
                frontier += template.children[members[-1]]
            typed = [(v, template.classes[v]) for v in members]
            arcs = [template.tree[v] for v in members[1:]]
            arcs += chords
            if uniform() < MUTATED:
                self._mutate(draw, typed, arcs)
            yield typed, arcs

    def _mutate(self, draw: random.Random, typed: list[Typed], arcs: list[Statement]) -> None:
        """Another class for one vertex (with properties to suit), or another end for one chord."""
        if draw.random() < 0.7:
            at = draw.randrange(1, ASKED_VERTICES)
            vertex, fresh = typed[at][0], draw.randrange(self.classes)
            typed[at] = vertex, fresh
            arcs[:] = [(s, draw.choice(self.properties[fresh]), o) if s == vertex else (s, p, o) for s, p, o in arcs]
            return
        linked = {(s, o) for s, _, o in arcs}
        subject, prop, _ = arcs[-1]
        ends = [v for v, _ in typed if v != subject and (subject, v) not in linked]
        if ends:
            arcs[-1] = subject, prop, draw.choice(ends)

    # events

    def endless_events(self) -> Iterator[str]:
        draw = random.Random(f"{self.seed} events")
        while True:
            template = self.templates[draw.randrange(self.classes)]
            classes = [template.classes[0]] + [
                draw.randrange(self.classes) if draw.random() < NEW_CLASS else c for c in template.classes[1:]
            ]
            linked = {(s, o) for s, _, o in template.tree + template.chords}
            kept = [template.chords[i] for i in range(len(template.chords)) if draw.random() >= NEW_CHORD]
            arcs = [self._suited(draw, arc, template, classes) for arc in template.tree[1:] + kept]
            arcs += [self._chord(draw, classes, linked) for _ in range(ARCS - len(arcs))]
            yield _event_text(draw, classes, arcs)

    def _suited(self, draw: random.Random, arc: Statement, template: Template, classes: list[int]) -> Statement:
        """The arc, with a property of its subject's class where that is a new one."""
        subject, _, value = arc
        if classes[subject] == template.classes[subject]:
            return arc
        return subject, draw.choice(self.properties[classes[subject]]), value


def _event_text(draw: random.Random, classes: list[int], arcs: list[Statement]) -> str:
    labels = [f"b{v}" for v in range(1, VERTICES)]
    draw.shuffle(labels)
    labels.insert(0, "H")
    lines = [f"_:{labels[v]} a :C{c} ." for v, c in enumerate(classes)]
    lines += [f"_:{labels[s]} :p{p} _:{labels[o]} ." for s, p, o in arcs]
    draw.shuffle(lines)
    return f"@prefix : <{NS}> .\n" + "\n".join(lines) + "\n"


def _vertex(number: int) -> str:
    return f"?v{number}" if number else "_:H"


class _TypedText(dict[Typed, str]):
    def __missing__(self, key: Typed) -> str:
        self[key] = made = f"  {_vertex(key[0])} a :C{key[1]} .\n"
        return made


class _ArcText(dict[Statement, str]):
    def __missing__(self, key: Statement) -> str:
        self[key] = made = f"  {_vertex(key[0])} :p{key[1]} {_vertex(key[2])} .\n"
        return made


class _Asked(dict[Typed, ClassAsked]):
    def __missing__(self, key: Typed) -> ClassAsked:
        vertex = Variable(f"v{key[0]}") if key[0] else HOME
        self[key] = made = ClassAsked(vertex, NamedNode(f"{NS}C{key[1]}"))
        return made


class _Arc(dict[Statement, Arc]):
    def __missing__(self, key: Statement) -> Arc:
        subject, value = (Variable(f"v{v}") if v else HOME for v in (key[0], key[2]))
        self[key] = made = Arc(subject, NamedNode(f"{NS}p{key[1]}"), value)
        return made
