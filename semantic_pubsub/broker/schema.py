"""The tables, as steps from each version of the schema to the next.

Words in braces differ between databases: `serial` (a number that is never given twice), `blob`, `real`, `integer`
(64 bits), `clustered` (rows kept in the order of their key)
and `random` (a large random number).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.broker.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.broker.writer import Connection

__all__ = ["MIGRATIONS", "migrate"]

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE subscriptions (
            number {serial}, tenant TEXT NOT NULL, subscriber TEXT NOT NULL, id TEXT NOT NULL,
            pattern {integer} NOT NULL, kind TEXT NOT NULL, endpoint TEXT, secret TEXT, format TEXT NOT NULL,
            state TEXT NOT NULL, reason TEXT, throttling {real} NOT NULL, expires_at {real},
            created_at {real} NOT NULL, modified_at {real} NOT NULL,
            times_sent {integer} NOT NULL, times_failed {integer} NOT NULL, last_success {real}, last_failure {real},
            last_error TEXT, attempts {integer} NOT NULL, retry_at {real} NOT NULL, overruns {integer} NOT NULL,
            acked {integer} NOT NULL, UNIQUE (tenant, subscriber, id))""",
        """CREATE TABLE patterns (
            number {serial}, subscription {integer} NOT NULL, text TEXT NOT NULL, syntax TEXT NOT NULL,
            injective {integer} NOT NULL)""",
        "CREATE INDEX patterns_of_subscription ON patterns (subscription)",
        """CREATE TABLE events (
            number {integer} PRIMARY KEY, tenant TEXT NOT NULL, id TEXT NOT NULL, published_at {real} NOT NULL,
            format TEXT NOT NULL, home TEXT NOT NULL, body {blob} NOT NULL, last_position {integer} NOT NULL)""",
        "CREATE INDEX events_by_age ON events (published_at)",
        """CREATE TABLE deliveries (
            subscription {integer} NOT NULL, position {integer} NOT NULL, event {integer} NOT NULL,
            pattern {integer} NOT NULL, PRIMARY KEY (subscription, position)) {clustered}""",
        """CREATE TABLE dead_letters (
            number {serial}, subscription {integer} NOT NULL, position {integer} NOT NULL, event {integer} NOT NULL,
            pattern {integer} NOT NULL, reason TEXT NOT NULL, attempts {integer} NOT NULL,
            died_at {real} NOT NULL)""",
        "CREATE INDEX dead_letters_of_subscription ON dead_letters (subscription, number)",
        "CREATE INDEX dead_letters_of_event ON dead_letters (event)",
        """CREATE TABLE idempotency (
            tenant TEXT NOT NULL, key TEXT NOT NULL, fingerprint {blob} NOT NULL, event_id TEXT NOT NULL,
            matches {integer} NOT NULL, used_at {real} NOT NULL, PRIMARY KEY (tenant, key)) {clustered}""",
        """CREATE TABLE keys (
            hash {blob} PRIMARY KEY, tenant TEXT NOT NULL, subject TEXT NOT NULL, roles TEXT NOT NULL,
            name TEXT NOT NULL, created_at {real} NOT NULL, expires_at {real}, UNIQUE (tenant, name))""",
        "CREATE TABLE counters (name TEXT PRIMARY KEY, value {integer} NOT NULL)",
        "INSERT INTO counters VALUES ('position', 0), ('event', 0)",
        "INSERT INTO counters VALUES ('identity', {random})",
    ),
    (
        # A replayed delivery's position says nothing of its event's age: these events are looked up here.
        """CREATE TABLE replays (
            event {integer} NOT NULL, subscription {integer} NOT NULL, position {integer} NOT NULL,
            replayed_at {real} NOT NULL, PRIMARY KEY (event, subscription, position)) {clustered}""",
    ),
    (
        # Whether it is paused, and whether its pattern fits, are two things: one must not overwrite the other.
        "ALTER TABLE subscriptions ADD COLUMN paused {integer} NOT NULL DEFAULT 0",
        "UPDATE subscriptions SET paused = 1, state = 'active' WHERE state = 'paused'",
        "ALTER TABLE subscriptions RENAME COLUMN state TO fit",
        "ALTER TABLE idempotency ADD COLUMN undecided {integer} NOT NULL DEFAULT 0",
        # Drawn anew whenever compiled sets are written: the files that bear it belong to this very history.
        "INSERT INTO counters VALUES ('compiled', 0)",
    ),
)


def migrate(connection: Connection, words: Mapping[str, str]) -> None:
    """Bring the tables to this version's schema; a newer one is refused."""
    connection.begin()
    try:
        connection.execute("CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL)")
        rows = connection.execute("SELECT version FROM schema_version")
        version = int(rows[0][0]) if rows else 0
        if version > len(MIGRATIONS):
            raise StoreError(
                f"was written by a newer version (schema {version}, this one knows {len(MIGRATIONS)})",
                hint="use the newer version",
            )
        for steps in MIGRATIONS[version:]:
            for step in steps:
                connection.execute(step.format_map(words))
        if version < len(MIGRATIONS):
            connection.execute("DELETE FROM schema_version")
            connection.execute("INSERT INTO schema_version VALUES (?)", (len(MIGRATIONS),))
    except BaseException:
        connection.rollback()
        raise
    connection.commit()
