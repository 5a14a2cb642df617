"""Work of the OPS benchmark that needs a process of its own; each prints one JSON object in its last line.

python -m benchmarks.ops_children first | memory SIZE | shop SMALL LARGE | sec6 SIZE | trap NUMBER
"""

from __future__ import annotations

import time

STARTED = time.perf_counter(), time.process_time()

import json  # noqa: E402 - the clock starts before anything is imported
import random  # noqa: E402
import statistics  # noqa: E402
import sys  # noqa: E402
from collections.abc import Callable, Iterable, Iterator  # noqa: E402
from itertools import islice  # noqa: E402
from typing import Any  # noqa: E402

__all__ = ["main"]

RATE = 0.00015
CHANGES = 20_000
SAMPLE = 1_000


def first() -> dict[str, Any]:
    """From the start of the interpreter to the first ids; with kernels compiled before, if there is a cache."""
    from semantic_pubsub import Event, OpsMatcher, Subscription

    imported = time.process_time()
    from benchmarks.workloads import Shop

    workload = Shop(rate=0.05)
    matcher = OpsMatcher(workload.ontology())
    for name, text in workload.subscriptions(100):
        matcher.add(Subscription.parse(text, id=name))
    event = Event.parse(next(workload.events(1)))
    ready = time.process_time()
    found = matcher.match_ids(event)
    return {
        "import_s": imported,
        "ready_s": ready,
        "total_s": time.process_time(),
        "wall_s": time.perf_counter() - STARTED[0],
        "matches": len(found),
    }


def memory(size: str) -> dict[str, Any]:
    """What the index adds to a process that has everything else: libraries, ontology, kernels, and a small index."""
    from benchmarks.measuring import resident_bytes
    from benchmarks.ops_common import bulk_load
    from benchmarks.workloads import Shop
    from semantic_pubsub import Event, OpsMatcher

    workload = Shop()
    warm, matcher = OpsMatcher(workload.ontology()), OpsMatcher(workload.ontology())
    for used in (warm, matcher):
        bulk_load(used, _renamed(workload.subscriptions(2_000)))
        for text in workload.events(20):
            used.match_ids(Event.parse(text))
    before = resident_bytes()
    bulk_load(matcher, workload.subscriptions(int(size)))
    return {"bytes_each": (resident_bytes() - before) / int(size), "resident": resident_bytes()}


def shop(small: str, large: str) -> dict[str, Any]:
    """Growth from `small` to `large` at a low match rate, the memory of the process, and changes at that size."""
    from benchmarks.measuring import progress, resident_bytes
    from benchmarks.ops_common import bulk_load, parsed, time_events
    from benchmarks.workloads import Shop
    from semantic_pubsub import OpsMatcher

    workload = Shop(rate=RATE)
    matcher = OpsMatcher(workload.ontology())
    pairs = workload.subscriptions(int(large))
    answer: dict[str, Any] = {}
    for name, size in (("small", int(small)), ("large", int(large))):
        progress(f"loading shop up to {size:,}")
        started = time.process_time()
        bulk_load(matcher, islice(pairs, size - len(matcher)))
        answer[f"{name}_load_s"] = time.process_time() - started
        timed = time_events(matcher.match_ids, workload, 100)
        answer[f"{name}_s"] = timed.seconds
        answer[f"{name}_matches"] = timed.matches
        chosen = _chosen(workload.subscriptions(size), size)
        answer[f"{name}_agreed"] = _checked(matcher, workload, parsed(chosen), timed.ids)
    answer["resident"] = resident_bytes()
    answer["peak"] = resident_bytes(peak=True)
    progress("adding and removing")
    fresh = list(parsed(_renamed(Shop(seed=8, rate=RATE).subscriptions(CHANGES))))
    _each(matcher.add, fresh[:500])  # kernels are compiled once
    _each(matcher.remove, [subscription.id for subscription in fresh[:500]])
    answer["add_s"] = _each(matcher.add, fresh)
    gone = [subscription.id for subscription in fresh]
    random.Random(3).shuffle(gone)
    answer["remove_s"] = _each(matcher.remove, gone)
    if len(matcher) != int(large):
        raise AssertionError("some subscriptions were lost")
    return answer


def sec6(size: str) -> dict[str, Any]:
    """Many matches an event: what each of them costs."""
    from benchmarks.measuring import progress, resident_bytes
    from benchmarks.ops_common import time_events
    from benchmarks.workloads import Sec6
    from semantic_pubsub import OpsMatcher

    workload = Sec6()
    matcher = OpsMatcher(workload.ontology())
    progress(f"loading {int(size):,} sec6 subscriptions")
    for subscription in workload.parsed(int(size)):
        matcher.add(subscription)
    timed = time_events(matcher.match_ids, workload, 30, rounds=3)
    answer = {"seconds": timed.seconds, "matches": [len(ids) for ids in timed.ids], "resident": resident_bytes()}
    chosen = _chosen(workload.parsed(int(size)), int(size))
    answer["agreed"] = _checked(matcher, workload, chosen, timed.ids)
    return answer


def trap(number: str) -> dict[str, Any]:
    """One trap: the time to turn it down, and whether its twin is found."""
    from benchmarks.measuring import cpu
    from benchmarks.workloads import traps
    from semantic_pubsub import Event, OpsMatcher, Subscription

    chosen = list(traps())[int(number)]
    answers: dict[str, list[str]] = {}
    seconds: dict[str, list[float]] = {"possible": [], "impossible": []}
    for name, text in (("possible", chosen.possible), ("impossible", chosen.impossible)):
        matcher = OpsMatcher(chosen.ontology())
        matcher.add(Subscription.parse(text, id="s", injective=chosen.injective))
        matcher.match_ids(Event.parse(chosen.event))
        while len(seconds[name]) < 50 and sum(seconds[name]) < 3:
            taken, answers[name] = cpu(matcher.match_ids, Event.parse(chosen.event))
            seconds[name].append(taken)
    return {"seconds": seconds["impossible"], "possible_s": statistics.median(seconds["possible"]), **answers}


def _renamed(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    return ((f"other-{name}", text) for name, text in pairs)


def _chosen(items: Iterable[Any], size: int) -> list[Any]:
    """The items in some places; the others are drawn and forgotten."""
    places = set(random.Random(2).sample(range(size), min(SAMPLE, size)))
    return [item for place, item in enumerate(items) if place in places]


def _checked(matcher: Any, workload: Any, subscriptions: Iterable[Any], ids: list[list[str]]) -> int:
    """Compare some subscriptions with an ASK loop on some of the measured events."""
    from benchmarks.competitors import AskLoop
    from benchmarks.ops_common import check_against_ask, measured_events

    ask = AskLoop(matcher.ontology)
    ask.add_all(subscriptions)
    return check_against_ask(ask, measured_events(workload, 5), ids)


def _each(call: Callable[[Any], object], items: list[Any]) -> dict[str, float]:
    times = []
    for item in items:
        start = time.process_time_ns()
        call(item)
        times.append((time.process_time_ns() - start) / 1e9)
    ranked = sorted(times)
    return {"median": statistics.median(ranked), "p99": ranked[int(0.99 * len(ranked))], "worst": ranked[-1]}


CHILDREN: dict[str, Callable[..., dict[str, Any]]] = {
    "first": first,
    "memory": memory,
    "shop": shop,
    "sec6": sec6,
    "trap": trap,
}


def main() -> None:
    """Run one of them."""
    print(json.dumps(CHILDREN[sys.argv[1]](*sys.argv[2:])))


if __name__ == "__main__":
    main()
