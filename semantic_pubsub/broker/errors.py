"""What a broker refuses, as data.

    SemanticPubSubError
    └── BrokerError
        ├── UnknownSubscriptionError   nothing of this id for this tenant and subscriber (404)
        ├── ConflictError              the id is taken, or an idempotency key came with another event (409)
        ├── LimitError                 more or larger than `BrokerLimits` allows (413)
        ├── TargetError                a webhook's address is not one to call (400)
        ├── BusyError                  too much waits already; `retry_after` in seconds (429 or 503)
        │   └── StoreFullError         the disk or the configured size is used up (503)
        ├── StoreError                 a store cannot be opened, read or written (500)
        └── ClosedError                the broker was closed (503)

The numbers are HTTP's words for them.
"""

from __future__ import annotations

from semantic_pubsub.errors import SemanticPubSubError

__all__ = [
    "BrokerError",
    "BusyError",
    "ClosedError",
    "ConflictError",
    "LimitError",
    "StoreError",
    "StoreFullError",
    "TargetError",
    "UnknownSubscriptionError",
]


class BrokerError(SemanticPubSubError):
    """Base of what a broker refuses."""


class UnknownSubscriptionError(BrokerError):
    """There is no such subscription, dead letter or delivery for who asks; others may have one of that name."""


class ConflictError(BrokerError):
    """The name is taken by something else."""


class LimitError(BrokerError):
    """More or larger than the limits allow."""


class TargetError(BrokerError):
    """A webhook's target is not one that this broker calls."""


class BusyError(BrokerError):
    """Too much is waiting already: try again after `retry_after` seconds."""

    def __init__(self, message: str, *, retry_after: float = 1.0, hint: str | None = None) -> None:
        super().__init__(message, hint=hint or f"try again after {retry_after:g} s")
        self.retry_after = retry_after


class StoreFullError(BusyError):
    """No room for more: the disk is full or the store has reached its configured size."""


class StoreError(BrokerError):
    """A store cannot be opened, read or written."""


class ClosedError(BrokerError):
    """The broker was closed."""
