"""How the kernels are compiled: by numba, once per machine, kept beside the modules they come from.

A kernel that Python calls is an *entry*. What it calls is *inner* and becomes a part of it: a call that hands over all
tables would cost more than most of these functions do. What only hard cases reach is *rare* and stays a call.

numba looks at the file of an entry only when it decides whether what it kept is still good. `forget_the_outdated`
looks at all of them.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from numba import config, njit

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["entry", "forget_the_outdated", "free_entry", "inner", "is_compiled", "rare"]

_Function = TypeVar("_Function", bound="Callable[..., Any]")


def entry(function: _Function) -> _Function:
    """Compile what Python calls, and keep it."""
    return njit(cache=True)(function)  # type: ignore[no-any-return]


def free_entry(function: _Function) -> _Function:
    """The same without the interpreter's lock: other threads run meanwhile. The caller holds a lock on the tables."""
    return njit(cache=True, nogil=True)(function)  # type: ignore[no-any-return]


def inner(function: _Function) -> _Function:
    """Compile as a part of what calls it."""
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, forceinline=True)(function)


def rare(function: _Function) -> _Function:
    """Compile as a function of its own, called by other kernels only."""
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)(function)


def forget_the_outdated(folder: Path, *others: Path) -> None:
    """Remove the compiled kernels of a folder that were made from other sources than those that are here now.

    `others` are files outside the folder whose constants or functions became part of its kernels.
    """
    here = Path(__file__).parent
    sources = [*sorted(folder.glob("*.py")), *others, *sorted(here.glob("*.py"))]
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()
    kept = folder / "__pycache__"
    stamp = kept / "kernels.sha256"
    try:
        if stamp.exists() and stamp.read_text() == digest:
            return
        for file in (*kept.glob("*.nbi"), *kept.glob("*.nbc")):
            file.unlink(missing_ok=True)
        kept.mkdir(exist_ok=True)
        stamp.write_text(digest)
    except OSError:  # installed read-only: numba keeps what it compiles elsewhere, and the sources do not change
        return


def is_compiled(folder: Path, kernel: str) -> bool:
    """Whether a kernel (`module.function`) of a folder was compiled before; if not, its first call takes a while."""
    kept = Path(config.CACHE_DIR) if config.CACHE_DIR else folder / "__pycache__"
    return any(kept.rglob(f"{kernel}-*.nbi"))
