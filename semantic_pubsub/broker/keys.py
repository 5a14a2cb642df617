"""API keys: long random texts that are shown once and kept as hashes."""

from __future__ import annotations

import hashlib
import secrets
from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.model import KeyRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.broker.model import Role

__all__ = ["hash_of_key", "new_key"]

_PREFIX: Final = "sps_"
_RANDOM_BYTES: Final = 32


def hash_of_key(key: str) -> bytes:
    """What is kept of a key. A key has 256 random bits, so a plain hash cannot be turned back by guessing."""
    return hashlib.sha256(key.encode("utf-8")).digest()


def new_key(
    *, tenant: str, subject: str, roles: Iterable[Role], name: str, now: float, expires_at: float | None = None
) -> tuple[str, KeyRecord]:
    """A new key to hand to its owner, and the record to be kept by `store.keys.add`."""
    key = _PREFIX + secrets.token_urlsafe(_RANDOM_BYTES)
    return key, KeyRecord(hash_of_key(key), tenant, subject, frozenset(roles), name, now, expires_at)
