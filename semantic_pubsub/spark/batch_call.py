"""The batch call of a flat matcher, where it has one: numbers of subscriptions for many flat events at once."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

__all__ = ["match_batch"]

_BATCHES: Final = "semantic_pubsub.matching.flat.batches"


def match_batch(
    matcher: Any, offsets: npt.NDArray[np.int64], codes: npt.NDArray[np.int32], pairs: Sequence[Any]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None:
    """Ends and numbers for all events, or None for a matcher that takes one event at a time."""
    if not hasattr(matcher, "match_batch") or find_spec(_BATCHES) is None:
        return None
    ends, numbers = matcher.match_batch(import_module(_BATCHES).PairTable(offsets, codes, pairs))
    return ends, numbers
