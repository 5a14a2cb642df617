"""Compiled subscription sets: folders of index files, in one part or several, ready to be mapped by executors."""

from __future__ import annotations

import atexit
import json
import pickle
import shutil
import tempfile
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.matching.fingerprint import fingerprint
from semantic_pubsub.matching.flat_matcher import FlatMatcher
from semantic_pubsub.matching.graph import OpsMatcher
from semantic_pubsub.spark.bundle import Bundle, hash_files

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.base import Matcher

__all__ = ["PER_PART", "CompiledIndex", "compile_matcher", "compile_subscriptions", "kept_folder"]

PER_PART: Final = 1_000_000
"""Subscriptions in one part where nothing is said: some 150 to 400 MB of index."""

_MANIFEST: Final = "manifest.json"
_FORMAT: Final = 1
_ANEW: Final = "copy the whole folder, or compile it anew"
_ONTOLOGY: Final = "ontology"


@dataclass(frozen=True)
class CompiledIndex:
    """A subscription set that was compiled into a folder; small itself, the index stays in its files.

    `digest` names its content, `ontology` is the fingerprint of the ontology that it was compiled with.
    """

    folder: Path
    digest: str
    kind: str
    verify: bool
    ontology: str
    parts: tuple[int, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        """How many subscriptions there are."""
        return sum(self.parts)

    @classmethod
    def load(cls, folder: str | os.PathLike[str], ontology: Ontology | None = None) -> CompiledIndex:
        """The set in a folder; with `ontology` it must be the one that the set was compiled with."""
        place = Path(folder)
        try:
            told = dict(json.loads((place / _MANIFEST).read_text(encoding="utf-8")))
        except FileNotFoundError:
            hint = "make one with compile_subscriptions"
            raise SemanticPubSubError("is no compiled subscription set", source=str(place), hint=hint) from None
        except (OSError, ValueError, TypeError) as error:
            raise SemanticPubSubError(f"cannot be read: {error}", source=str(place), hint=_ANEW) from None
        found_format = told.pop("format", None)
        if found_format != _FORMAT:
            hint = "compile it anew with this version"
            message = f"was compiled by another version: its format is {found_format}, this one reads {_FORMAT}"
            raise SemanticPubSubError(message, source=str(place), hint=hint)
        try:
            told["parts"], told["names"] = tuple(told["parts"]), tuple(told["names"])
            found = cls(folder=place, **told)
        except (KeyError, TypeError):
            message = f"its {_MANIFEST} is damaged"
            raise SemanticPubSubError(message, source=str(place), hint=_ANEW) from None
        missing = next((name for name in found.names if not (place / name).exists()), None)
        if missing is not None:
            raise SemanticPubSubError(f"lacks the file {missing}", source=str(place), hint=_ANEW)
        if ontology is not None:
            found.check_ontology(ontology)
        return found

    def check_ontology(self, ontology: Ontology) -> None:
        """Refuse an ontology that means something else than the one of the set."""
        given = fingerprint(ontology)
        if given != self.ontology:
            message = f"was compiled with the ontology {self.ontology[:12]}, not with {given[:12]}"
            hint = "give the same ontology, or compile the subscriptions anew"
            raise SemanticPubSubError(message, source=str(self.folder), hint=hint)

    def bundle(self, part: int | None = None) -> Bundle:
        """The files that executors need, of all parts or of one."""
        names = self.names
        if part is not None:
            wanted = (_ONTOLOGY, f"flat-{part}", f"flat-{part}.graph", f"ops-{part}")
            names = tuple(name for name in names if name.partition(".")[2] in wanted)
        return Bundle(self.folder, self.digest if part is None else f"{self.digest}.{part}", names)


def compile_matcher(matcher: Matcher, folder: str | os.PathLike[str] | None = None) -> CompiledIndex:
    """Compile what a `FlatMatcher` or an `OpsMatcher` holds; without a folder for as long as this process lives."""
    place = _new_folder(folder)
    writer = _Writer(place, matcher.ontology)
    writer.add(matcher)
    return writer.finish()


def compile_subscriptions(
    ontology: Ontology,
    subscriptions: Iterable[Any],
    folder: str | os.PathLike[str] | None = None,
    *,
    index: str = "auto",
    verify: bool = False,
    per_part: int = PER_PART,
    on_error: Callable[[SemanticPubSubError], None] | None = None,
) -> CompiledIndex:
    """Compile subscriptions of any kind that `FlatMatcher.add_all` takes, `per_part` of them into each part.

    Never more than one part is in memory. With `index="ops"` the graph matcher is compiled instead of a flat one.
    """
    if per_part < 1:
        raise ValueError("per_part must be at least 1")
    writer = _Writer(_new_folder(folder), ontology)
    for some in _chunks(subscriptions, per_part):
        matcher: Matcher = OpsMatcher(ontology) if index == "ops" else FlatMatcher(ontology, index, verify)
        matcher.add_all(some, on_error=on_error)
        writer.add(matcher)
    if not writer.parts:
        writer.add(OpsMatcher(ontology) if index == "ops" else FlatMatcher(ontology, index, verify))
    return writer.finish()


def _chunks(items: Iterable[Any], size: int) -> Iterator[Iterator[Any]]:
    remaining = iter(items)
    for first in remaining:
        yield chain((first,), islice(remaining, size - 1))


class _Writer:
    """Writes one part after the other, then names the files by their content."""

    def __init__(self, folder: Path, ontology: Ontology) -> None:
        self.parts: list[int] = []
        self._folder, self._ontology = folder, ontology
        self._kind, self._verify = "", False
        self._temporary = Path(tempfile.mkdtemp(prefix=".compiling-", dir=folder))
        (self._temporary / _ONTOLOGY).write_bytes(pickle.dumps(ontology, protocol=5))

    def add(self, matcher: Matcher) -> None:
        if not isinstance(matcher, FlatMatcher | OpsMatcher):
            hint = "take FlatMatcher, with verify=True for the graph answer"
            raise SemanticPubSubError(f"a {type(matcher).__name__} cannot be compiled", hint=hint)
        self._kind = "flat" if isinstance(matcher, FlatMatcher) else "ops"
        matcher.save(self._temporary / f"{self._kind}-{len(self.parts)}")
        self._verify = self._kind == "ops" or matcher.stats()["verify"] == "yes"
        self.parts.append(len(matcher))

    def finish(self) -> CompiledIndex:
        files = sorted(self._temporary.iterdir())
        digest = hash_files(files)
        for file in files:
            file.rename(self._folder / f"{digest}.{file.name}")
        self._temporary.rmdir()
        made = CompiledIndex(
            self._folder,
            digest,
            self._kind,
            self._verify,
            fingerprint(self._ontology),
            tuple(self.parts),
            tuple(f"{digest}.{file.name}" for file in files),
        )
        told = {name: value for name, value in vars(made).items() if name != "folder"}
        manifest = self._folder / f".{_MANIFEST}.{digest}"
        manifest.write_text(json.dumps({"format": _FORMAT, **told}, indent=1), encoding="utf-8")
        manifest.rename(self._folder / _MANIFEST)
        return made


def _new_folder(folder: str | os.PathLike[str] | None) -> Path:
    if folder is None:
        return kept_folder()
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SemanticPubSubError(f"cannot be made: {error.strerror}", source=str(place)) from None
    return place


def kept_folder() -> Path:
    """A folder that is there until this process ends."""
    place = Path(tempfile.mkdtemp(prefix="semantic-pubsub-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return place
