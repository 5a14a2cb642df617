"""Filters that no kernel knows: evaluated in Python, on the vertices that they are asked of, within the step budget.

Evaluating one costs its operators, once a vertex and once more for each 256 bytes of the event's texts, which bound
the texts that it may look through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from semantic_pubsub.matching.graph.compiled import Kind
from semantic_pubsub.subscriptions import compile_filter
from semantic_pubsub.subscriptions.algebra import Call

if TYPE_CHECKING:
    import numpy.typing as npt

    from semantic_pubsub.matching.graph.index import Answers, Index
    from semantic_pubsub.matching.graph.traversal import EncodedEvent
    from semantic_pubsub.subscriptions.algebra import Expression

__all__ = ["judged", "operators"]


def judged(
    index: Index, answers: Answers, encoded: EncodedEvent, budget: int
) -> tuple[npt.NDArray[np.uint64], list[int]]:
    """For each needed predicate the set of vertices on which it is true; equal predicates are judged once.

    And the slots whose predicates together would cost more than the budget: they are undecided, and what only they
    need is judged nowhere.
    """
    words = (len(encoded.origins) + 63) >> 6
    asked = answers.needed_masks.tolist()
    masks = np.zeros(len(answers.needed) * words, np.uint64)
    dear, wanted = _affordable(index, answers, encoded, budget, words, asked)
    for number, predicate in enumerate(answers.needed):
        if wanted is None or predicate in wanted:
            first = number * words
            masks[first : first + words] = _truth(index.predicate_list[predicate], asked, first, words, encoded)
    return masks, dear


def _truth(expression: Expression, asked: list[int], first: int, words: int, encoded: EncodedEvent) -> list[int]:
    condition = compile_filter(expression)
    found = []
    for w in range(words):
        left, true = asked[first + w], 0
        while left:
            bit = left & -left
            left ^= bit
            if condition({"": encoded.term(w * 64 + bit.bit_length() - 1)}):
                true |= bit
        found.append(true)
    return found


def _affordable(
    index: Index, answers: Answers, encoded: EncodedEvent, budget: int, words: int, asked: list[int]
) -> tuple[list[int], set[int] | None]:
    """The slots that are too dear, and the predicates of the others; None for all where none is, as nearly always."""
    if not budget:
        return [], None
    texts = len(encoded.texts) >> 8
    costs = {}
    for number, predicate in enumerate(answers.needed):
        vertices = sum(mask.bit_count() for mask in asked[number * words : (number + 1) * words])
        costs[predicate] = operators(index.predicate_list[predicate]) * (vertices + texts)
    if sum(costs.values()) <= budget:
        return [], None
    dear, wanted = [], set()
    for slot in index.pending_slots(answers):
        tests = index.pattern_tests(slot)
        own = {value for kind, value in tests if kind is Kind.PREDICATE}
        if sum(costs.get(predicate, 0) for predicate in own) > budget:
            dear.append(slot)
        else:
            wanted |= own
    return dear, wanted


def operators(expression: Expression) -> int:
    """How many operators and functions an expression applies; one at least."""
    count, waiting = 0, [expression]
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, Call):
            count += 1
            waiting += inner.arguments
    return max(1, count)
