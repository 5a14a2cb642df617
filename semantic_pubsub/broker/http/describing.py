"""`/ontology`: what classes and properties there are, and reading them again."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from starlette.responses import JSONResponse, Response

from semantic_pubsub.broker.http.bodies import empty_body
from semantic_pubsub.broker.http.negotiation import JSON, choose
from semantic_pubsub.broker.http.operators import check_operator
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.http.queries import only
from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.concepts import Ontology

__all__ = ["ontology", "reload"]

_written: WeakKeyDictionary[Ontology, tuple[bytes, str]] = WeakKeyDictionary()


async def ontology(request: Request, _: Identity, service: Service) -> Response:
    """Classes and properties with labels and what is directly above them; an ETag tells whether it changed."""
    choose(request, (JSON,))
    model = service.broker.ontology
    written = _written.get(model)
    body, tag = await service.asking.run(_write, model) if written is None else written
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(body, 200, headers, JSON)


async def reload(request: Request, who: Identity, service: Service) -> Response:
    """Read ontology and shapes from their files again; tells which subscriptions fit no more (none is lost)."""
    choose(request, (JSON,))
    only(request)
    check_operator(who, service)
    await empty_body(request, service.settings.http.body_seconds)
    try:
        refused = await service.changing.run(service.reload)
    except SemanticPubSubError as error:
        raise ProblemError(409, "not-reloaded", str(error), hint="all stays as it was: correct the files") from None
    entries = [
        {"tenant": record.tenant, "subscriber": record.subscriber, "id": record.id, "reason": str(error)}
        for record, error in refused
    ]
    model = service.broker.ontology
    return JSONResponse({"classes": len(model.classes), "properties": len(model.properties), "refused": entries})


def _write(model: Ontology) -> tuple[bytes, str]:
    content = {
        "prefixes": dict(model.prefixes),
        "classes": [_entry(model, str(name), model.classes.parents(str(name))) for name in model.classes],
        "properties": [
            {
                **_entry(model, str(name), model.properties.parents(str(name))),
                "domain": sorted(model.domains(str(name))),
                "range": sorted(model.ranges(str(name))),
            }
            for name in model.properties
        ],
    }
    body = json.dumps(content, ensure_ascii=False).encode("utf-8")
    _written[model] = found = (body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
    return found


def _entry(model: Ontology, name: str, parents: tuple[str, ...]) -> dict[str, Any]:
    return {"iri": name, "label": model.label(name), "parents": sorted(parents)}
