"""HermiT, the OWL 2 reasoner that owlready2 carries, run on its own in a process of its own.

Only its command line is used: owlready2's Python objects would hold one global world, fetch imports, and fail on
ontologies that use a name as class and individual. HermiT reads the triples from a temporary file and writes
what it found as axioms in OWL's functional syntax, one a line.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pyoxigraph import NamedNode, RdfFormat, Triple, serialize

from semantic_pubsub.concepts.kinds import NOTHING
from semantic_pubsub.errors import OntologyError
from semantic_pubsub.vocab import OWL, THING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from semantic_pubsub.concepts.kinds import Edge

__all__ = ["REASONERS", "Inferences", "run_hermit"]

REASONERS: Final = ("hermit",)

_AXIOM: Final = re.compile(
    r"(Sub|Equivalent)(Class|ObjectProperty|DataProperty|Classes|ObjectProperties|DataProperties)"
)
_TERM: Final = re.compile(r"(ObjectInverseOf\(\s*)?<([^<>]*)>")
_TOPS: Final = frozenset((THING, OWL + "topObjectProperty", OWL + "topDataProperty"))
_NO_PROPERTY: Final = frozenset((OWL + "bottomObjectProperty", OWL + "bottomDataProperty"))
# Says something about files or names only, and would make HermiT fetch.
_LEFT_OUT: Final = frozenset((OWL + "imports", OWL + "versionIRI"))


@dataclass
class Inferences:
    """What the reasoner found: pairs of names lower ⊑ upper, and what can have no member or use.

    Of the latter everything would be true, so no pairs come from there.
    """

    classes: list[Edge] = field(default_factory=list)
    properties: list[Edge] = field(default_factory=list)
    unsatisfiable: set[str] = field(default_factory=set)
    unusable: set[str] = field(default_factory=set)


def run_hermit(triples: Sequence[Triple], timeout: float, source: str | None = None) -> Inferences:
    """Classify an ontology; an `OntologyError` where that cannot be done or the ontology is inconsistent."""
    java, jar = _java(), _hermit_jar()
    with tempfile.TemporaryDirectory(prefix="semantic-pubsub-") as folder:
        given, found = Path(folder, "ontology.nt"), Path(folder, "axioms.txt")
        with given.open("wb") as file:
            serialize((t for t in triples if t.predicate.value not in _LEFT_OUT), file, RdfFormat.N_TRIPLES)
        command = [
            *(java, "-Djava.awt.headless=true", "-Xss16m", "-cp", str(jar), "org.semanticweb.HermiT.cli.CommandLine"),
            *("--ignoreUnsupportedDatatypes", "-c", "-O", "-D", "-U", "-o", str(found), given.as_uri()),
        ]
        problem = _run(command, timeout, source, folder)
        text = found.read_text(encoding="utf-8") if found.exists() else ""
    if problem:
        raise _failed(problem, source)
    names = {term.value for t in triples for term in (t.subject, t.object) if isinstance(term, NamedNode)}
    return _read_axioms(text, names | {THING})


def _java() -> str:
    java = shutil.which("java")
    if java is None:
        raise OntologyError(
            "the reasoner needs Java, and there is no java command",
            hint="install Java 17 or later, on Debian: apt-get install openjdk-17-jre-headless",
        )
    return java


def _hermit_jar() -> Path:
    spec = importlib.util.find_spec("owlready2")  # found, not imported: only its jar is wanted
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    for folder in folders:
        jar = Path(folder, "hermit", "HermiT.jar")
        if jar.exists():
            return jar
    raise OntologyError(
        "the reasoner HermiT is not installed", hint="install the extra: pip install 'semantic-pubsub[reasoner]'"
    )


def _run(command: list[str], timeout: float, source: str | None, folder: str) -> str:
    """Run to the end or to the limit; what the process complains of, or nothing."""
    try:
        done = subprocess.run(  # noqa: S603  # a fixed command on our own file
            command, capture_output=True, timeout=timeout, cwd=folder, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired:
        raise OntologyError(
            f"the reasoner was stopped after {timeout:g} seconds",
            source=source,
            hint="raise reasoner_timeout, or load without a reasoner",
        ) from None
    except OSError as error:
        raise OntologyError(f"the reasoner could not be started: {error}", hint="check the Java installation") from None
    if not done.returncode:
        return ""
    return done.stderr.decode("utf-8", "replace").strip() or f"it ended with code {done.returncode}"


def _failed(problem: str, source: str | None) -> OntologyError:
    if "InconsistentOntologyException" in problem:
        return OntologyError(
            "is inconsistent: its statements contradict each other",
            source=source,
            hint="correct it, or load it without a reasoner",
        )
    lines = [line.strip() for line in problem.splitlines() if not line.lstrip().startswith("at ")]
    reason = lines[0].removeprefix('Exception in thread "main" ')[:300] if lines else problem[:300]
    if "OutOfMemoryError" in problem:
        return OntologyError("the reasoner ran out of memory", source=source, hint="load it without a reasoner")
    return OntologyError(f"the reasoner failed: {reason}", source=source, hint="load it without a reasoner")


def _read_axioms(text: str, known: Collection[str]) -> Inferences:
    """The pairs of known names in HermiT's axioms.

    Other members of an axiom are inverses, and names that HermiT made for blank nodes and for what it cannot read.
    """
    found = Inferences()
    for line in text.splitlines():
        axiom = _AXIOM.match(line)
        if axiom is None:
            continue
        names = [iri if not inverse else f"inverse of {iri}" for inverse, iri in _TERM.findall(line)]
        if NOTHING in names:
            found.unsatisfiable.update(name for name in names if name != NOTHING)
            continue
        if not _NO_PROPERTY.isdisjoint(names):
            found.unusable.update(name for name in names if name not in _NO_PROPERTY)
            continue
        if axiom[1] == "Equivalent" and THING in names:  # what is equal to the top is above all
            found.classes.extend((THING, name) for name in names if name != THING)
        kept = [name for name in names if name not in _TOPS]
        target = found.classes if axiom[2].startswith("Class") else found.properties
        if axiom[1] == "Sub":
            target.extend(itertools.pairwise(kept))
        else:  # equivalent: a ring
            target.extend(zip(kept, [*kept[1:], *kept[:1]], strict=True))
    found.classes = _between(found.classes, known)
    found.properties = _between(found.properties, known)
    found.unsatisfiable.intersection_update(known)
    found.unusable.intersection_update(known)
    return found


def _between(edges: list[Edge], known: Collection[str]) -> list[Edge]:
    """The pairs of known names; a way up through what has none becomes a pair of its own."""
    above: dict[str, list[str]] = {}
    for lower, upper in edges:
        above.setdefault(lower, []).append(upper)
    result: list[Edge] = []
    for lower in (name for name in above if name in known):
        queue, seen = list(above[lower]), set[str]()
        while queue:
            upper = queue.pop()
            if upper in known:
                result.append((lower, upper))
            elif upper not in seen:
                seen.add(upper)
                queue += above.get(upper, ())
    return result
