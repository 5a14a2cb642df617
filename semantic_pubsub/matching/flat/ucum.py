"""Unit codes: from UCUM's, QUDT's and everyday spellings to the names that pint knows.

A code is a product of simple units with small exponents (`kg.m-2`, `km/h`, `J/(kg.K)`, `10*3/uL`, QUDT's
`KiloGM-PER-M3`). It is taken apart here and never given to an expression parser: no text can make it compute anything.
The tables are small on purpose: pint also reads `dpi` as a dry pint and `unit` as a micronit.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["MOST_CHARACTERS", "Product", "is_prefix", "qudt_product", "ucum_product"]

Product: TypeAlias = tuple[tuple[str, int], ...]
"""Names of pint, or whole numbers, with their exponents."""

MOST_CHARACTERS: Final = 64

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
    "Pi": "pebi",
    "Ei": "exbi",
}
# UCUM's atoms that take a prefix.
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
    "Ω": "ohm",
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
    "U": "enzyme_unit",
    "l": "liter",
    "L": "liter",
    "bar": "bar",
    "eV": "electron_volt",
    "u": "unified_atomic_mass_unit",
    "C": "coulomb",
    "cal": "calorie",
    "pc": "parsec",
    "dyn": "dyne",
    "erg": "erg",
    "P": "poise",
    "St": "stokes",
}
# What takes large prefixes only. UCUM's own reading of "ft", "pt" (fractions of a tonne) and "dB" (B is its bel, and
# whoever writes GB means bytes) is nobody's.
_LARGE: Final = {"t": "metric_ton", "B": "byte", "bps": "bps"}
_LARGE_PREFIXES: Final = frozenset(("k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"))
_OTHER: Final = {
    "%": "percent",
    "[ppm]": "ppm",
    "ppm": "ppm",
    "min": "minute",
    "h": "hour",
    "hr": "hour",
    "sec": "second",
    "d": "day",
    "day": "day",
    "wk": "week",
    "a": "julian_year",
    "yr": "julian_year",
    "mo": "month",
    "deg": "degree",
    "'": "arcminute",
    "''": "arcsecond",
    "gon": "grade",
    "Cel": "degree_Celsius",
    "[degF]": "degree_Fahrenheit",
    "[degR]": "degree_Rankine",
    "ar": "are",
    "har": "hectare",
    "[acr_us]": "acre",
    "ha": "hectare",
    "[in_i]": "inch",
    "[ft_i]": "foot",
    "[yd_i]": "yard",
    "[mi_i]": "mile",
    "[nmi_i]": "nautical_mile",
    "[kn_i]": "knot",
    "[lb_av]": "pound",
    "[oz_av]": "ounce",
    "[lbf_av]": "force_pound",
    "[gal_us]": "gallon",
    "[qt_us]": "quart",
    "[pt_us]": "pint",
    "[gal_br]": "imperial_gallon",
    "[pt_br]": "imperial_pint",
    "[psi]": "psi",
    "[car_m]": "carat",
    "[Cal]": "kilocalorie",
    "mm[Hg]": "millimeter_Hg",
    "m[Hg]": "meter_Hg",
    "mmHg": "millimeter_Hg",
    "atm": "atmosphere",
    "gf": "force_gram",
    "kgf": "force_kilogram",
    "Ao": "angstrom",
    "AU": "astronomical_unit",
    # everyday spellings that are no codes of UCUM
    "in": "inch",
    "ft": "foot",
    "yd": "yard",
    "mi": "mile",
    "nmi": "nautical_mile",
    "kn": "knot",
    "lb": "pound",
    "lbs": "pound",
    "oz": "ounce",
    "mph": "mph",
    "kph": "kph",
    "rpm": "rpm",
    "psi": "psi",
    "Wh": "watt_hour",
    "kWh": "kilowatt_hour",
    "MWh": "megawatt_hour",
    "GWh": "gigawatt_hour",
    "Ah": "ampere_hour",
    "mAh": "milliampere_hour",
    "degC": "degree_Celsius",
    "degF": "degree_Fahrenheit",
    "°C": "degree_Celsius",
    "℃": "degree_Celsius",
    "°F": "degree_Fahrenheit",
    "℉": "degree_Fahrenheit",
    "°": "degree",
}
_TYPED: Final = str.maketrans("²³⁻⁺µμ", "23-+uu")
_ATOM: Final = re.compile(
    r"([^\W\d_]*\[[^\[\]]+\]|[^\W\d_]+(?:_[^\W\d_]+)*|%|''?|°[CF]?|℃|℉)(?:(?:\^|\*\*)?([+-]?[1-9]))?(?:\{[^{}]*\})?"
)
_NUMBER: Final = re.compile(r"10(?:[*^]([+-]?[0-9]{1,2})?)(?![0-9])|([1-9][0-9]{0,5})(?![0-9])")
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
    "REV": "turn",
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
    "HA": "hectare",
    "ATM": "atmosphere",
    "PERCENT": "percent",
    "UNITLESS": "1",
    "AU": "astronomical_unit",
}
_QUDT_PREFIXES: Final = {name.capitalize(): name for name in [*_PREFIXES.values(), "deka"]}
_QUDT_TERM: Final = re.compile(r"(.*?[A-Za-z])([1-9])?")


def ucum_product(code: str, named: Callable[[str], str | None]) -> Product | None:
    """The simple units of a UCUM code or of an everyday spelling; `named` gives the unit of a word that is written out.

    None for what is neither. What annotates a unit (`g{wet}`) is left out as in UCUM; one that stands for a unit
    (`{beats}/min`) says nothing that could be compared.
    """
    if not code or len(code) > MOST_CHARACTERS:
        return None
    text = code.translate(_TYPED)
    found: list[tuple[str, int]] = []
    outer, sign, at = [1], 1, 0
    if text.startswith("/"):
        sign, at = -1, 1
    while True:
        while text.startswith("(", at):
            outer.append(outer[-1] * sign)
            sign, at = 1, at + 1
        unit, at = _component(text, at, named)
        if unit is None:
            return None
        found.append((unit[0], unit[1] * sign * outer[-1]))
        while len(outer) > 1 and text.startswith(")", at):
            outer.pop()
            at += 1
        if at == len(text):
            return tuple(found) if len(outer) == 1 else None
        separator = _SEPARATOR.match(text, at)
        if separator is None:
            return None
        sign, at = (-1 if separator.group() == "/" else 1), separator.end()


def _component(text: str, at: int, named: Callable[[str], str | None]) -> tuple[tuple[str, int] | None, int]:
    """One unit or number with its exponent, and where it ends."""
    if (number := _NUMBER.match(text, at)) is not None:
        whole, exponent = number.group(2), number.group(1)
        return (whole or "10", 1 if whole else int(exponent or 1)), number.end()
    if (atom := _ATOM.match(text, at)) is None:
        return None, at
    name = _ucum_name(atom.group(1)) or named(atom.group(1))
    return (None if name is None else (name, int(atom.group(2) or 1))), atom.end()


def _ucum_name(atom: str) -> str | None:
    """pint's name for one unit, with UCUM's meaning: `a` is a year."""
    for names in (_OTHER, _METRIC, _LARGE):
        if atom in names:
            return names[atom]
    for prefix, whole in _PREFIXES.items():
        if atom.startswith(prefix):
            rest = atom[len(prefix) :]
            name = _METRIC.get(rest) or (_LARGE.get(rest) if prefix in _LARGE_PREFIXES else None)
            if name is not None:
                return whole + name
    return None


def is_prefix(text: str) -> bool:
    """Whether a text is a large prefix by itself: `M`, `G` and `T` may be sizes, and are no units of their own."""
    return text in _LARGE_PREFIXES


def qudt_product(name: str) -> Product | None:
    """The simple units of a QUDT local name: `GigaBYTE`, `M-PER-SEC2`, `PER-M`."""
    if not name or len(name) > MOST_CHARACTERS:
        return None
    above, _, below = name.removeprefix("PER-").partition("-PER-")
    parts = [(above, -1)] if name.startswith("PER-") else [(above, 1), (below, -1)]
    found: list[tuple[str, int]] = []
    for text, sign in parts:
        for unit, exponent in _qudt_terms(text):
            known = _qudt_name(unit)
            if known is None:
                return None
            found.append((known, sign * exponent))
    return tuple(found)


def _qudt_terms(text: str) -> Iterator[tuple[str, int]]:
    for part in text.split("-") if text else ():
        term = _QUDT_TERM.fullmatch(part)
        yield (term.group(1), int(term.group(2) or 1)) if term else (part, 1)


def _qudt_name(unit: str) -> str | None:
    if unit in _QUDT:
        return _QUDT[unit]
    for prefix, whole in _QUDT_PREFIXES.items():
        rest = _QUDT.get(unit[len(prefix) :]) if unit.startswith(prefix) else None
        if rest is not None:
            return whole + rest
    return None
