"""Ontology, shapes and broker from settings."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from semantic_pubsub.broker.addresses import Targets
from semantic_pubsub.broker.broker import Broker
from semantic_pubsub.broker.errors import BrokerError
from semantic_pubsub.concepts import Ontology
from semantic_pubsub.events import EventValidator

if TYPE_CHECKING:
    from semantic_pubsub.broker.http.settings import Settings
    from semantic_pubsub.broker.routes import MakeMatcher

__all__ = ["load_ontology", "load_validator", "open_broker"]

_log = logging.getLogger(__name__)


def load_ontology(settings: Settings) -> Ontology:
    """The configured ontology."""
    if not settings.ontology:
        raise BrokerError("there is no ontology", hint='give --ontology FILE, or ontology = ["FILE"] in --config')
    ontology = Ontology.load(*settings.ontology, reasoner=settings.reasoner)
    for notice in ontology.warnings:
        _log.warning("%s", notice)
    return ontology


def load_validator(settings: Settings, ontology: Ontology) -> EventValidator | None:
    """The configured shapes, if there are any."""
    return EventValidator(list(settings.shapes), ontology) if settings.shapes else None


def open_broker(settings: Settings, matcher: MakeMatcher | None = None) -> Broker:
    """The broker as it is configured; what takes long is logged."""
    ontology = load_ontology(settings)
    validator = load_validator(settings, ontology)
    if matcher is None:
        _warm_up(ontology)
    return Broker(
        ontology,
        matcher,
        settings.store,
        validator,
        limits=settings.limits,
        retry=settings.retry,
        retention=settings.retention,
        targets=Targets(settings.webhook_networks),
        contexts=settings.contexts,
        progress=_progress,
        compiled=settings.compiled,
    )


def _warm_up(ontology: Ontology) -> None:
    """Have the matcher compiled before anybody waits for it (half a minute on a new machine)."""
    from semantic_pubsub.events import Event
    from semantic_pubsub.matching.graph import OpsMatcher  # brings numba

    _log.info("preparing the matcher")
    matcher = OpsMatcher(ontology)
    matcher.add("SELECT ?v { _:H <urn:semantic-pubsub:warm-up> ?v FILTER(?v < 2) }")
    matcher.match_ids(Event.parse("_:H <urn:semantic-pubsub:warm-up> 1 ."))


def _progress(done: int, total: int) -> None:
    _log.info("loading subscriptions", extra={"facts": {"done": done, "total": total}})
