"""What every store promises, on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from semantic_pubsub.broker import ConflictError, Store, StoreError, StoreFullError, hash_of_key, new_key, open_store
from semantic_pubsub.broker.errors import BusyError, ClosedError, UnknownSubscriptionError
from semantic_pubsub.broker.model import NewEvent, SubscriptionRecord
from semantic_pubsub.broker.schema import MIGRATIONS
from semantic_pubsub.broker.writer import Connection


def record(identifier: str = "one", *, subscriber: str = "alice", tenant: str = "default") -> SubscriptionRecord:
    return SubscriptionRecord(
        tenant,
        subscriber,
        identifier,
        "ASK { _:H <http://example.org/p> 1 }",
        "sparql",
        injective=False,
        created_at=5.0,
    )


def new_event(
    identifier: str,
    *owners: SubscriptionRecord,
    at: float = 10.0,
    key: str | None = None,
    body: bytes = b"text \xc3\xa9",
) -> NewEvent:
    matches = tuple((owner.number, owner.pattern) for owner in owners)
    return NewEvent("default", identifier, at, "turtle", "_:H", body, matches, key, body)


def positions(store: Store, owner: SubscriptionRecord, after: int = 0) -> list[int]:
    return [row.position for row in store.queues.pending(owner.number, after, 1_000)]


def test_a_subscription_is_read_as_it_was_written(store: Store) -> None:
    written = replace(
        record(), kind="webhook", endpoint="https://example.org/hook", secret="s", format="json-ld", throttling=2.5,
        expires_at=99.5, injective=True, syntax="statements",
    )  # fmt: skip
    stored = store.subscriptions.create(written).result()
    assert stored == replace(written, number=stored.number, pattern=stored.pattern)
    assert store.subscriptions.get("default", "alice", "one") == stored
    assert store.subscriptions.get("default", "bob", "one") is None
    assert store.subscriptions.get("other", "alice", "one") is None
    assert list(store.subscriptions.everything()) == [(stored, 0)]


def test_ids_are_unique_for_a_subscriber_only(store: Store) -> None:
    store.subscriptions.create(record()).result()
    store.subscriptions.create(record(subscriber="bob")).result()
    store.subscriptions.create(record(tenant="other")).result()
    with pytest.raises(ConflictError):
        store.subscriptions.create(record()).result()
    assert store.subscriptions.count() == 3


def test_lists_are_paged(store: Store) -> None:
    made = [store.subscriptions.create(record(f"s{i}")).result() for i in range(5)]
    store.subscriptions.create(record("hers", subscriber="bob")).result()
    first = store.subscriptions.page("default", "alice", limit=3)
    assert first == made[:3]
    assert store.subscriptions.page("default", "alice", after=first[-1].number) == made[3:]
    assert len(store.subscriptions.page("default", None)) == 6
    assert store.subscriptions.page("other", None) == []


def test_a_replacement_keeps_the_queue_and_the_old_pattern(store: Store) -> None:
    old = store.subscriptions.create(record()).result()
    store.events.publish(new_event("e", old)).result()
    new = store.subscriptions.replace(replace(old, text="ASK { _:H <http://example.org/q> 1 }")).result()
    assert new.pattern != old.pattern
    assert store.subscriptions.get("default", "alice", "one") == new
    (row,) = store.queues.pending(old.number, 0, 10)
    assert row.pattern == old.pattern
    assert store.subscriptions.pattern(row.pattern) == (old.text, "sparql", False)
    store.sweeping.remove_patterns(old.number).result()
    assert store.subscriptions.pattern(old.pattern) is not None
    store.queues.acknowledge({old.number: row.position}, 1.0).result()
    store.sweeping.remove_deliveries([old.number], row.position).result()
    store.sweeping.remove_patterns(old.number).result()
    assert store.subscriptions.pattern(old.pattern) is None
    assert store.subscriptions.pattern(new.pattern) is not None


def test_columns_can_be_changed_but_not_all(store: Store) -> None:
    made = store.subscriptions.create(record()).result()
    store.subscriptions.change(made.number, paused=True, fit="expired", reason="why").result()
    changed = replace(made, paused=True, fit="expired", reason="why")
    assert store.subscriptions.get("default", "alice", "one") == changed
    with pytest.raises(ValueError, match="tenant"):
        store.subscriptions.change(made.number, tenant="other")


def test_an_event_is_stored_with_its_matches(store: Store) -> None:
    one, two = (store.subscriptions.create(record(name)).result() for name in ("one", "two"))
    first = store.events.publish(new_event("e1", one, two)).result()
    second = store.events.publish(new_event("e2", two)).result()
    assert (first.matches, second.matches) == (2, 1)
    assert positions(store, one) == [first.first_position]
    assert positions(store, two) == [first.first_position + 1, second.first_position]
    assert positions(store, two, after=first.first_position + 1) == [second.first_position]
    (row,) = store.queues.pending(one.number, 0, 10)
    stored = store.events.get([row.event])[row.event]
    assert (stored.id, stored.tenant, stored.published_at, stored.text) == ("e1", "default", 10.0, "text é")
    assert [latest for _, latest in store.subscriptions.everything()] == [
        first.first_position,
        second.first_position,
    ]


def test_a_subscription_does_not_see_what_was_there_before_it(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    last = store.events.publish(new_event("e", one)).result().first_position
    assert store.subscriptions.create(record("two")).result().acked == last


def test_several_queues_are_read_in_publication_order(store: Store) -> None:
    one, two = (store.subscriptions.create(record(name)).result() for name in ("one", "two"))
    for i in range(6):
        store.events.publish(new_event(f"e{i}", *([one, two] if i % 2 else [one]))).result()
    rows = store.queues.pending_of_many({one.number: 0, two.number: 0}, 5)
    assert [row.position for _, row in rows] == [1, 2, 3, 4, 5]


def test_an_idempotency_key_publishes_once(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    first = store.events.publish(new_event("e1", one, key="k")).result()
    again = store.events.publish(new_event("e2", one, key="k")).result()
    assert (again.event_id, again.matches, again.repeated) == ("e1", 1, True)
    assert positions(store, one) == [first.first_position]
    with pytest.raises(ConflictError):
        store.events.publish(new_event("e3", one, key="k", body=b"other")).result()
    other = replace(new_event("e4", key="k", body=b"other"), tenant="other")
    assert not store.events.publish(other).result().repeated
    store.sweeping.remove_idempotency_keys(1e9).result()
    assert not store.events.publish(new_event("e5", one, key="k", body=b"other")).result().repeated


def test_an_idempotency_key_publishes_once_in_one_transaction_too(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    release = threading.Event()
    store.write(lambda _: release.wait(30))
    futures = [store.events.publish(new_event(f"e{i}", one, key="k")) for i in range(2)]
    futures.append(store.events.publish(new_event("e2", one, key="k", body=b"other")))
    futures.append(store.events.publish(new_event("e3", one)))
    release.set()
    first, again = futures[0].result(), futures[1].result()
    assert (again.event_id, again.matches, again.repeated) == ("e0", 1, True)
    with pytest.raises(ConflictError):
        futures[2].result()
    assert positions(store, one) == [first.first_position, futures[3].result().first_position]
    assert store.events.count() == 2


@pytest.mark.parametrize("size", [1, 2_047, 2_048, 100_000])
def test_texts_of_any_size_come_back_as_they_were(store: Store, size: int) -> None:
    one = store.subscriptions.create(record()).result()
    text = ("x\0é" * size)[:size]
    store.events.publish(new_event("e", one, body=text.encode())).result()
    (row,) = store.queues.pending(one.number, 0, 10)
    assert store.events.get([row.event])[row.event].text == text


def test_more_rows_than_a_statement_takes_are_written(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    many = new_event("e", *[replace(one, number=number, pattern=number + 1) for number in range(1, 9_001)])
    stored = store.events.publish(many).result()
    assert (stored.matches, stored.first_position) == (9_000, 1)
    sql = "SELECT count(*), min(position), max(position), sum(pattern - subscription) FROM deliveries"
    assert store.read(sql) == [(9_000, 1, 9_000, 9_000)]


def test_who_stops_waiting_stops_nobody_else(store: Store) -> None:
    release, begun = threading.Event(), threading.Event()
    store.write(lambda _: (begun.set(), release.wait(30)))
    assert begun.wait(30)
    abandoned, other = (store.events.publish(new_event(name)) for name in ("a", "b"))
    assert abandoned.cancel()
    release.set()
    assert other.result().event_id == "b"
    assert store.events.publish(new_event("c")).result().event_id == "c"


def test_acknowledging_moves_forward_only(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    for i in range(3):
        store.events.publish(new_event(f"e{i}", one)).result()
    store.queues.acknowledge({one.number: 2}, 7.0).result()
    store.queues.acknowledge({one.number: 1}, 8.0).result()
    (after,) = (found for found, _ in store.subscriptions.everything())
    assert (after.acked, after.times_sent, after.last_success) == (2, 2, 7.0)
    assert store.queues.depth(one.number, after.acked) == 1


def test_failures_are_kept_and_forgotten_after_a_success(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    store.events.publish(new_event("e", one)).result()
    store.queues.failed(one.number, attempts=3, retry_at=50.0, now=40.0, error="no").result()
    found = store.subscriptions.get("default", "alice", "one")
    assert found is not None
    assert (found.attempts, found.retry_at, found.last_failure, found.last_error) == (3, 50.0, 40.0, "no")
    store.queues.succeeded(one.number, 1, 60.0).result()
    found = store.subscriptions.get("default", "alice", "one")
    assert found is not None
    assert (found.attempts, found.retry_at, found.times_sent, found.times_failed, found.acked) == (0, 0.0, 1, 1, 1)


def test_dead_letters_are_listed_replayed_and_discarded_by_their_owner(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    for i in range(3):
        store.events.publish(new_event(f"e{i}", one)).result()
    rows = store.queues.pending(one.number, 0, 2)
    store.dead_letters.bury(one.number, rows, reason="gone", attempts=4, now=9.0).result()
    store.dead_letters.bury(one.number, rows, reason="twice", attempts=4, now=9.0).result()
    first, second = store.dead_letters.page("default", "alice")
    assert (first.event_id, first.reason, first.attempts, first.died_at) == ("e0", "gone", 4, 9.0)
    assert store.dead_letters.page("default", "alice", subscription_id="two") == []
    assert store.dead_letters.page("default", "bob") == store.dead_letters.page("other", "alice") == []
    for tenant, subscriber in (("default", "bob"), ("other", "alice")):
        with pytest.raises(UnknownSubscriptionError):
            store.dead_letters.replay(tenant, subscriber, first.number, 9.0).result()
        with pytest.raises(UnknownSubscriptionError):
            store.dead_letters.discard(tenant, subscriber, first.number).result()
    assert store.dead_letters.replay("default", "alice", first.number, 9.0).result() == (one.number, 4)
    store.dead_letters.discard("default", "alice", second.number).result()
    assert store.dead_letters.count() == 0
    assert positions(store, one, after=2) == [3, 4]


def test_what_waits_and_what_is_dead_keeps_its_event(store: Store) -> None:
    one, two = (store.subscriptions.create(record(name)).result() for name in ("one", "two"))
    for i, owners in enumerate(([one], [two], [one], [])):
        store.events.publish(new_event(f"e{i}", *owners, at=float(i))).result()
    store.queues.acknowledge({one.number: 1}, 9.0).result()
    store.dead_letters.bury(two.number, store.queues.pending(two.number, 0, 1), reason="", attempts=1, now=9.0).result()
    assert [number for number, _ in store.sweeping.old_events(0, 3.5, 100)] == [1, 2, 3, 4]
    assert removed(store) == [1, 4]
    store.sweeping.remove_dead_letters(100.0).result()
    assert removed(store) == [2]
    assert store.sweeping.old_events(0, 1.5, 100) == []
    assert store.sweeping.last_position_before(2.5) == 3


def test_what_is_replayed_keeps_its_event_until_it_is_done(store: Store) -> None:
    """Its new position is that of a young event, and says nothing of the age of its own."""
    mine = store.subscriptions.create(record("mine")).result()
    for i in range(3):
        store.events.publish(new_event(f"e{i}", mine, at=float(i))).result()
    bury(store, mine)
    store.queues.acknowledge({mine.number: 3}, 9.0).result()
    number = store.dead_letters.page(mine.tenant, mine.subscriber)[0].number
    assert store.dead_letters.replay(mine.tenant, mine.subscriber, number, 9.0).result() == (mine.number, 4)
    store.sweeping.remove_replays().result()
    assert removed(store) == [2, 3]
    bury(store, mine, after=3)
    store.sweeping.remove_replays().result()
    assert removed(store) == []
    number = store.dead_letters.page(mine.tenant, mine.subscriber)[0].number
    store.dead_letters.replay(mine.tenant, mine.subscriber, number, 9.0).result()
    assert removed(store) == []
    store.queues.acknowledge({mine.number: 5}, 9.0).result()
    store.sweeping.remove_replays().result()
    assert store.read("SELECT * FROM replays") == []
    assert removed(store) == [1]


def test_events_are_looked_at_in_steps(store: Store) -> None:
    """Whoever waits holds back events of each step, whatever others have acknowledged."""
    one, two = (store.subscriptions.create(record(name)).result() for name in ("one", "two"))
    for i in range(6):
        store.events.publish(new_event(f"e{i}", one, two, at=float(i))).result()
    store.queues.acknowledge({one.number: 12, two.number: 6}, 9.0).result()
    sweeping, after, last, kept = store.sweeping, 0, 0, set()
    while events := sweeping.old_events(after, None, 2):
        kept |= sweeping.waiting_events(last, events[-1][1])
        after, last = events[-1]
    assert kept == {4, 5, 6}


def bury(store: Store, owner: SubscriptionRecord, after: int = 0) -> None:
    rows = store.queues.pending(owner.number, after, 1)
    store.dead_letters.bury(owner.number, rows, reason="", attempts=1, now=9.0).result()


def removed(store: Store) -> list[int]:
    """The events that go when all are old enough."""
    before = store.sweeping.old_events(0, None, 100)
    waiting = store.sweeping.waiting_events(0, before[-1][1])
    store.sweeping.remove_events([number for number, _ in before if number not in waiting] or [0]).result()
    after = store.sweeping.old_events(0, None, 100)
    return [number for number, _ in before if number not in {n for n, _ in after}]


def test_a_queue_without_a_subscription_is_swept(store: Store) -> None:
    one, two = (store.subscriptions.create(record(name)).result() for name in ("one", "two"))
    store.subscriptions.delete(one.number).result()
    store.events.publish(new_event("late", one, two)).result()
    store.sweeping.remove_orphans().result()
    assert positions(store, one) == []
    assert len(positions(store, two)) == 1


def test_deleting_removes_queue_and_dead_letters(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    for i in range(2):
        store.events.publish(new_event(f"e{i}", one)).result()
    store.dead_letters.bury(one.number, store.queues.pending(one.number, 0, 1), reason="", attempts=1, now=9.0).result()
    store.subscriptions.delete(one.number).result()
    assert store.dead_letters.count() == store.subscriptions.count() == 0
    assert positions(store, one) == []
    again = store.subscriptions.create(record()).result()
    assert again.number > one.number


def test_keys_are_kept_as_hashes(store: Store) -> None:
    key, kept = new_key(tenant="acme", subject="alice", roles=["publish", "subscribe"], name="first", now=3.0)
    store.keys.add(kept).result()
    assert store.keys.find(hash_of_key(key)) == kept
    assert key not in repr(kept)
    assert store.keys.find(hash_of_key(key + "x")) is None
    assert store.keys.page("acme") == [kept]
    assert store.keys.page("other") == []
    with pytest.raises(ConflictError):
        store.keys.add(replace(kept, hash=b"other")).result()
    assert not store.keys.remove("other", "first").result()
    assert store.keys.remove("acme", "first").result()
    assert store.keys.count() == 0


def test_everything_is_there_after_reopening(store_url: str) -> None:
    with open_store(store_url) as store:
        one = store.subscriptions.create(record()).result()
        store.events.publish(new_event("e", one)).result()
        store.queues.failed(one.number, attempts=2, retry_at=77.0, now=40.0, error="no").result()
    with open_store(store_url) as store:
        ((found, latest),) = store.subscriptions.everything()
        assert (found.attempts, found.retry_at, latest) == (2, 77.0, 1)
        assert store.events.publish(new_event("e2", one)).result().first_position == 2


def test_a_store_belongs_to_one_broker(store_url: str) -> None:
    with open_store(store_url) as store:
        with pytest.raises(StoreError, match="another broker"):
            open_store(store_url)
        assert store.subscriptions.create(record()).result().number
    open_store(store_url).close()


def test_each_store_has_an_identity_of_its_own(store_url: str, tmp_path: Path) -> None:
    with open_store(store_url) as store, open_store(f"sqlite:///{tmp_path / 'other.db'}") as other:
        identity = store.identity
        assert identity != other.identity
    with open_store(store_url) as store:
        assert store.identity == identity


def test_a_newer_schema_is_refused(store_url: str) -> None:
    with open_store(store_url) as store:
        version = len(MIGRATIONS) + 1
        store.write(lambda c: c.execute("UPDATE schema_version SET version = ?", (version,))).result()
    with pytest.raises(StoreError, match="newer version"):
        open_store(store_url)


def add_as_in_version_1(connection: Connection, state: str) -> None:
    """A subscription as the first schema had it, by the name of its state."""
    texts = ("default", "alice", state, "pull", "turtle", state)
    connection.execute(
        """INSERT INTO subscriptions (tenant, subscriber, id, kind, format, state, pattern, throttling, created_at,
            modified_at, times_sent, times_failed, attempts, retry_at, overruns, acked)
            VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)""",
        texts,
    )
    connection.execute(
        """INSERT INTO patterns (subscription, text, syntax, injective)
            SELECT number, 'ASK { _:H <urn:p> 1 }', 'sparql', 0 FROM subscriptions WHERE id = ?""",
        (state,),
    )
    connection.execute("UPDATE subscriptions SET pattern = (SELECT MAX(number) FROM patterns) WHERE id = ?", (state,))


def test_an_older_store_is_brought_up_to_date(store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("semantic_pubsub.broker.schema.MIGRATIONS", MIGRATIONS[:1])
        with open_store(store_url) as store:
            for state in ("active", "paused", "quarantined"):
                store.write(lambda c, state=state: add_as_in_version_1(c, state)).result()
            assert store.read("SELECT version FROM schema_version") == [(1,)]
    with open_store(store_url) as store:
        assert store.read("SELECT version FROM schema_version") == [(len(MIGRATIONS),)]
        kept = {one.id: (one.fit, one.paused, one.state) for one, _ in store.subscriptions.everything()}
        assert kept == {
            "active": ("active", False, "active"),
            "paused": ("active", True, "paused"),
            "quarantined": ("quarantined", False, "quarantined"),
        }
        assert store.subscriptions.get("default", "alice", "paused").text == "ASK { _:H <urn:p> 1 }"  # type: ignore[union-attr]
        assert store.read("SELECT * FROM replays") == []


def test_publishers_share_transactions(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    release = threading.Event()
    blocker = store.write(lambda _: release.wait(30))
    before = store.commits
    futures = [store.events.publish(new_event(f"e{i}", one)) for i in range(100)]
    release.set()
    assert blocker.result()
    assert [future.result().first_position for future in futures] == list(range(1, 101))
    assert store.commits - before <= 3


def test_a_bad_write_does_not_hurt_those_that_share_its_transaction(store: Store) -> None:
    one = store.subscriptions.create(record()).result()
    release = threading.Event()
    store.write(lambda _: release.wait(30))
    good = store.events.publish(new_event("good", one))
    bad = store.write(lambda connection: connection.execute("INSERT INTO nowhere VALUES (1)"))
    also_good = store.events.publish(new_event("also good", one))
    release.set()
    assert (good.result().matches, also_good.result().matches) == (1, 1)
    with pytest.raises(StoreError):
        bad.result()
    assert positions(store, one) == [1, 2]


def test_too_much_that_waits_is_refused(store_url: str) -> None:
    with open_store(store_url, waiting_writes=2) as store:
        release, begun = threading.Event(), threading.Event()
        store.write(lambda _: (begun.set(), release.wait(30)))
        assert begun.wait(30)
        futures = [store.events.publish(new_event(f"e{i}")) for i in range(2)]
        with pytest.raises(BusyError) as refused:
            store.events.publish(new_event("one too many"))
        assert refused.value.retry_after > 0
        bookkeeping = store.subscriptions.change(1, paused=True)
        release.set()
        assert [future.result().event_id for future in futures] == ["e0", "e1"]
        bookkeeping.result()


def test_a_store_at_its_size_takes_acknowledgements_only(store_url: str) -> None:
    with open_store(store_url, max_bytes=1) as store:
        with pytest.raises(StoreFullError):
            store.events.publish(new_event("e"))
        store.queues.acknowledge({1: 1}, 1.0).result()


def test_after_closing_everything_is_refused(store_url: str) -> None:
    store = open_store(store_url)
    store.close()
    store.close()
    with pytest.raises(ClosedError):
        store.events.publish(new_event("e"))
    with pytest.raises(ClosedError):
        store.events.count()


def test_a_full_disk_is_told_and_survived(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path / 'b.db'}") as store:
        one = store.subscriptions.create(record()).result()
        pages = store.write(lambda c: c.execute("PRAGMA page_count")[0][0]).result()
        store.write(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 2}")).result()
        big = bytes(range(256)) * 400
        noise = "".join(map(chr, range(0x100, 0x2000))).encode() + big.hex().encode()
        futures = [store.events.publish(new_event(f"e{i}", one, body=noise * 5)) for i in range(20)]
        with pytest.raises(StoreFullError) as full:
            futures[-1].result()
        assert full.value.retry_after > 0
        store.write(lambda c: c.execute("PRAGMA max_page_count = 1000000")).result()
        assert store.events.publish(new_event("after", one, body=noise)).result().matches == 1


def test_each_commit_is_synchronous(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path / 'b.db'}") as store:
        assert store.write(lambda c: c.execute("PRAGMA synchronous")).result() == [(2,)]
        assert store.write(lambda c: c.execute("PRAGMA journal_mode")).result() == [("wal",)]


def test_new_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path / 'b.db'}") as store:
        store.subscriptions.create(record()).result()
        files = list(tmp_path.iterdir())
        assert {file.name for file in files} >= {"b.db", "b.db-wal", "b.db.lock"}
        assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    (tmp_path / "b.db").chmod(0o640)
    open_store(f"sqlite:///{tmp_path / 'b.db'}").close()
    assert (tmp_path / "b.db").stat().st_mode & 0o777 == 0o640  # what the operator chose stays


@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_postgresql_commits_to_the_disk_whatever_the_server_does_by_itself(store_url: str) -> None:
    with open_store(f"{store_url}%20-csynchronous_commit%3Doff") as store:
        assert store.write(lambda c: c.execute("SHOW synchronous_commit")).result() == [("on",)]


def test_an_address_is_told_without_its_password() -> None:
    pytest.importorskip("psycopg", reason="there is no psycopg")
    from semantic_pubsub.broker.postgres_store import PostgresStore

    for url, told in (
        ("postgresql://me:p%40ss@db:5432/x?sslmode=require", "postgresql://me@db:5432/x?sslmode=require"),
        ("postgresql://db/x?user=me&password=pass", "postgresql://db/x?user=me"),
        ("postgresql:///x?host=/run", "postgresql:///x?host=/run"),
    ):
        store = PostgresStore.__new__(PostgresStore)
        store._url = url
        assert store.url == told


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "b.db").write_bytes(b"no database at all, but long enough to be looked at" * 50)
    with pytest.raises(StoreError, match="SQLite says"):
        open_store(f"sqlite:///{tmp_path / 'b.db'}")
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(f"sqlite:///{tmp_path / 'nowhere' / 'b.db'}")
    with pytest.raises(StoreError, match="schemes"):
        open_store("mysql://localhost/x")
