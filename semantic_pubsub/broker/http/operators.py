"""What concerns the whole broker and not one tenant: for admins of the operator's tenant only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from semantic_pubsub.broker.http.metrics import MEDIA_TYPE
from semantic_pubsub.broker.http.problems import ProblemError

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service

__all__ = ["check_operator", "health", "metrics", "ready"]


def check_operator(who: Identity, service: Service) -> None:
    """A 403 for everybody else."""
    if "admin" not in who.roles or who.tenant != service.settings.operator_tenant:
        detail = "this concerns all tenants: it is for admins of the operator's tenant"
        raise ProblemError(403, "forbidden", detail, hint="ask the operator")


async def health(request: Request, _: Identity, service: Service) -> Response:  # noqa: ARG001
    """The process answers."""
    return JSONResponse({"status": "ok"})


async def ready(request: Request, _: Identity, service: Service) -> Response:  # noqa: ARG001
    """Events are accepted: nothing is closing, and the store has room."""
    store = service.broker.store
    full = store.max_bytes is not None and store.size >= store.max_bytes
    if full or service.stopping.is_set():
        why = "the store is full" if full else "the broker is stopping"
        raise ProblemError(503, "not-ready", why, hint="try again later", headers={"retry-after": "5"})
    return JSONResponse({"status": "ready"})


async def metrics(request: Request, who: Identity, service: Service) -> Response:  # noqa: ARG001
    """Counts and times for Prometheus, over all tenants, without their names."""
    check_operator(who, service)
    page = service.metrics.page(await service.asking.run(service.counts))
    return Response(page, media_type=MEDIA_TYPE)
