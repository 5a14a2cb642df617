"""Subscription sets that change while a stream runs: numbered versions in a folder that all executors see.

A stream's tasks are fixed when it starts, so they look up the version themselves: the first task of a batch writes down
which one it takes, and all others of that batch, retries and restarts included, take the same.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from semantic_pubsub.errors import SemanticPubSubError
from semantic_pubsub.spark.bundle import Handle
from semantic_pubsub.spark.compiled import CompiledIndex, compile_matcher

if TYPE_CHECKING:
    from semantic_pubsub.matching.base import Matcher

__all__ = ["IndexVersions", "Watched"]

_VERSION: Final = re.compile(r"v(\d{1,12})")
_PINS: Final = "pins"
_PINS_KEPT: Final = 100
_BATCH: Final = "streaming.sql.batchId"
_QUERY: Final = "sql.streaming.queryId"


class IndexVersions:
    """A folder of versions. `publish` adds one; a running stream takes it up with its next batch."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        (self.folder / _PINS).mkdir(parents=True, exist_ok=True)

    def publish(self, index: Matcher | CompiledIndex) -> int:
        """Add a matcher or a compiled set as the newest version and give its number; readers see it whole or not."""
        made = Path(tempfile.mkdtemp(prefix=".publishing-", dir=self.folder))
        if isinstance(index, CompiledIndex):
            for name in (*index.names, "manifest.json"):
                shutil.copyfile(index.folder / name, made / name)
        else:
            compile_matcher(index, made)
        made.chmod(0o755)
        number = max(self.versions(), default=0)
        while True:
            number += 1
            try:
                made.rename(self.folder / f"v{number}")  # fails where another publisher was first: it is not empty
            except OSError:
                if not (self.folder / f"v{number}").exists():
                    raise
            else:
                return number

    def versions(self) -> list[int]:
        """The numbers of all versions that are there, the newest last."""
        found = (_VERSION.fullmatch(entry.name) for entry in self.folder.iterdir())
        return sorted(int(match[1]) for match in found if match)

    def current(self) -> CompiledIndex:
        """The newest version."""
        return self.version(max(self.versions(), default=0))

    def version(self, number: int) -> CompiledIndex:
        """One version."""
        if number not in self.versions():
            hint = "publish a matcher first"
            raise SemanticPubSubError(f"there is no version {number or 'yet'}", source=str(self.folder), hint=hint)
        return CompiledIndex.load(self.folder / f"v{number}")

    def remove(self, number: int) -> None:
        """Delete a version that no running batch uses any more."""
        shutil.rmtree(self.folder / f"v{number}")

    def watched(self) -> Watched:
        """What tasks of a stream carry."""
        return Watched(str(self.folder.resolve()))


@dataclass(frozen=True)
class Watched:
    """Finds the version of the batch that a task belongs to."""

    folder: str

    def handle(self) -> Handle:
        """The files of the version that this batch takes."""
        versions = IndexVersions(self.folder)
        found = versions.version(self._pinned(versions))
        return Handle(found.digest, found.names, "path", str(found.folder))

    def _pinned(self, versions: IndexVersions) -> int:
        from pyspark import TaskContext

        context = TaskContext.get()
        batch = context.getLocalProperty(_BATCH) if context else None
        query = context.getLocalProperty(_QUERY) if context else None
        newest = max(versions.versions(), default=0)
        if batch is None or query is None:
            return newest
        pin = versions.folder / _PINS / f"{query}.{batch}"
        if not pin.exists():
            _write_once(pin, newest)
            _forget(versions.folder / _PINS / f"{query}.{int(batch) - _PINS_KEPT}")
        return int(pin.read_text(encoding="ascii"))


def _write_once(path: Path, number: int) -> None:
    """Write a file whole, unless somebody else was first."""
    descriptor, temporary = tempfile.mkstemp(prefix=".pin-", dir=path.parent)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(str(number))
    with suppress(FileExistsError):
        os.link(temporary, path)
    os.unlink(temporary)


def _forget(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.unlink()
