"""A small ontology from a few lines of Turtle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Ontology

PREFIXES = """\
@prefix : <http://example.org/> .
@prefix ex: <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


@pytest.fixture
def turtle(tmp_path: Path) -> Callable[..., Ontology]:
    """Write lines of Turtle (the usual prefixes are known) to a file and load it."""

    def load(text: str, **options: Any) -> Ontology:
        path = tmp_path / "small.ttl"
        path.write_text(PREFIXES + text, encoding="utf-8")
        return Ontology.load(path, **options)

    return load
