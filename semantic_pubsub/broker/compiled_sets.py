"""Matchers kept in files beside the store, so that a start parses only what has changed since.

A file need not be up to date: a pattern's number stands for one text for ever, so what is missing is added and what
is too much is removed after loading. A file that cannot be used is left aside, and everything is parsed.
"""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING

from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from pathlib import Path

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching import Matcher

__all__ = ["CompiledSets"]

_log = logging.getLogger(__name__)


class CompiledSets:
    """A folder with one file a tenant; `identity` is the store's, so that no other store's files are taken."""

    def __init__(self, folder: Path, identity: int, *, budget: int) -> None:
        self._folder = folder
        self._identity = identity
        self._budget = budget

    def load(self, tenant: str, ontology: Ontology) -> Matcher | None:
        """The matcher that was saved for a tenant under this ontology, if there is one."""
        path = self._path(tenant)
        if not path.exists():
            return None
        from semantic_pubsub.matching.graph import OpsMatcher  # brings numba

        try:
            return OpsMatcher.load(path, ontology, budget=self._budget, verify=True)
        except SemanticPubSubError as error:
            _log.info("compiled subscriptions are not used: %s", error)
            return None

    def save(self, tenant: str, matcher: Matcher) -> None:
        """Keep a matcher for the next start; without it that only takes longer."""
        from semantic_pubsub.matching.graph import OpsMatcher

        if not isinstance(matcher, OpsMatcher):
            return
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            matcher.save(self._path(tenant))
        except (SemanticPubSubError, OSError) as error:
            _log.warning("compiled subscriptions cannot be kept: %s", error)

    def _path(self, tenant: str) -> Path:
        name = hashlib.sha256(tenant.encode("utf-8")).hexdigest()[:32]
        return self._folder / f"{self._identity:x}-{name}.ops"
