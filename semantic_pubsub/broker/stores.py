"""Which store a URL stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from semantic_pubsub.broker.errors import StoreError

if TYPE_CHECKING:
    from semantic_pubsub.broker.store import Store

__all__ = ["STORES", "open_store"]


def _sqlite(url: str, **limits: Any) -> Store:
    from semantic_pubsub.broker.sqlite_store import SqliteStore

    path = url.removeprefix("sqlite://")
    if not path.startswith("/") or path == "/":
        raise StoreError(f"{url!r} names no file", hint="write sqlite:///relative.db or sqlite:////absolute.db")
    return SqliteStore(path[1:], **limits)


def _postgres(url: str, **limits: Any) -> Store:
    try:
        from semantic_pubsub.broker.postgres_store import PostgresStore
    except ImportError as error:
        hint = "pip install 'semantic-pubsub[postgres]'"
        raise StoreError(f"PostgreSQL needs psycopg ({error})", hint=hint) from None
    return PostgresStore(url, **limits)


STORES = {"postgres": _postgres, "postgresql": _postgres, "sqlite": _sqlite}
"""What opens a store, by the URL's scheme."""


def open_store(url: str, **limits: Any) -> Store:
    """The store at `sqlite:///file` or `postgresql://…`; made where there is none yet.

    `max_bytes`, `waiting_writes` and `waiting_bytes` are those of `Store`. An absolute file has four slashes.
    """
    scheme = urlsplit(url).scheme
    opener = STORES.get(scheme)
    if opener is None:  # the rest of it may hold a password
        raise StoreError(f"{scheme!r} is no kind of store", hint=f"schemes: {', '.join(sorted(STORES))}")
    return opener(url, **limits)
