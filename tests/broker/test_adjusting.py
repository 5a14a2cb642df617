"""Changing a subscription without its pattern: end, throttling, pause; and what must not change by it."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from semantic_pubsub import Ontology, SubscriptionError
from semantic_pubsub.broker import Broker, BrokerLimits, Callback, ConflictError, Delivery, LimitError, Webhook
from semantic_pubsub.broker.model import Fit
from tests.broker.conftest import HandClock, MakeBroker, event, eventually, pattern


def subscribe(broker: Broker, **more: object) -> None:
    broker.subscribe("alice", pattern(), id="mine", **more)  # type: ignore[arg-type]


def state(broker: Broker) -> tuple[str, Fit, bool]:
    record = broker.subscription("alice", "mine")
    return record.state, record.fit, record.paused


def matches(broker: Broker) -> int:
    return broker.publish(event()).matches


def expire(broker: Broker, clock: HandClock) -> None:
    broker.adjust("alice", "mine", expires_at=clock.time + 10)
    clock.time += 20
    broker.housekeeper.sweep()


def quarantine(broker: Broker) -> None:
    standing, _ = broker._desk.find("default", "alice", "mine")
    broker._desk._take_out(standing, "quarantined", "too long")


def test_what_is_not_given_stays(broker: Broker, clock: HandClock) -> None:
    end = clock.time + 1000
    subscribe(broker, throttling=3, expires_at=end, paused=True)
    clock.time += 1
    found = broker.adjust("alice", "mine", throttling=4)
    assert (found.throttling, found.expires_at, found.paused) == (4, end, True)
    assert found.modified_at == clock.time
    assert broker.adjust("alice", "mine", paused=False).expires_at == end
    found = broker.adjust("alice", "mine", expires_at=None)
    assert (found.throttling, found.expires_at, found.paused) == (4, None, False)
    assert broker.subscription("alice", "mine") == found


def test_changes_at_the_same_time_do_not_undo_each_other(broker: Broker, clock: HandClock) -> None:
    subscribe(broker)
    changes = [{"throttling": 7}, {"expires_at": clock.time + 50}, {"paused": True}]
    begin = threading.Barrier(len(changes))

    def change(given: dict[str, float]) -> None:
        begin.wait(60)
        broker.adjust("alice", "mine", **given)  # type: ignore[arg-type]

    threads = [threading.Thread(target=change, args=(given,)) for given in changes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = broker.subscription("alice", "mine")
    assert (found.throttling, found.expires_at, found.paused) == (7, clock.time + 50, True)


def test_a_longer_end_makes_an_expired_one_match_again(
    make_broker: MakeBroker, broker: Broker, clock: HandClock
) -> None:
    subscribe(broker)
    expire(broker, clock)
    assert state(broker) == ("expired", "expired", False)
    assert broker.adjust("alice", "mine", throttling=5).state == "expired"
    assert matches(broker) == 0
    assert broker.adjust("alice", "mine", expires_at=clock.time + 10).state == "active"
    assert matches(broker) == 1
    broker.close()
    assert matches(make_broker()) == 1


@pytest.mark.parametrize("end", [None, 2_000_000.0])
def test_another_end_brings_no_quarantined_one_back(broker: Broker, end: float | None) -> None:
    subscribe(broker)
    quarantine(broker)
    assert broker.adjust("alice", "mine", expires_at=end).state == "quarantined"
    assert state(broker) == ("quarantined", "quarantined", False)
    assert matches(broker) == 0


def test_an_expired_one_stays_paused(broker: Broker, clock: HandClock) -> None:
    subscribe(broker, paused=True)
    expire(broker, clock)
    assert state(broker) == ("expired", "expired", True)
    assert broker.adjust("alice", "mine", expires_at=None).state == "paused"
    assert matches(broker) == 1
    assert broker.pull("alice") == []


def test_pausing_a_quarantined_one_keeps_it_so(make_broker: MakeBroker, broker: Broker) -> None:
    subscribe(broker)
    quarantine(broker)
    assert broker.pause("alice", "mine").state == "quarantined"
    broker.close()
    broker = make_broker()
    assert state(broker) == ("quarantined", "quarantined", True)
    assert matches(broker) == 0
    assert broker.resume("alice", "mine").state == "active"
    assert matches(broker) == 1


def test_one_that_expired_while_it_was_paused_is_delivered_after_resuming(broker: Broker, clock: HandClock) -> None:
    subscribe(broker, paused=True)
    assert matches(broker) == 1
    expire(broker, clock)
    assert broker.resume("alice", "mine").state == "expired"
    assert len(broker.pull("alice")) == 1
    with pytest.raises(ConflictError, match="its time is over"):
        broker.resume("alice", "mine")


def test_one_that_fits_no_more_stays_paused_and_invalid(
    make_broker: MakeBroker, plain: Ontology, tmp_path: Path
) -> None:
    path = tmp_path / "wide.nt"
    owl, rdf = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    path.write_text(f"<http://example.org/Late> <{rdf}type> <{owl}Class> .")
    broker = make_broker(ontology=Ontology.load(path))
    text = "(_:H, ?1, (Late, <http://example.org/p>, owl:Thing))"
    broker.subscribe("alice", text, id="mine", paused=True)
    broker.reload(plain)
    assert state(broker) == ("invalid", "invalid", True)
    assert broker.adjust("alice", "mine", expires_at=None, throttling=1).state == "invalid"
    assert broker.resume("alice", "mine").state == "invalid"
    with pytest.raises(SubscriptionError, match="Late"):
        broker.resume("alice", "mine")
    broker.pause("alice", "mine")
    broker.reload(Ontology.load(path))
    assert state(broker) == ("paused", "active", True)


def test_what_is_refused_changes_nothing(broker: Broker, clock: HandClock) -> None:
    subscribe(broker)
    expire(broker, clock)
    before = broker.subscription("alice", "mine")
    with pytest.raises(ConflictError):
        broker.adjust("alice", "mine", throttling=9, paused=False)
    for wrong in (-1.0, float("nan"), 1e12):
        with pytest.raises(SubscriptionError):
            broker.adjust("alice", "mine", throttling=wrong, expires_at=None)
    for end in (clock.time, float("nan"), 1e12):
        with pytest.raises(SubscriptionError):
            broker.adjust("alice", "mine", throttling=9, expires_at=end)
    assert broker.subscription("alice", "mine") == before
    assert matches(broker) == 0


def test_a_replacement_keeps_a_callback_that_has_no_function_yet(make_broker: MakeBroker) -> None:
    got: list[Delivery] = []
    broker = make_broker()
    subscribe(broker, delivery=Callback(got.append))
    broker.close()
    broker = make_broker()
    assert broker.replace("alice", "mine", pattern("q")).kind == "callback"
    broker.publish(event(prop="q"))
    broker.attach("alice", "mine", got.append)
    eventually(lambda: len(got) == 1)
    broker.replace("alice", "mine", pattern("q"))  # this time with its function
    broker.publish(event(prop="q"))
    eventually(lambda: len(got) == 2)


def test_a_webhook_keeps_its_secret_for_the_same_url_alone(broker: Broker) -> None:
    url, other = "https://example.org/in", "https://example.org/other"
    subscribe(broker, delivery=Webhook(url, "first"))
    assert broker.replace("alice", "mine", pattern("q")).secret == "first"
    assert broker.replace("alice", "mine", pattern("q"), Webhook(url)).secret == "first"
    assert broker.replace("alice", "mine", pattern("q"), Webhook(url, "second")).secret == "second"
    assert broker.replace("alice", "mine", pattern("q"), Webhook(url)).secret == "second"
    assert broker.replace("alice", "mine", pattern("q"), Webhook(other)).secret is None
    assert broker.replace("alice", "mine", pattern("q"), Webhook(url)).secret is None


def test_warnings_are_told_when_it_is_made_or_replaced(broker: Broker) -> None:
    never = pattern(filter_="FILTER(?v < 1 && ?v > 2)")
    assert "never true" in broker.subscribe("alice", never, id="mine").warnings[0]
    assert broker.subscription("alice", "mine").warnings == ()
    assert broker.replace("alice", "mine", pattern()).warnings == ()
    assert "never true" in broker.replace("alice", "mine", never).warnings[0]


@pytest.mark.parametrize(
    ("limits", "most", "said"),
    [
        (BrokerLimits(subscriptions=3), 3, "there are 3 subscriptions already"),
        (BrokerLimits(subscriptions_per_tenant=2), 2, "a tenant has at most 2 subscriptions"),
    ],
)
def test_so_many_subscriptions(make_broker: MakeBroker, limits: BrokerLimits, most: int, said: str) -> None:
    broker = make_broker(limits=limits)
    for number in range(most):
        broker.subscribe(f"s{number}", pattern(), id="mine")
    with pytest.raises(LimitError, match=said):
        broker.subscribe("another", pattern())
    if limits.subscriptions == most:
        with pytest.raises(LimitError, match=said):
            broker.subscribe("another", pattern(), tenant="another")
    else:
        broker.subscribe("another", pattern(), tenant="another")
    broker.replace("s0", "mine", pattern("q"))
    broker.unsubscribe("s1", "mine")
    broker.subscribe("another", pattern())


def test_each_condition_counts(make_broker: MakeBroker) -> None:
    broker = make_broker(limits=BrokerLimits(pattern_statements=4))
    three = "?v > 1 && ?v < 5 && ?v != 3"
    broker.subscribe("alice", pattern(filter_=f"FILTER({three})"))
    with pytest.raises(LimitError, match="5 statements and conditions, at most 4"):
        broker.subscribe("alice", pattern(filter_=f"FILTER({three} && ?v != 4)"))
    with pytest.raises(LimitError, match="5 statements and conditions, at most 4"):
        broker.subscribe("alice", pattern(filter_=f"FILTER({three}) FILTER(?v != 4)"))
