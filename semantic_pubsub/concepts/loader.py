"""From files, folders and rdflib graphs to facts. Nothing is ever fetched."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from urllib.parse import unquote, urlsplit

import rdflib
from pyoxigraph import BlankNode, DefaultGraph, Quad, RdfFormat, Triple, parse

from semantic_pubsub.concepts.facts import Facts
from semantic_pubsub.concepts.guards import OntologyLimits, check, read_bytes
from semantic_pubsub.concepts.syntaxes import ENDINGS, syntax_named, syntax_of
from semantic_pubsub.errors import Notice, OntologyError, did_you_mean
from semantic_pubsub.terms import from_rdflib
from semantic_pubsub.vocab import OWL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Loaded", "Source", "load"]

Source: TypeAlias = str | os.PathLike[str] | rdflib.Graph

_ONTOLOGY: Final = OWL + "Ontology"


@dataclass
class Loaded:
    """All sources together: facts, prefixes, what deserves a look, and (if asked for) every triple."""

    facts: Facts = field(default_factory=Facts)
    prefixes: dict[str, str] = field(default_factory=dict)
    warnings: list[Notice] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    triples: list[Triple] | None = None


def load(sources: Iterable[Source], format: str | None, limits: OntologyLimits, keep_triples: bool) -> Loaded:  # noqa: A002
    """Read every source once; a file that is named twice, or is also in a folder, is read once."""
    loaded = Loaded(triples=[] if keep_triples else None)
    syntax = syntax_named(format) if format is not None else None
    seen: set[Path] = set()
    imports: list[tuple[str, str]] = []
    for source in sources:
        if isinstance(source, rdflib.Graph):
            name = f"graph {len(loaded.sources) + 1}"
            _take(loaded, name, _graph_triples(source), imports)
            _take_prefixes(loaded, _used_prefixes(source), name)
            continue
        for path in _files(source):
            resolved = path.resolve()
            if resolved not in seen:
                seen.add(resolved)
                _read(loaded, path, syntax, limits, imports)
    _check_imports(loaded, imports, seen)
    return loaded


def _files(source: str | os.PathLike[str]) -> Iterator[Path]:
    path = Path(source)
    try:
        is_folder, exists = path.is_dir(), path.exists()
    except (OSError, ValueError):  # no name that a file could have, such as the text of an ontology
        shown = " ".join(str(source)[:40].split())
        raise OntologyError(f"{shown!r}… is not a path", hint="give files, folders or rdflib graphs") from None
    if is_folder:
        found = sorted(p for p in path.rglob("*") if p.is_file() and p.suffix.lower() in ENDINGS)
        if not found:
            raise OntologyError("holds no ontology file", source=str(path), hint=f"looked for {' '.join(ENDINGS)}")
        yield from found
    elif exists:
        yield path
    else:
        raise OntologyError("no such file or folder", source=str(path), hint=_near(path))


def _near(path: Path) -> str | None:
    folder = path.parent
    names = [p.name for p in folder.iterdir()] if folder.is_dir() else []
    return did_you_mean(path.name, names)


def _read(
    loaded: Loaded, path: Path, syntax: RdfFormat | None, limits: OntologyLimits, imports: list[tuple[str, str]]
) -> None:
    source = str(path)
    data = read_bytes(path, limits)
    chosen = syntax or syntax_of(path, data)
    prefixes = check(data, chosen, limits, source)
    quads = parse(data, format=chosen, base_iri=path.resolve().as_uri(), rename_blank_nodes=True)
    try:
        _take(loaded, source, _asserted(quads) if chosen == RdfFormat.N3 else quads, imports)
    except SyntaxError as error:
        raise _unreadable(error, source, chosen) from None
    except MemoryError:  # the parser's way of saying that one token does not fit into its buffer
        hint = "a name, text or comment of this length is hardly meant"
        raise OntologyError("holds a word that is too long for the parser", source=source, hint=hint) from None
    _take_prefixes(loaded, {**prefixes, **quads.prefixes}, source)


def _take(
    loaded: Loaded, source: str, statements: Iterable[Quad] | Iterable[Triple], imports: list[tuple[str, str]]
) -> None:
    facts = loaded.facts
    before, stated = facts.count, len(facts.pairs(OWL + "imports"))
    if loaded.triples is not None:
        kept = [s if isinstance(s, Triple) else s.triple for s in statements]
        loaded.triples.extend(kept)
        statements = kept
    facts.add(statements)
    if facts.count == before:
        loaded.warnings.append(Notice("states nothing", source))
    imports.extend((str(o), source) for _, o in facts.pairs(OWL + "imports")[stated:] if isinstance(o, str))
    loaded.sources.append(source)


def _asserted(quads: Iterable[Quad]) -> Iterator[Quad]:
    """N3 without what is only quoted in formulas (rules, for instance)."""
    return (quad for quad in quads if isinstance(quad.graph_name, DefaultGraph))


def _graph_triples(graph: rdflib.Graph) -> Iterator[Triple]:
    """A graph's triples with blank nodes of their own: labels mean nothing beyond their graph."""
    fresh: dict[rdflib.term.Node, BlankNode] = {}
    for statement in _statements(graph):
        terms = (fresh.setdefault(t, BlankNode()) if isinstance(t, rdflib.BNode) else t for t in statement)
        try:
            yield Triple(*(t if isinstance(t, BlankNode) else from_rdflib(t) for t in terms))  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            said = " ".join(map(str, statement))
            raise OntologyError(f"a statement of the graph is not RDF ({error}): {said}") from None


def _statements(graph: rdflib.Graph) -> Iterator[tuple[Any, Any, Any]]:
    """The triples of a graph, or of all graphs of a dataset."""
    if isinstance(graph, rdflib.ConjunctiveGraph):
        return ((s, p, o) for s, p, o, _ in graph.quads((None, None, None, None)))
    return graph.triples((None, None, None))


def _used_prefixes(graph: rdflib.Graph) -> dict[str, str]:
    """rdflib binds many prefixes by itself; only those that the graph uses are the user's."""
    bound = {str(prefix): str(namespace) for prefix, namespace in graph.namespaces()}
    terms = {str(t) for triple in _statements(graph) for t in triple if isinstance(t, rdflib.URIRef)}
    return {prefix: namespace for prefix, namespace in bound.items() if any(t.startswith(namespace) for t in terms)}


def _take_prefixes(loaded: Loaded, prefixes: dict[str, str], source: str) -> None:
    for prefix, namespace in prefixes.items():
        first = loaded.prefixes.setdefault(prefix, namespace)
        if first != namespace and prefix:
            message = (
                f"prefix {prefix}: stands for <{namespace}> here, but for <{first}> in an earlier source, which counts"
            )
            loaded.warnings.append(Notice(message, source))


def _check_imports(loaded: Loaded, imports: list[tuple[str, str]], files: set[Path]) -> None:
    facts = loaded.facts
    present = facts.typed(_ONTOLOGY)
    present.update(o for _, o in facts.named(OWL + "versionIRI"))
    for target, source in dict.fromkeys(imports):
        if target.rstrip("#/") in {name.rstrip("#/") for name in present} or _is_file(target, files):
            continue
        message = f"imports <{target}>, which is not among the given files (nothing is fetched)"
        loaded.warnings.append(Notice(message, source))


def _is_file(target: str, files: set[Path]) -> bool:
    """Whether an import names one of the files: by its whole path, or by its name at the end of the IRI."""
    path = unquote(urlsplit(target).path)
    return any(str(file) == path or file.name == path.rsplit("/", 1)[-1] for file in files)


def _unreadable(error: SyntaxError, source: str, syntax: RdfFormat) -> OntologyError:
    text = str(error.msg or error)
    hint = None
    if "LoadDocumentCallback" in text:
        text, hint = "refers to a remote JSON-LD context, which is never fetched", "write the context into the file"
    message = text.split(": ", 1)[1] if text.startswith("Parser error") and ": " in text else text
    return OntologyError(
        f"is not valid {syntax.name}: {' '.join(message.split())}" if hint is None else message,
        source=source,
        line=error.lineno,
        column=error.offset,
        hint=hint,
    )
