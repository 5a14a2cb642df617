"""Searches that were too long: whom they are held against, and that publishers never suffer from the noting."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

import pytest

from semantic_pubsub import Event, Ontology, ReferenceMatcher
from semantic_pubsub.broker import Broker, BrokerLimits, Receipt
from tests.broker.conftest import MakeBroker, event, eventually, pattern


class Hesitant(ReferenceMatcher):
    """Gives up on events whose id begins with `hard`: whatever would match is undecided."""

    undecided: tuple[str, ...] = ()

    def match_ids(self, event: Event) -> list[str]:
        found = super().match_ids(event)
        self.undecided = tuple(found) if str(event.id).startswith("hard") else ()
        return [] if self.undecided else found


@pytest.fixture
def hesitant(make_broker: MakeBroker) -> Broker:
    return make_broker(matcher=Hesitant, limits=BrokerLimits(overruns=3, overruns_together=2))


def publish(broker: Broker, name: str, **more: str) -> Receipt:
    return broker.publish(Event.parse(event(), id=name), **more)  # type: ignore[arg-type]


def overruns(broker: Broker, names: str) -> list[tuple[str, int]]:
    """State and strikes of some subscriptions, when what is waiting has been noted."""
    eventually(lambda: not broker._desk.overruns._busy)
    records = [broker.subscription(name, "mine") for name in names]
    return [(record.state, record.overruns) for record in records]


def subscribe(broker: Broker, names: str) -> None:
    for name in names:
        broker.subscribe(name, pattern(), id="mine")


def test_so_many_events_are_too_much(hesitant: Broker) -> None:
    subscribe(hesitant, "ab")
    assert publish(hesitant, "hard1").undecided == 2
    assert overruns(hesitant, "ab") == [("active", 1)] * 2
    assert publish(hesitant, "easy").matches == 2
    publish(hesitant, "hard2")
    assert overruns(hesitant, "ab") == [("active", 2)] * 2
    assert "100,000 steps (2 of 3 strikes), last on hard2" in str(hesitant.subscription("a", "mine").reason)
    publish(hesitant, "hard3")
    assert overruns(hesitant, "ab") == [("quarantined", 3)] * 2
    assert publish(hesitant, "easy2").matches == 0


def test_an_event_that_is_too_much_for_many_counts_twice(hesitant: Broker) -> None:
    subscribe(hesitant, "abc")
    publish(hesitant, "hard1")
    assert overruns(hesitant, "abc") == [("active", 2)] * 3
    publish(hesitant, "hard2")
    assert [state for state, _ in overruns(hesitant, "abc")] == ["quarantined"] * 3


def test_one_event_alone_ends_nothing(make_broker: MakeBroker) -> None:
    broker = make_broker(matcher=Hesitant, limits=BrokerLimits(overruns=2, overruns_together=1))
    subscribe(broker, "abcde")
    publish(broker, "hard1")
    assert overruns(broker, "abcde") == [("active", 1)] * 5


def held_back(broker: Broker) -> threading.Event:
    """The disk takes nothing until this is set."""
    release, begun = threading.Event(), threading.Event()

    def wait(_: object) -> None:
        begun.set()
        release.wait(60)

    broker.store.write(wait)
    begun.wait(60)
    return release


def test_a_publisher_hears_that_its_event_is_stored_while_the_broker_closes(hesitant: Broker) -> None:
    subscribe(hesitant, "a")
    release = held_back(hesitant)
    future = hesitant.publish_soon(Event.parse(event(), id="hard"))
    closing = threading.Thread(target=hesitant.close)
    closing.start()
    eventually(lambda: hesitant.store._writer._closing)
    release.set()
    closing.join()
    assert future.result() == Receipt("hard", 0, 1)


def test_what_cannot_be_noted_is_logged_and_ends_nothing(
    hesitant: Broker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    subscribe(hesitant, "a")
    with monkeypatch.context() as broken:
        broken.setattr(hesitant.store.subscriptions, "change", lambda *_, **__: 1 / 0)
        with caplog.at_level(logging.ERROR):
            assert publish(hesitant, "hard1").undecided == 1
            eventually(lambda: "mine of a: not noted" in caplog.text)
    publish(hesitant, "hard2")
    assert overruns(hesitant, "a") == [("active", 2)]


def test_without_a_thread_they_are_noted_later(hesitant: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    subscribe(hesitant, "a")

    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as crowded:
        crowded.setattr(hesitant._desk.overruns._thread, "submit", refuse)
        assert publish(hesitant, "hard1").undecided == 1
        assert overruns(hesitant, "a") == [("active", 0)]
    publish(hesitant, "hard2")
    assert overruns(hesitant, "a") == [("active", 2)]


def test_a_replacement_is_not_blamed_for_the_pattern_before_it(make_broker: MakeBroker) -> None:
    broker = make_broker(matcher=Hesitant, limits=BrokerLimits(overruns=1))
    subscribe(broker, "a")
    release = held_back(broker)
    with broker._desk.at_rest():  # the note waits until the replacement is there
        future = broker.publish_soon(Event.parse(event(), id="hard"))
        release.set()
        assert future.result().undecided == 1
        broker.replace("a", "mine", pattern("q"))
    assert overruns(broker, "a") == [("active", 0)]
    assert broker.subscription("a", "mine").reason is None
    assert broker.publish(event(prop="q")).matches == 1


def test_matches_of_a_pattern_that_is_replaced_meanwhile_are_delivered_with_its_bindings(
    hesitant: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscribe(hesitant, "a")
    match = hesitant._desk.routes.match

    def late(*given: object) -> object:
        found = match(*given)  # type: ignore[arg-type]
        hesitant.replace("a", "mine", pattern("q").replace("?v", "?w"))
        return found

    monkeypatch.setattr(hesitant._desk.routes, "match", late)
    monkeypatch.setattr(hesitant._registry, "forget_pattern", print)  # both are known for a moment
    publish(hesitant, "easy")
    (delivery,) = hesitant.pull("a")
    assert list(delivery.bindings or {}) == ["v"]


def test_one_note_waits_for_a_subscription_however_long_the_locks_are_held(hesitant: Broker) -> None:
    subscribe(hesitant, "ab")
    with hesitant._desk.at_rest():
        for number in range(20):
            publish(hesitant, f"hard{number}")
        assert len(hesitant._desk.overruns._waiting) <= 2
        assert hesitant._desk.overruns._thread._work_queue.qsize() == 0
    assert [state for state, _ in overruns(hesitant, "ab")] == ["quarantined"] * 2


def test_a_quarantined_one_that_fits_no_more_does_not_come_back_with_the_ontology(
    make_broker: MakeBroker, plain: Ontology, tmp_path: Path
) -> None:
    path = tmp_path / "wide.nt"
    owl, rdf = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    path.write_text(f"<http://example.org/Late> <{rdf}type> <{owl}Class> .")
    wide = Ontology.load(path)
    broker = make_broker(ontology=wide, matcher=Hesitant, limits=BrokerLimits(overruns=1))
    broker.subscribe("a", "(_:H, ?1, (Late, <http://example.org/p>, owl:Thing))", id="mine")
    release = held_back(broker)
    standing, _ = broker._desk.find("default", "a", "mine")
    broker._desk._take_out(standing, "quarantined", "too long")  # the store is told later
    broker.reload(plain)
    release.set()
    broker.reload(wide)
    broker.store.write(lambda _: None).result()  # all that was said before is on disk
    assert broker.subscription("a", "mine").state == "quarantined"


def test_a_repeated_publication_gets_what_was_undecided_then(hesitant: Broker) -> None:
    subscribe(hesitant, "ab")
    first = publish(hesitant, "hard", idempotency_key="k")
    hesitant.unsubscribe("a", "mine")
    again = publish(hesitant, "hard", idempotency_key="k")
    assert (first.undecided, again.undecided, again.repeated) == (2, 2, True)
    assert overruns(hesitant, "b") == [("active", 1)]
