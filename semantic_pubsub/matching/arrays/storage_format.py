"""The file of a saved matcher: some bytes that say what it is, arrays as they lie in memory, a directory in JSON.

    prelude    64 bytes: magic, format version, place, length and checksum of the directory
    arrays     raw, each from a multiple of 64 bytes
    directory  JSON: names, and for each array its type, shape, place and checksum

Nothing in it is ever executed. The arrays are mapped into memory, not read: processes that load the same file share
them until they write, and what they write stays their own. So a file is only ever replaced as a whole, never changed.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import secrets
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

__all__ = ["FORMAT_VERSION", "damaged", "read_file", "write_file"]

FORMAT_VERSION: Final = 1
"""To be raised when the same bytes would mean something else."""

_MAGIC: Final = b"\x89SPSOPS\n"
_PRELUDE: Final = struct.Struct("<8sIxxxxQQ32s")
_ALIGNED: Final = 64
_KINDS: Final = frozenset(np.dtype(kind).str for kind in (np.uint8, np.int32, np.int64, np.float64))
_AGAIN: Final = "add the subscriptions to a new matcher and save that"


def write_file(path: Path, directory: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write beside the target and rename: whoever reads `path` finds the old file or the new one, never a half."""
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    try:
        with temporary.open("xb") as file:
            _write(file, directory, arrays)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except OSError as problem:
        hint = "name a file in a folder that exists and may be written"
        reason = f"cannot be written: {problem.strerror or problem}"
        raise SemanticPubSubError(reason, source=str(path), hint=hint) from None
    finally:
        temporary.unlink(missing_ok=True)


def _write(file: BinaryIO, directory: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    file.write(bytes(_ALIGNED))
    entries = {}
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
        entries[name] = [array.dtype.str, list(array.shape), file.tell(), _checksum(data).hex()]
        file.write(data)
        file.write(bytes(-file.tell() % _ALIGNED))
    start = file.tell()
    text = json.dumps({**directory, "arrays": entries}, separators=(",", ":")).encode()
    file.write(text)
    file.seek(0)
    file.write(_PRELUDE.pack(_MAGIC, FORMAT_VERSION, start, len(text), _checksum(text)))


def read_file(path: Path, *, verify: bool) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The directory and the arrays, which may be written to without changing the file."""
    try:
        with path.open("rb") as file:
            start, length, checksum = _prelude(path, file.read(_PRELUDE.size))
            if os.fstat(file.fileno()).st_size != start + length:
                raise damaged(path, "is cut off or longer than it says")
            memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as problem:
        missing = isinstance(problem, FileNotFoundError)
        reason = "no such file" if missing else f"cannot be read: {problem.strerror or problem}"
        raise SemanticPubSubError(reason, source=str(path), hint="name a file that a matcher's save() wrote") from None
    text = memory[start : start + length]
    if _checksum(text) != checksum:
        raise damaged(path, "is damaged: the checksum of its directory is wrong")
    try:
        directory = json.loads(text)
        entries = directory.pop("arrays")
        arrays = {name: _array(path, memory, start, *entry, verify=verify) for name, entry in entries.items()}
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as problem:
        raise damaged(path, f"is damaged: its directory cannot be read: {problem}") from None
    return directory, arrays


def damaged(path: Path, reason: str) -> SemanticPubSubError:
    """The error for a file that does not hold what it should."""
    return SemanticPubSubError(reason, source=str(path), hint=_AGAIN)


def _prelude(path: Path, data: bytes) -> tuple[int, int, bytes]:
    if not data.startswith(_MAGIC):
        hint = "name a file that a matcher's save() wrote"
        raise SemanticPubSubError("is no file of saved subscriptions", source=str(path), hint=hint)
    if len(data) < _PRELUDE.size:
        raise damaged(path, "is cut off")
    _, version, start, length, checksum = _PRELUDE.unpack(data)
    if version != FORMAT_VERSION:
        raise damaged(path, f"was saved in format {version}, and this version reads format {FORMAT_VERSION}")
    return start, length, checksum


def _array(
    path: Path, memory: mmap.mmap, end: int, kind: str, shape: list[int], offset: int, checksum: str, *, verify: bool
) -> npt.NDArray[Any]:
    if kind not in _KINDS:
        raise damaged(path, f"holds numbers of a kind that this machine does not have ({kind})")
    count = 1
    for length in shape:
        count *= length
    size = count * np.dtype(kind).itemsize
    if min(shape) < 0 or offset % _ALIGNED or not _ALIGNED <= offset <= end - size:
        raise damaged(path, "is damaged: an array does not lie within it")
    if verify and _checksum(memoryview(memory)[offset : offset + size]).hex() != checksum:
        raise damaged(path, "is damaged: the checksum of an array is wrong")
    return np.frombuffer(memory, kind, count, offset).reshape(shape)


def _checksum(data: bytes | memoryview) -> bytes:
    return hashlib.blake2b(data, digest_size=32).digest()
