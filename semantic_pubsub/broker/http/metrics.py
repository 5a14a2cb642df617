"""Counts and times in Prometheus' text format."""

from __future__ import annotations

import bisect
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["MEDIA_TYPE", "Metrics"]

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)
_P: Final = "semantic_pubsub_"

# What the broker counts: its name there, ours, the type, the explanation.
_STATS: Final = (
    ("subscriptions", "subscriptions", "gauge", "Standing subscriptions."),
    ("tenants", "tenants", "gauge", "Tenants with subscriptions."),
    ("queued", "queue_depth", "gauge", "Deliveries that wait to be fetched, pushed or acknowledged."),
    ("store_bytes", "store_bytes", "gauge", "Bytes in use in the store."),
    ("waiting_writes", "waiting_writes", "gauge", "Writes that wait for the disk."),
    ("commits", "commits_total", "counter", "Transactions of the store."),
    ("pushed", "pushed_total", "counter", "Deliveries that webhooks and callbacks accepted."),
    ("push_failures", "push_retries_total", "counter", "Pushes that failed and were tried again or given up."),
    ("dead_letters", "dead_letters_total", "counter", "Deliveries that were given up."),
    ("kept_dead_letters", "dead_letters", "gauge", "Dead letters that are kept."),
    ("pushes_in_flight", "pushes_in_flight", "gauge", "Workers that push."),
    ("open_streams", "streams", "gauge", "Open streams."),
    ("removed_events", "removed_events_total", "counter", "Events that retention removed."),
)
# What the matchers of all tenants count together.
_MATCHERS: Final = (
    ("rows scanned", "matcher_rows_total", "Index rows looked at."),
    ("candidates", "matcher_candidates_total", "Subscriptions that the index proposed."),
    ("search steps", "matcher_steps_total", "Steps of search."),
)


class Metrics:
    """What the HTTP side counts, by thread-safe methods, and the page of all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: Counter[str] = Counter()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._matching = _Histogram()
        self._disk = _Histogram()

    def request(self, method: str, route: str, status: int) -> None:
        """A request was answered."""
        with self._lock:
            self._requests[method, route, status] += 1

    def count(self, name: str, by: int = 1) -> None:
        """Add to `events`, `matches`, `undecided`, `repeated`, `refused`, `pulled`, `streamed` or `acknowledged`."""
        with self._lock:
            self._counts[name] += by

    def published(self, matching: float, disk: float) -> None:
        """How long an event took until it was matched, and from then until it was on disk."""
        with self._lock:
            self._matching.add(matching)
            self._disk.add(disk)

    def page(self, stats: Mapping[str, Any]) -> str:
        """Everything, with what the broker counts."""
        with self._lock:
            lines = list(self._own())
        for name, ours, kind, about in _STATS:
            lines += _family(ours, kind, about, [("", stats[name])])
        matchers = list(stats["matchers"].values())
        for name, ours, about in _MATCHERS:
            lines += _family(ours, "counter", about, [("", sum(m.get(name, 0) for m in matchers))])
        return "\n".join(lines) + "\n"

    def _own(self) -> Iterator[str]:
        for name, about in _COUNTS.items():
            yield from _family(f"{name}_total", "counter", about, [("", self._counts[name])])
        requests = [
            (f'{{method="{method}",route="{route}",status="{status}"}}', count)
            for (method, route, status), count in sorted(self._requests.items())
        ]
        yield from _family("http_requests_total", "counter", "Requests by route and status.", requests)
        about = "Time to parse, validate and match an event."
        yield from _family("matching_seconds", "histogram", about, self._matching.samples())
        about = "Time from the match until the event was on disk."
        yield from _family("commit_seconds", "histogram", about, self._disk.samples())


_COUNTS: Final = {
    "events": "Events that were accepted.",
    "matches": "Matches of accepted events.",
    "undecided": "Searches that exceeded the step budget.",
    "repeated": "Events that came again with an idempotency key.",
    "refused": "Events that were refused.",
    "pulled": "Deliveries that were pulled.",
    "streamed": "Deliveries that were sent in streams.",
    "acknowledged": "Acknowledgements.",
}


class _Histogram:
    def __init__(self) -> None:
        self._buckets = [0] * (len(_BUCKETS) + 1)
        self._sum = 0.0

    def add(self, seconds: float) -> None:
        self._buckets[bisect.bisect_left(_BUCKETS, seconds)] += 1
        self._sum += seconds

    def samples(self) -> list[tuple[str, float]]:
        found: list[tuple[str, float]] = []
        total = 0
        for bound, count in zip((*_BUCKETS, "+Inf"), self._buckets, strict=True):
            total += count
            found.append((f'_bucket{{le="{bound}"}}', total))
        return [*found, ("_sum", round(self._sum, 6)), ("_count", total)]


def _family(name: str, kind: str, about: str, samples: list[tuple[str, Any]]) -> list[str]:
    head = [f"# HELP {_P}{name} {about}", f"# TYPE {_P}{name} {kind}"]
    return head + [f"{_P}{name}{suffix} {value}" for suffix, value in samples]
