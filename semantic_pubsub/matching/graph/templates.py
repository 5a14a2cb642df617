"""Subscriptions that come from few forms: a text is parsed once per form, then only its constants are read.

Users' subscriptions are mostly one text with other names and numbers in it. A text is cut at its constants; what is
left between them is its *form*. The first text of a form is parsed twice: once as it is, and once with a marker in
place of each constant, which shows which test of the compiled pattern takes which constant. Every further text of the
form costs one regular expression and a few look-ups. Whatever does not fit (a constant of another kind, two that must
be one vertex, an interval that is empty, a class that deserves a warning) takes the ordinary way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.matching.graph.advised import are_clean
from semantic_pubsub.matching.graph.compiled import Interval, Kind, TextTest, compile_pattern
from semantic_pubsub.matching.graph.markers import (
    gives_a_side_twice,
    kind_of,
    marked,
    markers_in,
    movable,
    tokens_from,
)
from semantic_pubsub.matching.graph.numbers import ends_of, form_of
from semantic_pubsub.matching.graph.shapes import shape_key
from semantic_pubsub.subscriptions import Subscription
from semantic_pubsub.subscriptions.advice import Advice
from semantic_pubsub.subscriptions.syntax import Parser
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import OWL, RDF, RDFS, XSD

if TYPE_CHECKING:
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.graph.compiled import CompiledPattern, Test
    from semantic_pubsub.matching.graph.index import Index

__all__ = ["Bound", "Templates"]

# A constant: an IRI, a string on one line (with its language), a number, a prefixed name that is no blank node.
_GAP: Final = re.compile(
    r"""(<[^\s<>"{}|^`\\]*>"""
    r"""|"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z-]+)?|'(?:[^'\\\n\r]|\\.)*'(?:@[A-Za-z-]+)?"""
    r"""|(?<![\w.:?$+-])-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.:])"""
    r"""|(?<![\w?$@])(?:[A-Za-z][\w-]*)?:[A-Za-z0-9_][\w-]*(?![\w.:%\\-]))"""
)
_RESERVED: Final = (XSD, RDF, RDFS, OWL)
_LONGEST_NUMBER: Final = 15
_MOST_FORMS: Final = 10_000
_MOST_FAILURES: Final = 4
_MOST_REMEMBERED: Final = 100_000

Bound = tuple[int, list[int], list[tuple[float, float, int]]]
"""One alternative: its shape, its parameters, and the bounds of its intervals (a parameter -1 - n is the nth)."""


class _Gap(NamedTuple):
    """Where a constant goes: the alternative, the test, its kind; for an interval which sides it gives."""

    token: int
    alternative: int
    test: int
    kind: Kind
    operator: int = 0
    lower: bool = False
    upper: bool = False


@dataclass(slots=True)
class _Template:
    """One form with its fixed names: shapes, parameters with gaps, and what must be looked at for warnings."""

    shapes: list[int]
    parameters: list[list[int]]
    gaps: list[_Gap]
    intervals: list[tuple[int, int, Interval]]
    vertices: list[tuple[int, int]]
    prefixes: dict[str, str]
    kinds: dict[int, str]
    classes: list[tuple[int, int]]
    patterns: list[CompiledPattern]
    known: dict[tuple[int, str], int] = field(default_factory=dict)
    clean: dict[tuple[int, ...], bool] = field(default_factory=dict)


@dataclass(slots=True)
class _Form:
    """Texts that differ in constants only; those in `fixed` (prefixes, properties) choose the template."""

    fixed: list[int] | None = None
    templates: dict[tuple[str, ...], _Template] = field(default_factory=dict)
    failures: int = 0


class Templates:
    """The forms that one matcher has seen."""

    def __init__(self, index: Index, ontology: Ontology) -> None:
        self._index = index
        self._ontology = ontology
        self._advice = Advice(ontology)
        self._forms: dict[tuple[str, ...], _Form] = {}

    def bind(self, text: str, injective: bool | None) -> list[Bound] | None:
        """The alternatives of a text of a known form, or None: then it must be parsed."""
        pieces = _GAP.split(text)
        form = self._forms.get(tuple(pieces[::2]))
        if form is None or form.fixed is None:
            return None
        key = (str(injective), *[pieces[i] for i in form.fixed])
        template = form.templates.get(key)
        return None if template is None else self._bound(template, pieces)

    def learn(self, text: str, injective: bool | None, subscription: Subscription) -> None:
        """Make a template of a text that was parsed and added without a warning."""
        pieces = _GAP.split(text)
        key = tuple(pieces[::2])
        form = self._forms.get(key)
        if form is None:
            if len(self._forms) >= _MOST_FORMS:
                return
            form = self._forms[key] = _Form()
        if form.failures > _MOST_FAILURES or len(form.templates) >= _MOST_FORMS:
            return
        try:
            self._learn(form, pieces, injective, subscription)
        except (SubscriptionError, _UnfitError):
            form.failures += 1

    # binding

    def _bound(self, template: _Template, pieces: list[str]) -> list[Bound] | None:
        parameters = [list(each) for each in template.parameters]
        bounds: list[list[tuple[float, float, int]]] = [[] for _ in parameters]
        numbers: dict[tuple[int, int], list[str | None]] = {}
        known = template.known
        for token, alternative, test, kind, operator, lower, upper in template.gaps:
            word = pieces[token]
            if kind is Kind.INTERVAL:
                sides = numbers.setdefault((alternative, test), [None, None])
                if lower:
                    sides[0] = word
                if upper:
                    sides[1] = word
                continue
            number = known.get((token, word))
            if number is None:
                number = self._number(template, token, word, kind, operator)
                if number is None:
                    return None
            parameters[alternative][test] = number
        if not self._fits(template, parameters):
            return None
        for alternative, test, interval in template.intervals:
            found = _interval(interval, numbers.get((alternative, test)))
            if found is None:
                return None
            parameters[alternative][test] = -1 - len(bounds[alternative])
            bounds[alternative].append(found)
        return list(zip(template.shapes, parameters, bounds, strict=True))

    def _number(self, template: _Template, token: int, word: str, kind: Kind, operator: int) -> int | None:
        """The label or needle of a constant; None if it is of another kind than the template's."""
        parser = Parser(word, template.prefixes)
        name = parser.kinds[0] in ("iri", "name")
        try:
            term = parser.iri() if name else parser.literal()
        except SubscriptionError:
            return None
        if term is None or parser.kinds[parser.at] != "end":
            return None
        if kind is Kind.CLASS:
            if not isinstance(term, NamedNode) or term.value.startswith(_RESERVED):
                return None
            number = self._index.symbols.class_label(term.value)
        elif kind is Kind.TEXT:
            if not isinstance(term, Literal) or term.language or word[0] not in "\"'":
                return None
            number = self._index.needle(operator, term.value.encode())
        else:
            if kind_of(word) != template.kinds[token]:
                return None
            number = self._index.symbols.constant_label(term)
        if len(template.known) < _MOST_REMEMBERED:
            template.known[token, word] = number
        return number

    def _fits(self, template: _Template, parameters: list[list[int]]) -> bool:
        """Constants that are vertices stay apart, and the classes deserve no warning."""
        if len(template.vertices) > 1:
            seen = {(a, parameters[a][t]) for a, t in template.vertices}
            if len(seen) < len(template.vertices):
                return False
        key = tuple([parameters[a][t] for a, t in template.classes])
        clean = template.clean.get(key)
        if clean is None:
            clean = all(self._is_clean(p, parameters[a]) for a, p in enumerate(template.patterns))
            if len(template.clean) < _MOST_REMEMBERED:
                template.clean[key] = clean
        return clean

    def _is_clean(self, pattern: CompiledPattern, parameters: list[int]) -> bool:
        """Whether the ontology has nothing to say against the classes asked for."""
        names = self._index.symbols.label_names
        classes: dict[int, list[NamedNode]] = {}
        for test, number in zip(pattern.tests, parameters, strict=True):
            if test.kind is Kind.CLASS:
                classes.setdefault(test.vertex, []).append(NamedNode(str(names[number])))
        return are_clean(classes, pattern, self._advice)

    # learning

    def _learn(self, form: _Form, pieces: list[str], injective: bool | None, subscription: Subscription) -> None:
        parser = Parser("".join(pieces))
        parser.prologue()
        start = parser.offsets[parser.at]
        if subscription.syntax != "sparql":
            raise _UnfitError
        free = tokens_from(pieces, start)
        fixed = [i for i in range(1, len(pieces), 2) if i not in free]
        trial = self._compiled(marked(pieces, free), injective)
        free_tokens = {i for pattern in trial for i in movable(pattern, free)}
        fixed += [i for i in free if i not in free_tokens]
        if form.fixed is not None and form.fixed != sorted(fixed):
            raise _UnfitError
        patterns = self._compiled(marked(pieces, free_tokens), injective)
        template = self._template(patterns, pieces, free_tokens, subscription, dict(parser.prefixes))
        if not self._tells_the_same(template, pieces, subscription):
            raise _UnfitError
        form.fixed = sorted(fixed)
        form.templates[str(injective), *[pieces[i] for i in form.fixed]] = template

    def _tells_the_same(self, template: _Template, pieces: list[str], subscription: Subscription) -> bool:
        """Whether the first text, bound by its own template, is the pattern that parsing gave."""
        bound = self._bound(template, pieces)
        patterns = [compile_pattern(p, injective=subscription.injective) for p in subscription.alternatives]
        if bound is None or len(bound) != len(patterns):
            return False
        for (_, parameters, bounds), pattern in zip(bound, patterns, strict=True):
            for number, test in zip(parameters, pattern.tests, strict=True):
                if isinstance(test.value, Interval):
                    interval = test.value
                    if bounds[-1 - number] != (interval.lower, interval.upper, form_of(interval)):
                        return False
                elif number != self._index.parameter(test, pattern):
                    return False
        return True

    def _compiled(self, text: str, injective: bool | None) -> list[CompiledPattern]:
        subscription = Subscription.parse(text, id="form", injective=injective)
        return [compile_pattern(p, injective=subscription.injective) for p in subscription.alternatives]

    def _template(
        self,
        patterns: list[CompiledPattern],
        pieces: list[str],
        free: set[int],
        subscription: Subscription,
        prefixes: dict[str, str],
    ) -> _Template:
        template = _Template([], [], [], [], [], prefixes, {}, [], [])
        for alternative, pattern in enumerate(patterns):
            if not pattern.satisfiable:
                raise _UnfitError
            template.shapes.append(self._index.shape(shape_key(pattern, subscription.projection, False)))
            template.patterns.append(pattern)
            template.parameters.append([0] * len(pattern.tests))
            for number, test in enumerate(pattern.tests):
                self._place(template, alternative, number, test, pattern, pieces, free)
        if {gap.token for gap in template.gaps} != free:
            raise _UnfitError
        return template

    def _place(
        self,
        template: _Template,
        alternative: int,
        number: int,
        test: Test,
        pattern: CompiledPattern,
        pieces: list[str],
        free: set[int],
    ) -> None:
        """Note which constants one test takes, or its parameter where it takes none."""
        found = markers_in(test, free)
        if isinstance(test.value, Interval):
            template.intervals.append((alternative, number, test.value))
            if gives_a_side_twice(test.value):
                raise _UnfitError
        elif not found:
            template.parameters[alternative][number] = self._index.parameter(test, pattern)
        operator = test.value.operator if isinstance(test.value, TextTest) else 0
        for token, lower, upper in found:
            template.gaps.append(_Gap(token, alternative, number, test.kind, operator, lower, upper))
            template.kinds[token] = kind_of(pieces[token])
        if test.kind is Kind.CLASS:
            template.classes.append((alternative, number))
        is_constant = isinstance(pattern.vertices[test.vertex], NamedNode | Literal)
        if test.kind is Kind.CONSTANT and is_constant:
            template.vertices.append((alternative, number))
        if test.kind is Kind.CLASS and is_constant:
            raise _UnfitError


class _UnfitError(Exception):
    """The text cannot be a template; it is no error of anybody's."""


def _interval(model: Interval, words: list[str | None] | None) -> tuple[float, float, int] | None:
    """Bounds and ends of an interval with other numbers in it; None if it is empty or needs a closer look."""
    lower, upper = model.lower, model.upper
    low, high = words or (None, None)
    if low is not None:
        if len(low) > _LONGEST_NUMBER or kind_of(low) not in ("integer", "decimal", "double"):
            return None
        lower = float(low)
    if high is not None:
        if len(high) > _LONGEST_NUMBER or kind_of(high) not in ("integer", "decimal", "double"):
            return None
        upper = float(high)
    if lower > upper or (lower == upper and (model.lower_open or model.upper_open)):
        return None
    return lower, upper, ends_of(model, low, high)
