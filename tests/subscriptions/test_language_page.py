"""The page about the language says what the product does."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from semantic_pubsub import Ontology, Subscription
from semantic_pubsub.matching.flat.paths import MOST_STEPS
from semantic_pubsub.subscriptions import analyse, limits, resolve
from semantic_pubsub.subscriptions.functions import ARITIES, CASTS, REFUSED_FUNCTIONS
from semantic_pubsub.subscriptions.refusals import MODIFIERS, NOT_TRIPLES, QUERY_FORMS

XSD = "http://www.w3.org/2001/XMLSchema#"
PAGE = Path(__file__).resolve().parents[2] / "docs" / "subscription-language.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(sparql|ops)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    return TEXT.split(f"## {title}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize(("language", "text"), BLOCKS, ids=[f"{n}-{kind}" for n, (kind, _) in enumerate(BLOCKS)])
def test_every_example_is_a_subscription_without_warnings(language: str, text: str, project: Path) -> None:
    ontology = Ontology.load(project / "ontology" / "auction.ttl")
    subscription = Subscription.parse(text, id="s")
    assert subscription.syntax == {"sparql": "sparql", "ops": "statements"}[language]
    assert analyse(resolve(subscription, ontology), ontology) == ()
    assert Subscription.parse(str(subscription), id="s") == subscription


def test_both_syntaxes_have_examples() -> None:
    assert {language for language, _ in BLOCKS} == {"sparql", "ops"}


@pytest.mark.parametrize("code", re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL))
def test_every_program_prints_what_it_says(code: str, project: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == re.findall(r"# prints: (.*)$", code, re.MULTILINE)


def test_the_functions_are_all_there() -> None:
    told = {
        name
        for row in section("Filters").splitlines()
        if row.startswith("| `")
        for name in re.findall(r"`([\w:]+)`", row)
    }
    functions = {name.upper() for name in told if name.isalpha() and len(name) > 1} - {"IN"}
    casts = {name.replace("xsd:", XSD) for name in told if ":" in name}
    assert functions == set(ARITIES)
    assert casts == CASTS


def test_the_refused_words_are_all_there() -> None:
    refused = section("What is refused, and what to write instead")
    updates = {"ADD", "CLEAR", "COPY", "CREATE", "DELETE", "DROP", "INSERT", "LOAD", "MOVE", "WITH"}
    aggregates = {"AVG", "COUNT", "GROUP_CONCAT", "MAX", "MIN", "SAMPLE", "SUM"}
    words = {*NOT_TRIPLES, *(name for name, _ in MODIFIERS.values()), *QUERY_FORMS, *REFUSED_FUNCTIONS}
    for word in words - updates - aggregates - {"NOT", "LATERAL"}:
        assert f"`{word}`" in refused, word


def test_the_limits_are_right() -> None:
    told = re.findall(r"\| ([\d,]+) \|$", section("Limits"), re.MULTILINE)
    assert [int(number.replace(",", "")) for number in told] == [
        limits.MAX_TEXT_LENGTH,
        limits.MAX_ALTERNATIVES,
        limits.MAX_NESTING,
        limits.MAX_EXPRESSION_DEPTH,
        limits.MAX_IN_LIST,
        limits.MAX_NUMBER_LENGTH,
        10_000,  # characters of a regular expression: held by the tests of regular expressions
        MOST_STEPS,
    ]
