"""Whose the slots of a flat index are: a subscription has a slot for each of its alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from semantic_pubsub.matching.flat.index import Slots
    from semantic_pubsub.matching.flat.pairs import Conjunction

__all__ = ["Owners"]

_EXACT, _DISTINCT = 1, 2
_LEAST_ROOM = 64


class Owners:
    """The ids of subscriptions and their slots, both ways, and what makes verification of a slot needless."""

    def __init__(self) -> None:
        self.slots: dict[str, tuple[int, ...]] = {}
        self.ids: list[str | None] = []
        self.several = 0  # subscriptions with several alternatives: only they can be found twice
        self._flags = np.zeros(0, np.uint8)
        self._graph_slots = np.zeros(0, np.int64)  # where the graph matcher has the same alternative, -1 for flat ones

    def keep(self, name: str, kept: Iterable[tuple[int, Conjunction]], graph_slots: Sequence[int] = ()) -> None:
        """The alternatives of a new subscription with their slots, in the order of the graph matcher's."""
        slots = []
        for number, (slot, alternative) in enumerate(kept):
            self._make_room(slot)
            self.ids[slot] = name
            self._flags[slot] = alternative.exact * _EXACT | alternative.distinct * _DISTINCT
            self._graph_slots[slot] = graph_slots[number] if graph_slots else -1
            slots.append(slot)
        self.slots[name] = tuple(slots)
        self.several += len(slots) > 1

    def _make_room(self, slot: int) -> None:
        while len(self.ids) <= slot:
            self.ids.append(None)
        if len(self._flags) <= slot:
            more = max(_LEAST_ROOM, len(self._flags))
            self._flags = np.concatenate([self._flags, np.zeros(more, np.uint8)])
            self._graph_slots = np.concatenate([self._graph_slots, np.full(more, -1, np.int64)])

    def forget(self, name: str) -> None:
        """Forget a subscription; its slots are free."""
        slots = self.slots.pop(name)
        for slot in slots:
            self.ids[slot] = None
        self.several -= len(slots) > 1

    def names(self, slots: Slots) -> list[str]:
        """The ids of those whom slots belong to, each once."""
        ids = self.ids
        found: list[str] = [ids[slot] for slot in slots.tolist()]
        return list(dict.fromkeys(found)) if self.several else found

    def first_slots(self) -> Slots:
        """The first slot of whom each slot belongs to."""
        first = np.arange(len(self.ids), dtype=np.int32)
        for slots in self.slots.values():
            if len(slots) > 1:
                first[list(slots)] = slots[0]
        return first

    def doubtful(self, slots: Slots, single: bool, distinct: bool) -> tuple[Slots, npt.NDArray[np.int64]]:
        """The slots for which the pairs tell all there is, and the graph matcher's slots of the others. In the event
        each path leads to a `single` vertex, and each to a `distinct` one."""
        graph_slots = self._graph_slots[slots]
        sure = graph_slots < 0  # flat subscriptions: there is nothing to verify
        if single:
            flags = self._flags[slots]
            sure |= (flags & _EXACT != 0) if distinct else (flags == _EXACT)
        return slots[sure], graph_slots[~sure]

    # for files

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """All but the names, as arrays."""
        used = len(self.ids)
        return {
            "lengths": np.array([len(slots) for slots in self.slots.values()], np.int32),
            "slots": np.array([slot for owned in self.slots.values() for slot in owned], np.int32),
            "flags": self._flags[:used],
            "graph": self._graph_slots[:used],
        }

    @classmethod
    def restored(cls, names: Iterable[str], arrays: dict[str, Any]) -> Owners:
        """What `state` gave, with the names in the same order."""
        found = cls()
        slots = iter(arrays["slots"].tolist())
        found.ids = [None] * len(arrays["flags"])
        for name, length in zip(names, arrays["lengths"].tolist(), strict=False):
            found.slots[name] = tuple(next(slots) for _ in range(length))
            for slot in found.slots[name]:
                found.ids[slot] = name
            found.several += length > 1
        found._flags, found._graph_slots = arrays["flags"], arrays["graph"]
        return found
