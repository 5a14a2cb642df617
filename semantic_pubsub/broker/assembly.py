"""What a broker is made of where its owner brings nothing of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from semantic_pubsub.broker.channels import CallbackChannel, Channel
from semantic_pubsub.broker.compiled_sets import CompiledSets
from semantic_pubsub.broker.store import Store
from semantic_pubsub.broker.stores import open_store

if TYPE_CHECKING:
    import os

    from semantic_pubsub.broker.addresses import Targets
    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.limits import BrokerLimits, RetryPolicy
    from semantic_pubsub.broker.routes import MakeMatcher
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching import Matcher

__all__ = ["bounded_ops", "compiled_sets", "default_channels", "opened"]


def opened(store: Store | str | os.PathLike[str], limits: BrokerLimits) -> Store:
    """A store that is given, or opened by its URL or file within the limits."""
    if isinstance(store, Store):
        return store
    url = store if isinstance(store, str) and "://" in store else f"sqlite:///{Path(store)}"
    return open_store(
        url,
        max_bytes=limits.store_bytes,
        waiting_writes=limits.waiting_writes,
        waiting_bytes=limits.waiting_bytes,
    )


def bounded_ops(limits: BrokerLimits) -> MakeMatcher:
    """Makes OPS matchers with the step budget of the limits."""

    def make(ontology: Ontology) -> Matcher:
        from semantic_pubsub.matching.graph import OpsMatcher  # brings numba

        return OpsMatcher(ontology, budget=limits.steps)

    return make


def compiled_sets(folder: str | os.PathLike[str] | None, store: Store, limits: BrokerLimits) -> CompiledSets | None:
    """Where compiled subscriptions are kept: the folder that is given, or one beside the store's file if it has one."""
    path: Path | None = getattr(store, "path", None)
    if folder is not None:
        where = Path(folder)
    elif path is not None:
        where = path.with_name(path.name + ".compiled")
    else:
        return None
    return CompiledSets(where, store, budget=limits.steps)


def default_channels(targets: Targets, policy: RetryPolicy, clock: Clock) -> dict[str, Channel]:
    """Callbacks, and webhooks where httpx is installed; without it webhook deliveries wait."""
    channels: dict[str, Channel] = {"callback": CallbackChannel()}
    try:
        from semantic_pubsub.broker.webhooks import WebhookChannel
    except ImportError:
        return channels
    return {**channels, "webhook": WebhookChannel(targets, timeout=policy.timeout, clock=clock)}
