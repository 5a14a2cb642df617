"""Units of measurement: which one a term names, and how a number in it becomes one in the base unit, exactly.

A unit is an IRI of QUDT, an individual of the ontology (by QUDT statements, labels or local name), or a code as text.
Base units are written as IRIs in QUDT's manner; data sizes are bits, masses kilograms. Currencies have rates, not
factors, and are never converted.
"""

from __future__ import annotations

import threading
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

from semantic_pubsub.concepts.facts import QUDT
from semantic_pubsub.concepts.names import local_name
from semantic_pubsub.matching.flat.conversions import Conversion, converted, is_far
from semantic_pubsub.matching.flat.pint_units import QUDT_UNIT, base_iri, conversion_of, need_pint, unit_of_word
from semantic_pubsub.matching.flat.ucum import MOST_CHARACTERS, is_prefix, qudt_product, ucum_product
from semantic_pubsub.vocab import RDFS, SKOS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from semantic_pubsub.concepts import Ontology

__all__ = ["Conversion", "UnitTable", "converted"]

CURRENCY_CLASSES: Final = frozenset(("Currency", "CurrencyUnit"))
_CURRENCY_NAMESPACE: Final = "http://qudt.org/vocab/currency/"
_CURRENCY_CODES: Final = frozenset(
    (
        *("AED", "ARS", "AUD", "BGN", "BRL", "BTC", "CAD", "CHF", "CLP", "CNY", "COP", "CZK", "DKK", "EGP", "EUR"),
        *("GBP", "HKD", "HUF", "IDR", "ILS", "INR", "ISK", "JPY", "KES", "KRW", "KWD", "MAD", "MXN", "MYR", "NGN"),
        *("NOK", "NZD", "PEN", "PHP", "PKR", "PLN", "QAR", "RON", "RSD", "RUB", "SAR", "SEK", "SGD", "THB", "TRY"),
        *("TWD", "UAH", "USD", "VND", "ZAR", "$", "€", "£", "¥", "₹", "₽", "₩"),
    )
)
_UCUM_CODE: Final = QUDT + "ucumCode"
_LABELS: Final = (QUDT + "symbol", RDFS + "label", SKOS + "prefLabel", SKOS + "altLabel")
_VECTOR: Final = {"A": "MOL", "E": "A", "L": "M", "I": "CD", "M": "KiloGM", "H": "K", "T": "SEC"}
_COUNTS: Final = frozenset(("BIT", "RAD", "UNITLESS", "count"))
_SHORTEST_QUDT_NAME: Final = 3  # outside of QUDT "M" need not be a metre
_MOST_REMEMBERED: Final = 10_000  # terms come from events, so there is no end of them
_LONGEST_IRI: Final = 2_000
_ROUNDING: Final = Fraction(1, 10**9)


class UnitTable:
    """The units that an ontology, QUDT and UCUM name. `aliases` gives all IRIs that are stated to be the same."""

    def __init__(self, ontology: Ontology, aliases: Callable[[str], Iterable[str]]) -> None:
        need_pint()
        self._ontology = ontology
        self._aliases = aliases
        self._by_iri: dict[str, Conversion | None] = {}
        self._by_code: dict[str, Conversion | None] = {}
        self._by_predicate: dict[str, dict[str, tuple[str, ...]]] = {}
        self._lock = threading.RLock()

    def of_iri(self, iri: str) -> Conversion | None:
        """The conversion of a unit by its IRI; None where nothing says what it is."""
        if len(iri) > _LONGEST_IRI:
            return None
        return self._remembered(self._by_iri, iri, self._of_names_for_one)

    def of_code(self, code: str) -> Conversion | None:
        """The conversion of a UCUM code, of an everyday symbol, or of a word for a unit."""
        if len(code) > MOST_CHARACTERS:
            return None
        stated = self._stated_codes.get(code)
        if stated and (found := self.of_iri(stated)) is not None:
            return found
        return self._remembered(self._by_code, code, _of_text)

    def _remembered(
        self, known: dict[str, Conversion | None], key: str, look_up: Callable[[str], Conversion | None]
    ) -> Conversion | None:
        with self._lock:
            if key not in known:
                if len(known) >= _MOST_REMEMBERED:
                    known.clear()
                known[key] = look_up(key)
            return known[key]

    def is_currency(self, term: str) -> bool:
        """Whether an IRI or code stands for money: compared, never converted."""
        if term in _CURRENCY_CODES or term.startswith(_CURRENCY_NAMESPACE):
            return True
        kinds = {upper for name in self._ontology.types(term) for upper in self._ontology.superclasses(name)}
        return any(local_name(kind) in CURRENCY_CLASSES for kind in kinds)

    # where the meaning of a unit comes from, the surest first

    def _of_names_for_one(self, iri: str) -> Conversion | None:
        """What the IRI or one that is the same says; money among them is none."""
        names = dict.fromkeys((iri, *self._aliases(iri)))
        if any(map(self.is_currency, names)):
            return None
        return next(filter(None, map(self._look_up, names)), None)

    def _look_up(self, iri: str) -> Conversion | None:
        named, vectors = self._of_names(iri), self._texts(QUDT + "hasDimensionVector", iri)
        if named and vectors and _without_counts(named.base) != (_base_of_vector(vectors[0]) or QUDT_UNIT + "UNITLESS"):
            named = None  # such as gross tonnage, a volume with the code t{gross}
        factor = _fraction(self._texts(QUDT + "conversionMultiplier", iri))
        if factor is None:
            return named
        return self._stated(iri, factor, named, vectors) if factor > 0 else None  # 0: a logarithm, such as the bel

    def _of_names(self, iri: str) -> Conversion | None:
        """By QUDT's local name, stated codes, then labels; labels that mean different units mean none."""
        if iri.startswith(QUDT_UNIT):
            found = conversion_of(qudt_product(iri.removeprefix(QUDT_UNIT)))
            if found is not None:
                return found
        found = next(filter(None, map(_of_text, self._texts(_UCUM_CODE, iri))), None)
        if found is not None or iri.startswith(QUDT_UNIT):
            return found
        meant = {c for predicate in _LABELS for text in self._texts(predicate, iri) for c in _readings(text)}
        if meant:
            return meant.pop() if len(meant) == 1 else None
        name = local_name(iri)
        if is_prefix(name):
            return None
        return _of_text(name) or (conversion_of(qudt_product(name)) if len(name) >= _SHORTEST_QUDT_NAME else None)

    def _stated(
        self, iri: str, factor: Fraction, named: Conversion | None, vectors: tuple[str, ...]
    ) -> Conversion | None:
        """By qudt:conversionMultiplier and -Offset. A multiplier that only rounds the exact one (5/9) gives way to it.

        Pure counts share one dimension vector, so they convert only where a name says what is counted.
        """
        base = named.base if named else _base_of_vector(vectors[0]) if vectors else None
        if base is None:
            return None
        offset = _fraction(self._texts(QUDT + "conversionOffset", iri)) or Fraction(0)
        if named and _is_near(factor, named.factor) and _is_near(offset, named.offset):
            return named
        return Conversion(base, factor, offset)

    def _texts(self, predicate: str, iri: str) -> tuple[str, ...]:
        known = self._by_predicate.get(predicate)
        if known is None:
            found: dict[str, list[str]] = {}
            for subject, text in self._ontology.annotations(predicate):
                found.setdefault(subject, []).append(text)
            known = self._by_predicate[predicate] = {subject: tuple(texts) for subject, texts in found.items()}
        return known.get(iri, ())

    @cached_property
    def _stated_codes(self) -> dict[str, str]:
        """Each code that the ontology states of a unit, UCUM's before UN/ECE's; of several units the smallest IRI."""
        found: dict[str, str] = {}
        for predicate in (QUDT + "uneceCommonCode", _UCUM_CODE):
            found.update(sorted(((c, iri) for iri, c in self._ontology.annotations(predicate)), reverse=True))
        return found


def _of_text(code: str) -> Conversion | None:
    return conversion_of(ucum_product(code, unit_of_word))


def _readings(text: str) -> Iterator[Conversion]:
    found = _of_text("_".join(text.split()))
    if found is not None:
        yield found


def _without_counts(base: str) -> str:
    """A base unit without what has no dimension in QUDT: bits, angles and counts."""
    above, _, below = base.removeprefix(QUDT_UNIT).removeprefix("PER-").partition("-PER-")
    parts = ("", above) if base.startswith(QUDT_UNIT + "PER-") else (above, below)
    top, bottom = ("-".join(n for n in part.split("-") if n.rstrip("23456789") not in _COUNTS) for part in parts)
    return QUDT_UNIT + (f"{top}-PER-{bottom}".removeprefix("-") if bottom else top or "UNITLESS")


def _base_of_vector(iri: str) -> str | None:
    """The base unit of a dimension vector such as A0E0L1I0M0H0T-2D0; None for numbers and for roots."""
    vector, exponents, at = local_name(iri), dict[str, int](), 0
    for letter, following in zip("AELIMHT", "ELIMHTD", strict=True):
        start, end = vector.find(letter, at) + 1, vector.find(following, at + 1)
        power = vector[start:end]
        if not start or end < 0 or not power.removeprefix("-").isdecimal():
            return None
        exponents[_VECTOR[letter]], at = int(power), end
    return base_iri(exponents) if any(exponents.values()) else None


def _fraction(texts: tuple[str, ...]) -> Fraction | None:
    try:
        number = Decimal(texts[0]) if texts else None
    except ArithmeticError:
        return None
    return None if number is None or not number.is_finite() or is_far(number) else Fraction(number)


def _is_near(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) <= _ROUNDING * abs(other)
