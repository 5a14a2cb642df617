"""Subscriptions from files and folders."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.subscriptions.limits import MAX_TEXT_LENGTH
from semantic_pubsub.subscriptions.model import SYNTAX_OF_ENDING, Subscription, Syntax, read_text, syntax_of

__all__ = ["SubscriptionText", "subscription_texts", "subscriptions_from"]

_ENDINGS: Final = (*SYNTAX_OF_ENDING, ".jsonl")
_MAX_LINE: Final = 8 * MAX_TEXT_LENGTH
_KEYS: Final = {"id", "injective", "pattern"}

OnError = Callable[[SubscriptionError], None]


class SubscriptionText(NamedTuple):
    """A subscription that was not parsed yet; `source` tells where it stands, for messages."""

    id: str
    text: str
    source: str | None = None
    injective: bool | None = None
    syntax: Syntax | None = None

    def parsed(self, prefixes: Mapping[str, str] | None = None) -> Subscription:
        """The subscription, or a SubscriptionError that names its source."""
        return Subscription.parse(
            self.text,
            id=self.id,
            injective=self.injective,
            syntax=self.syntax,
            prefixes=prefixes,
            source=self.source,
        )


def subscriptions_from(
    *paths: str | Path, on_error: OnError | None = None, prefixes: Mapping[str, str] | None = None
) -> Iterator[Subscription]:
    """Each subscription of the files, one at a time: `.rq`, `.ops`, `.jsonl` with `{"id", "pattern"}` a line.

    A folder stands for its files with these endings, by name. `on_error` gets what is wrong with one
    subscription and the next is read; without it the first error is raised.
    """
    for text in subscription_texts(*paths, on_error=on_error):
        try:
            subscription = text.parsed(prefixes)
        except SubscriptionError as problem:
            _tell(problem, on_error)
        else:
            yield subscription


def subscription_texts(*paths: str | Path, on_error: OnError | None = None) -> Iterator[SubscriptionText]:
    """The same files without parsing what is in them: what `Matcher.add_all` loads fastest."""
    for path in map(Path, paths):
        for file in _files(path, on_error):
            if file.suffix.lower() == ".jsonl":
                yield from _lines(file, on_error)
            else:
                try:
                    text = _one(file)
                except SubscriptionError as problem:
                    _tell(problem, on_error)
                else:
                    yield text


def _one(path: Path) -> SubscriptionText:
    syntax = syntax_of(path)
    return SubscriptionText(path.stem, read_text(path), str(path), None, syntax)


def _files(path: Path, on_error: OnError | None) -> list[Path]:
    if not path.is_dir():
        return [path]
    try:
        found = sorted(file for file in path.iterdir() if file.suffix.lower() in _ENDINGS and file.is_file())
    except OSError as problem:
        _tell(SubscriptionError(f"cannot be read: {problem.strerror or problem}", source=str(path)), on_error)
        return []
    if not found:
        endings = ", ".join(_ENDINGS)
        _tell(
            SubscriptionError("a folder without subscriptions", source=str(path), hint=f"endings: {endings}"), on_error
        )
    return found


def _lines(path: Path, on_error: OnError | None) -> Iterator[SubscriptionText]:
    try:
        file = path.open("rb")
    except OSError as problem:
        reason = "no such file" if isinstance(problem, FileNotFoundError) else f"cannot be read: {problem.strerror}"
        _tell(SubscriptionError(reason, source=str(path)), on_error)
        return
    with file:
        for number, line in _numbered(file):
            if not line.strip():
                continue
            try:
                text = _from_line(line, path, number)
            except SubscriptionError as problem:
                _tell(problem, on_error)
            else:
                yield text


def _numbered(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, never more of one than can be a subscription."""
    number = 0
    while line := file.readline(_MAX_LINE + 1):
        number += 1
        yield number, line
        while len(line) > _MAX_LINE and not line.endswith(b"\n"):  # refused already: skip to the next line
            line = file.readline(_MAX_LINE + 1)


def _from_line(line: bytes, path: Path, number: int) -> SubscriptionText:
    record = _record(line, str(path), number)
    identifier = record.get("id", f"{path.name}:{number}")
    pattern, injective = record["pattern"], record.get("injective")
    if not isinstance(identifier, str) or not isinstance(pattern, str) or not isinstance(injective, bool | None):
        raise SubscriptionError(
            "wrong kind of value",
            source=str(path),
            line=number,
            hint='"id" and "pattern" are texts, "injective" a boolean',
        )
    return SubscriptionText(identifier, pattern, f"{path}:{number}", injective)


def _record(line: bytes, source: str, number: int) -> dict[str, object]:
    if len(line) > _MAX_LINE:
        raise SubscriptionError(f"longer than {_MAX_LINE:,} bytes", source=source, line=number)
    try:
        record = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except UnicodeDecodeError:
        raise SubscriptionError("not a text in UTF-8", source=source, line=number) from None
    except (ValueError, RecursionError) as problem:
        reason = getattr(problem, "msg", "nested too deep" if isinstance(problem, RecursionError) else problem)
        raise SubscriptionError(
            f"not JSON: {reason}", source=source, line=number, column=getattr(problem, "colno", None)
        ) from None
    if not isinstance(record, dict) or "pattern" not in record:
        raise SubscriptionError(
            'not an object with "id" and "pattern"',
            source=source,
            line=number,
            hint='{"id": "mine", "pattern": "ASK {...}"}',
        )
    if unknown := record.keys() - _KEYS:
        raise SubscriptionError(
            f"unknown key {min(unknown)!r}", source=source, line=number, hint=f"keys: {sorted(_KEYS)}"
        )
    return record


def _tell(problem: SubscriptionError, on_error: OnError | None) -> None:
    if on_error is None:
        raise problem
    on_error(problem)
