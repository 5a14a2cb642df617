"""Regular expressions: XPath's syntax and meaning, RE2's linear time."""

from __future__ import annotations

import pytest

from semantic_pubsub import Subscription, SubscriptionError
from semantic_pubsub.subscriptions.regex import compile_regex
from tests.subscriptions.evaluation import holds, truth


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "found"),
    [
        ("b", None, "abc", True),
        ("^b", None, "abc", False),
        ("^ABC$", "i", "abc", True),
        ("a.c", None, "a\nc", False),
        ("a.c", "s", "a\nc", True),
        ("^c$", None, "a\nc", False),
        ("^c$", "m", "a\nc", True),
        ("a b", "x", "ab", True),
        ("a[ ]b", "x", "a b", True),
        ("a.c", "q", "abc", False),
        ("a.c", "q", "a.c", True),
        ("A.C", "iq", "a.c", True),
        (r"^\d+$", None, "42", True),
        (r"^\d+$", None, "٤٢", True),
        (r"^\w+$", None, "Käse€", True),
        (r"\w", None, "-.!", False),
        (r"^[\d-]+$", None, "4-2", True),
        (r"^[^\s]+$", None, "a b", False),
        (r"^\s$", None, "\u00a0", False),
        (r"\p{Lu}", None, "aB", True),
        (r"\.", None, "a", False),
        ("(a|b){2,3}c", None, "abac", True),
        ("(?:ab)+", None, "abab", True),
        (r"\(?a", None, "a", True),
        ("[(?=]", None, "?", True),
        ("", None, "", True),
    ],
)
def test_what_is_found(pattern: str, flags: str | None, text: str, found: bool) -> None:
    assert (compile_regex(pattern, flags).search(text) is not None) is found


@pytest.mark.parametrize(
    ("pattern", "flags", "message"),
    [
        ("(", None, "missing"),
        ("a\\", None, "trailing"),
        (r"(a)\1", None, "invalid"),
        ("(?=a)", None, "are no part of XPath"),
        ("(?i)a", None, "are no part of XPath"),
        ("(?P<name>a)", None, "are no part of XPath"),
        ("a", "g", "unknown flag 'g'"),
        (r"\bword", None, r"\\b is no escape"),
        ("[a-z-[aeiou]]", None, "subtraction of character classes"),
        (r"[\S]", None, "inside brackets"),
        ("a" * 10_001, None, "longer than 10,000 characters"),
        ("a{1001}", None, "repetition"),
    ],
)
def test_what_cannot_be_used_is_refused_when_parsed(pattern: str, flags: str | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_regex(pattern, flags)
    quoted = pattern.replace("\\", "\\\\")
    arguments = f"?x, '{quoted}'" + (f", '{flags}'" if flags else "")
    with pytest.raises(SubscriptionError, match="a regular expression that cannot be used") as caught:
        Subscription.parse(f"ASK {{ _:H <urn:p> ?x FILTER REGEX({arguments}) }}")
    assert (caught.value.line, caught.value.column) == (1, 29)


def test_an_expression_known_only_later_is_an_error_not_an_exception() -> None:
    assert truth('REGEX("a", CONTAINS("a", "a"))') is None
    assert truth('REGEX("a", STR("("))') is None


def test_evil_expressions_take_linear_time() -> None:
    """A backtracking engine would need 2^40 steps for each of these."""
    text = "a" * 40 + "!"
    for pattern in ("(a+)+$", "(a|aa)+$", "^(a|a?)+$", "(.*a){30}$", "^(([a-z])+.)+[A-Z]([a-z])+$"):
        assert compile_regex(pattern).search(text) is None


def test_regex_takes_texts_only() -> None:
    assert holds('REGEX("abc"@en, "b")')
    assert truth('REGEX(12, "1")') is None
    assert truth('REGEX("a", "a"@en)') is None
