"""Why an event matches a subscription, or what is missing: the nearest miss in plain words.

A subscription is read as a list of requirements (constants, classes, arcs, filters, distinctness). Of all partial
mappings the one that satisfies most of them is shown, requirement by requirement. The search for the nearest miss is
bounded; the verdict is not a guess: where that search met no complete mapping, an exact one decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from semantic_pubsub.matching.definition import mappings
from semantic_pubsub.matching.nearest import nearest_mapping
from semantic_pubsub.matching.normal_form import normal_form
from semantic_pubsub.matching.requirements import Finding, findings
from semantic_pubsub.matching.words import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rich.tree import Tree

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.events.closure import ClosedEvent
    from semantic_pubsub.subscriptions import Subscription
    from semantic_pubsub.subscriptions.algebra import Pattern, Vertex
    from semantic_pubsub.terms import Term

__all__ = ["AlternativeExplanation", "Explanation", "explain", "explain_pattern"]


@dataclass(frozen=True, slots=True)
class AlternativeExplanation:
    """One alternative of a subscription (most have one): what holds, what does not, under the best mapping found."""

    findings: tuple[Finding, ...]
    mapping: dict[str, str]

    @property
    def matched(self) -> bool:
        """Whether every requirement holds."""
        return all(finding.satisfied for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to "why?" and "why not?". `print()` it, show it with rich, or take `to_json()`."""

    subscription_id: str
    event_id: str | None
    matched: bool
    alternatives: tuple[AlternativeExplanation, ...]

    def misses(self) -> tuple[Finding, ...]:
        """What is missing in the alternative that came nearest; empty for a match."""
        if self.matched:
            return ()
        nearest = min(self.alternatives, key=lambda a: sum(not f.satisfied for f in a.findings))
        return tuple(finding for finding in nearest.findings if not finding.satisfied)

    def to_json(self) -> dict[str, object]:
        """Plain data for JSON."""
        return {
            "subscription": self.subscription_id,
            "event": self.event_id,
            "matched": self.matched,
            "alternatives": [
                {
                    "matched": alternative.matched,
                    "mapping": alternative.mapping,
                    "requirements": [finding.to_json() for finding in alternative.findings],
                }
                for alternative in self.alternatives
            ],
        }

    def __str__(self) -> str:
        lines = [self._headline()]
        for number, alternative in enumerate(self.alternatives, 1):
            if len(self.alternatives) > 1:
                lines.append(f"alternative {number}: {'matches' if alternative.matched else 'does not match'}")
            lines.extend(f"  {'✓' if f.satisfied else '✗'} {f.requirement}: {f.because}" for f in alternative.findings)
        return "\n".join(lines)

    def __rich__(self) -> Tree:
        from rich.text import Text
        from rich.tree import Tree

        tree = Tree(Text(self._headline(), style="bold green" if self.matched else "bold red"))
        for number, alternative in enumerate(self.alternatives, 1):
            branch = tree
            if len(self.alternatives) > 1:
                branch = tree.add(Text(f"alternative {number}", style="green" if alternative.matched else "red"))
            for finding in alternative.findings:
                sign, style = ("✓ ", "green") if finding.satisfied else ("✗ ", "red")
                line = Text.assemble((sign, style), (finding.requirement, "bold"), ": ", finding.because)
                branch.add(line)
        return tree

    def _headline(self) -> str:
        event = f"event {self.event_id}" if self.event_id else "the event"
        return f"{event} {'matches' if self.matched else 'does not match'} {self.subscription_id}"


def explain(event: ClosedEvent, subscription: Subscription, ontology: Ontology) -> Explanation:
    """Explain one subscription against one event, alternative by alternative, by the definition alone."""
    words = Words(ontology)
    injective = subscription.injective
    alternatives = []
    for pattern in subscription.alternatives:
        complete = partial(_first_mapping, pattern, event, injective)
        alternatives.append(explain_pattern(pattern, event, injective, words, complete))
    matched = any(alternative.matched for alternative in alternatives)
    return Explanation(subscription.id, event.event.id, matched, tuple(alternatives))


def explain_pattern(
    pattern: Pattern,
    event: ClosedEvent,
    injective: bool,
    words: Words,
    complete: Callable[[], Mapping[Vertex, Term] | None],
) -> AlternativeExplanation:
    """Explain one alternative; `complete` gives a mapping if there is one, and is asked if none was met on the way."""
    pattern = normal_form(pattern)
    mapping: Mapping[Vertex, Term] = nearest_mapping(pattern, event, injective=injective)
    found = findings(pattern, event, mapping, injective, words)
    if not all(finding.satisfied for finding in found):
        whole = complete()
        if whole is not None:
            mapping = whole
            found = findings(pattern, event, mapping, injective, words)
    shown = {words.vertex(vertex): words.term(image) for vertex, image in mapping.items()}
    return AlternativeExplanation(found, shown)


def _first_mapping(pattern: Pattern, event: ClosedEvent, injective: bool) -> dict[Vertex, Term] | None:
    return next(mappings(pattern, event, injective=injective), None)
