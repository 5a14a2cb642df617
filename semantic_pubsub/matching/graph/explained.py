"""Explanations of the OPS matcher: the words of every matcher, and the matching trees behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

from semantic_pubsub.events.closure import close
from semantic_pubsub.matching.explanation import AlternativeExplanation, Explanation, explain_pattern
from semantic_pubsub.matching.graph.and_or_tree import MatchingTree
from semantic_pubsub.matching.graph.decompile import to_pattern
from semantic_pubsub.matching.graph.drawing import draw
from semantic_pubsub.matching.graph.solutions import EventGraph, OutOfBudgetError, mappings
from semantic_pubsub.matching.requirements import Finding
from semantic_pubsub.matching.words import Words
from semantic_pubsub.subscriptions import Subscription
from semantic_pubsub.subscriptions.algebra import HOME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events import Event
    from semantic_pubsub.matching.graph.compiled import CompiledPattern
    from semantic_pubsub.matching.graph.matcher import OpsMatcher
    from semantic_pubsub.subscriptions.algebra import Vertex
    from semantic_pubsub.terms import Term

__all__ = ["OpsExplanation", "explain"]


@dataclass(frozen=True)
class OpsExplanation(Explanation):
    """An explanation with the AND-OR matching tree of each alternative: `trees`, and `draw()` for a picture."""

    patterns: tuple[CompiledPattern, ...] = field(default=(), repr=False, compare=False)
    graph: EventGraph | None = field(default=None, repr=False, compare=False)

    @cached_property
    def trees(self) -> tuple[MatchingTree, ...]:
        """The matching tree of each alternative, grown when first asked for."""
        graph = self.graph
        return () if graph is None else tuple(MatchingTree(pattern, graph) for pattern in self.patterns)

    def draw(self) -> str:
        """The matching trees as SVG, one below the other."""
        several = len(self.trees) > 1
        titles = [
            f"{self._headline()}{f', alternative {number}' if several else ''}"
            for number in range(1, len(self.trees) + 1)
        ]
        return draw(self.trees, titles)


def explain(
    event: Event,
    subscription_id: str,
    patterns: Sequence[CompiledPattern],
    ontology: Ontology,
    matcher: Callable[[Ontology], OpsMatcher],
    budget: int,
) -> OpsExplanation:
    """Explain the alternatives of one subscription. `matcher` makes an empty one, to ask about an alternative alone.

    With a budget, an `OutOfBudgetError` tells that no search of so many steps decides whether it matches.
    """
    closed = close(event, ontology)
    graph, words = EventGraph(closed), Words(ontology)
    alternatives = []
    for pattern in patterns:
        complete = partial(_first_mapping, pattern, event, graph, matcher, budget)
        alternatives.append(explain_pattern(to_pattern(pattern), closed, pattern.injective, words, complete))
    if not alternatives:
        alternatives.append(_impossible(words, closed.home))
    matched = any(alternative.matched for alternative in alternatives)
    return OpsExplanation(subscription_id, event.id, matched, tuple(alternatives), tuple(patterns), graph)


def _first_mapping(
    pattern: CompiledPattern, event: Event, graph: EventGraph, matcher: Callable[[Ontology], OpsMatcher], budget: int
) -> dict[Vertex, Term] | None:
    """A complete mapping, searched for only if the kernels say that there is one: they see hopeless cases at once."""
    alone = matcher(graph.closed.ontology)
    alone.add(Subscription("alone", (to_pattern(pattern),), injective=pattern.injective))
    if not alone.match_ids(event):
        if alone.undecided:
            raise OutOfBudgetError
        return None
    images = next(mappings(pattern, graph, budget), None)
    return None if images is None else dict(zip(pattern.vertices, images, strict=True))


def _impossible(words: Words, home: Term) -> AlternativeExplanation:
    """Of a subscription whose every alternative has a condition that no event can make true, nothing else is kept."""
    finding = Finding("filter", "a condition without variables", False, "is not true, whatever the event says")
    return AlternativeExplanation((finding,), {words.vertex(HOME): words.term(home)})
