"""`covers`: whether whoever has one subscription gets all that another would bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.matching.flat.implication import covers_asked
from semantic_pubsub.matching.flat.pairs import FlatSubscription
from semantic_pubsub.matching.flat.resolving import resolve_flat
from semantic_pubsub.matching.pattern_covering import KnownPattern, covers_pattern
from semantic_pubsub.subscriptions import Subscription, resolve

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology

__all__ = ["covers", "known_patterns"]


def covers(
    general: Subscription | FlatSubscription, special: Subscription | FlatSubscription, ontology: Ontology
) -> bool:
    """Whether every event that matches `special` matches `general`; what a match binds does not count.

    True is certain. For two flat subscriptions False is certain, too, except where numbers of different types, moments
    or several alternatives are involved; for two graph patterns it means that a mapping of the general pattern into the
    special one was not found, which is all there is to know where neither filters nor distinct vertices matter. Each
    alternative (`UNION`) of the special one must be covered by one of the general one's.
    """
    if isinstance(general, FlatSubscription) and isinstance(special, FlatSubscription):
        wide, narrow = ([a.constraints for a in resolve_flat(one, ontology).alternatives] for one in (general, special))
        return all(any(covers_asked(one, asked, ontology) for one in wide) for asked in narrow)  # type: ignore[arg-type]
    if isinstance(general, Subscription) and isinstance(special, Subscription):
        patterns = known_patterns(general, ontology)
        return all(
            any(covers_pattern(one, asked, ontology) for one in patterns) for asked in known_patterns(special, ontology)
        )
    kinds = f"{type(general).__name__} and {type(special).__name__}"
    raise SubscriptionError(f"{kinds} cannot be compared", hint="give two Subscriptions or two FlatSubscriptions")


def known_patterns(subscription: Subscription, ontology: Ontology) -> list[KnownPattern]:
    """The alternatives of a subscription, ready to be compared."""
    resolved = resolve(subscription, ontology)
    return [KnownPattern(pattern, ontology, injective=resolved.injective) for pattern in resolved.alternatives]
