"""One name and one unit for one thing, before anything is matched (CTPS, section 4).

Zhang, Wang, Huang, Yung: *Concept Tree-Based Event Matching Algorithm in Publish/Subscribe Systems* (2022).

The paper keeps a synonym table, replaces names by their root words, and brings units to one. Here that is a stage of
its own: it rewrites events and subscriptions, and the definitions of matching apply to what it wrote. Both sides have
to pass through the same normalizer. Unlike in the paper the unit stays, as the IRI of the base unit: a size and a
weight differ.

| paper | here |
|---|---|
| synonym hash table | `Words`: labels and synonyms of the ontology and own ones; `SameAs` for resources |
| root word | the IRI of the property, class or individual; the smallest of an owl:sameAs set |
| unified units | `Quantities` and `UnitTable`: base units (bit, kilogram, metre, kelvin …) |
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from semantic_pubsub.errors import Notice
from semantic_pubsub.events import Event
from semantic_pubsub.matching.flat.flat_units import constraints_in_base_units, items_in_base_units
from semantic_pubsub.matching.flat.graph_units import pattern_in_base_units, triples_in_base_units
from semantic_pubsub.matching.flat.pairs import Conjunction, FlatEvent, FlatSubscription
from semantic_pubsub.matching.flat.quantities import Quantities
from semantic_pubsub.matching.flat.synonyms import SameAs, Words
from semantic_pubsub.matching.flat.units import UnitTable
from semantic_pubsub.subscriptions import Subscription, resolve
from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, Pattern, Vertex
from semantic_pubsub.subscriptions.limits import MAX_ALTERNATIVES
from semantic_pubsub.terms import NamedNode, Term, Triple
from semantic_pubsub.vocab import RDF_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.flat.quantities import Notify

__all__ = ["Normalizer"]

_E = TypeVar("_E", Event, FlatEvent)
_S = TypeVar("_S", Subscription, FlatSubscription)

_MOST_NOTICES: Final = 256


class Normalizer:
    """Rewrites events and subscriptions, RDF or flat, to one name and one unit for each thing.

    `synonyms`: True takes words and owl:sameAs from the ontology, a mapping {word: name} adds own words, False leaves
    all names. `units`: True converts what is recognised as a quantity, a mapping {value attribute: unit attribute}
    declares more (the last steps count, wherever they are), False leaves all numbers. Converting needs pint (extra
    `units`).

    What could not be rewritten is a `Notice` with the id of the event or subscription as its source. Each goes to
    `on_notice` and is kept in `notices`, the latest 256. All methods may be called from several threads.

    - A text that is a word for something stays a text and becomes the IRI, too, as texts that name an IRI are read.
    - A converted integer or decimal is an xsd:integer where it is whole, else an xsd:decimal; a double stays one.
    - Bindings show numbers in base units, and a number that is asked for without a unit is one in the base unit.
    """

    def __init__(
        self,
        ontology: Ontology,
        synonyms: bool | Mapping[str, str] = True,
        units: bool | Mapping[str, str] = True,
        *,
        on_notice: Callable[[Notice], None] | None = None,
    ) -> None:
        self.ontology = ontology
        self._made_of = synonyms, units, on_notice
        same = SameAs(ontology.same_as)
        self._words: Words | None = None
        self._same: SameAs | None = None
        if synonyms is not False:
            self._same, self._words = same, Words(ontology, same, {} if synonyms is True else synonyms)
        self._quantities: Quantities | None = None
        if units is not False:
            declared: Mapping[str, str] = {} if units is True else units
            own_word = self._words.own if self._words is not None else _no_word
            self._quantities = Quantities(ontology, UnitTable(ontology, same.members), declared, own_word)
        self._on_notice = on_notice
        self._notices: deque[Notice] = deque(maxlen=_MOST_NOTICES)

    def __reduce__(self) -> tuple[Any, ...]:
        """For other processes and copies: made anew, with no notices so far."""
        return _made, (type(self), self.ontology, *self._made_of)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What could not be rewritten lately, the latest last."""
        return tuple(self._notices.copy())

    def event(self, event: _E) -> _E:
        """The event with one name and one unit for each thing; id, home and source are kept."""
        notify = self._notifier(event.id)
        if isinstance(event, FlatEvent):
            return self._flat_event(event, notify)
        return self._graph_event(event, notify)

    def subscription(self, subscription: _S) -> _S:
        """The subscription with one name and one unit for each thing; its id is kept. Bare names become IRIs."""
        notify = self._notifier(subscription.id)
        if isinstance(subscription, FlatSubscription):
            found = [one for whole in subscription.alternatives for one in self._conjunctions(whole, notify)]
            return type(subscription).of_alternatives(found, subscription.id)
        resolved = resolve(subscription, self.ontology)
        most = max(1, MAX_ALTERNATIVES // max(1, len(resolved.alternatives)))
        patterns = tuple(one for whole in resolved.alternatives for one in self._patterns(whole, notify, most))
        return resolved if patterns == resolved.alternatives else replace(resolved, alternatives=patterns)

    def _notifier(self, source: str | None) -> Notify:
        def notify(message: str) -> None:
            notice = Notice(message, source)
            self._notices.append(notice)
            if self._on_notice is not None:
                self._on_notice(notice)

        return notify

    # flat

    # Attributes come first, since they tell what is a unit; units before other words, since mW is not MW.

    def _flat_event(self, event: FlatEvent, notify: Notify) -> FlatEvent:
        items, words = list(event.items), self._words
        if words is not None:
            items = [(words.key(key, notify), value) for key, value in items]
        if self._quantities is not None:
            items = items_in_base_units(items, self._quantities, self.ontology, notify)
        if words is not None:
            items = [(key, one) for key, value in items for one in words.value(value, notify)]
        return type(event).of_items(items, event.id)

    def _conjunctions(self, whole: Conjunction, notify: Notify) -> Iterator[Conjunction]:
        constraints, words = whole.constraints, self._words
        if words is not None:
            constraints = tuple((words.key(key, notify), asked) for key, asked in constraints)
        alternatives = [constraints]
        if self._quantities is not None:
            alternatives = constraints_in_base_units(constraints, self._quantities, self.ontology, notify)
        for found in alternatives:
            if words is not None:
                found = tuple((key, words.constraint(asked, notify)) for key, asked in found)
            yield replace(whole, constraints=found)

    # graphs: IRIs are names already, and literals are never words

    def _graph_event(self, event: Event, notify: Notify) -> Event:
        triples, home = event.triples, event.home
        if self._same is not None:
            triples, home = tuple(map(self._triple, triples)), self._term(home)
        if self._quantities is not None:
            triples = triples_in_base_units(triples, self._quantities, notify)
        triples = tuple(dict.fromkeys(triples))
        if triples == event.triples and home == event.home:
            return event
        return type(event)(triples, home, id=event.id, source=event.source, prefixes=event.prefixes)

    def _triple(self, triple: Triple) -> Triple:
        """Classes and properties keep their names: the ontology's orders know what is equivalent."""
        subject, value = self._term(triple.subject), triple.object  # type: ignore[arg-type]
        if triple.predicate.value != RDF_TYPE:
            value = self._term(value)  # type: ignore[arg-type]
        return Triple(subject, triple.predicate, value)  # type: ignore[arg-type]

    def _term(self, term: Term) -> Term:
        return NamedNode(self._same.root(term.value)) if self._same and isinstance(term, NamedNode) else term

    def _patterns(self, pattern: Pattern, notify: Notify, most: int) -> list[Pattern]:
        if self._same is not None:
            pattern = self._same_pattern(pattern)
        if self._quantities is None:
            return [pattern]
        return pattern_in_base_units(pattern, self._quantities, notify, most)

    def _same_pattern(self, pattern: Pattern) -> Pattern:
        arcs = (replace(a, subject=self._vertex(a.subject), object=self._vertex(a.object)) for a in pattern.arcs)
        classes = (replace(asked, vertex=self._vertex(asked.vertex)) for asked in pattern.classes)
        filters = tuple(replace(f, expression=self._expression(f.expression)) for f in pattern.filters)
        return Pattern(tuple(dict.fromkeys(arcs)), tuple(dict.fromkeys(classes)), filters)

    def _vertex(self, vertex: Vertex) -> Vertex:
        return self._term(vertex) if isinstance(vertex, NamedNode) else vertex  # type: ignore[return-value]

    def _expression(self, expression: Expression) -> Expression:
        if isinstance(expression, Constant) and isinstance(expression.term, NamedNode):
            return Constant(self._vertex(expression.term))  # type: ignore[arg-type]
        if isinstance(expression, Call):
            return Call(expression.operator, tuple(map(self._expression, expression.arguments)))
        return expression


def _made(kind: type[Normalizer], ontology: Ontology, synonyms: Any, units: Any, on_notice: Any) -> Normalizer:
    return kind(ontology, synonyms, units, on_notice=on_notice)


def _no_word(_: str) -> None:
    return None
