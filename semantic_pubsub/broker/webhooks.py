"""Deliveries by HTTP POST: signed CloudEvents to public addresses, without proxies, redirects or kept connections."""

from __future__ import annotations

import json
import ssl
from typing import TYPE_CHECKING, Final

import httpx

from semantic_pubsub.broker.addresses import Target, Targets, parse_target
from semantic_pubsub.broker.channels import DeliveryFailedError
from semantic_pubsub.broker.clock import Clock, SystemClock
from semantic_pubsub.broker.cloudevents import CONTENT_TYPE, cloud_event, signature_headers
from semantic_pubsub.broker.errors import TargetError

if TYPE_CHECKING:
    from semantic_pubsub.broker.model import Delivery
    from semantic_pubsub.broker.registry import Standing

__all__ = ["WebhookChannel"]

_AGENT: Final = "semantic-pubsub"


class WebhookChannel:
    """Posts deliveries. The name is resolved and judged each time, and the connection goes to that very address.

    Only the status of an answer is read. Connections are not kept, so none outlives the judgement of its address.
    """

    def __init__(
        self,
        targets: Targets,
        *,
        timeout: float,
        clock: Clock | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._targets = targets
        self._clock = clock or SystemClock()
        self._client = httpx.AsyncClient(
            transport=transport
            or httpx.AsyncHTTPTransport(
                verify=ssl.create_default_context(),
                trust_env=False,
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=0),
            ),
            timeout=timeout,
            follow_redirects=False,
            trust_env=False,
        )

    def endpoint(self, standing: Standing) -> str | None:
        """Tenant, scheme, host and port: paths of one server share a queue, tenants never do."""
        if standing.endpoint is None:
            return None
        target = parse_target(standing.endpoint)
        return f"{standing.tenant} {target.scheme}://{target.host}:{target.port}"

    async def send(self, standing: Standing, delivery: Delivery) -> None:
        """Post one delivery; the dispatcher limits how long all of this may take."""
        try:
            target = parse_target(standing.endpoint or "")
            address = await self._targets.address_of(target)
        except TargetError as error:
            raise DeliveryFailedError(str(error)) from error
        body = json.dumps(cloud_event(delivery), ensure_ascii=False).encode("utf-8")
        headers = {
            "host": target.authority,
            "content-type": CONTENT_TYPE,
            "user-agent": _AGENT,
            **signature_headers(standing.secret, f"{standing.number}-{delivery.position}", self._clock.now(), body),
        }
        try:
            status, retry_after = await self._post(target, address, headers, body)
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            raise DeliveryFailedError(f"{type(error).__name__}: {error}") from error
        if 300 <= status < 400:
            raise DeliveryFailedError(f"answered {status}: redirects are not followed, register the final address")
        if not 200 <= status < 300:
            raise DeliveryFailedError(f"answered {status}", retry_after)

    async def _post(
        self, target: Target, address: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, float | None]:
        """The status and Retry-After of the answer; its body stays unread."""
        url = httpx.URL(scheme=target.scheme, host=address, port=target.port, raw_path=target.path.encode("ascii"))
        extensions = {"sni_hostname": target.host}  # the certificate must be the name's, not the address's
        async with self._client.stream("POST", url, headers=headers, content=body, extensions=extensions) as answer:
            after = answer.headers.get("retry-after", "")
            return answer.status_code, float(after) if after.isascii() and after.isdigit() else None

    async def close(self) -> None:
        """Let go of connections and resolver threads."""
        await self._client.aclose()
        self._targets.close()
