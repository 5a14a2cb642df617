"""How long validating an event takes, beside plain `pyshacl.validate` on the same texts and graphs.

    python -m benchmarks.validator [--events 20] [--rounds 7] [--seed 7] [--quick]

The events are offers of the auction, 30 triples each with different people, prices and computers; one in ten breaks
a shape. The shapes are `shapes/auction.ttl`. Every round runs each way of validating once over all events, in a new
order; a figure is the median over the rounds of the CPU time of one event. Both sides must give the same verdicts.
pyshacl is measured without ontology and rules (the events then state the superclasses themselves), and with both.
"""

from __future__ import annotations

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import pyshacl
import rdflib
from rdflib.namespace import SH

from semantic_pubsub import Event, EventValidator, Ontology
from semantic_pubsub.shipped import shipped

__all__ = ["main", "offer"]

TRIPLES = 30
COMPUTERS = ["DesktopPC", "NotebookPC"]
MAKERS = ["IBM", "Lenovo", "Dell", "Acer", "Fujitsu"]
CURRENCIES = ["dollar", "euro", "yuan"]


def offer(draw: random.Random, broken: bool = False, spelled_out: bool = False) -> str:
    """An offer of 30 triples in Turtle; a broken one has no seller's name.

    `spelled_out` states the superclasses that shapes ask for, in place of the computer's memory: for whoever has no
    ontology.
    """
    name = '"someone@example.org"' if broken else f'"Seller {draw.randrange(10_000)}"'
    price = f"{draw.randrange(50, 2000)}.00 ; auction:currency units:{draw.choice(CURRENCIES)}"
    above = {"Selling": "Trade", "Person": "Customer", "HardDisk": "Product", "pc": "Computer , auction:Product"}
    also = {kind: f" , auction:{upper}" if spelled_out else "" for kind, upper in above.items()}
    memory = f"""
_:pc auction:memory _:memory .
_:memory a auction:Memory ; auction:size _:bytes .
_:bytes a auction:SizeValue ; rdf:value {draw.randrange(1, 64)} ; auction:units units:G ."""
    return f"""
@prefix auction: <http://example.org/auction#> .
@prefix units: <http://example.org/units#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
_:H a auction:Selling{also["Selling"]} ;
    auction:created "2024-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}T10:00:00Z"^^xsd:dateTime ;
    auction:validUntil "2025-01-01T00:00:00Z"^^xsd:dateTime ;
    auction:seller _:seller ; auction:target _:pc ; auction:price _:price .
_:seller a auction:Person{also["Person"]} ; auction:{"email" if broken else "name"} {name} ;
    auction:cellPhoneNumber "{draw.randrange(10**8, 10**9)}" ; auction:graduationYear {draw.randrange(1970, 2020)} .
_:pc a auction:{draw.choice(COMPUTERS)}{also["pc"]} ; auction:manufacture _:maker ; auction:hardDisk _:disk .
_:disk a auction:HardDisk{also["HardDisk"]} ; auction:manufacture _:maker ; auction:size _:size .
_:size a auction:SizeValue ; rdf:value {draw.randrange(20, 900)} ; auction:units units:G .
_:maker a auction:Company ; auction:name "{draw.choice(MAKERS)}" .
_:price a auction:MoneyValue ; rdf:value {price} .
{f"_:pc auction:used {draw.choice(['true', 'false'])} ." if spelled_out else memory}
"""


def ways(texts: list[str], spelled_out: list[str]) -> dict[str, Callable[[int], bool]]:
    """Each way of validating: from an event's number to the verdict. Without an ontology the types are spelled out."""
    shapes, ontology = shipped("shapes/auction.ttl"), shipped("ontology/auction.ttl")
    shapes_text, ontology_text = shapes.read_text("utf-8"), ontology.read_text("utf-8")
    shapes_graph, ontology_graph = (_graph(text) for text in (shapes_text, ontology_text))
    without_rules = _graph(shapes_text)
    without_rules.remove((None, SH.rule, None))
    core_text = without_rules.serialize(format="turtle")
    graphs, whole_graphs = ([_graph(text) for text in each] for each in (texts, spelled_out))
    events, whole_events = ([Event.parse(text) for text in each] for each in (texts, spelled_out))
    core = EventValidator(without_rules)
    full = EventValidator(shapes, Ontology.load(ontology))
    formats = {"data_graph_format": "turtle", "shacl_graph_format": "turtle"}

    def plain(data: Any, given: Any, **options: Any) -> bool:
        return bool(pyshacl.validate(data, shacl_graph=given, **options)[0])

    whole = {"advanced": True, "ont_graph_format": "turtle"}
    return {
        "texts: pyshacl": lambda n: plain(spelled_out[n], core_text, **formats),
        "texts: ours": lambda n: core.validate(Event.parse(spelled_out[n])).conforms,
        "texts, ontology, rules: pyshacl": lambda n: plain(
            texts[n], shapes_text, ont_graph=ontology_text, **formats, **whole
        ),
        "texts, ontology, rules: ours": lambda n: full.validate(Event.parse(texts[n])).conforms,
        "parsed: pyshacl": lambda n: plain(whole_graphs[n], without_rules),
        "parsed: ours": lambda n: core.validate(whole_events[n]).conforms,
        "parsed, ontology, rules: pyshacl": lambda n: plain(
            graphs[n], shapes_graph, ont_graph=ontology_graph, advanced=True
        ),
        "parsed, ontology, rules: ours": lambda n: full.validate(events[n]).conforms,
    }


def _graph(text: str) -> rdflib.Graph:
    return rdflib.Graph().parse(data=text, format="turtle")


def measure(texts: list[str], spelled_out: list[str], rounds: int, draw: random.Random) -> dict[str, float]:
    """Median CPU milliseconds of one event, by way."""
    all_ways = ways(texts, spelled_out)
    verdicts = {name: [way(n) for n in range(len(texts))] for name, way in all_ways.items()}
    _same_verdicts(verdicts)
    taken: dict[str, list[float]] = {name: [] for name in all_ways}
    for _ in range(rounds):
        for name, way in draw.sample(sorted(all_ways.items()), len(all_ways)):
            gc.collect()
            start = time.process_time()
            for n in range(len(texts)):
                way(n)
            taken[name].append((time.process_time() - start) / len(texts) * 1000)
    return {name: statistics.median(times) for name, times in taken.items()}


def _same_verdicts(verdicts: dict[str, list[bool]]) -> None:
    for name, plain in verdicts.items():
        if all(plain) or not any(plain):
            sys.exit(f"{name}: every verdict is the same, the events are not as they should be")
        ours = verdicts[name.replace("pyshacl", "ours")]
        if plain != ours:
            sys.exit(f"{name}: the verdicts differ")


def main() -> int:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.validator", description=__doc__.partition("\n")[0])
    reader.add_argument("--events", type=int, default=20)
    reader.add_argument("--rounds", type=int, default=7)
    reader.add_argument("--seed", type=int, default=7)
    reader.add_argument("--quick", action="store_true", help="two rounds over ten events")
    given = reader.parse_args()
    count, rounds = (10, 2) if given.quick else (given.events, given.rounds)
    draw = random.Random(given.seed)
    texts = [offer(draw, broken=n % 10 == 0) for n in range(count)]
    spelled_out = [offer(draw, broken=n % 10 == 0, spelled_out=True) for n in range(count)]
    sizes = {len(Event.parse(text)) for text in texts + spelled_out}
    assert sizes == {TRIPLES}, sizes
    medians = measure(texts, spelled_out, rounds, draw)
    print(f"{count} events of {TRIPLES} triples, {rounds} rounds, seed {given.seed}; median CPU time")
    print(f"{'':28}{'pyshacl':>22}{'ours':>22}{'ratio':>8}")
    for name in [name.removesuffix(": ours") for name in medians if name.endswith("ours")]:
        theirs, ours = medians[f"{name}: pyshacl"], medians[f"{name}: ours"]
        print(f"{name:28}{_figure(theirs)}{_figure(ours)}{theirs / ours:>7.1f}x")
    return 0


def _figure(milliseconds: float) -> str:
    return f"{milliseconds:9.2f} ms {1000 / milliseconds:7.0f}/s"


if __name__ == "__main__":
    sys.exit(main())
