"""Points in time and durations as XML Schema 1.1 defines them: any year, any fraction, zones optional.

Python's `datetime` ends at the year 9999, at microseconds and knows no 24:00:00; these do not. Order is
XML Schema's partial order: where only one of two has a time zone, they compare if every zone that the
other could have (up to 14 hours either way) gives the same answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeAlias

from semantic_pubsub.vocab import XSD

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["PARSERS", "Duration", "Moment", "compare_durations", "compare_moments"]

Seconds: TypeAlias = int | Fraction

_WIDEST_ZONE: Final = 14 * 60
_ZONE: Final = r"(Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_YEAR: Final = r"(-?(?:[1-9][0-9]{3,}|0[0-9]{3}))"
_TIME: Final = r"([0-9]{2}):([0-9]{2}):([0-9]{2}(?:\.[0-9]+)?)"
# The order of the groups: year, month, day, hour, minute, second, zone; "()" holds a place.
_SHAPES: Final = {
    "dateTime": f"{_YEAR}-([0-9]{{2}})-([0-9]{{2}})T{_TIME}{_ZONE}",
    "date": f"{_YEAR}-([0-9]{{2}})-([0-9]{{2}})()()(){_ZONE}",
    "time": f"()()(){_TIME}{_ZONE}",
    "gYear": f"{_YEAR}()()()()(){_ZONE}",
    "gYearMonth": f"{_YEAR}-([0-9]{{2}})()()()(){_ZONE}",
    "gMonth": f"()--([0-9]{{2}})()()()(){_ZONE}",
    "gMonthDay": f"()--([0-9]{{2}})-([0-9]{{2}})()()(){_ZONE}",
    "gDay": f"()()---([0-9]{{2}})()()(){_ZONE}",
}
_DURATION: Final = re.compile(
    r"(-)?P(?=.)(?:([0-9]+)Y)?(?:([0-9]+)M)?(?:([0-9]+)D)?(?:T(?=.)(?:([0-9]+)H)?(?:([0-9]+)M)?(?:([0-9]+(?:\.[0-9]+)?)S)?)?"
)
# Where a part is not given: a leap year whose December has 31 days.
_REFERENCE: Final = (1972, 12, 31)
_MONTH_LENGTHS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


@dataclass(frozen=True, slots=True)
class Moment:
    """A dateTime, date, time or part of a date. `local` counts seconds on the clock as written."""

    kind: str
    local: Seconds
    zone: int | None
    fields: tuple[int, int, int, int, int, Seconds]
    lexical: str

    def universal(self, zone: int | None = None) -> Seconds:
        """Seconds at Greenwich; `zone` (minutes) stands in for one that is not known."""
        known = self.zone if zone is None else zone
        return self.local - 60 * (known or 0)


@dataclass(frozen=True, slots=True)
class Duration:
    """Months and seconds, which have no common measure."""

    months: int
    seconds: Seconds
    kind: str = "duration"


def compare_moments(one: Moment, other: Moment) -> int | None:
    """-1, 0, 1, or None for two kinds of moments and where an unknown time zone decides."""
    if one.kind != other.kind:
        return None
    if (one.zone is None) == (other.zone is None):
        return _sign(one.universal() - other.universal())
    if one.zone is None:
        reverse = compare_moments(other, one)
        return None if reverse is None else -reverse
    # other has no zone: it lies between itself at +14:00 and itself at -14:00
    if one.universal() < other.universal(_WIDEST_ZONE):
        return -1
    if one.universal() > other.universal(-_WIDEST_ZONE):
        return 1
    return None


def compare_durations(one: Duration, other: Duration) -> int | None:
    """-1, 0, 1, or None where it depends on which months are meant (P1M and P30D)."""
    if one.months == other.months:
        return _sign(one.seconds - other.seconds)
    if one.seconds == other.seconds:
        return _sign(one.months - other.months)
    answers = {_sign(_end(start, one) - _end(start, other)) for start in _STARTS}
    return answers.pop() if len(answers) == 1 else None


# XML Schema 1.1, part 2, section 3.3.6.1: starts that bring out how long a month can be.
_STARTS: Final = ((1696, 9), (1697, 2), (1903, 3), (1903, 7))


def _end(start: tuple[int, int], duration: Duration) -> Seconds:
    months = start[0] * 12 + start[1] - 1 + duration.months
    return 86_400 * _days(months // 12, months % 12 + 1, 1) + duration.seconds


def _sign(number: Seconds) -> int:
    return (number > 0) - (number < 0)


def _moment_parser(kind: str) -> Callable[[str], Moment]:
    shape = re.compile(_SHAPES[kind])

    def parse(lexical: str) -> Moment:
        match = shape.fullmatch(lexical)
        if match is None:
            raise ValueError(f"not an xsd:{kind}")
        year, month, day = (
            int(match[group]) if match[group] else reference
            for group, reference in zip((1, 2, 3), _REFERENCE, strict=True)
        )
        if not match[3]:
            day = 1
        hour, minute = int(match[4] or 0), int(match[5] or 0)
        second = _seconds(match[6] or "0")
        if not (1 <= month <= 12 and 1 <= day <= _month_length(year, month)):
            raise ValueError(f"no such day: {lexical}")
        midnight = hour == 24 and minute == 0 and second == 0
        if minute > 59 or second >= 60 or (hour > 23 and not midnight):
            raise ValueError(f"no such time: {lexical}")
        if midnight and kind == "time":
            hour = 0
        local = 86_400 * _days(year, month, day) + 3_600 * hour + 60 * minute + second
        fields = _fields(year, month, day, hour, minute, second)
        return Moment(kind, local, _zone(match[7]), fields, lexical)

    return parse


def _fields(
    year: int, month: int, day: int, hour: int, minute: int, second: Seconds
) -> tuple[int, int, int, int, int, Seconds]:
    """What YEAR() to SECONDS() answer; 24:00:00 is the first moment of the next day."""
    if hour < 24:
        return year, month, day, hour, minute, second
    if day < _month_length(year, month):
        return year, month, day + 1, 0, 0, 0
    return (year, month + 1, 1, 0, 0, 0) if month < 12 else (year + 1, 1, 1, 0, 0, 0)


def _duration_parser(kind: str) -> Callable[[str], Duration]:
    def parse(lexical: str) -> Duration:
        match = _DURATION.fullmatch(lexical)
        if match is None:
            raise ValueError(f"not an xsd:{kind}")
        years, months, days, hours, minutes = (int(match[group] or 0) for group in (2, 3, 4, 5, 6))
        has_months = match[2] or match[3]
        has_seconds = match[4] or match[5] or match[6] or match[7]
        if (kind == "dayTimeDuration" and has_months) or (kind == "yearMonthDuration" and has_seconds):
            raise ValueError(f"not an xsd:{kind}")
        sign = -1 if match[1] else 1
        seconds = 86_400 * days + 3_600 * hours + 60 * minutes + _seconds(match[7] or "0")
        return Duration(sign * (12 * years + months), sign * seconds, kind)

    return parse


def _seconds(text: str) -> Seconds:
    return Fraction(text) if "." in text else int(text)


def _zone(text: str | None) -> int | None:
    if not text:
        return None
    if text == "Z":
        return 0
    minutes = 60 * int(text[1:3]) + int(text[4:6])
    return -minutes if text[0] == "-" else minutes


def _month_length(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if month == 2 and leap else _MONTH_LENGTHS[month - 1]


def _days(year: int, month: int, day: int) -> int:
    """Days since 0000-03-01 in the proleptic Gregorian calendar (months counted from March)."""
    if month <= 2:
        year -= 1
    shifted = (month + 9) % 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * shifted + 2) // 5 + day - 1


PARSERS: Final[dict[str, Callable[[str], Moment | Duration]]] = {
    **{XSD + kind: _moment_parser(kind) for kind in _SHAPES},
    **{XSD + kind: _duration_parser(kind) for kind in ("duration", "dayTimeDuration", "yearMonthDuration")},
}
"""Value of a lexical form, by datatype; a ValueError for one that is not in its space."""
