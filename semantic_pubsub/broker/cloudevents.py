"""Deliveries as CloudEvents 1.0, and their signature.

The signature follows Standard Webhooks: `webhook-signature: v1,<base64 of HMAC-SHA256 over "id.timestamp.body">`.
A secret that begins with `whsec_` is base64 after it, any other is used as it is.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from semantic_pubsub.broker.clock import written_time
from semantic_pubsub.events.formats import format_named

if TYPE_CHECKING:
    from semantic_pubsub.broker.model import Delivery

__all__ = ["CONTENT_TYPE", "EVENT_TYPE", "cloud_event", "signature_headers"]

CONTENT_TYPE: Final = "application/cloudevents+json"
EVENT_TYPE: Final = "semantic-pubsub.match"


def cloud_event(delivery: Delivery) -> dict[str, Any]:
    """A delivery in CloudEvents' structured form.

    `source` and `id` together name the delivery, and are the same when it is repeated. `data` is the event in the
    syntax of `datacontenttype`: a text, or a JSON value for JSON-LD. The extension attributes are `subscription`,
    `home` (as N-Triples writes it) and `bindings` (a JSON text, since attributes are texts).
    """
    media_type = format_named(delivery.format).media_type
    names = (delivery.tenant, delivery.subscriber, delivery.subscription_id)
    found: dict[str, Any] = {
        "specversion": "1.0",
        "type": EVENT_TYPE,
        "source": "/semantic-pubsub/" + "/".join(quote(name, safe="") for name in names),
        "id": str(delivery.position),
        "subject": delivery.event_id,
        "time": written_time(delivery.published_at),
        "datacontenttype": media_type,
        "subscription": delivery.subscription_id,
        "home": delivery.home,
        "data": json.loads(delivery.event) if "json" in media_type else delivery.event,
    }
    if delivery.bindings is not None:
        found["bindings"] = json.dumps(delivery.bindings, ensure_ascii=False, separators=(",", ":"))
    return found


def signature_headers(secret: str | None, identifier: str, now: float, body: bytes) -> dict[str, str]:
    """The headers that name and date a message, and sign it where there is a secret."""
    timestamp = str(int(now))
    headers = {"webhook-id": identifier, "webhook-timestamp": timestamp}
    if secret is not None:
        signed = f"{identifier}.{timestamp}.".encode() + body
        digest = hmac.new(_key(secret), signed, hashlib.sha256).digest()
        headers["webhook-signature"] = "v1," + base64.b64encode(digest).decode("ascii")
    return headers


def _key(secret: str) -> bytes:
    if secret.startswith("whsec_"):
        try:
            return base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        except binascii.Error:
            pass
    return secret.encode("utf-8")
