"""Unit codes: from UCUM's, QUDT's and everyday spellings to the names that pint knows.

A code is a product of simple units with small exponents (`kg.m-2`, `km/h`, `m/s2`, QUDT's `KiloGM-PER-M3`). It is taken
apart here and never given to an expression parser, so no text can make it compute anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Product", "qudt_product", "ucum_product"]

Product: TypeAlias = tuple[tuple[str, int], ...]
"""Names of pint with their exponents."""

_MOST_CHARACTERS: Final = 64

_PREFIXES: Final = {
    "Y": "yotta",
    "Z": "zetta",
    "E": "exa",
    "P": "peta",
    "T": "tera",
    "G": "giga",
    "M": "mega",
    "k": "kilo",
    "h": "hecto",
    "da": "deca",
    "d": "deci",
    "c": "centi",
    "m": "milli",
    "u": "micro",
    "n": "nano",
    "p": "pico",
    "f": "femto",
    "a": "atto",
    "Ki": "kibi",
    "Mi": "mebi",
    "Gi": "gibi",
    "Ti": "tebi",
}
# UCUM's atoms that take a prefix. "B" (bel) is left out: whoever writes GB means bytes.
_METRIC: Final = {
    "By": "byte",
    "bit": "bit",
    "Bd": "baud",
    "m": "meter",
    "g": "gram",
    "s": "second",
    "K": "kelvin",
    "A": "ampere",
    "mol": "mole",
    "cd": "candela",
    "rad": "radian",
    "sr": "steradian",
    "Hz": "hertz",
    "N": "newton",
    "Pa": "pascal",
    "J": "joule",
    "W": "watt",
    "V": "volt",
    "F": "farad",
    "Ohm": "ohm",
    "S": "siemens",
    "Wb": "weber",
    "T": "tesla",
    "H": "henry",
    "lm": "lumen",
    "lx": "lux",
    "Bq": "becquerel",
    "Gy": "gray",
    "Sv": "sievert",
    "kat": "katal",
    "l": "liter",
    "L": "liter",
    "t": "metric_ton",
    "bar": "bar",
    "eV": "electron_volt",
    "u": "unified_atomic_mass_unit",
    "C": "coulomb",
    "Cel": "degree_Celsius",
    "cal": "calorie",
    "pc": "parsec",
}
_OTHER: Final = {
    "1": "dimensionless",
    "%": "percent",
    "min": "minute",
    "h": "hour",
    "d": "day",
    "wk": "week",
    "a": "julian_year",
    "mo": "month",
    "deg": "degree",
    "'": "arcminute",
    "''": "arcsecond",
    "[degF]": "degree_Fahrenheit",
    "har": "hectare",
    "[in_i]": "inch",
    "[ft_i]": "foot",
    "[yd_i]": "yard",
    "[mi_i]": "mile",
    "[nmi_i]": "nautical_mile",
    "[kn_i]": "knot",
    "[lb_av]": "pound",
    "[oz_av]": "ounce",
    "[gal_us]": "gallon",
    "[psi]": "psi",
    "[acr_us]": "acre",
    "mm[Hg]": "mmHg",
    "m[Hg]": "meter_Hg",
    "atm": "atmosphere",
    "AU": "astronomical_unit",
    "[degR]": "degree_Rankine",
    "°C": "degree_Celsius",
    "℃": "degree_Celsius",
    "°F": "degree_Fahrenheit",
    "℉": "degree_Fahrenheit",
    "°": "degree",
}
_TERM: Final = re.compile(r"(\[[^\[\]]+\]|mm?\[Hg\]|1|[^\W\d]+|%|''?|°[CF]?|℃|℉)(?:\^|\*\*)?([+-]?[0-9])?")
_SEPARATOR: Final = re.compile(r"\*(?!\*)|[./·⋅]")

_QUDT: Final = {
    "BYTE": "byte",
    "BIT": "bit",
    "M": "meter",
    "GM": "gram",
    "SEC": "second",
    "K": "kelvin",
    "A": "ampere",
    "MOL": "mole",
    "CD": "candela",
    "RAD": "radian",
    "SR": "steradian",
    "HZ": "hertz",
    "N": "newton",
    "PA": "pascal",
    "J": "joule",
    "W": "watt",
    "V": "volt",
    "FARAD": "farad",
    "OHM": "ohm",
    "S": "siemens",
    "WB": "weber",
    "T": "tesla",
    "H": "henry",
    "LM": "lumen",
    "LUX": "lux",
    "BQ": "becquerel",
    "GRAY": "gray",
    "SV": "sievert",
    "KAT": "katal",
    "L": "liter",
    "TONNE": "metric_ton",
    "TON_Metric": "metric_ton",
    "BAR": "bar",
    "EV": "electron_volt",
    "C": "coulomb",
    "CAL": "calorie",
    "DEG_C": "degree_Celsius",
    "DEG_F": "degree_Fahrenheit",
    "DEG_R": "degree_Rankine",
    "MIN": "minute",
    "HR": "hour",
    "DAY": "day",
    "WK": "week",
    "YR": "julian_year",
    "DEG": "degree",
    "ARCMIN": "arcminute",
    "ARCSEC": "arcsecond",
    "IN": "inch",
    "FT": "foot",
    "YD": "yard",
    "MI": "mile",
    "MI_N": "nautical_mile",
    "KN": "knot",
    "LB": "pound",
    "OZ": "ounce",
    "GAL_US": "gallon",
    "PSI": "psi",
    "AC": "acre",
    "HA": "hectare",
    "ATM": "atmosphere",
    "PERCENT": "percent",
    "UNITLESS": "dimensionless",
    "AU": "astronomical_unit",
}
_QUDT_PREFIXES: Final = {name.capitalize(): name for name in [*_PREFIXES.values(), "deka", "pebi", "exbi"]}
_QUDT_TERM: Final = re.compile(r"(.*?[A-Za-z])([0-9])?")


def ucum_product(code: str, knows: Callable[[str], bool]) -> Product | None:
    """The simple units of a UCUM code or of an everyday spelling; None where one of them is unknown to `knows`."""
    if not code or len(code) > _MOST_CHARACTERS:
        return None
    sign, found, at = 1, list[tuple[str, int]](), 0
    if code.startswith("/"):
        sign, at = -1, 1
    while True:
        term = _TERM.match(code, at)
        name = None if term is None else _ucum_name(term.group(1), knows)
        if term is None or name is None:
            return None
        found.append((name, sign * int(term.group(2) or 1)))
        at = term.end()
        if at == len(code):
            return tuple(found)
        separator = _SEPARATOR.match(code, at)
        if separator is None:
            return None
        sign, at = (-1 if separator.group() == "/" else 1), separator.end()


def _ucum_name(atom: str, knows: Callable[[str], bool]) -> str | None:
    """pint's name for one unit: UCUM's meaning first, for `a` is a year there, then pint's own."""
    if atom in _METRIC or atom in _OTHER:
        return _METRIC.get(atom) or _OTHER[atom]
    for prefix, whole in _PREFIXES.items():
        rest = _METRIC.get(atom[len(prefix) :]) if atom.startswith(prefix) else None
        if rest is not None and knows(whole + rest):
            return whole + rest
    return atom if knows(atom) else None


def qudt_product(name: str, knows: Callable[[str], bool]) -> Product | None:
    """The simple units of a QUDT local name: `GigaBYTE`, `M-PER-SEC2`, `PER-M`."""
    if not name or len(name) > _MOST_CHARACTERS:
        return None
    above, _, below = name.removeprefix("PER-").partition("-PER-")
    parts = [(above, -1)] if name.startswith("PER-") else [(above, 1), (below, -1)]
    found: list[tuple[str, int]] = []
    for text, sign in parts:
        for unit, exponent in _qudt_terms(text):
            known = _qudt_name(unit, knows)
            if known is None:
                return None
            found.append((known, sign * exponent))
    return tuple(found)


def _qudt_terms(text: str) -> Iterator[tuple[str, int]]:
    for part in text.split("-") if text else ():
        term = _QUDT_TERM.fullmatch(part)
        yield (term.group(1), int(term.group(2) or 1)) if term else (part, 1)


def _qudt_name(unit: str, knows: Callable[[str], bool]) -> str | None:
    if unit in _QUDT:
        return _QUDT[unit]
    for prefix, whole in _QUDT_PREFIXES.items():
        rest = _QUDT.get(unit[len(prefix) :]) if unit.startswith(prefix) else None
        if rest is not None and knows(whole + rest):
            return whole + rest
    return None
