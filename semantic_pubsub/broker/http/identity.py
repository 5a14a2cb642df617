"""Who asks: a tenant, a name and roles, from an API key or a token."""

from __future__ import annotations

import hmac
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.keys import hash_of_key
from semantic_pubsub.broker.model import DEFAULT_TENANT

if TYPE_CHECKING:
    from semantic_pubsub.broker.clock import Clock
    from semantic_pubsub.broker.http.tokens import TokenReader
    from semantic_pubsub.broker.keys_table import Keys
    from semantic_pubsub.broker.model import KeyRecord, Role

__all__ = ["LOCAL", "NOBODY", "Doorkeeper", "Identity", "unauthorised"]

_KEPT: Final = 10_000
_KEPT_SECONDS: Final = 2.0
_LONGEST: Final = 8_192


@dataclass(frozen=True, slots=True)
class Identity:
    """A client that has proved who it is. An admin may do what the other roles may, in its own tenant."""

    tenant: str
    subject: str
    roles: frozenset[Role]
    expires_at: float | None = None

    def may(self, role: Role) -> bool:
        """Whether a role, or that of an admin, was given to it."""
        return role in self.roles or "admin" in self.roles


LOCAL: Final = Identity(DEFAULT_TENANT, "local", frozenset({"publish", "subscribe", "admin"}))
"""Everybody, as long as there is neither key nor token to tell clients apart; on loopback only."""

NOBODY: Final = Identity("", "", frozenset())
"""Who asks for what everybody may see."""


class Doorkeeper:
    """Tells who asks.

    Once a key was needed, one stays needed until the end of the process, even if the last one is removed. A key that
    was removed is forgotten after two seconds.
    """

    def __init__(self, keys: Keys, tokens: TokenReader | None, clock: Clock, *, loopback: bool) -> None:
        self._keys = keys
        self._tokens = tokens
        self._clock = clock
        self._open = loopback and tokens is None and not keys.count()
        self._known: OrderedDict[bytes, tuple[float, KeyRecord]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def open(self) -> bool:
        """Whether everybody is `LOCAL`."""
        return self._open

    def close(self) -> None:
        """From now on a key is needed: there is one."""
        self._open = False

    def identify(self, authorization: str | None) -> Identity:
        """Who sends this header; a 401 if that is nobody. May read the store."""
        if self._open:
            return LOCAL
        scheme, _, given = (authorization or "").strip().partition(" ")
        credentials = given.strip()
        if scheme.lower() != "bearer" or not credentials or len(credentials) > _LONGEST:
            raise unauthorised("this needs a key or a token")
        if self._tokens is not None and credentials.count(".") == 2:
            return self._tokens.identity(credentials)
        hashed = hash_of_key(credentials)
        record = self._find(hashed)
        now = self._clock.now()
        if record is None or not hmac.compare_digest(record.hash, hashed):
            raise unauthorised("the key is not known")
        if record.expires_at is not None and record.expires_at <= now:
            raise unauthorised("the key has expired")
        return Identity(record.tenant, record.subject, record.roles, record.expires_at)

    def forget(self) -> None:
        """Look every key up again."""
        with self._lock:
            self._known.clear()

    def _find(self, hashed: bytes) -> KeyRecord | None:
        now = self._clock.now()
        with self._lock:
            known = self._known.get(hashed)
        if known is not None and 0 <= now - known[0] < _KEPT_SECONDS:
            return known[1]
        record = self._keys.find(hashed)
        with self._lock:
            self._known.pop(hashed, None)
            if record is not None:
                self._known[hashed] = (now, record)
                if len(self._known) > _KEPT:
                    self._known.popitem(last=False)
        return record


def unauthorised(detail: str) -> ProblemError:
    """A 401."""
    return ProblemError(
        401,
        "unauthorised",
        detail,
        hint="send Authorization: Bearer <key>",
        headers={"www-authenticate": 'Bearer realm="semantic-pubsub"'},
    )
