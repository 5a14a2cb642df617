"""What pint knows: the base units and the exact factor of a product of units, and words that are written out."""

from __future__ import annotations

import importlib.util
import threading
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.flat.conversions import Conversion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from semantic_pubsub.matching.flat.ucum import Product

__all__ = ["QUDT_UNIT", "base_iri", "conversion_of", "need_pint", "unit_of_word"]

QUDT_UNIT: Final = "http://qudt.org/vocab/unit/"

# pint's base units in QUDT's words.
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
# Words for which countries, trades or centuries have different sizes.
_AMBIGUOUS: Final = frozenset(
    (
        *("acre", "barrel", "bushel", "calorie", "cup", "dram", "fluid_dram", "fluid_ounce", "gallon", "gill"),
        *("horsepower", "hundredweight", "peck", "pica", "pint", "point", "quart", "tablespoon", "teaspoon", "ton"),
    )
)
_SHORTEST_WORD: Final = 4
_MOST_BITS: Final = 400  # of a factor, beside what pi takes: 10^±120
_LOCK: Final = threading.RLock()  # pint's registry keeps caches of its own


def need_pint() -> None:
    """An error that says what to install, where pint is missing."""
    if importlib.util.find_spec("pint") is None:
        hint = "pip install 'semantic-pubsub[units]', or pass units=False"
        raise SemanticPubSubError("converting units needs pint, which is not installed", hint=hint)


@cache
def _registry() -> Any:
    import pint

    return pint.UnitRegistry(non_int_type=Fraction, on_redefinition="ignore")


def unit_of_word(word: str) -> str | None:
    """pint's name for a unit that is written out (`megabytes`, `Kilometre`), prefix and all; None for any other text.

    Symbols are not asked for: pint finds a unit in most short texts.
    """
    if len(word) < _SHORTEST_WORD or not word.replace("_", "").isalpha():
        return None
    with _LOCK:
        return _unit_of_word(word) or _unit_of_word(word.lower())


def _unit_of_word(word: str) -> str | None:
    readings = _registry().parse_unit_name(word)
    if len(readings) != 1:
        return None
    prefix, unit, _ = readings[0]
    rest = word.removeprefix(prefix)
    if not word.startswith(prefix) or (prefix and len(rest) < _SHORTEST_WORD - 1) or _is_symbol(rest, unit):
        return None
    return None if unit in _AMBIGUOUS or _is_prefixed(prefix, unit) else str(prefix + unit)


def _is_symbol(text: str, unit: str) -> bool:
    symbol = _registry().get_symbol(unit)
    return symbol != unit and text in (symbol, f"{symbol}s")


def _is_prefixed(prefix: str, unit: str) -> bool:
    """pint remembers `kilometer` as a unit once it was asked for, and would then read `kilokilometer`."""
    return bool(prefix) and any(p and u != unit for p, u, _ in _registry().parse_unit_name(unit))


def conversion_of(product: Product | None) -> Conversion | None:
    """pint's factor, with an offset for a scale (°C) that stands by itself; None for what fractions cannot hold."""
    if not product:
        return None
    import pint

    with _LOCK:
        try:
            if len(product) == 1 and product[0][1] == 1 and not product[0][0].isdecimal():
                return _simple(product[0][0])
            return _compound(product)
        except (ArithmeticError, AttributeError, TypeError, ValueError, pint.PintError):
            return None  # logarithmic scales, scales with a prefix


def _compound(product: Product) -> Conversion | None:
    factor, exponents = Fraction(1), dict[str, Fraction]()
    for name, exponent in product:
        if name.isdecimal():
            factor *= Fraction(int(name)) ** exponent
            continue
        scale, units = _registry().get_base_units(_registry().Unit(name))  # of a scale without its offset
        factor *= Fraction(scale) ** exponent
        for unit, power in units._units.items():
            exponents[unit] = exponents.get(unit, Fraction(0)) + Fraction(power) * exponent
    return _conversion(exponents, factor, Fraction(0))


def _simple(name: str) -> Conversion | None:
    unit = _registry().Unit(name)
    zero, one = (_registry().Quantity(Fraction(n), unit).to_base_units() for n in (0, 1))
    factor = Fraction(one.magnitude) - Fraction(zero.magnitude)
    if not factor:
        return None
    exponents = {base: Fraction(power) for base, power in one._units.items()}
    return _conversion(exponents, factor, Fraction(zero.magnitude) / factor)


def _conversion(exponents: dict[str, Fraction], factor: Fraction, offset: Fraction) -> Conversion | None:
    size = abs(factor.numerator.bit_length() - factor.denominator.bit_length())
    if factor <= 0 or size > _MOST_BITS or any(power.denominator != 1 for power in exponents.values()):
        return None
    return Conversion(base_iri({_BASES.get(n, n): int(power) for n, power in exponents.items()}), factor, offset)


def base_iri(exponents: Mapping[str, int]) -> str:
    """The IRI of a product of base units, in the manner of QUDT: `KiloGM-M-PER-SEC2`."""
    above, below = (
        "-".join(f"{n}{abs(p) if abs(p) > 1 else ''}" for n, p in sorted(exponents.items()) if p * sign > 0)
        for sign in (1, -1)
    )
    if not below:
        return QUDT_UNIT + (above or "UNITLESS")
    return f"{QUDT_UNIT}{above}-PER-{below}" if above else f"{QUDT_UNIT}PER-{below}"
