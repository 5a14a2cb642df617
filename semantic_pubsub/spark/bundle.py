"""Files that executors need, named by their content, and the ways in which they come to an executor.

A task carries only a `Handle`: which files, and how to find them. They are never part of a closure.

    path       every executor sees the folder (one machine, or a shared file system)
    artifact   Spark copies the files once to each executor; works with Spark Connect, too
    broadcast  for small ones on a classic session: Spark's broadcast brings the bytes, a local file is made of them
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

__all__ = ["SMALL", "Bundle", "Handle", "Ship", "hash_files", "located", "ship"]

Ship = Literal["auto", "path", "artifact", "broadcast"]
SMALL: Final = 32 * 1024 * 1024
"""Bytes up to which a broadcast is taken on a classic cluster."""

_MOST_SHIPPED: Final = 32  # of a stream whose sets change, the old ones are let go
_shipped: dict[tuple[str, str, str], Handle] = {}


@dataclass(frozen=True)
class Bundle:
    """Files in a folder; each name begins with the digest of them all."""

    folder: Path
    digest: str
    names: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum((self.folder / name).stat().st_size for name in self.names)


@dataclass(frozen=True)
class Handle:
    """What travels to executors instead of the files."""

    digest: str
    names: tuple[str, ...]
    way: str
    folder: str
    broadcast: Any = None


def hash_files(paths: Iterable[Path]) -> str:
    """A digest of names and contents."""
    total = hashlib.blake2b(digest_size=12)
    for path in sorted(paths):
        total.update(path.name.encode() + b"\0")
        with path.open("rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    return total.hexdigest()


def ship(bundle: Bundle, session: SparkSession, way: Ship = "auto") -> Handle:
    """Make the files known to a session; nothing is copied before a job needs them, and nothing twice."""
    if way not in get_args(Ship):
        raise ValueError(f"ship={way!r} is not one of: {', '.join(get_args(Ship))}")
    chosen = _chosen(bundle, session) if way == "auto" else way
    key = (_application(session), bundle.digest, chosen)
    handle = _shipped.pop(key, None) or _SHIP[chosen](bundle, session)
    _shipped[key] = handle
    while len(_shipped) > _MOST_SHIPPED:
        del _shipped[next(iter(_shipped))]
    return handle


def _application(session: SparkSession) -> str:
    """Who keeps files and broadcasts: an application, whose sessions are many (`foreachBatch` makes one each batch)."""
    found: str = session.sparkContext.applicationId if _is_classic(session) else session.session_id  # type: ignore[attr-defined]
    return found


def _chosen(bundle: Bundle, session: SparkSession) -> str:
    if not _is_classic(session):
        return "artifact"
    master = session.sparkContext.master or ""
    if master.startswith("local") and not master.startswith("local-cluster"):
        return "path"
    return "broadcast" if bundle.size <= SMALL else "artifact"


def _is_classic(session: SparkSession) -> bool:
    return hasattr(session, "_jsparkSession")


def _by_path(bundle: Bundle, _: SparkSession) -> Handle:
    return Handle(bundle.digest, bundle.names, "path", str(bundle.folder.resolve()))


def _by_artifact(bundle: Bundle, session: SparkSession) -> Handle:
    session.addArtifacts(*(str(bundle.folder / name) for name in bundle.names), file=True)
    return Handle(bundle.digest, bundle.names, "artifact", "")


def _by_broadcast(bundle: Bundle, session: SparkSession) -> Handle:
    if not _is_classic(session):
        raise SemanticPubSubError("Spark Connect has no broadcast", hint="say ship='artifact'")
    content = {name: (bundle.folder / name).read_bytes() for name in bundle.names}
    return Handle(bundle.digest, bundle.names, "broadcast", "", session.sparkContext.broadcast(content))


_SHIP: Final = {"path": _by_path, "artifact": _by_artifact, "broadcast": _by_broadcast}


# on an executor


def located(handle: Handle) -> Path:
    """The folder on this machine that holds the files."""
    if handle.way == "broadcast":
        return _unpacked(handle)
    folder = Path(handle.folder) if handle.way == "path" else _artifacts(handle)
    missing = next((name for name in handle.names if not (folder / name).exists()), None)
    if missing is None:
        return folder
    hint = "say ship='artifact', or keep it in a folder that all executors see" if handle.way == "path" else "try again"
    raise SemanticPubSubError("an executor does not see this file", source=str(folder / missing), hint=hint)


def _artifacts(handle: Handle) -> Path:
    """The folder of a session that has the files; names say what is in them, so any session's copy will do.

    Spark tells tasks the folder of their session, but not those of a stream that was started through Connect.
    """
    from pyspark import SparkFiles

    told = Path(SparkFiles.getRootDirectory())
    folders = (told, *(folder for folder in told.iterdir() if folder.is_dir()))
    return next((one for one in folders if all((one / name).exists() for name in handle.names)), told)


def _unpacked(handle: Handle) -> Path:
    """Files made of a broadcast, once per executor, in the folder that Spark removes with it."""
    from pyspark import SparkFiles

    folder = Path(SparkFiles.getRootDirectory())
    for name in handle.names:
        if not (folder / name).exists():
            descriptor, temporary = tempfile.mkstemp(dir=folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(handle.broadcast.value[name])
            Path(temporary).rename(folder / name)  # another worker may have done the same: the content is equal
    return folder
