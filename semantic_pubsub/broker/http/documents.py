"""`/openapi.json` and `/docs`: the interface for programs and for people; nothing is loaded from elsewhere."""

from __future__ import annotations

import html
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from starlette.responses import Response

from semantic_pubsub.broker.http.negotiation import JSON
from semantic_pubsub.broker.http.openapi import document

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service

__all__ = ["openapi", "page"]

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "code{background:#eee;padding:0 .25em}h2{margin-top:2rem;border-bottom:1px solid #ccc}"
    "table{border-collapse:collapse}td,th{padding:.1rem 1rem .1rem 0;text-align:left;vertical-align:top}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


async def openapi(request: Request, _: Identity, service: Service) -> Response:  # noqa: ARG001
    """The OpenAPI document."""
    return Response(_json(), media_type=JSON)


async def page(request: Request, _: Identity, service: Service) -> Response:  # noqa: ARG001
    """The same as a page."""
    return Response(_html(), headers={"content-security-policy": _POLICY}, media_type="text/html")


@cache
def _json() -> bytes:
    return json.dumps(document(), ensure_ascii=False).encode("utf-8")


@cache
def _html() -> bytes:
    described = document()
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(described['info']['title'])}</title>",
        f"<style>{_STYLE}</style><h1>{html.escape(described['info']['title'])}</h1>",
        f"<p>{html.escape(described['info']['description'])}</p>",
        "<p>For programs: <a href=/openapi.json><code>/openapi.json</code></a>.</p>",
    ]
    for path, methods in described["paths"].items():
        parts += [_operation(method, path, operation) for method, operation in methods.items()]
    return "".join(parts).encode("utf-8")


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    rows = [
        (f"<code>{html.escape(p['name'])}</code> ({p['in']})", html.escape(p.get("description", "")))
        for p in operation.get("parameters", ())
    ]
    body = operation.get("requestBody")
    if body is not None:
        rows.append(("body", ", ".join(f"<code>{html.escape(kind)}</code>" for kind in body["content"])))
    rows += [(status, html.escape(answer["description"])) for status, answer in operation["responses"].items()]
    table = "".join(f"<tr><td>{name}</td><td>{text}</td></tr>" for name, text in rows)
    head = f"<h2>{method.upper()} <code>{html.escape(path)}</code></h2>"
    return f"{head}<p>{html.escape(operation['summary'])}</p><table>{table}</table>"
