"""Files that cannot be read: each one clear line that names the file, the place and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest
import rdflib

from semantic_pubsub import Ontology, OntologyError
from semantic_pubsub.concepts import OntologyLimits

RDF_XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:x="http://x/">{}</rdf:RDF>'


def bomb(reverse: bool) -> str:
    """Nine entities, each ten times the one before; declared from the smallest up or from the largest down."""
    lines = ['<!ENTITY e0 "0123456789">'] + [f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 9)]
    body = RDF_XML.format("<x:A rdf:about='http://x/a'><x:p>&e8;</x:p></x:A>")
    return f"<!DOCTYPE rdf:RDF [{''.join(reversed(lines) if reverse else lines)}]>{body}"


CASES: dict[str, tuple[str, str | bytes, str]] = {
    "broken Turtle": (
        "a.ttl",
        "@prefix : <http://x/> .\n:A a :B .\n:C :p [ .\n",
        r"line 3, column \d+: is not valid Turtle: .",
    ),
    "unknown prefix": ("a.ttl", "\n\nrdfs:A a <http://x/B> .", r"line 3.*is not valid Turtle: .*prefix"),
    "broken N-Triples": (
        "a.nt",
        "<http://x/a> <http://x/p> <http://x/b> .\n<http://x/a> <oops\n",
        r"line 2.*N-Triples",
    ),
    "broken RDF/XML": (
        "a.rdf",
        RDF_XML.format("<x:A>\n</x:B>"),
        r"line 2, column \d+: not well-formed XML: mismatched tag",
    ),
    "XML that is no RDF": ("a.owl", RDF_XML.format("<x:A rdf:about='a' rdf:ID='b'/>"), "is not valid RDF/XML"),
    "broken JSON": ("a.jsonld", '{"@context": {\n"a": ', r"line 2.*is not valid JSON-LD"),
    "binary": ("a.ttl", b"\x7fELF\x00\x01\x02", r"is a binary file, not RDF text \(give a file in an RDF syntax\)"),
    "no UTF-8": ("a.ttl", "<http://x/a> <http://x/p> 'ä' .".encode("latin-1"), "is not valid Turtle: .*UTF-8"),
    "empty": ("a.ttl", "", r"is empty \(give a file that states something\)"),
    "blank": ("a.owl", " \n\t\n", "is empty"),
    "OWL functional syntax": (
        "a.owl",
        "Prefix(:=<http://x/>)\nOntology(<http://x/>)",
        "is OWL functional syntax, not RDF",
    ),
    "OWL Manchester syntax": (
        "a.owl",
        "Prefix: : <http://x/>\nOntology: <http://x/>",
        "is OWL Manchester syntax, not RDF",
    ),
    "OWL/XML": (
        "a.owl",
        '<?xml version="1.0"?>\n<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>',
        "is OWL/XML, not RDF",
    ),
    "OBO": ("a.owl", "format-version: 1.2\n\n[Term]\nid: X:1\n", "is OBO syntax, not RDF"),
    "a web page": ("a.ttl", "<!DOCTYPE html><html><body/></html>", r"is a web page, not RDF \(convert it to Turtle"),
    "remote context": (
        "a.jsonld",
        '{"@context": "https://schema.org", "@id": "http://x/a"}',
        r"refers to a remote JSON-LD context, which is never fetched \(write the context into the file\)",
    ),
    "deep XML": (
        "a.rdf",
        RDF_XML.format("<x:A><x:p>" * 150 + "</x:p></x:A>" * 150),
        "XML nested deeper than 200 levels",
    ),
    "deep JSON": (
        "a.jsonld",
        "[" * 100_000 + "]" * 100_000,
        r"line 1: JSON nested deeper than 200 levels \(link the parts",
    ),
    "deep triple terms": ("a.ttl", "<<(" * 50_000 + "x", "triple terms nested deeper than 200 levels"),
    "entity bomb": ("a.owl", bomb(reverse=False), r"its XML entities expand without measure \(write the text out\)"),
    "entity bomb backwards": ("a.owl", bomb(reverse=True), "its XML entities expand without measure"),
    "entity in a ring": (
        "a.owl",
        '<!DOCTYPE x [<!ENTITY a "&b;"><!ENTITY b "&a;">]>' + RDF_XML.format("&a;"),
        "its XML entities expand without measure",
    ),
    "external entity": (
        "a.owl",
        '<!DOCTYPE x [\n<!ENTITY e SYSTEM "file:///etc/hostname">]>' + RDF_XML.format("&e;"),
        r"line 2: refers to the external XML entity 'e', which is never fetched",
    ),
    "parameter entity": (
        "a.owl",
        '<!DOCTYPE x [<!ENTITY % e "x">]>' + RDF_XML.format(""),
        "refers to the external XML entity",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_clear_line(tmp_path: Path, case: str) -> None:
    name, content, message = CASES[case]
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(OntologyError, match=message) as caught:
        Ontology.load(path)
    said = str(caught.value)
    assert said.startswith(str(path))
    assert "\n" not in said
    assert len(said) < 500
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_many_uses_of_one_large_entity(tmp_path: Path) -> None:
    path = tmp_path / "a.owl"
    large = f'<!DOCTYPE x [<!ENTITY e "{"x" * 60_000}">]>' + RDF_XML.format(f"<x:A><x:p>{'&e;' * 2_000}</x:p></x:A>")
    path.write_text(large)
    with pytest.raises(OntologyError, match="entities"):
        Ontology.load(path, limits=OntologyLimits(bytes=10_000_000))


def test_harmless_entities_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.owl"
    doctype = '<!DOCTYPE rdf:RDF [<!ENTITY x "http://x/"><!ENTITY owl "http://www.w3.org/2002/07/owl#">]>'
    path.write_text(
        doctype
        + RDF_XML.format("<rdf:Description rdf:about='&x;a'><rdf:type rdf:resource='&owl;Class'/></rdf:Description>")
    )
    assert set(Ontology.load(path).classes) == {rdflib.URIRef("http://x/a")}


def test_a_huge_file_by_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text("# " + "x" * 5000)
    with pytest.raises(OntologyError, match=r"is 5,002 bytes long, the limit is 1,000 \(raise OntologyLimits.bytes"):
        Ontology.load(path, limits=OntologyLimits(bytes=1000))


def test_the_limit_of_nesting_can_be_raised(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonld"
    path.write_text('{"http://x/p": ' * 150 + "1" + "}" * 150)
    assert Ontology.load(path).triples == 150
    with pytest.raises(OntologyError, match="JSON nested deeper than 100 levels"):
        Ontology.load(path, limits=OntologyLimits(depth=100))


def test_signs_inside_strings_are_not_nesting(tmp_path: Path) -> None:
    path = tmp_path / "a.ttl"
    path.write_text('<http://x/a> <http://x/p> """' + "<< " * 500 + '""" . # ' + "<<" * 300)
    assert Ontology.load(path).triples == 1


def test_a_missing_file_says_which_was_perhaps_meant(tmp_path: Path) -> None:
    (tmp_path / "auction.ttl").write_text("# nothing")
    with pytest.raises(OntologyError, match=r"auktion.ttl: no such file or folder \(did you mean auction.ttl\?\)"):
        Ontology.load(tmp_path / "auktion.ttl")
    with pytest.raises(OntologyError, match=r"no such file or folder$"):
        Ontology.load(tmp_path / "no" / "such" / "folder")


@pytest.mark.parametrize("text", ["<http://x/a> a <http://x/b> .\n" * 200, "a\0b"], ids=["long", "null"])
def test_a_text_in_place_of_a_path(text: str) -> None:
    with pytest.raises(OntologyError, match=r"is not a path|no such file") as caught:
        Ontology.load(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.ttl"
    path.write_text("# nothing")

    def refuse(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(OntologyError, match=r"a\.ttl: cannot be read: Permission denied"):
        Ontology.load(path)


def test_a_graph_with_what_is_no_rdf() -> None:
    graph = rdflib.Graph()
    graph.add((rdflib.URIRef("http://x/a b"), rdflib.RDFS.label, rdflib.Literal("x")))
    with pytest.raises(OntologyError, match="a statement of the graph is not RDF") as caught:
        Ontology.load(graph)
    assert "\n" not in str(caught.value)


def test_an_unknown_reasoner() -> None:
    with pytest.raises(OntologyError, match=r"unknown reasoner 'pellet' \(known is hermit\)"):
        Ontology.load(reasoner="pellet")
