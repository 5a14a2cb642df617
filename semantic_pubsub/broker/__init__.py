"""The broker: publish, match, deliver, lose nothing.

from semantic_pubsub import Ontology
from semantic_pubsub.broker import Broker, Webhook

with Broker(Ontology.load("ontology/auction.ttl"), store="broker.db") as broker:
    broker.subscribe("alice", "(_:H, ?1, (Selling, target, Computer))", id="computers")
    broker.publish(open("examples/events/notebook.ttl").read())
    for delivery in broker.pull("alice"):
        print(delivery.event_id, delivery.bindings)
        broker.ack("alice", delivery.position)

`docs/broker.md` says what it promises.
"""

from __future__ import annotations

from semantic_pubsub.broker.addresses import Targets
from semantic_pubsub.broker.broker import Broker
from semantic_pubsub.broker.errors import (
    BrokerError,
    BusyError,
    ClosedError,
    ConflictError,
    LimitError,
    StoreError,
    StoreFullError,
    TargetError,
    UnknownSubscriptionError,
)
from semantic_pubsub.broker.keys import hash_of_key, new_key
from semantic_pubsub.broker.limits import BrokerLimits, Retention, RetryPolicy
from semantic_pubsub.broker.model import (
    DEFAULT_TENANT,
    UNCHANGED,
    Callback,
    DeadLetter,
    Delivery,
    KeyRecord,
    Pull,
    Receipt,
    SubscriptionRecord,
    Webhook,
)
from semantic_pubsub.broker.store import Store
from semantic_pubsub.broker.stores import open_store

__all__ = [
    "DEFAULT_TENANT",
    "UNCHANGED",
    "Broker",
    "BrokerError",
    "BrokerLimits",
    "BusyError",
    "Callback",
    "ClosedError",
    "ConflictError",
    "DeadLetter",
    "Delivery",
    "KeyRecord",
    "LimitError",
    "Pull",
    "Receipt",
    "Retention",
    "RetryPolicy",
    "Store",
    "StoreError",
    "StoreFullError",
    "SubscriptionRecord",
    "TargetError",
    "Targets",
    "UnknownSubscriptionError",
    "Webhook",
    "hash_of_key",
    "new_key",
    "open_store",
]
