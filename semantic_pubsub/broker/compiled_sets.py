"""Matchers kept in files beside the store, so that a start parses only what has changed since.

A file need not be up to date: a pattern's number stands for one text for ever, so what is missing is added and what
is too much is removed after loading. That holds for one history of the store only: one that was restored from a copy
gives the same numbers to other texts. So all files of one writing bear a stamp, which the store keeps too, and only
files with the store's stamp are taken. A file that cannot be used is left aside, and everything is parsed.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from typing import TYPE_CHECKING

from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from semantic_pubsub.broker.store import Store
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching import Matcher

__all__ = ["CompiledSets"]

_log = logging.getLogger(__name__)


class CompiledSets:
    """A folder with one file a tenant; the store's identity is in their names, so that no other store's are taken."""

    def __init__(self, folder: Path, store: Store, *, budget: int) -> None:
        self._folder = folder
        self._store = store
        self._identity = f"{store.identity:x}"
        self._budget = budget

    def load(self, tenant: str, ontology: Ontology) -> Matcher | None:
        """The matcher that was saved for a tenant under this ontology, if there is one."""
        path = self._path(tenant, self._store.stamp)
        if not path.exists():
            return None
        from semantic_pubsub.matching.graph import OpsMatcher  # brings numba

        try:
            return OpsMatcher.load(path, ontology, budget=self._budget, verify=True)
        except SemanticPubSubError as error:
            _log.info("compiled subscriptions are not used: %s", error)
            return None

    def save(self, matchers: Iterable[tuple[str, Matcher]]) -> None:
        """Keep all tenants' matchers for the next start; without them that only takes longer."""
        from semantic_pubsub.matching.graph import OpsMatcher

        stamp = secrets.randbits(48)
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            for tenant, matcher in matchers:
                if isinstance(matcher, OpsMatcher):
                    matcher.save(self._path(tenant, stamp))
            self._store.note_stamp(stamp).result()
            self._forget_others(stamp)
        except (SemanticPubSubError, OSError) as error:
            _log.warning("compiled subscriptions cannot be kept: %s", error)

    def _path(self, tenant: str, stamp: int) -> Path:
        name = hashlib.sha256(tenant.encode("utf-8")).hexdigest()[:32]
        return self._folder / f"{self._identity}-{stamp:x}-{name}.ops"

    def _forget_others(self, stamp: int) -> None:
        """Files of earlier writings, and of those that were never finished."""
        for path in self._folder.glob(f"{self._identity}-*"):
            if not path.name.startswith(f"{self._identity}-{stamp:x}-"):
                path.unlink(missing_ok=True)
