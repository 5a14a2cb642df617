"""Loading real ontologies: our time, closures included, beside the time that rdflib takes only to parse.

    python -m benchmarks.ontologies --data FOLDER

Each file is read several times by both, in turns, and the fastest time of each counts: what else runs on the machine
only ever adds. Our time ends when `is_a` can answer for classes and for properties. Peak memory is that of a process
of its own that loads the file, asks for all closures and ends. The folder is that of the tests' data
(`SEMANTIC_PUBSUB_TEST_DATA`), or any that holds ontologies.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import rdflib

from semantic_pubsub import Ontology
from semantic_pubsub.concepts.syntaxes import ENDINGS

FORMATS = {".owl": "xml", ".jsonld": "json-ld"}
PEAK = """\
import resource, sys
from pathlib import Path
from semantic_pubsub import Ontology
ontology = Ontology.load(sys.argv[1])
for hierarchy in (ontology.classes, ontology.properties, ontology.datatypes):
    for name in hierarchy.names():
        hierarchy.above(name)
        hierarchy.descendants(name)
status = Path("/proc/self/status")
if status.exists():  # here getrusage would tell the parent's peak, where that is higher
    kilobytes = int(status.read_text().split("VmHWM:")[1].split()[0])
else:
    kilobytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)
print(kilobytes)
"""


@dataclass
class Row:
    """One file."""

    file: str
    triples: int
    classes: int
    properties: int
    class_pairs: int
    property_pairs: int
    load_ms: float
    rdflib_ms: float
    peak_mb: float

    @property
    def ratio(self) -> float:
        return self.load_ms / self.rdflib_ms


def load(path: Path) -> Ontology:
    """Load until the order among classes and among properties can be asked for."""
    ontology = Ontology.load(path)
    for name in ("owl:Thing", "rdf:type"):
        assert ontology.is_a(name, name)
    return ontology


def parse(path: Path) -> rdflib.Graph:
    """What rdflib does before anything can be asked of it."""
    return rdflib.Graph().parse(path, format=FORMATS.get(path.suffix))


def fastest(path: Path, rounds: int, *calls: Callable[[Path], object]) -> list[float]:
    """The shortest time of each call in milliseconds, taken in turns."""
    best = [float("inf")] * len(calls)
    for _ in range(rounds):
        for number, call in enumerate(calls):
            start = time.perf_counter()
            call(path)
            best[number] = min(best[number], (time.perf_counter() - start) * 1000)
    return best


def peak(path: Path) -> float:
    """Peak memory in MB of a process that loads the file and asks for every closure."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True)
    return int(done.stdout) * 1024 / 1_000_000


def measure(path: Path, rounds: int) -> Row:
    ontology = load(path)
    ours, theirs = fastest(path, rounds, load, parse)
    return Row(
        path.name,
        ontology.triples,
        len(ontology.classes),
        len(ontology.properties),
        ontology.classes.pairs,
        ontology.properties.pairs,
        ours,
        theirs,
        peak(path),
    )


def show(row: Row) -> str:
    return (
        f"{row.file:33}{row.triples:>9,}{row.classes:>9,}{row.properties:>8,}{row.class_pairs:>9,}{row.property_pairs:>8,}"
        f"{row.load_ms:>10.1f}{row.rdflib_ms:>10.1f}{row.ratio:>7.2f}{row.peak_mb:>9.0f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", type=Path, default=os.environ.get("SEMANTIC_PUBSUB_TEST_DATA"), help="folder of ontologies"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="one object a line")
    options = parser.parse_args()
    if options.data is None:
        parser.error("name the folder with --data or SEMANTIC_PUBSUB_TEST_DATA")
    folder = Path(options.data)
    inner = folder / "ontologies"
    files = sorted(p for p in (inner if inner.is_dir() else folder).iterdir() if p.suffix in ENDINGS)
    if not options.json:
        print(f"{'file':33}{'triples':>9}{'classes':>9}{'props':>8}{'c-pairs':>9}{'p-pairs':>8}", end="")
        print(f"{'load ms':>10}{'rdflib ms':>10}{'ratio':>7}{'peak MB':>9}")
    for path in files:
        row = measure(path, options.rounds)
        print(json.dumps({**asdict(row), "ratio": row.ratio}) if options.json else show(row), flush=True)


if __name__ == "__main__":
    main()
