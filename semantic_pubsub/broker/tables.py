"""What every table stands on: the two ways to the database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from contextlib import AbstractContextManager

    from semantic_pubsub.broker.errors import BrokerError
    from semantic_pubsub.broker.writer import Connection

__all__ = ["Access", "marks"]

_I = TypeVar("_I")
_R = TypeVar("_R")
_T = TypeVar("_T")


class Access(Protocol):
    """The part of a store that tables use."""

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]: ...

    def reading(self) -> AbstractContextManager[Connection]: ...

    def write(self, work: Callable[[Connection], _T], *, weight: int = 0, refusable: bool = False) -> Future[_T]: ...

    def write_item(
        self,
        bulk: Callable[[Connection, list[_I]], list[_T | BrokerError]],
        item: _I,
        then: Callable[[_T], _R],
        *,
        weight: int,
    ) -> Future[_R]: ...


def marks(count: int) -> str:
    """As many question marks, for `IN (…)`."""
    return ", ".join("?" * count)
