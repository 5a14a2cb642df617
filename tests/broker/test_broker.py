"""What the broker promises to publishers and subscribers."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import (
    Event,
    EventError,
    Ontology,
    OpsMatcher,
    ReferenceMatcher,
    Subscription,
    SubscriptionError,
)
from semantic_pubsub.broker import (
    Broker,
    BrokerLimits,
    Callback,
    ClosedError,
    ConflictError,
    Delivery,
    LimitError,
    RetryPolicy,
    StoreFullError,
    UnknownSubscriptionError,
    Webhook,
)
from tests.broker.conftest import HandClock, MakeBroker, Receivers, event, eventually, pattern


def ids(deliveries: list[Delivery]) -> list[str]:
    return [delivery.event_id for delivery in deliveries]


def publish(broker: Broker, name: str, *values: object, prop: str = "p") -> int:
    return broker.publish(Event.parse(event(*values, prop=prop), id=name)).matches


def test_who_subscribed_gets_what_matches(broker: Broker) -> None:
    broker.subscribe("alice", pattern("p"), id="mine")
    broker.subscribe("bob", pattern("q"))
    assert publish(broker, "e1", 7) == 1
    assert publish(broker, "e2", prop="r") == 0
    (delivery,) = broker.pull("alice")
    assert (delivery.event_id, delivery.subscription_id, delivery.home) == ("e1", "mine", "_:H")
    integer = "http://www.w3.org/2001/XMLSchema#integer"
    assert delivery.bindings == {"v": {"type": "literal", "value": "7", "datatype": integer}}
    assert Event.parse(delivery.event) == Event.parse(event(7))
    assert broker.pull("bob") == []


def test_an_event_gets_an_id_where_it_has_none(broker: Broker) -> None:
    assert broker.publish(event()).event_id.startswith("urn:uuid:")
    assert broker.publish(Event.parse(event(), id="own")).event_id == "own"


@pytest.mark.parametrize("syntax", ["turtle", "nt", "xml", "json-ld"])
def test_events_come_in_the_syntax_that_was_asked_for(broker: Broker, syntax: str) -> None:
    broker.subscribe("alice", pattern(), format=syntax)
    text = "@prefix : <http://example.org/> . _:H :p [ :q 'x' ] ."
    broker.publish(text)
    broker.publish("_:H <http://example.org/p> 'é' .", "turtle")
    first, second = broker.pull("alice")
    assert len(Event.parse(first.event, syntax)) == 2
    assert Event.parse(second.event, syntax, home="_:H" if syntax != "xml" else None).triples[0].object.value == "é"
    assert first.bindings is not None
    if syntax in ("turtle", "nt"):
        assert "_:" + first.bindings["v"]["value"] in first.event


def test_pulling_acknowledges_nothing_and_acknowledging_is_cumulative(broker: Broker) -> None:
    broker.subscribe("alice", pattern(), id="mine")
    for i in range(5):
        publish(broker, f"e{i}")
    assert ids(broker.pull("alice", limit=2)) == ids(broker.pull("alice", limit=2)) == ["e0", "e1"]
    second = broker.pull("alice", limit=2)[-1].position
    assert ids(broker.pull("alice", after=second)) == ["e2", "e3", "e4"]
    broker.ack("alice", second)
    assert ids(broker.pull("alice")) == ["e2", "e3", "e4"]
    assert ids(broker.pull("alice", after=0, limit=1)) == ["e0"]
    broker.ack("alice", 1)
    broker.ack("alice", 10**9)
    assert broker.pull("alice") == []
    publish(broker, "later")
    assert ids(broker.pull("alice")) == ["later"]
    record = broker.subscription("alice", "mine")
    assert record.times_sent == 5


def test_one_subscription_can_be_pulled_alone(broker: Broker) -> None:
    broker.subscribe("alice", pattern("p"), id="p")
    broker.subscribe("alice", pattern("q"), id="q")
    publish(broker, "e1")
    publish(broker, "e2", prop="q")
    assert ids(broker.pull("alice")) == ["e1", "e2"]
    assert ids(broker.pull("alice", subscription="q")) == ["e2"]
    broker.ack("alice", 10, subscription="p")
    assert ids(broker.pull("alice")) == ["e2"]
    with pytest.raises(UnknownSubscriptionError):
        broker.pull("alice", subscription="r")


def test_nothing_comes_after_unsubscribing(broker: Broker) -> None:
    broker.subscribe("alice", pattern(), id="mine")
    publish(broker, "e1")
    broker.unsubscribe("alice", "mine")
    assert publish(broker, "e2") == 0
    assert broker.pull("alice") == []
    for call in (broker.unsubscribe, broker.pause, broker.subscription):
        with pytest.raises(UnknownSubscriptionError):
            call("alice", "mine")


def test_ids_and_texts_are_checked(broker: Broker) -> None:
    broker.subscribe("alice", pattern(), id="mine")
    with pytest.raises(ConflictError):
        broker.subscribe("alice", pattern(), id="mine")
    broker.subscribe("bob", pattern(), id="mine")
    with pytest.raises(SubscriptionError):
        broker.subscribe("alice", "SELECT nonsense")
    with pytest.raises(SubscriptionError):
        broker.subscribe("alice", "(_:H, ?1, (Unheard, of, Thing))")
    for bad in ("", "x" * 300, "a\nb"):
        with pytest.raises(LimitError):
            broker.subscribe(bad, pattern())
        with pytest.raises(LimitError):
            broker.subscribe("alice", pattern(), id=bad)
    with pytest.raises(EventError):
        broker.subscribe("alice", pattern(), format="docx")
    with pytest.raises(SubscriptionError):
        broker.subscribe("alice", pattern(), throttling=-1)
    with pytest.raises(SubscriptionError):
        broker.subscribe("alice", pattern(), expires_at=1.0)
    assert len(broker.subscriptions("alice")) == 1


def test_what_cannot_be_matched_is_not_there(plain: Ontology, tmp_path: Path) -> None:
    """Else it would look like a subscription, and never get anything."""

    class Failing(ReferenceMatcher):
        def add_all(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("nobody thought of that")

    with Broker(plain, Failing, tmp_path / "broker.db") as broker:
        with pytest.raises(RuntimeError):
            broker.subscribe("alice", pattern(), id="mine")
        assert broker.subscriptions("alice") == []
        with pytest.raises(UnknownSubscriptionError):
            broker.pull("alice", subscription="mine")


def test_pausing_delays_and_loses_nothing(broker: Broker) -> None:
    broker.subscribe("alice", pattern(), id="mine")
    assert broker.pause("alice", "mine").state == "paused"
    publish(broker, "e1")
    assert broker.pull("alice") == []
    assert broker.resume("alice", "mine").state == "active"
    assert ids(broker.pull("alice")) == ["e1"]


def test_a_replacement_changes_what_matches_from_then_on(broker: Broker) -> None:
    broker.subscribe("alice", pattern("p"), id="mine", format="nt")
    publish(broker, "e1", 5)
    record = broker.replace("alice", "mine", pattern("q").replace("?v", "?w"))
    assert (record.format, record.state) == ("nt", "active")
    assert publish(broker, "e2") == 0
    assert publish(broker, "e3", 6, prop="q") == 1
    first, second = broker.pull("alice")
    assert (first.event_id, second.event_id) == ("e1", "e3")
    assert (set(first.bindings or ()), set(second.bindings or ())) == ({"v"}, {"w"})
    with pytest.raises(SubscriptionError):
        broker.replace("alice", "mine", "nonsense")
    with pytest.raises(SubscriptionError):
        broker.replace("alice", "mine", "(_:H, ?1, (Unheard, of, Thing))")
    assert broker.subscription("alice", "mine") == replace(record, acked=0)
    assert len(broker.store.sweeping.with_old_patterns()) == 1
    broker.housekeeper.sweep()
    assert len(broker.store.sweeping.with_old_patterns()) == 1  # the old one still has a delivery
    assert publish(broker, "e4", prop="q") == 1


def test_a_subscription_ends_at_its_time(make_broker: MakeBroker, clock: HandClock) -> None:
    broker = make_broker()
    broker.subscribe("alice", pattern(), id="mine", expires_at=clock.now() + 10)
    assert publish(broker, "e1") == 1
    clock.time += 10
    assert publish(broker, "e2") == 0
    broker.housekeeper.sweep()
    assert broker.subscription("alice", "mine").state == "expired"
    assert ids(broker.pull("alice")) == ["e1"]
    with pytest.raises(ConflictError):
        broker.resume("alice", "mine")
    broker.replace("alice", "mine", pattern(), expires_at=clock.now() + 5)
    assert publish(broker, "e3") == 1


def test_a_repeated_publication_is_harmless(broker: Broker) -> None:
    broker.subscribe("alice", pattern())
    first = broker.publish(event(), idempotency_key="k")
    again = broker.publish(event(), idempotency_key="k")
    assert again == replace(first, repeated=True)
    assert len(broker.pull("alice")) == 1
    with pytest.raises(ConflictError):
        broker.publish(event(2), idempotency_key="k")
    assert not broker.publish(event(2), idempotency_key="k", tenant="other").repeated


def test_subscriptions_and_queues_survive_a_restart(make_broker: MakeBroker) -> None:
    broker = make_broker()
    broker.subscribe("alice", pattern(), id="mine")
    parsed = Subscription.parse("(_:H, ?1, (owl:Thing, <http://example.org/p>, xsd:integer))", id="other name")
    broker.subscribe("alice", parsed, id="object", injective=None)
    for i in range(3):
        publish(broker, f"e{i}")
    broker.ack("alice", 3)
    broker.close()
    seen: list[tuple[int, int]] = []
    broker = make_broker(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(2, 2)]
    assert ids(broker.pull("alice")) == ["e1", "e2", "e2"]
    publish(broker, "e3")
    assert ids(broker.pull("alice"))[-2:] == ["e3", "e3"]


def test_a_callback_gets_each_once_in_order_and_again_after_an_error(make_broker: MakeBroker, clock: HandClock) -> None:
    broker = make_broker()
    got: list[str] = []
    calls: list[str] = []

    def receive(delivery: Delivery) -> None:
        calls.append(delivery.event_id)
        if calls.count("e1") == 1 and delivery.event_id == "e1":
            raise RuntimeError("not now")
        got.append(delivery.event_id)

    broker.subscribe("alice", pattern(), Callback(receive), id="mine")
    for i in range(3):
        publish(broker, f"e{i}")
    eventually(lambda: calls == ["e0", "e1"])
    eventually(lambda: broker.subscription("alice", "mine").attempts == 1)
    assert got == ["e0"]
    assert broker.subscription("alice", "mine").last_error == "RuntimeError: not now"
    clock.time += 1000
    eventually(lambda: got == ["e0", "e1", "e2"])
    assert calls == ["e0", "e1", "e1", "e2"]


def test_a_callback_may_raise_what_it_likes(make_broker: MakeBroker, clock: HandClock) -> None:
    broker = make_broker()
    errors: list[BaseException] = [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), asyncio.CancelledError()]
    got: list[str] = []

    def raising(delivery: Delivery) -> None:
        if errors:
            raise errors.pop()
        got.append(delivery.event_id)

    broker.subscribe("me", pattern(), Callback(raising), id="mine")
    publish(broker, "e0")

    def arrived() -> bool:
        clock.time += 1000
        return got == ["e0"]

    eventually(arrived)
    eventually(lambda: broker.subscription("me", "mine").times_failed == 4)


def test_a_callback_that_takes_too_long_is_not_called_again_meanwhile(
    make_broker: MakeBroker, clock: HandClock
) -> None:
    broker = make_broker(retry=RetryPolicy(timeout=0.05, first_delay=0.01, attempts=1_000))
    release, got = threading.Event(), []

    def slowly(delivery: Delivery) -> None:
        got.append(delivery.event_id)
        release.wait(60)

    broker.subscribe("me", pattern(), Callback(slowly), id="mine")
    broker.publish(Event.parse(event(), id="e0"))

    def busy() -> bool:
        clock.time += 1000
        return broker.subscription("me", "mine").last_error == "the function is still busy with the call before"

    eventually(busy)
    assert got == ["e0"]
    release.set()

    def done() -> bool:
        clock.time += 1000
        return broker.subscription("me", "mine").times_sent == 1

    eventually(done)
    assert got == ["e0", "e0"]


def test_a_callback_is_attached_again_after_a_restart(make_broker: MakeBroker) -> None:
    broker = make_broker()
    broker.subscribe("alice", pattern(), Callback(print), id="mine")
    broker.close()
    broker = make_broker()
    publish(broker, "e1")
    got: list[Delivery] = []
    broker.attach("alice", "mine", got.append)
    eventually(lambda: ids(got) == ["e1"])
    broker.subscribe("alice", pattern(), id="pulled")
    with pytest.raises(UnknownSubscriptionError):
        broker.attach("alice", "pulled", got.append)


def test_a_stream_waits_for_more_and_acknowledges_what_is_done(broker: Broker) -> None:
    broker.subscribe("alice", pattern(), id="mine")
    publish(broker, "e0")

    async def read() -> list[str]:
        found = []
        async for delivery in broker.deliveries("alice"):
            found.append(delivery.event_id)
            if len(found) < 4:
                threading.Thread(target=publish, args=(broker, f"e{len(found)}")).start()
            else:
                break
        return found

    assert asyncio.run(asyncio.wait_for(read(), 60)) == ["e0", "e1", "e2", "e3"]
    eventually(lambda: ids(broker.pull("alice")) == ["e3"])


def test_a_stream_resumes_after_a_position_and_ends_with_the_broker(broker: Broker) -> None:
    broker.subscribe("alice", pattern(), id="a")
    for i in range(3):
        publish(broker, f"e{i}")

    async def read(subscription: str | None, wanted: int) -> list[str]:
        found = []
        async for delivery in broker.deliveries("alice", subscription=subscription, after=1, acknowledge=False):
            found.append(delivery.event_id)
            if len(found) == wanted:
                if subscription is None:
                    break
                threading.Thread(target=broker.close).start()
        return found

    # Of all subscriptions together what is not acknowledged comes again: others may have passed it.
    assert asyncio.run(asyncio.wait_for(read(None, 3), 60)) == ["e0", "e1", "e2"]
    assert asyncio.run(asyncio.wait_for(read("a", 2), 60)) == ["e1", "e2"]


def test_throttling_spaces_a_stream_and_drops_nothing(make_broker: MakeBroker, clock: HandClock) -> None:
    broker = make_broker()
    broker.subscribe("alice", pattern("p"), id="slow", throttling=10)
    broker.subscribe("alice", pattern("p"), id="fast")
    for i in range(3):
        publish(broker, f"e{i}")
    times: list[tuple[str, str, float]] = []

    async def read() -> None:
        start = clock.now()
        async for delivery in broker.deliveries("alice"):
            times.append((delivery.subscription_id, delivery.event_id, clock.now() - start))
            if len(times) >= 4:
                clock.time += 10
            if len(times) == 6:
                return

    asyncio.run(asyncio.wait_for(read(), 60))
    assert [(e, t) for s, e, t in times if s == "fast"] == [("e0", 0), ("e1", 0), ("e2", 0)]
    assert [(e, t) for s, e, t in times if s == "slow"] == [("e0", 0), ("e1", 10), ("e2", 20)]


def test_limits_are_kept(make_broker: MakeBroker) -> None:
    limits = BrokerLimits(
        subscriptions_per_subscriber=2, subscription_characters=200, pattern_statements=3, tenants=2, pulled=2
    )
    broker = make_broker(limits=limits)
    broker.subscribe("alice", pattern())
    broker.subscribe("alice", pattern())
    with pytest.raises(LimitError, match="at most 2 subscriptions"):
        broker.subscribe("alice", pattern())
    with pytest.raises(LimitError, match="characters"):
        broker.subscribe("bob", pattern() + "#" * 200)
    with pytest.raises(LimitError, match="4 statements"):
        broker.subscribe("bob", "ASK { _:H <urn:p> 1, 2, 3, 4 }")
    broker.subscribe("bob", pattern(), tenant="second")
    with pytest.raises(LimitError, match="tenants"):
        broker.subscribe("bob", pattern(), tenant="third")
    for i in range(3):
        publish(broker, f"e{i}")
    assert len(broker.pull("alice", limit=100)) == 2
    with pytest.raises(EventError, match="more than"):
        broker.publish(event(*range(20_000)))
    with pytest.raises(LimitError, match="more than"):
        broker.publish(Event.parse(event(*range(20_000))))


def test_a_full_store_refuses_events_and_takes_acknowledgements(make_broker: MakeBroker) -> None:
    broker = make_broker()
    broker.subscribe("alice", pattern())
    publish(broker, "e1")
    broker.store.max_bytes = 1
    with pytest.raises(StoreFullError):
        publish(broker, "e2")
    with pytest.raises(StoreFullError):
        broker.subscribe("alice", pattern())
    broker.ack("alice", 1)
    assert broker.pull("alice") == []


def clique(size: int, of: int) -> tuple[str, str]:
    """A pattern that asks for a clique, and an event in which a search for it takes long."""
    import random

    draw = random.Random(1)
    arcs = [f"_:H <urn:p> ?v{i} ." for i in range(size)]
    arcs += [f"?v{i} <urn:q> ?v{j} ." for i in range(size) for j in range(i)]
    lines = [f"_:H <urn:p> _:n{i} ." for i in range(of)]
    lines += [f"_:n{i} <urn:q> _:n{j} ." for i in range(of) for j in range(of) if i != j and draw.random() < 0.6]
    return "ASK { " + " ".join(arcs) + " }", "\n".join(lines)


def test_a_search_that_is_too_long_is_reported_and_quarantined(make_broker: MakeBroker) -> None:
    limits = BrokerLimits(steps=300, overruns=2)

    def ops(ontology: Ontology) -> OpsMatcher:
        return OpsMatcher(ontology, budget=limits.steps)

    broker = make_broker(matcher=ops, limits=limits)
    hard, text = clique(9, 30)
    broker.subscribe("mallory", hard, id="hard", injective=True)
    broker.subscribe("alice", "SELECT ?v { _:H <urn:p> ?v }", id="easy")
    first = broker.publish(text)
    assert (first.matches, first.undecided) == (1, 1)
    eventually(lambda: "more than 300 steps" in str(broker.subscription("mallory", "hard").reason))
    assert broker.subscription("mallory", "hard").state == "active"
    assert broker.publish(text).undecided == 1
    eventually(lambda: broker.subscription("mallory", "hard").state == "quarantined")
    assert (broker.publish(text).matches, broker.publish(text).undecided) == (1, 0)
    assert len(broker.pull("alice")) == 4
    broker.close()
    broker = make_broker(matcher=ops, limits=limits)
    assert broker.publish(text).undecided == 0
    assert broker.resume("mallory", "hard").overruns == 0
    assert broker.publish(text).undecided == 1


def test_bindings_that_take_too_long_are_left_out(make_broker: MakeBroker) -> None:
    broker = make_broker(limits=BrokerLimits(steps=20))
    arms = " ".join(f"_:H <http://example.org/p> ?v{i} ." for i in range(4))
    broker.subscribe("alice", f"SELECT * {{ {arms} FILTER(?v0 + ?v1 + ?v2 + ?v3 > 75) }}")
    broker.publish(event(*range(20)))
    (delivery,) = broker.pull("alice")
    assert delivery.bindings is None


def test_another_ontology_is_taken_up_without_a_restart(
    make_broker: MakeBroker, plain: Ontology, tmp_path: Path
) -> None:
    path = tmp_path / "wide.ttl"
    path.write_text(
        "@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ":q rdfs:subPropertyOf :p . :Late rdfs:subClassOf :A . :r rdfs:subPropertyOf :r ."
    )
    wide = Ontology.load(path)
    broker = make_broker(ontology=wide)
    broker.subscribe("alice", pattern("p"), id="stays")
    broker.subscribe("alice", "(_:H, ?1, (Late, r, owl:Thing))", id="goes")
    assert publish(broker, "e1", prop="q") == 1
    ((record, error),) = broker.reload(plain)
    assert record.id == "goes"
    assert "Late" in str(error)
    assert publish(broker, "e2", prop="q") == 0
    assert broker.subscription("alice", "goes").state == "invalid"
    assert broker.reload(wide) == []
    assert publish(broker, "e3", prop="q") == 1
    eventually(lambda: broker.subscription("alice", "goes").state == "active")
    assert ids(broker.pull("alice")) == ["e1", "e3"]


def test_what_ends_while_an_ontology_is_taken_up_has_ended(
    make_broker: MakeBroker, plain: Ontology, clock: HandClock
) -> None:
    made: list[ReferenceMatcher] = []
    ends: list[Broker] = []

    def make(ontology: Ontology) -> ReferenceMatcher:
        made.append(ReferenceMatcher(ontology))
        for broker in ends:  # the store has been read by now
            clock.time += 100
            broker.housekeeper.sweep()
        return made[-1]

    ends.append(broker := make_broker(matcher=make))
    broker.subscribe("alice", pattern(), id="short", expires_at=clock.time + 50)
    broker.subscribe("alice", pattern(), id="long")
    assert broker.reload(plain) == []
    assert len(made[-1]) == 1
    assert broker.subscription("alice", "short").state == "expired"
    assert publish(broker, "e1") == 1


def test_it_says_why_an_event_matches_or_not(broker: Broker) -> None:
    broker.subscribe("alice", pattern("p"), id="mine")
    assert broker.explain(event(), "alice", "mine").matched
    assert not broker.explain(event(prop="q"), "alice", "mine").matched
    with pytest.raises(UnknownSubscriptionError):
        broker.explain(event(), "bob", "mine")


def test_webhook_targets_are_looked_at_when_they_are_registered(broker: Broker, receivers: Receivers) -> None:
    from semantic_pubsub.broker import TargetError

    for url in (
        "ftp://example.org/x",
        "https://user:x@example.org/",
        "https:///x",
        "nonsense",
        "http://[::1]/",
        "https://10.1.2.3/x",
    ):
        with pytest.raises(TargetError):
            broker.subscribe("alice", pattern(), Webhook(url))
    broker.subscribe("alice", pattern(), Webhook("https://example.org/hook", "secret"), id="mine")
    publish(broker, "e1")
    eventually(lambda: receivers.of("https://example.org/hook") == [1])
    assert broker.pull("alice") == []
    assert "secret" not in repr(broker.subscription("alice", "mine"))


def test_after_closing_everything_is_refused(broker: Broker) -> None:
    broker.subscribe("alice", pattern())
    broker.close()
    broker.close()
    with pytest.raises(ClosedError):
        broker.publish(event())
    with pytest.raises(ClosedError):
        broker.subscribe("alice", pattern())
    with pytest.raises(ClosedError):
        broker.pull("alice")


def test_explaining_takes_no_more_steps_than_the_limits_allow(make_broker: MakeBroker) -> None:
    broker = make_broker(matcher=None, limits=BrokerLimits(steps=2_000))
    for name, arms in (("short", "ab"), ("long", "abcdef")):
        arcs = " ".join(f"_:H <http://example.org/p> ?{arm} ." for arm in arms)
        broker.subscribe("alice", f"ASK {{ {arcs} FILTER({' + '.join(f'?{arm}' for arm in arms)} > 1000) }}", id=name)
    assert not broker.explain(event(*range(20)), "alice", "short").matched
    with pytest.raises(LimitError, match="'long' matches takes more than 2,000 steps"):
        broker.explain(event(*range(20)), "alice", "long")
