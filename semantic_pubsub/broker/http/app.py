"""The ASGI app: each route behind its guard, and around all of them one place for errors, counts and the log."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.routing import Route as Path
from starlette.routing import Router

from semantic_pubsub.broker.http.identity import LOCAL, NOBODY
from semantic_pubsub.broker.http.problems import ProblemError, problem_of
from semantic_pubsub.broker.http.routes import ROUTES
from semantic_pubsub.broker.http.settings import is_loopback

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.routes import Route
    from semantic_pubsub.broker.http.service import Service

__all__ = ["make_app"]

_access = logging.getLogger("semantic_pubsub.access")
_HEADERS: Final = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}


def make_app(service: Service) -> ASGIApp:
    """The app that serves a broker."""
    paths: dict[str, dict[str, Route]] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method] = route
    entries = [Path(path, _Methods(path, routes, service)) for path, routes in paths.items()]
    return _Outside(Router(entries, redirect_slashes=False, default=_nowhere), service)


class _Methods:
    """All methods of one path."""

    def __init__(self, path: str, routes: dict[str, Route], service: Service) -> None:
        self._path = path
        self._routes = routes
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["semantic_pubsub.route"] = self._path
        with self._service.luggage.of_one() as weighed:
            response = await self._answer(Request(scope, weighed(receive), send))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        route = self._routes.get(method)
        if route is None:
            allowed = ", ".join(self._routes)
            headers = {"allow": allowed}
            raise ProblemError(
                405, "method-not-allowed", f"no {method[:20]} here", hint=f"use {allowed}", headers=headers
            )
        who = await self._guard(route, request)
        request.scope["semantic_pubsub.who"] = who
        return await route.endpoint(request, who, self._service)

    async def _guard(self, route: Route, request: Request) -> Identity:
        """Who asks, if they may; before anything of the body is read."""
        service = self._service
        if service.door.open:
            _check_local(request)
        if route.role is None:
            return NOBODY
        if service.stopping.is_set():
            headers = {"retry-after": "5"}
            raise ProblemError(503, "closing", "the broker is stopping", hint="try again after 5 s", headers=headers)
        if service.door.open:
            return LOCAL
        who = await service.knocking.run(service.door.identify, request.headers.get("authorization"))
        if route.role != "any" and not who.may(route.role):  # type: ignore[arg-type]
            hint = "ask an admin for a key that has it"
            raise ProblemError(403, "forbidden", f"this needs the role {route.role}", hint=hint)
        return who


def _check_local(request: Request) -> None:
    """Without keys only this machine is served, and no web page that a browser on it has open."""
    place = request.headers.get("host", "")
    host = _host(f"//{place}")
    origin = request.headers.get("origin")
    if not is_loopback(host):
        detail = f"this broker has no keys and answers to loopback names, not to {host[:60]!r}"
        raise ProblemError(421, "misdirected", detail, hint="use 127.0.0.1 or localhost, or configure keys")
    fetched = request.headers.get("sec-fetch-site", "none")  # what a browser says where it sends no Origin: an image
    if (origin is not None and origin.rpartition("//")[2] != place) or fetched not in ("none", "same-origin"):
        raise ProblemError(403, "forbidden", "requests of other web pages are refused", hint="configure keys")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


async def _nowhere(scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG001
    raise ProblemError(404, "not-found", "there is nothing at this path", hint="see /docs")


class _Outside:
    """Errors become problems, answers get their headers, requests are counted and logged."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()
        status = 0

        async def tell(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _complete(message)
            await send(message)

        try:
            await self._app(scope, receive, tell)
        except Exception as error:
            if status:  # the answer has begun: all that is left is to break off
                raise
            await problem_of(error).response()(scope, receive, tell)
        finally:
            self._note(scope, status, time.perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = scope.get("semantic_pubsub.route", "")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        self._service.metrics.request(method, route, status)
        who: Identity | None = scope.get("semantic_pubsub.who")
        facts: dict[str, Any] = {"method": method, "route": route, "status": status, "ms": round(1000 * seconds, 2)}
        if who not in (None, NOBODY):
            facts |= {"tenant": who.tenant, "subject": who.subject}
        _access.info("request", extra={"facts": facts})


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _complete(message: Message) -> None:
    given = Headers(raw=message["headers"])
    headers = MutableHeaders(raw=list(message["headers"]))
    for name, value in _HEADERS.items():
        if name not in given:
            headers[name] = value
    message["headers"] = headers.raw
