"""Stored subscriptions into matchers: at the start, and whenever the ontology changes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, TypeAlias

from semantic_pubsub.broker.routes import Routes

if TYPE_CHECKING:
    from collections.abc import Callable

    from semantic_pubsub.broker.compiled_sets import CompiledSets
    from semantic_pubsub.broker.model import SubscriptionRecord
    from semantic_pubsub.broker.registry import Registry
    from semantic_pubsub.broker.routes import MakeMatcher
    from semantic_pubsub.broker.store import Store
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.errors import SemanticPubSubError

__all__ = ["Progress", "load_routes"]

Progress: TypeAlias = "Callable[[int, int], object]"
"""Told how many of how many subscriptions are loaded."""

_log = logging.getLogger(__name__)
_CHUNK: Final = 5_000
_MATCHED: Final = ("active", "invalid")


def load_routes(
    store: Store,
    registry: Registry,
    ontology: Ontology,
    make_matcher: MakeMatcher,
    progress: Progress | None = None,
    compiled: CompiledSets | None = None,
) -> tuple[Routes, list[tuple[SubscriptionRecord, SemanticPubSubError]]]:
    """Matchers with all that is to be matched, and what does not fit this ontology; fills a registry that is empty.

    What does not fit is kept in the store as `invalid`, and tried again the next time.
    """
    routes = Routes(make_matcher, ontology, compiled)
    wanted: dict[str, set[str]] = {}
    parsed = told = 0
    refused: list[tuple[SubscriptionRecord, SemanticPubSubError]] = []
    fill, total, done = not len(registry), store.subscriptions.count(), 0
    waiting: dict[str, list[SubscriptionRecord]] = {}

    def flush(tenant: str) -> None:
        nonlocal done, parsed, told
        records = waiting.pop(tenant, [])
        by_pattern = {str(record.pattern): record for record in records}
        errors: list[SemanticPubSubError] = []
        routes.add_all(tenant, records, errors.append)
        for error in errors:
            record = by_pattern[str(error.source)]
            error.source = record.id  # the pattern's number means nothing to people
            refused.append((record, error))
        done += len(records)
        parsed += len(records)
        if progress is not None:
            told = done
            progress(done, total)

    for record, latest in store.subscriptions.everything():
        standing = registry.add(record, latest) if fill else registry.number(record.number)
        if standing is not None and standing.fit in _MATCHED:  # the store may not have been told yet of the latest
            wanted.setdefault(record.tenant, set()).add(str(record.pattern))
            if routes.holds(record.tenant, record.pattern):
                done += 1
                continue
            records = waiting.setdefault(record.tenant, [])
            records.append(record)
            if len(records) >= _CHUNK:
                flush(record.tenant)
    for tenant in list(waiting):
        flush(tenant)
    if progress is not None and told < total:
        progress(total, total)
    routes.keep_only(wanted)
    if parsed >= _CHUNK:
        routes.save()
    _note_states(store, registry, refused)
    return routes, refused


def _note_states(
    store: Store, registry: Registry, refused: list[tuple[SubscriptionRecord, SemanticPubSubError]]
) -> None:
    errors = {record.number: error for record, error in refused}
    noted = []
    for number, error in errors.items():
        standing = registry.number(number)
        if standing is not None and standing.fit in _MATCHED:  # it may have ended meanwhile, and then stays so
            standing.fit = "invalid"
            noted.append(store.subscriptions.change(number, fit="invalid", reason=str(error)))
            _log.warning("subscription %s of %s does not fit: %s", standing.id, standing.subscriber, error)
    for standing in registry.everything():
        if standing.fit == "invalid" and standing.number not in errors:
            standing.fit = "active"
            noted.append(store.subscriptions.change(standing.number, fit="active", reason=None))
    for future in noted:
        future.result()
