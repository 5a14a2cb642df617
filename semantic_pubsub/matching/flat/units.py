"""Units of measurement: which one a term names, and how a number in it becomes one in the base unit, exactly.

A unit is an IRI of QUDT, an individual of the ontology (by QUDT statements, labels or local name), or a code as text.
Factors are fractions, so 1024 MB and 1.024 GB are the same number. Base units are written as IRIs in QUDT's manner;
data sizes are bits, masses kilograms. Currencies have rates, not factors, and are never converted.
"""

from __future__ import annotations

import importlib.util
import math
import threading
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.concepts.facts import QUDT
from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.flat.ucum import Product, qudt_product, ucum_product
from semantic_pubsub.subscriptions.values import Float, to_double, value_of
from semantic_pubsub.terms import Literal, NamedNode
from semantic_pubsub.vocab import RDFS, SKOS, XSD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from semantic_pubsub.concepts import Ontology

__all__ = ["Conversion", "UnitTable", "converted"]

QUDT_UNIT: Final = "http://qudt.org/vocab/unit/"
_CURRENCY_NAMESPACE: Final = "http://qudt.org/vocab/currency/"
_CURRENCY_CLASSES: Final = frozenset(("Currency", "CurrencyUnit"))
_CURRENCY_CODES: Final = frozenset(
    [
        "AED",
        "ARS",
        "AUD",
        "BGN",
        "BRL",
        "CAD",
        "CHF",
        "CLP",
        "CNY",
        "COP",
        "CZK",
        "DKK",
        "EGP",
        "EUR",
        "GBP",
        "HKD",
        "HUF",
        "IDR",
        "ILS",
        "INR",
        "ISK",
        "JPY",
        "KES",
        "KRW",
        "KWD",
        "MAD",
        "MXN",
        "MYR",
        "NGN",
        "NOK",
        "NZD",
        "PEN",
        "PHP",
        "PKR",
        "PLN",
        "QAR",
        "RON",
        "RSD",
        "RUB",
        "SAR",
        "SEK",
        "SGD",
        "THB",
        "TRY",
        "TWD",
        "UAH",
        "USD",
        "VND",
        "ZAR",
        "BTC",
        "$",
        "€",
        "£",
        "¥",
        "₹",
        "₽",
        "₩",
    ]
)
_CODES: Final = (QUDT + "ucumCode", QUDT + "uneceCommonCode")
_LABELS: Final = (QUDT + "symbol", RDFS + "label", SKOS + "prefLabel", SKOS + "altLabel")

# pint's base units, and the letters of QUDT's dimension vectors, in QUDT's words.
_BASES: Final = {
    "meter": "M",
    "kilogram": "KiloGM",
    "second": "SEC",
    "ampere": "A",
    "kelvin": "K",
    "mole": "MOL",
    "candela": "CD",
    "bit": "BIT",
    "radian": "RAD",
}
_VECTOR: Final = {"A": "MOL", "E": "A", "L": "M", "I": "CD", "M": "KiloGM", "H": "K", "T": "SEC"}
_DIGITS: Final = 50
_MOST_REMEMBERED: Final = 10_000  # terms come from events, so there is no end of them
_FAR_EXPONENT: Final = 2_000
_ROUNDING: Final = Fraction(1, 10**9)
_DOUBLE, _FLOAT, _DECIMAL = (NamedNode(XSD + name) for name in ("double", "float", "decimal"))


@dataclass(frozen=True, slots=True)
class Conversion:
    """From a unit to its base unit: (number + offset) · factor."""

    base: str
    factor: Fraction
    offset: Fraction = Fraction(0)

    def __call__(self, number: Decimal | int) -> Decimal:
        """The number in the base unit: exact where a decimal can be, else to 50 digits, so that order is kept."""
        return _decimal((Fraction(number) + self.offset) * self.factor)


def _decimal(number: Fraction) -> Decimal:
    """The decimal of a fraction, without an exponent or zeros at its end: one number has one form."""
    rest, twos, fives = number.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    with localcontext() as context:
        context.prec = _DIGITS if rest != 1 else max(len(str(abs(number.numerator))) + places + 1, _DIGITS)
        found = Decimal(number.numerator) / Decimal(number.denominator)
        return Decimal(format(found.normalize(context), "f"))


def converted(value: object, conversion: Conversion) -> Any:
    """A number (Python's, or a literal) in the base unit, in the same form; None for what is no number.

    Integers and decimals become decimals; doubles and floats stay what they are, read as they are written.
    """
    if isinstance(value, Literal):
        return _converted_literal(value, conversion)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if not math.isfinite(value):
        return value
    if isinstance(value, float):
        return type(value)(to_double(conversion(Decimal(repr(float(value))))))
    return None if _is_far(value) else conversion(value)


def _is_far(value: int | Decimal) -> bool:
    """A decimal such as 1E-999999999, of which the fraction would fill the memory."""
    return isinstance(value, Decimal) and bool(value) and abs(value.adjusted()) > _FAR_EXPONENT


def _converted_literal(literal: Literal, conversion: Conversion) -> Literal | None:
    value = value_of(literal)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if not math.isfinite(value):
        return literal
    exact = conversion(Decimal(literal.value if value else 0) if isinstance(value, float) else value)
    if isinstance(value, Float):
        return Literal(repr(float(Float(to_double(exact)))), datatype=_FLOAT)
    if isinstance(value, float):
        return Literal(repr(to_double(exact)).replace("inf", "INF"), datatype=_DOUBLE)
    return Literal(format(exact, "f"), datatype=_DECIMAL)


class UnitTable:
    """The units that an ontology, QUDT and UCUM name. `aliases` gives all IRIs that are stated to be the same."""

    def __init__(self, ontology: Ontology, aliases: Callable[[str], Iterable[str]]) -> None:
        if importlib.util.find_spec("pint") is None:
            hint = "pip install 'semantic-pubsub[units]', or pass units=False"
            raise SemanticPubSubError("converting units needs pint, which is not installed", hint=hint)
        self._ontology = ontology
        self._aliases = aliases
        self._found: dict[str, Conversion | None] = {}
        self._lock = threading.RLock()

    def of_iri(self, iri: str) -> Conversion | None:
        """The conversion of a unit by its IRI; None where nothing says what it is."""
        return self._remembered(
            f"<{iri}>", lambda: next(filter(None, map(self._look_up, (iri, *self._aliases(iri)))), None)
        )

    def of_code(self, code: str) -> Conversion | None:
        """The conversion of a UCUM code, or of a symbol or name of a unit that pint knows."""
        stated = self._stated_codes.get(code)
        if stated and (found := self.of_iri(stated)) is not None:
            return found
        return self._remembered(code, lambda: self._of_text(code))

    def _remembered(self, key: str, look_up: Callable[[], Conversion | None]) -> Conversion | None:
        """What was found before. pint's registry keeps caches of its own, so one thread at a time asks it."""
        with self._lock:
            if key not in self._found:
                if len(self._found) >= _MOST_REMEMBERED:
                    self._found.clear()
                self._found[key] = look_up()
            return self._found[key]

    def is_currency(self, term: str) -> bool:
        """Whether an IRI or code stands for money: compared, never converted."""
        if term in _CURRENCY_CODES or term.startswith(_CURRENCY_NAMESPACE):
            return True
        kinds = {upper for name in self._ontology.types(term) for upper in self._ontology.superclasses(name)}
        return any(local_name(kind) in _CURRENCY_CLASSES for kind in kinds)

    # where the meaning of a unit comes from, the surest first

    def _look_up(self, iri: str) -> Conversion | None:
        if self.is_currency(iri):
            return None
        named = self._of_names(iri)
        return self._stated(iri, named) or named

    def _of_names(self, iri: str) -> Conversion | None:
        """By stated codes, QUDT's local name, then labels; labels that mean different units mean none."""
        for code in (code for predicate in _CODES[:1] for code in self._texts(predicate, iri)):
            if (found := self._of_text(code)) is not None:
                return found
        if iri.startswith(QUDT_UNIT):
            return self._of_product(qudt_product(iri.removeprefix(QUDT_UNIT), self._knows))
        meant = {c for predicate in _LABELS for text in self._texts(predicate, iri) for c in self._readings(text)}
        if meant:
            return meant.pop() if len(meant) == 1 else None
        name = local_name(iri)
        return self._of_text(name) or self._of_product(qudt_product(name, self._knows))

    def _readings(self, text: str) -> Iterator[Conversion]:
        """What a label means: as written, or in small letters where it is a word and no symbol."""
        word = "_".join(text.split())
        found = self._of_text(word) or (self._of_text(word.lower()) if len(word) > 3 else None)
        if found is not None:
            yield found

    def _stated(self, iri: str, named: Conversion | None) -> Conversion | None:
        """By qudt:conversionMultiplier and -Offset. A multiplier that only rounds the exact one (5/9) gives way to it.

        Pure counts share one dimension vector, so they convert only where a name says what is counted.
        """
        factor = _fraction(self._texts(QUDT + "conversionMultiplier", iri))
        vectors = self._texts(QUDT + "hasDimensionVector", iri)
        base = named.base if named else _base_of_vector(local_name(vectors[0])) if vectors else None
        if not factor or base is None:
            return None
        offset = _fraction(self._texts(QUDT + "conversionOffset", iri)) or Fraction(0)
        if named and _is_near(factor, named.factor) and _is_near(offset, named.offset):
            return named
        return Conversion(base, factor, offset)

    def _texts(self, predicate: str, iri: str) -> tuple[str, ...]:
        return self._annotations(predicate).get(iri, ())

    def _annotations(self, predicate: str) -> dict[str, tuple[str, ...]]:
        known = self._by_predicate.get(predicate)
        if known is None:
            found: dict[str, list[str]] = {}
            for iri, text in self._ontology.annotations(predicate):
                found.setdefault(iri, []).append(text)
            known = self._by_predicate[predicate] = {iri: tuple(texts) for iri, texts in found.items()}
        return known

    @cached_property
    def _by_predicate(self) -> dict[str, dict[str, tuple[str, ...]]]:
        return {}

    @cached_property
    def _stated_codes(self) -> dict[str, str]:
        """Each code that the ontology states of a unit; of several units the smallest IRI."""
        pairs = [(code, iri) for predicate in _CODES for iri, code in self._ontology.annotations(predicate)]
        return dict(sorted(pairs, reverse=True))

    # pint

    @cached_property
    def _registry(self) -> Any:
        import pint

        return pint.UnitRegistry(non_int_type=Fraction, on_redefinition="ignore")

    def _knows(self, name: str) -> bool:
        return name in self._registry

    def _of_text(self, code: str) -> Conversion | None:
        return self._of_product(ucum_product(code, self._knows))

    def _of_product(self, product: Product | None) -> Conversion | None:
        """pint's factor, with an offset for a scale (°C) that stands by itself."""
        if not product:
            return None
        if len(product) == 1 and product[0][1] == 1:
            return self._simple(product[0][0])
        factor, exponents = Fraction(1), dict[str, Fraction]()
        for name, exponent in product:
            scale, units = self._registry.get_base_units(
                self._registry.Unit(f"delta_{name}" if self._is_scale(name) else name)
            )
            factor *= Fraction(scale) ** exponent
            for unit, power in units._units.items():
                exponents[unit] = exponents.get(unit, Fraction(0)) + Fraction(power) * exponent
        return _conversion(exponents, factor, Fraction(0))

    def _simple(self, name: str) -> Conversion | None:
        registry, unit = self._registry, self._registry.Unit(name)
        try:
            zero, one = (registry.Quantity(Fraction(n), unit).to_base_units() for n in (0, 1))
        except (ArithmeticError, TypeError, ValueError):  # logarithmic scales, which fractions cannot hold
            return None
        factor = Fraction(one.magnitude) - Fraction(zero.magnitude)
        if not factor:
            return None
        exponents = {base: Fraction(power) for base, power in one._units.items()}
        return _conversion(exponents, factor, Fraction(zero.magnitude) / factor)

    def _is_scale(self, name: str) -> bool:
        found = self._simple(name)
        return found is not None and found.offset != 0


def _conversion(exponents: dict[str, Fraction], factor: Fraction, offset: Fraction) -> Conversion | None:
    if any(power.denominator != 1 for power in exponents.values()) or factor <= 0:
        return None
    return Conversion(_base({_BASES.get(n, n): int(power) for n, power in exponents.items()}), factor, offset)


def _base(exponents: dict[str, int]) -> str:
    """The IRI of a product of base units, in the manner of QUDT: `KiloGM-M-PER-SEC2`."""
    above, below = (
        "-".join(f"{n}{abs(p) if abs(p) > 1 else ''}" for n, p in sorted(exponents.items()) if p * sign > 0)
        for sign in (1, -1)
    )
    return QUDT_UNIT + (
        "-PER-".join(filter(None, (above, below))) if above else f"PER-{below}" if below else "UNITLESS"
    )


def _base_of_vector(vector: str) -> str | None:
    """The base unit of a dimension vector such as A0E0L1I0M0H0T-2D0; None for numbers and for roots."""
    exponents, at = dict[str, int](), 0
    for letter, following in zip("AELIMHT", "ELIMHTD", strict=True):
        start, end = vector.find(letter, at) + 1, vector.find(following, at + 1)
        power = vector[start:end]
        if not start or end < 0 or not power.removeprefix("-").isdecimal():
            return None
        exponents[_VECTOR[letter]], at = int(power), end
    return _base(exponents) if any(exponents.values()) else None


def _fraction(texts: tuple[str, ...]) -> Fraction | None:
    try:
        number = Decimal(texts[0]) if texts else None
    except ArithmeticError:
        return None
    return None if number is None or not number.is_finite() or _is_far(number) else Fraction(number)


def _is_near(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) <= _ROUNDING * abs(other)
