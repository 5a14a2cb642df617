"""What a subscription cannot say is refused by name and place, with what to write instead."""

from __future__ import annotations

import pytest

from semantic_pubsub import Subscription, SubscriptionError

EX = "PREFIX ex: <http://example.org/>\n"

# The text after the prefix line, what the message names, and the column of its first line.
REFUSED = [
    ("SELECT * { _:H ex:p ?x OPTIONAL { ?x ex:q ?y } }", "OPTIONAL", 24),
    ("SELECT * { _:H ex:p ?x MINUS { ?x ex:q ?y } }", "MINUS", 24),
    ("SELECT * { _:H ex:p ?x FILTER EXISTS { ?x ex:q ?y } }", "EXISTS", 31),
    ("SELECT * { _:H ex:p ?x FILTER NOT EXISTS { ?x ex:q ?y } }", "NOT EXISTS", 31),
    ("SELECT * { _:H ex:p ?x FILTER (EXISTS { ?x ex:q ?y }) }", "EXISTS", 32),
    ("SELECT * { _:H ex:p ?x FILTER (?x = 1 && NOT EXISTS { ?x ex:q ?y }) }", "NOT EXISTS", 42),
    ("SELECT * { GRAPH ex:g { _:H ex:p ?x } }", "GRAPH", 12),
    ("SELECT * { SERVICE ex:g { _:H ex:p ?x } }", "SERVICE", 12),
    ("SELECT * FROM ex:g { _:H ex:p ?x }", "FROM", 10),
    ("SELECT * FROM NAMED ex:g { _:H ex:p ?x }", "FROM", 10),
    ("SELECT * { _:H ex:p ?x BIND (?x AS ?y) }", "BIND", 24),
    ("SELECT * { _:H ex:p ?x VALUES ?x { 1 2 } }", "VALUES", 24),
    ("SELECT * { _:H ex:p ?x } VALUES ?x { 1 2 }", "VALUES", 26),
    ("SELECT * { { SELECT ?x { _:H ex:p ?x } } }", "a sub-select", 14),
    ("SELECT (COUNT(?x) AS ?n) { _:H ex:p ?x }", "an expression in SELECT", 8),
    ("SELECT ?x (1 AS ?n) { _:H ex:p ?x }", "an expression in SELECT", 11),
    ("SELECT * { _:H ex:p ?x FILTER (SUM(?x) > 1) }", "SUM", 32),
    ("SELECT * { _:H ex:p ?x FILTER (?x < NOW()) }", "NOW", 37),
    ('SELECT * { _:H ex:p ?x FILTER (?x = IRI("urn:a")) }', "IRI", 37),
    ("SELECT ?x { _:H ex:p ?x } GROUP BY ?x", "GROUP BY", 27),
    ("SELECT ?x { _:H ex:p ?x } HAVING (?x > 1)", "HAVING", 27),
    ("SELECT ?x { _:H ex:p ?x } ORDER BY ?x", "ORDER BY", 27),
    ("SELECT ?x { _:H ex:p ?x } LIMIT 1", "LIMIT", 27),
    ("SELECT ?x { _:H ex:p ?x } OFFSET 1", "OFFSET", 27),
    ("CONSTRUCT { _:H ex:p ?x } WHERE { _:H ex:p ?x }", "CONSTRUCT", 1),
    ("DESCRIBE ?x { _:H ex:p ?x }", "DESCRIBE", 1),
    ("INSERT DATA { ex:a ex:p 1 }", "INSERT", 1),
    ("DELETE WHERE { ?x ex:p 1 }", "DELETE", 1),
    ("SELECT * { _:H ?p ?x }", r"a variable property \(\?p\)", 16),
    ("SELECT * { _:H a ?c }", r"a variable class \(\?c\)", 18),
    ("SELECT * { _:H a _:c }", r"a blank class \(_:c\)", 18),
    ("SELECT * { _:H a [] }", "a blank class", 18),
    ("SELECT * { _:H a 'x' }", "a literal as class", 18),
    ("SELECT * { _:H a/ex:p ?x }", "a variable class", 16),
    ("SELECT * { _:H ^ex:p ?x }", r"an inverse path \(\^\)", 16),
    ("SELECT * { _:H ex:p/^ex:q ?x }", r"an inverse path \(\^\)", 21),
    ("SELECT * { _:H ex:p|ex:q ?x }", r"an alternative path \(\|\)", 20),
    ("SELECT * { _:H (ex:p|ex:q)/ex:r ?x }", r"an alternative path \(\|\)", 21),
    ("SELECT * { _:H ex:p* ?x }", r"a repeated path \(\*\)", 20),
    ("SELECT * { _:H ex:p+ ?x }", r"a repeated path \(\+\)", 20),
    ("SELECT * { _:H ex:p? ?x }", r"a repeated path \(\?\)", 20),
    ("SELECT * { _:H (ex:p/ex:q)+ ?x }", r"a repeated path \(\+\)", 27),
    ("SELECT * { _:H a/rdfs:subClassOf* ex:C }", r"a repeated path \(\*\)", 33),
    ("SELECT * { _:H !ex:p ?x }", r"a negated property set \(!\)", 16),
    ("SELECT * { _:H ex:p ?x . ?x a xsd:decimal }", "'a' with a datatype", 31),
    ("SELECT * { _:H ex:p ?x . ?x a rdf:langString }", "'a' with a datatype", 31),
    ("SELECT * { _:H ex:p ?x . ?x a rdfs:Literal }", "'a' with rdfs:Literal", 31),
    ("SELECT * { << _:H ex:p ?x >> ex:q 1 }", r"RDF-star \(triple terms\)", 12),
    ("SELECT * { _:H ex:p ?x {| ex:q 1 |} }", r"RDF-star \(triple terms\)", 24),
]


@pytest.mark.parametrize(("text", "named", "column"), REFUSED, ids=lambda value: str(value)[:40])
def test_refused_by_name_and_place(text: str, named: str, column: int) -> None:
    with pytest.raises(SubscriptionError, match=f"{named}.* is not supported") as caught:
        Subscription.parse(EX + text, source="mine.rq")
    error = caught.value
    assert (error.source, error.line, error.column) == ("mine.rq", 2, column)
    assert error.hint
    assert str(error).startswith(f"mine.rq, line 2, column {column}: ")
    assert "\n" not in str(error)


# What is no SPARQL at all, or means nothing here.
WRONG = [
    ("", "the subscription is empty"),
    ("# only a comment\n", "the subscription is empty"),
    ("hello", "SELECT, ASK or '\\('"),
    ("SELECT * { _:H ex:p ?x", "the text ends where"),
    ("SELECT * { _:H ex:p }", "where a variable, IRI, literal or blank node"),
    ("SELECT * { _:H ex:p ?x ?y }", "'.', ';', ',' or '}'"),
    ("SELECT * { _:H ex:p ?x } }", "the end of the query"),
    ("SELECT { _:H ex:p ?x }", "variables or '\\*'"),
    ("ASK { 'x' ex:p ?x }", "a literal cannot be the subject"),
    ("ASK { _:H ex:p 'x }", "a string is not closed"),
    ("ASK { _:H nope:p ?x }", "unknown prefix 'nope:'"),
    ("ASK { _:H exx:p ?x }", "did you mean ex"),
    ("ASK { _:H <p> ?x }", "is relative"),
    ("ASK { _:H ex:p '\\q' }", "is no escape"),
    ("ASK { _:H ex:p '\\ud800' }", "stands for no character"),
    ("ASK { _:H ex:p ?x FILTER ?x }", "in parentheses or a function call"),
    ("ASK { _:H ex:p ?x FILTER (?x < 1 < 2) }", "cannot be chained"),
    ("ASK { _:H ex:p ?x FILTER (CONTAIN(?x, 'a')) }", "did you mean CONTAINS"),
    ("ASK { _:H ex:p ?x FILTER (CONTAINS(?x)) }", "CONTAINS takes 2 arguments, not 1"),
    ("ASK { _:H ex:p ?x FILTER (REGEX(?x)) }", "REGEX takes 2 to 3 arguments"),
    ("ASK { _:H ex:p ?x FILTER (BOUND(1)) }", "BOUND takes a variable"),
    ("ASK { _:H ex:p ?x FILTER (ex:f(?x)) }", "unknown function <http://example.org/f>"),
    ("ASK { _:H ex:p ?x FILTER (xsd:integer(?x, 1)) }", "a cast takes one argument"),
    ("ASK { { _:H ex:p _:b } { _:H ex:q _:b } }", "the blank node _:b is used in two groups"),
    ("@prefix e: <urn:e:> . ASK { _:H e:p 1 }", "write PREFIX without '@'"),
    ("PREFIX e <urn:e:> ASK { _:H e:p 1 }", "a prefix with its colon"),
    ("ASK { _:H ex:p \ud800 }", "half of a surrogate pair"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=lambda value: ascii(value)[:40])
def test_wrong_texts_have_one_clear_line(text: str, message: str) -> None:
    with pytest.raises(SubscriptionError, match=message) as caught:
        Subscription.parse(EX + text)
    assert caught.value.line is not None
    assert caught.value.column is not None
    assert "\n" not in str(caught.value)


def test_an_unknown_syntax_and_an_empty_id() -> None:
    with pytest.raises(SubscriptionError, match="unknown syntax 'cypher'"):
        Subscription.parse("ASK { _:H a <urn:c> }", syntax="cypher")  # type: ignore[arg-type]
    with pytest.raises(SubscriptionError, match="an id must be a text"):
        Subscription.parse("ASK { _:H a <urn:c> }", id="")
