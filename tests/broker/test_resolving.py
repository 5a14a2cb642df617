"""Looking up names: shared, on threads, and no name waits for those that nobody answers."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter

import pytest

from semantic_pubsub.broker import resolving
from semantic_pubsub.broker.resolving import Resolver


class Names:
    """A resolver of the system that answers, refuses, or waits until it is released."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.released = threading.Event()

    def look_up(self, host: str) -> list[str]:
        self.asked[host] += 1
        if host.startswith("slow"):
            self.released.wait(60)
        if host.startswith("no"):
            raise OSError("no such name")
        return ["192.0.2.1"]


def test_names_that_hang_delay_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resolving, "_THREADS", 2)
    names = Names()

    async def main() -> None:
        resolver = Resolver(names.look_up)
        assert await resolver("good", 80) == ["192.0.2.1"]  # from now on it is known
        hanging = [asyncio.ensure_future(resolver(f"slow{i}", 80)) for i in range(9)]
        for _ in range(3):
            assert await resolver("good", 443) == ["192.0.2.1"]
        assert not any(lookup.done() for lookup in hanging)
        names.released.set()
        await asyncio.gather(*hanging)
        resolver.close()

    asyncio.run(main())


def test_a_name_is_looked_up_once_at_a_time_and_each_time_anew() -> None:
    names = Names()

    async def main() -> None:
        resolver = Resolver(names.look_up)
        first = asyncio.ensure_future(resolver("slow", 80))
        second = asyncio.ensure_future(resolver("slow", 80))
        await asyncio.sleep(0)
        first.cancel()  # no more time; the other one still waits
        names.released.set()
        assert await second == ["192.0.2.1"]
        await resolver("slow", 80)
        resolver.close()

    asyncio.run(main())
    assert names.asked == {"slow": 2}


def test_a_name_that_was_not_found_is_known_no_more() -> None:
    names = Names()

    async def main() -> None:
        resolver = Resolver(names.look_up)
        for _ in range(2):
            with pytest.raises(OSError, match="no such name"):
                await resolver("no", 80)
        resolver.close()

    asyncio.run(main())
    assert names.asked == {"no": 2}


def test_addresses_are_not_looked_up() -> None:
    names = Names()
    assert asyncio.run(Resolver(names.look_up)("192.0.2.7", 80)) == ["192.0.2.7"]
    assert asyncio.run(Resolver(names.look_up)("2001:db8::1", 80)) == ["2001:db8::1"]
    assert not names.asked
