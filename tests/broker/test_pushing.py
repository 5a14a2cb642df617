"""Pushes: order, retries, dead letters, throttling, and that no endpoint waits for another."""

from __future__ import annotations

import threading
from random import Random
from typing import Any

import pytest

from semantic_pubsub import Event
from semantic_pubsub.broker import Broker, Retention, RetryPolicy, UnknownSubscriptionError, Webhook
from semantic_pubsub.broker.registry import Standing
from tests.broker.conftest import SOON, HandClock, MakeBroker, Receivers, event, eventually, pattern

HOOK = "https://{}.example.org/"


def hooked(broker: Broker, name: str, **options: float) -> str:
    url = HOOK.format(name)
    broker.subscribe(name, pattern(), Webhook(url), id="mine", **options)
    return url


def publish(broker: Broker, count: int, first: int = 0) -> None:
    for i in range(first, first + count):
        broker.publish(Event.parse(event(), id=f"e{i}"))


def test_deliveries_come_in_publication_order(make_broker: MakeBroker, receivers: Receivers) -> None:
    broker = make_broker()
    urls = [hooked(broker, f"s{i}") for i in range(3)]
    publish(broker, 20)
    for url in urls:
        eventually(lambda url=url: len(receivers.of(url)) == 20)
        assert [d.event_id for e, d in receivers.got if e == url] == [f"e{i}" for i in range(20)]
    eventually(lambda: broker.subscription("s0", "mine").times_sent == 20)
    assert broker.stats()["pushed"] == 60


def test_a_failure_is_tried_again_with_growing_delay_and_the_next_one_waits(
    make_broker: MakeBroker, receivers: Receivers, clock: HandClock
) -> None:
    broker = make_broker(retry=RetryPolicy(first_delay=10.0, longest_delay=60.0, attempts=10))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "fail"
    publish(broker, 2)
    for attempt in range(1, 6):
        eventually(lambda attempt=attempt: broker.subscription("s", "mine").attempts == attempt)
        assert len(receivers.tries[url]) == attempt
        clock.time = broker.subscription("s", "mine").retry_at
    eventually(lambda: len(receivers.tries[url]) == 6)
    delays = [b - a for a, b in zip(receivers.tries[url], receivers.tries[url][1:], strict=False)]
    for delay, full in zip(delays, (10, 20, 40, 60, 60), strict=True):
        assert full / 2 <= delay <= full
    assert len(set(delays)) == 5
    receivers.behaviour[url] = "accept"
    clock.time += 1000
    eventually(lambda: receivers.of(url) == [1, 2])
    eventually(lambda: broker.subscription("s", "mine").times_sent == 2)
    record = broker.subscription("s", "mine")
    assert (record.attempts, record.times_failed, record.last_error) == (0, 6, "answered 500")


def test_the_receiver_may_say_when_to_come_again(
    make_broker: MakeBroker, receivers: Receivers, clock: HandClock
) -> None:
    broker = make_broker(retry=RetryPolicy(first_delay=1.0))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "later"
    publish(broker, 1)
    eventually(lambda: broker.subscription("s", "mine").attempts == 1)
    assert broker.subscription("s", "mine").retry_at == clock.now() + 77


def test_jitter_spreads_retries() -> None:
    policy, draw = RetryPolicy(first_delay=8.0, longest_delay=100.0), Random(5)
    assert {round(policy.delay(1, draw)) for _ in range(300)} == {4, 5, 6, 7, 8}
    assert 50 <= policy.delay(10_000, draw) <= 100


def test_what_fails_too_often_becomes_a_dead_letter_and_can_be_replayed(
    make_broker: MakeBroker, receivers: Receivers, clock: HandClock
) -> None:
    broker = make_broker(retry=RetryPolicy(first_delay=1.0, attempts=3))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "fail"
    publish(broker, 2)

    def dead() -> int:
        clock.time += 1000
        return len(broker.dead_letters("s"))

    eventually(lambda: dead() == 2)
    first, second = broker.dead_letters("s", subscription="mine")
    assert (first.event_id, first.reason, first.attempts) == ("e0", "answered 500", 3)
    assert len(receivers.tries[url]) == 6
    eventually(lambda: broker.stats()["dead_letters"] == 2)
    record = broker.subscription("s", "mine")
    assert (record.times_sent, record.times_failed, record.attempts) == (0, 6, 0)
    receivers.behaviour[url] = "accept"
    publish(broker, 1, first=2)
    assert broker.replay("s", first.number) == 4
    eventually(lambda: [d.event_id for _, d in receivers.got] == ["e2", "e0"])
    broker.discard("s", second.number)
    assert broker.dead_letters("s") == []
    with pytest.raises(UnknownSubscriptionError):
        broker.replay("s", first.number)


def test_a_subscription_that_cannot_be_pushed_keeps_no_other_from_it(
    make_broker: MakeBroker, receivers: Receivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither while the broker runs nor when it starts."""
    broker = make_broker()
    bad, good = hooked(broker, "bad"), hooked(broker, "good")

    def endpoint(standing: Standing) -> str | None:
        if standing.endpoint == bad:
            raise ValueError("no address of today")
        return standing.endpoint

    monkeypatch.setattr(receivers, "endpoint", endpoint)
    publish(broker, 1)
    eventually(lambda: receivers.of(good) == [2])
    broker.pause("good", "mine")
    publish(broker, 1, first=1)
    broker.close()
    again = make_broker()
    again.resume("good", "mine")
    eventually(lambda: receivers.of(good) == [2, 4])
    assert receivers.of(bad) == []


def test_an_error_that_nobody_foresaw_is_a_failed_attempt(
    make_broker: MakeBroker, receivers: Receivers, clock: HandClock
) -> None:
    broker = make_broker(retry=RetryPolicy(attempts=2))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "crash"
    publish(broker, 1)

    def dead() -> bool:
        clock.time += 1000
        return bool(broker.dead_letters("s"))

    eventually(dead)
    (letter,) = broker.dead_letters("s")
    assert (letter.reason, letter.attempts) == ("RuntimeError: nobody thought of that", 2)
    receivers.behaviour[url] = "accept"
    publish(broker, 1, first=1)
    eventually(lambda: [d.event_id for _, d in receivers.got] == ["e1"])


def test_throttling_delays_and_drops_nothing(make_broker: MakeBroker, receivers: Receivers, clock: HandClock) -> None:
    broker = make_broker()
    slow, fast = hooked(broker, "slow", throttling=30), hooked(broker, "fast")
    publish(broker, 4)
    eventually(lambda: len(receivers.of(fast)) == 4)
    start = clock.now()
    for count in range(1, 5):
        eventually(lambda count=count: len(receivers.of(slow)) == count)
        clock.time += 29
        eventually(lambda: broker.stats()["pushes_in_flight"] == 0)
        assert len(receivers.of(slow)) == count
        clock.time += 1
    assert [t - start for t in receivers.tries[slow]] == [0, 30, 60, 90]


def test_no_endpoint_waits_for_one_that_hangs_or_is_dead(make_broker: MakeBroker, receivers: Receivers) -> None:
    broker = make_broker(retry=RetryPolicy(timeout=3600, at_once_per_endpoint=2))
    urls = [hooked(broker, f"s{i}") for i in range(100)]
    hanging, dead, good = urls[0], urls[1], urls[2:]
    for i in range(20):  # more subscriptions on the hanging endpoint than it has workers
        broker.subscribe("s0", pattern(), Webhook(hanging), id=f"more{i}")
    receivers.behaviour |= {hanging: "hang", dead: "fail"}
    publish(broker, 10)
    for url in good:
        eventually(lambda url=url: len(receivers.of(url)) == 10)
    assert receivers.of(hanging) == receivers.of(dead) == []
    assert len(receivers.tries[hanging]) == 2
    assert len(receivers.tries[dead]) == 1


def test_nobody_waits_for_a_delivery_that_takes_long_to_make(
    make_broker: MakeBroker, receivers: Receivers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search for bindings, above all; there are more such subscriptions than threads to make deliveries on."""
    broker = make_broker()
    good = hooked(broker, "good")
    publish(broker, 1)
    eventually(lambda: len(receivers.of(good)) == 1)
    dear = [hooked(broker, f"dear{number}") for number in range(20)]
    searching = threading.Event()
    make = broker._outbox.deliveries

    def deliveries(rows: Any, characters: int | None = None) -> Any:
        if rows[0][0].subscriber != "good":
            searching.wait(SOON)
        return make(rows, characters)

    monkeypatch.setattr(broker._outbox, "deliveries", deliveries)
    publish(broker, 3, first=1)
    eventually(lambda: len(receivers.of(good)) == 4)
    assert not any(receivers.of(name) for name in dear)
    searching.set()
    eventually(lambda: all(len(receivers.of(name)) == 3 for name in dear))


def test_hanging_endpoints_take_no_more_than_their_share(
    make_broker: MakeBroker, receivers: Receivers, clock: HandClock
) -> None:
    """Ever so many endpoints that failed before and hang now leave all places of the others free."""
    broker = make_broker(retry=RetryPolicy(timeout=3600, at_once=4, first_delay=1.0))
    bad = [hooked(broker, f"bad{i}") for i in range(12)]
    for url in bad:
        receivers.behaviour[url] = "fail"
    publish(broker, 1)
    eventually(lambda: all(len(receivers.tries.get(url, [])) == 1 for url in bad))
    eventually(lambda: broker.stats()["pushes_in_flight"] == 0)
    for url in bad:
        receivers.behaviour[url] = "hang"
    clock.time += 10
    good = [hooked(broker, f"good{i}") for i in range(6)]
    publish(broker, 5, first=1)
    for url in good:
        eventually(lambda url=url: len(receivers.of(url)) == 5)
    assert sum(len(receivers.tries[url]) for url in bad) == 12 + 1


def test_those_that_answer_promptly_wait_for_no_newcomers_and_none_that_are_slow(
    make_broker: MakeBroker, receivers: Receivers
) -> None:
    """Whoever makes endpoints that hang from the start, or answer at the last moment, keeps out only their like."""
    broker = make_broker(retry=RetryPolicy(timeout=100.0, at_once=4))
    good = hooked(broker, "good")
    slow = [hooked(broker, f"slow{i}") for i in range(6)]
    publish(broker, 1)
    eventually(lambda: len(receivers.of(good)) == 1)
    for url in slow:
        eventually(lambda url=url: len(receivers.of(url)) == 1)
        receivers.behaviour[url] = "slow"
    publish(broker, 1, first=1)
    for url in slow:
        eventually(lambda url=url: len(receivers.of(url)) == 2)
        receivers.behaviour[url] = "hang"
    new = [hooked(broker, f"new{i}") for i in range(6)]
    for url in new:
        receivers.behaviour[url] = "hang"
    publish(broker, 20, first=2)
    eventually(lambda: len(receivers.of(good)) == 22)
    assert sum(len(receivers.tries[url]) for url in slow) == 12 + 1
    assert sum(len(receivers.tries.get(url, [])) for url in new) == 1


def test_a_slow_endpoint_is_given_up_after_the_timeout(make_broker: MakeBroker, receivers: Receivers) -> None:
    broker = make_broker(retry=RetryPolicy(timeout=0.05))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "hang"
    publish(broker, 1)
    eventually(lambda: broker.subscription("s", "mine").last_error == "no answer within 0.05 s")


def test_retries_survive_a_restart(make_broker: MakeBroker, receivers: Receivers, clock: HandClock) -> None:
    broker = make_broker(retry=RetryPolicy(first_delay=100.0))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "fail"
    publish(broker, 3)
    eventually(lambda: broker.subscription("s", "mine").attempts == 1)
    broker.close()
    receivers.behaviour[url] = "accept"
    broker = make_broker(retry=RetryPolicy(first_delay=100.0))
    other = hooked(broker, "other")
    publish(broker, 1, first=3)
    eventually(lambda: len(receivers.of(other)) == 1)
    assert receivers.of(url) == []
    clock.time += 100
    eventually(lambda: receivers.of(url) == [1, 2, 3, 4])


def test_pause_and_resume_hold_and_release_pushes(make_broker: MakeBroker, receivers: Receivers) -> None:
    broker = make_broker()
    url, other = hooked(broker, "s"), hooked(broker, "other")
    broker.pause("s", "mine")
    publish(broker, 3)
    eventually(lambda: len(receivers.of(other)) == 3)
    assert receivers.of(url) == []
    broker.resume("s", "mine")
    eventually(lambda: len(receivers.of(url)) == 3)


def test_resuming_does_not_wait_for_the_next_retry(make_broker: MakeBroker, receivers: Receivers) -> None:
    broker = make_broker(retry=RetryPolicy(first_delay=1e6, longest_delay=1e6))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "fail"
    publish(broker, 1)
    eventually(lambda: broker.subscription("s", "mine").attempts == 1)
    receivers.behaviour[url] = "accept"
    broker.resume("s", "mine")
    eventually(lambda: receivers.of(url) == [1])


def test_a_removed_subscription_is_pushed_no_more(
    make_broker: MakeBroker, receivers: Receivers, clock: HandClock
) -> None:
    broker = make_broker(retry=RetryPolicy(first_delay=10.0))
    url = hooked(broker, "s")
    receivers.behaviour[url] = "fail"
    publish(broker, 2)
    eventually(lambda: broker.subscription("s", "mine").attempts == 1)
    broker.unsubscribe("s", "mine")
    receivers.behaviour[url] = "accept"
    clock.time += 100
    other = hooked(broker, "other")
    publish(broker, 1)
    eventually(lambda: len(receivers.of(other)) == 1)
    assert receivers.of(url) == []


def test_what_nobody_fetches_becomes_a_dead_letter_in_time(
    make_broker: MakeBroker, clock: HandClock, caplog: pytest.LogCaptureFixture
) -> None:
    broker = make_broker(retention=Retention(acknowledged=10, undelivered=100, dead_letters=1000))
    broker.subscribe("gone", pattern(), id="mine")
    broker.subscribe("here", pattern(), id="mine")
    publish(broker, 3)
    broker.ack("here", 6)
    clock.time += 50
    publish(broker, 1, first=3)
    broker.housekeeper.sweep()
    assert broker.store.events.count() == 4
    assert len(broker.pull("gone")) == 4
    clock.time += 60
    broker.housekeeper.sweep()
    assert [d.event_id for d in broker.pull("gone")] == ["e3"]
    letters = broker.dead_letters("gone")
    assert [letter.event_id for letter in letters] == ["e0", "e1", "e2"]
    assert letters[0].reason == "not delivered within 100 s"
    assert broker.stats()["dead_letters"] == 3
    assert broker.replay("gone", letters[0].number)
    assert [d.event_id for d in broker.pull("gone")] == ["e3", "e0"]
    clock.time += 2000
    broker.housekeeper.sweep()
    broker.housekeeper.sweep()
    assert broker.dead_letters("gone", limit=10)[0].died_at == clock.now()
    clock.time += 2000
    with caplog.at_level("WARNING"):
        broker.housekeeper.sweep()
    assert "3 dead letters older than 1000 s are forgotten" in caplog.text
    assert broker.dead_letters("gone") == []
    broker.housekeeper.sweep()
    assert broker.store.events.count() == 0


def test_what_is_replayed_is_kept_for_as_long_as_it_waits(
    make_broker: MakeBroker, receivers: Receivers, clock: HandClock
) -> None:
    """Also if its event is older than what is kept of acknowledged ones, and the broker starts anew."""
    options = {"retry": RetryPolicy(attempts=1), "retention": Retention(acknowledged=10.0)}
    broker = make_broker(**options)
    url = hooked(broker, "s")
    receivers.behaviour[url] = "fail"
    publish(broker, 2)
    eventually(lambda: len(broker.dead_letters("s")) == 2)
    clock.time += 1000
    broker.pause("s", "mine")
    broker.replay("s", broker.dead_letters("s")[0].number)
    publish(broker, 1, first=2)
    broker.housekeeper.sweep()
    broker.close()
    receivers.behaviour[url] = "accept"
    again = make_broker(**options)
    again.resume("s", "mine")
    eventually(lambda: [d.event_id for _, d in receivers.got] == ["e0", "e2"])
    eventually(lambda: again.subscription("s", "mine").times_sent == 2)
    clock.time += 1000
    again.housekeeper.sweep()
    assert again.store.events.count() == 1  # the other dead letter's


def test_acknowledged_events_go_when_they_are_old(make_broker: MakeBroker, clock: HandClock) -> None:
    broker = make_broker(retention=Retention(acknowledged=10))
    broker.subscribe("s", pattern())
    publish(broker, 5)
    broker.ack("s", 3)
    broker.housekeeper.sweep()
    assert broker.store.events.count() == 5
    clock.time += 20
    broker.housekeeper.sweep()
    assert broker.store.events.count() == 2
    assert len(broker.pull("s", after=0)) == 2
    assert broker.stats()["removed_events"] == 3


def test_acknowledged_events_go_early_when_the_store_is_large(make_broker: MakeBroker) -> None:
    broker = make_broker(retention=Retention(bytes=1))
    broker.subscribe("s", pattern())
    publish(broker, 5)
    broker.ack("s", 3)
    broker.housekeeper.sweep()
    assert broker.store.events.count() == 2
    assert len(broker.pull("s")) == 2
