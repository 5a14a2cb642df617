"""`kill -9` at random moments: nothing that was acknowledged is lost, everything arrives, in order.

A third of the runs end as they should instead: then compiled sets are written, which later runs take and bring up to
date. The long form has the default matcher, and PostgreSQL as well.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.broker import crashing
from tests.broker.conftest import eventually
from tests.conftest import PROJECT

RUNS = 75 if crashing.SOAK else 6
KILLS = RUNS - RUNS // 3


def runs(folder: Path, store: str) -> Iterator[list[str]]:
    """What each run said before it ended; a line that was cut off does not count."""
    draw = random.Random()
    for run in range(RUNS):
        how = signal.SIGTERM if run % 3 == 1 else signal.SIGKILL
        command = [sys.executable, "-m", "tests.broker.crashing", str(folder), f"run{run}", store]
        environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PROJECT, env=environment) as process:
            assert process.stdout is not None
            first = process.stdout.readline()
            assert first, "the program ended before it published"
            time.sleep(draw.random())
            process.send_signal(how)
            rest = process.stdout.read()
        assert process.returncode == (0 if how == signal.SIGTERM else -signal.SIGKILL)
        yield [line.decode() for line in (first + rest).split(b"\n")[:-1]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    lines = [f"<http://example.org/{name}> <{rdf}type> <{rdf}Property> ." for name in crashing.PROPERTIES]
    (tmp_path / "plain.nt").write_text("\n".join(lines))
    return tmp_path


def in_order(positions: list[int]) -> bool:
    """Whether first receipts grow, so that only what was there before ever comes again."""
    return (firsts := list(dict.fromkeys(positions))) == sorted(firsts)


def test_what_was_acknowledged_is_kept_and_arrives_in_order(folder: Path, store_url: str) -> None:
    if store_url.startswith("postgresql") and not crashing.SOAK:
        pytest.skip("PostgreSQL is used in the long form only: make soak")
    acknowledged: dict[str, str] = {}
    eager: list[tuple[int, str]] = []
    for lines in runs(folder, store_url):
        for words in map(str.split, lines):
            if words[0] == "eager":
                eager.append((int(words[1]), words[2]))
            else:
                acknowledged[words[1]] = words[0]
    callback = crashing.receiver(folder)
    with crashing.opened(folder, store_url) as broker:
        crashing.subscribe(broker, callback)
        eventually(lambda: not waiting(broker), within=1_000.0)  # there may be much to deliver
        while found := broker.pull("eager", limit=1000):
            eager += [(d.position, d.event_id) for d in found]
            broker.ack("eager", found[-1].position)
        stored = {prop: everything(broker, prop) for prop in crashing.PROPERTIES}
    received = [line.split() for line in (folder / "received").read_text().splitlines()]

    for prop, found in stored.items():
        names = [name for _, name in found]
        assert len(names) == len(set(names))
        assert {name for name, wanted in acknowledged.items() if wanted == prop} <= set(names)
        for publisher in {name.rpartition("-")[0] for name in names}:
            numbers = [int(n.rpartition("-")[2]) for n in names if n.startswith(publisher + "-")]
            assert numbers == sorted(numbers)
    wanted = [name for _, name in stored["p"]]
    for got in (eager, [(int(position), name) for position, name in received]):
        assert in_order([position for position, _ in got])
        assert list(dict.fromkeys(name for _, name in got)) == wanted
    assert len(acknowledged) > RUNS
    assert (folder / "compiled").exists() == crashing.SOAK
    again = len(received) - len(wanted)
    told = f"{len(acknowledged)} acknowledged, {again} delivered again"
    sys.stdout.write(f"{KILLS} kills and {RUNS - KILLS} ends, {told}\n")


def waiting(broker: crashing.Broker) -> int:
    """What the callback has not accepted yet."""
    found = broker.subscription("called", "called")
    return broker.store.queues.depth(found.number, found.acked)


def everything(broker: crashing.Broker, prop: str) -> list[tuple[int, str]]:
    """All that is in a queue from which nothing was ever taken."""
    found: list[tuple[int, str]] = []
    while more := broker.pull("reader", subscription=prop, after=found[-1][0] if found else 0, limit=1000):
        found += [(delivery.position, delivery.event_id) for delivery in more]
    return found
