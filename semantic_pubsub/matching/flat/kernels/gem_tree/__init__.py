"""The GEM-Tree as machine code: `inserting` and `splitting` build it, `matching` walks it."""

# ruff: noqa: E402 - what is outdated must go before numba looks for it

from pathlib import Path

from semantic_pubsub.matching.arrays import compiling

_HERE = Path(__file__).parent
_FLAT = _HERE.parent.parent
compiling.forget_the_outdated(_HERE, *sorted(_HERE.parent.glob("*.py")), _FLAT / "layout.py", _FLAT / "gem_layout.py")

from semantic_pubsub.matching.flat.kernels.gem_tree.filing import (
    file_slots,
    keep,
    plant,
    relink,
    unfile,
)
from semantic_pubsub.matching.flat.kernels.gem_tree.matching import match_event, match_events
from semantic_pubsub.matching.flat.kernels.gem_tree.splitting import dispersion, open_fork

__all__ = [
    "dispersion",
    "file_slots",
    "is_compiled",
    "keep",
    "match_event",
    "match_events",
    "open_fork",
    "plant",
    "relink",
    "unfile",
]


def is_compiled() -> bool:
    """Whether the main kernels were compiled before; if not, the first subscription and match take a while."""
    return all(compiling.is_compiled(_HERE, name) for name in ("filing.file_slots", "matching.match_event"))
