"""How long it takes from text to event, beside the plain parsers on the same texts.

    python -m benchmarks.events [--events 200] [--rounds 15] [--seed 7] [--quick]

The events are drawn: 32 triples each, a tree of things below home with texts, numbers and dates; all differ. Every
round runs each reader once over all events, in a new order; a figure is the median over the rounds of the CPU time
of one event. pyoxigraph's plain parse gives a list of quads: no guards, no home vertex, no event. rdflib gives a
graph. The last table reads one file of N-Quads as a stream of events.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pyoxigraph
import rdflib
from pyoxigraph import NamedNode, Quad, RdfFormat

from semantic_pubsub import Event, events_from

__all__ = ["drawn", "main", "turtle"]

TRIPLES = 32
PARTS = 7
SYNTAXES = {"turtle": RdfFormat.TURTLE, "nquads": RdfFormat.N_QUADS, "json-ld": RdfFormat.JSON_LD}
PREFIXES = {"a": "http://example.org/auction#", "xsd": "http://www.w3.org/2001/XMLSchema#"}
KINDS = ["HardDisk", "Memory", "Display", "Processor", "Keyboard", "Case", "Cable"]
WORDS = ["new", "used", "black", "silent", "fast", "small", "refurbished", "boxed"]


def turtle(draw: random.Random) -> str:
    """One event of 32 triples: an offer, and seven parts with kind, size and name."""
    lines = [f"@prefix {name}: <{iri}> ." for name, iri in PREFIXES.items()]
    seller = f"<http://example.org/people/{draw.randrange(10_000)}>"
    lines.append(f"_:H a a:Selling ; a:seller {seller} ; a:target _:t ;")
    lines.append(f'    a:created "2024-05-{draw.randrange(10, 29)}T10:00:00Z"^^xsd:dateTime .')
    for number in range(PARTS):
        name = f"{draw.choice(WORDS)} {draw.choice(WORDS)}"
        lines.append(f"_:t a:part _:p{number} .")
        lines.append(f'_:p{number} a a:{draw.choice(KINDS)} ; a:size {draw.randrange(999)} ; a:name "{name}"@en .')
    return "\n".join(lines) + "\n"


def drawn(number: int, seed: int) -> dict[str, list[str]]:
    """The same events in each syntax; in N-Quads each in a graph of its own."""
    draw = random.Random(seed)
    texts: dict[str, list[str]] = {"turtle": [turtle(draw) for _ in range(number)], "nquads": [], "json-ld": []}
    for index, text in enumerate(texts["turtle"]):
        triples = [quad.triple for quad in pyoxigraph.parse(text, RdfFormat.TURTLE)]
        assert len(triples) == TRIPLES
        graph = NamedNode(f"http://example.org/events/{index}")
        quads = [Quad(t.subject, t.predicate, t.object, graph) for t in triples]
        texts["nquads"].append(_written(quads, RdfFormat.N_QUADS))
        texts["json-ld"].append(_written([Quad(*triple) for triple in triples], RdfFormat.JSON_LD))
    return texts


def _written(quads: list[Quad], syntax: RdfFormat) -> str:
    prefixes = PREFIXES if syntax == RdfFormat.JSON_LD else None
    return (pyoxigraph.serialize(quads, format=syntax, prefixes=prefixes) or b"").decode()


def readers(syntax: str) -> dict[str, Callable[[str], object]]:
    """Ours and the plain parsers."""
    plain = SYNTAXES[syntax]

    def by_rdflib(text: str) -> object:
        # A dataset for all, since rdflib wraps a graph into one itself for JSON-LD.
        return rdflib.Dataset().parse(data=text, format=syntax)

    return {
        "Event.parse": lambda text: Event.parse(text, syntax),
        "pyoxigraph, plain": lambda text: list(pyoxigraph.parse(text, plain, base_iri="http://example.org/")),
        "rdflib": by_rdflib,
    }


def medians(work: dict[str, Callable[[], object]], rounds: int, each: int, seed: int) -> dict[str, float]:
    """For each kind of work the median over the rounds of its CPU time, in microseconds for one of `each`."""
    times: dict[str, list[float]] = {name: [] for name in work}
    order = list(work)
    shuffle = random.Random(seed).shuffle
    for run in work.values():  # nobody pays for the first use
        run()
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            gc.collect()
            start = time.process_time_ns()
            work[name]()
            times[name].append((time.process_time_ns() - start) / 1e3 / each)
    return {name: statistics.median(found) for name, found in times.items()}


def over(reader: Callable[[str], object], texts: list[str]) -> Callable[[], object]:
    def run() -> None:
        for text in texts:
            reader(text)

    return run


def report(title: str, found: dict[str, float]) -> None:
    least = found["pyoxigraph, plain"]
    print(title)
    for name, took in found.items():
        print(f"  {name:22}{took:>10.1f} µs{took / least:>9.2f} x plain pyoxigraph{1e6 / took:>12,.0f} events/s")


def main() -> None:
    """Print each syntax, and the stream."""
    options = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    options.add_argument("--events", type=int, default=200, help="how many different events")
    options.add_argument("--rounds", type=int, default=15)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--quick", action="store_true", help="few events, few rounds")
    given = options.parse_args()
    events, rounds = (20, 3) if given.quick else (given.events, given.rounds)
    texts = drawn(events, given.seed)
    print(f"{events} events of {TRIPLES} triples, median CPU time of one event over {rounds} rounds, seed {given.seed}")
    for syntax, written in texts.items():
        work = {name: over(reader, written) for name, reader in readers(syntax).items()}
        report(syntax, medians(work, rounds, events, given.seed))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.nq"
        path.write_text("".join(texts["nquads"]), encoding="utf-8")
        stream: dict[str, Callable[[], object]] = {
            "events_from": lambda: sum(1 for _ in events_from(path)),
            "pyoxigraph, plain": lambda: sum(1 for _ in pyoxigraph.parse(path=str(path))),
        }
        report("a file of N-Quads", medians(stream, rounds, events, given.seed))


if __name__ == "__main__":
    main()
