"""API keys, hashed; see `keys.py` for how they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from semantic_pubsub.broker.errors import ConflictError
from semantic_pubsub.broker.model import KeyRecord

if TYPE_CHECKING:
    from concurrent.futures import Future

    from semantic_pubsub.broker.model import Role
    from semantic_pubsub.broker.tables import Access
    from semantic_pubsub.broker.writer import Connection

__all__ = ["Keys"]

_SELECT: Final = "SELECT hash, tenant, subject, roles, name, created_at, expires_at FROM keys"


class Keys:
    """The table of API keys; a name is unique in its tenant."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def add(self, key: KeyRecord) -> Future[None]:
        """Keep a key; a ConflictError if its name or hash is there already."""

        def work(connection: Connection) -> None:
            sql = "SELECT 1 FROM keys WHERE hash = ? OR (tenant = ? AND name = ?)"
            if connection.execute(sql, (key.hash, key.tenant, key.name)):
                raise ConflictError(f"there is a key {key.name!r} already", hint="remove it first")
            roles = " ".join(sorted(key.roles))
            values = (key.hash, key.tenant, key.subject, roles, key.name, key.created_at, key.expires_at)
            connection.execute("INSERT INTO keys VALUES (?, ?, ?, ?, ?, ?, ?)", values)

        return self._access.write(work)

    def find(self, hashed: bytes) -> KeyRecord | None:
        """The key with this hash, expired or not."""
        rows = self._access.read(f"{_SELECT} WHERE hash = ?", (hashed,))
        return _key(rows[0]) if rows else None

    def page(self, tenant: str) -> list[KeyRecord]:
        """A tenant's keys by name."""
        return [_key(row) for row in self._access.read(f"{_SELECT} WHERE tenant = ? ORDER BY name", (tenant,))]

    def remove(self, tenant: str, name: str) -> Future[bool]:
        """Forget a key; False if there was none."""
        sql = "DELETE FROM keys WHERE tenant = ? AND name = ? RETURNING name"
        return self._access.write(lambda connection: bool(connection.execute(sql, (tenant, name))))

    def count(self) -> int:
        """How many there are, over all tenants: none means that nobody can be told apart."""
        return int(self._access.read("SELECT count(*) FROM keys")[0][0])


def _key(row: tuple[Any, ...]) -> KeyRecord:
    hashed, tenant, subject, roles, *rest = row
    return KeyRecord(bytes(hashed), tenant, subject, frozenset(cast("list[Role]", roles.split())), *rest)
