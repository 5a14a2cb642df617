"""`/keys`: an admin makes, lists and removes the API keys of its tenant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.responses import JSONResponse, Response

from semantic_pubsub.broker.clock import written_time
from semantic_pubsub.broker.errors import UnknownSubscriptionError
from semantic_pubsub.broker.http.bodies import json_object
from semantic_pubsub.broker.http.negotiation import JSON, choose
from semantic_pubsub.broker.http.operators import check_operator
from semantic_pubsub.broker.http.problems import ProblemError
from semantic_pubsub.broker.http.queries import only
from semantic_pubsub.broker.http.subscription_documents import moment
from semantic_pubsub.broker.keys import new_key

if TYPE_CHECKING:
    from starlette.requests import Request

    from semantic_pubsub.broker.http.identity import Identity
    from semantic_pubsub.broker.http.service import Service
    from semantic_pubsub.broker.model import KeyRecord

__all__ = ["add_key", "keys", "remove_key"]

_ROLES: Final = ("publish", "subscribe", "admin")
_LONGEST: Final = 256


async def keys(request: Request, who: Identity, service: Service) -> Response:
    """The keys of the tenant, without the keys themselves: nobody has them but their owners."""
    choose(request, (JSON,))
    only(request, "tenant")
    found = await service.asking.run(service.broker.store.keys.page, _tenant(request, who, service))
    return JSONResponse({"keys": [_shown(record) for record in found]})


async def add_key(request: Request, who: Identity, service: Service) -> Response:
    """A new key, shown this once."""
    choose(request, (JSON,))
    only(request, "tenant")
    document = await json_object(request, 16_384, service.settings.http.body_seconds)
    if document.keys() - {"name", "subject", "roles", "expiresAt"}:
        raise _bad("the members are name, subject, roles and expiresAt", "leave out the others")
    expires = document.get("expiresAt")
    if expires is not None and not isinstance(expires, str):
        raise _bad("expiresAt is a text", "write 2030-01-31T12:00:00Z")
    until = moment(expires)
    if until is not None and until <= service.clock.now():  # as a first key it would lock everybody out
        raise _bad("expiresAt is over already", "write a time to come, or leave it out")
    key, record = new_key(
        tenant=_tenant(request, who, service),
        subject=_name(document, "subject"),
        roles=_roles(document.get("roles")),
        name=_name(document, "name"),
        now=service.clock.now(),
        expires_at=until,
    )
    await service.asking.run(lambda: service.broker.store.keys.add(record).result())
    service.door.close()
    return JSONResponse({**_shown(record), "key": key}, 201)


async def remove_key(request: Request, who: Identity, service: Service) -> Response:
    """A key that is good no more, within two seconds everywhere."""
    only(request, "tenant")
    tenant = _tenant(request, who, service)
    name = request.path_params["name"]
    removed = name.isprintable() and await service.asking.run(
        lambda: service.broker.store.keys.remove(tenant, name).result()
    )
    service.door.forget()
    if not removed:
        raise UnknownSubscriptionError(f"there is no key {name[:60]!r}", hint="list the keys")
    return Response(status_code=204)


def _tenant(request: Request, who: Identity, service: Service) -> str:
    """The admin's own; operators may name another."""
    named = request.query_params.get("tenant", who.tenant)
    if named != who.tenant:
        check_operator(who, service)
    return _name({"tenant": named}, "tenant")


def _shown(record: KeyRecord) -> dict[str, Any]:
    return {
        "name": record.name,
        "tenant": record.tenant,
        "subject": record.subject,
        "roles": sorted(record.roles),
        "createdAt": written_time(record.created_at),
        "expiresAt": None if record.expires_at is None else written_time(record.expires_at),
    }


def _name(document: dict[str, Any], member: str) -> str:
    value = document.get(member)
    if not isinstance(value, str) or not value.isprintable() or not 0 < len(value) <= _LONGEST or value == "*":
        raise _bad(f"{member} is a text of 1 to {_LONGEST} printable characters", "name whom the key is for")
    if "/" in value and member == "name":
        raise _bad("name has a /", "leave it out: the name stands in a path")
    return value


def _roles(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value or not all(isinstance(r, str) and r in _ROLES for r in value):
        raise _bad("roles is a list", f"of {', '.join(_ROLES)}")
    return value


def _bad(detail: str, hint: str) -> ProblemError:
    return ProblemError(400, "unreadable-key", detail, hint=hint)
