"""Each role and route, and no path by which one sees or changes what belongs to another."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semantic_pubsub import Ontology, ReferenceMatcher
from semantic_pubsub.broker import Broker
from semantic_pubsub.broker.http import Service, Settings
from semantic_pubsub.broker.http.routes import ROUTES, Route
from tests.broker.conftest import event, pattern
from tests.broker.http.conftest import LOCAL, TURTLE, Api, InProcess, add_key

ROLES = [(), ("publish",), ("subscribe",), ("admin",), ("publish", "subscribe")]
PATHS = {"id": "x", "number": "1", "name": "x"}
LET_IN = {
    "publish": {("publish",), ("admin",), ("publish", "subscribe")},
    "subscribe": {("subscribe",), ("admin",), ("publish", "subscribe")},
    "admin": {("admin",)},
    "any": set(ROLES),
    None: set(ROLES),
}
STREAMS = ("/stream",)


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_each_role_and_route(api: Api, route: Route) -> None:
    path = route.path.format(**PATHS)
    accept = {"accept": "application/none"}  # a stream would not end; whether one may comes first
    if route.path.endswith(STREAMS):
        path += "?acknowledge=never"
    nobody = api.client.request(route.method, path, headers={"authorization": "Bearer x", **accept})
    for roles in ROLES:
        mine = api.key("-".join(roles) or "none", *roles)
        answer = api.client.request(route.method, path, headers={**mine, **accept})
        refused = answer.status_code == 403 and "role" in answer.json()["detail"]
        assert refused == (roles not in LET_IN[route.role]), answer.text
        assert answer.status_code not in (401, 500)
    api.service.door.close()
    nobody = api.client.request(route.method, path, headers={"authorization": "Bearer x", **accept})
    assert (nobody.status_code == 401) == (route.role is not None)
    if nobody.status_code == 401:
        assert "x" not in nobody.json().get("detail", "").split()


@pytest.mark.parametrize(("method", "path"), [("POST", "/ontology"), ("GET", "/metrics")])
def test_what_concerns_all_tenants_is_for_the_operator(api: Api, method: str, path: str) -> None:
    assert api.client.request(method, path, headers=api.key("root", "admin", tenant="blue")).status_code == 403
    assert api.client.request(method, path, headers=api.key("root", "admin")).status_code != 403


def test_an_admin_acts_for_others_of_its_tenant_and_nobody_else_does(api: Api) -> None:
    ann, root = api.key("ann", "subscribe"), api.key("root", "admin")
    foreign = api.key("root", "admin", tenant="blue")
    api.client.post("/subscriptions", json={"pattern": pattern(), "id": "a"}, headers=ann)

    def status(headers: dict[str, str], path: str) -> int:
        return api.client.get(path, headers=headers).status_code

    assert status(root, "/subscriptions/a") == 404
    assert status(root, "/subscriptions/a?subscriber=ann") == 200
    assert status(ann, "/subscriptions/a?subscriber=ann") == 200
    assert status(ann, "/subscriptions/a?subscriber=bob") == 403
    assert status(foreign, "/subscriptions/a?subscriber=ann") == 404
    for headers, seen in ((root, ["a"]), (foreign, [])):
        found = api.client.get("/subscriptions?subscriber=*", headers=headers).json()["subscriptions"]
        assert [entry["id"] for entry in found] == seen
    assert status(ann, "/subscriptions?subscriber=*") == 403


def test_what_is_anothers_and_what_is_not_there_look_alike(api: Api) -> None:
    ann, bob = api.key("ann", "subscribe"), api.key("bob", "subscribe")
    api.client.post("/subscriptions", json={"pattern": pattern(), "id": "a"}, headers=ann)
    for method, path, body in (
        ("GET", "/subscriptions/{}", None),
        ("PUT", "/subscriptions/{}", {"pattern": pattern()}),
        ("PATCH", "/subscriptions/{}", {"isActive": False}),
        ("DELETE", "/subscriptions/{}", None),
        ("GET", "/subscriptions/{}/deliveries", None),
        ("POST", "/subscriptions/{}/ack", {"position": 1}),
        ("GET", "/subscriptions/{}/stream", None),
        ("POST", "/explain", {"subscription": "{}", "event": event(1)}),
    ):
        answers = []
        for name in ("a", "b"):
            given = {k: v.format(name) if v == "{}" else v for k, v in (body or {}).items()} if body else None
            answer = api.client.request(method, path.format(name), json=given, headers=bob)
            answers.append((answer.status_code, answer.text.replace(f"'{name}'", "'?'")))
        assert answers[0] == answers[1]
        assert answers[0][0] == 404
    assert api.client.get("/subscriptions/a", headers=ann).json()["isActive"] is True


TENANTS = ["red", "blue"]
SUBSCRIBERS = ["ann", "bob"]
PATCHES: list[dict[str, Any]] = [
    {"isActive": False},
    {"isActive": True},
    {"throttling": 0},
    {"expiresAt": "2090-01-01"},
    {"expiresAt": None, "isActive": True},
]
whose = st.tuples(st.sampled_from(TENANTS), st.sampled_from(SUBSCRIBERS))
names = st.sampled_from(["one", "two"])
others = st.sampled_from(["", "?subscriber=ann", "?subscriber=bob", "?subscriber=*"])
steps = st.lists(st.tuples(whose, st.integers(0, 14), names, st.integers(0, 9), others), max_size=40)


def secret(tenant: str, subscriber: str) -> str:
    return f"{tenant}-{subscriber}"


def request(tenant: str, who: str, which: int, name: str, number: int, other: str) -> tuple[str, str, dict[str, Any]]:
    """Any request that a subscriber can make."""
    document = {"pattern": f"# {secret(tenant, who)}\n{pattern()}"}
    headers = {**TURTLE, "idempotency-key": f"k{number % 3}"}
    return [
        ("POST", f"/subscriptions{other}", {"json": {**document, "id": name}}),
        ("POST", f"/subscriptions{other}", {"json": {**document, "id": name}}),
        ("PUT", f"/subscriptions/{name}{other}", {"json": document}),
        ("PATCH", f"/subscriptions/{name}{other}", {"json": PATCHES[number % len(PATCHES)]}),
        ("DELETE", f"/subscriptions/{name}{other}", {}),
        ("GET", f"/subscriptions/{name}{other}", {}),
        ("GET", f"/subscriptions{other}", {}),
        ("GET", f"/subscriptions/{name}/deliveries{other}", {}),
        ("POST", f"/subscriptions/{name}/ack{other}", {"json": {"position": number}}),
        ("GET", f"/deliveries{other}", {}),
        ("GET", f"/dead-letters{other}", {}),
        ("POST", f"/dead-letters/{number}/replay{other}", {}),
        ("DELETE", f"/dead-letters/{number}{other}", {}),
        ("POST", "/events", {"content": event(f"'{tenant}'"), "headers": headers}),
        ("POST", f"/explain{other}", {"json": {"subscription": name, "event": event(f"'{tenant}'")}}),
    ][which]  # type: ignore[return-value]


@contextmanager
def broker_with_keys(plain: Ontology) -> Iterator[tuple[Broker, dict[tuple[str, str], httpx.Client]]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Broker(plain, ReferenceMatcher, Path(folder) / "broker.db") as broker,
    ):
        keys = {(t, s): add_key(broker, s, "publish", "subscribe", tenant=t) for t in TENANTS for s in SUBSCRIBERS}
        service = Service(broker, Settings())
        transport = InProcess(service)
        yield (
            broker,
            {
                place: httpx.Client(base_url=LOCAL, transport=transport, headers={"authorization": f"Bearer {key}"})
                for place, key in keys.items()
            },
        )
        transport.close()
        service.close()


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(steps=steps)
def test_no_request_shows_or_changes_what_belongs_to_another(plain: Ontology, steps: list[Any]) -> None:
    with broker_with_keys(plain) as (broker, clients):
        for (tenant, who), which, name, number, other in steps:
            before = {place: state(broker, *place) for place in clients if place != (tenant, who)}
            method, path, body = request(tenant, who, which, name, number, other)
            answer = clients[tenant, who].request(method, path, **body)
            assert answer.status_code < 500
            check_shown(answer.text, tenant, who)
            if which == 9:
                bury_one(broker, tenant, who)
            if path != "/events":
                assert {place: state(broker, *place) for place in before} == before
            else:  # events reach everybody of their tenant, and nobody else
                apart = [place for place in before if place[0] != tenant]
                assert {place: state(broker, *place) for place in apart} == {p: before[p] for p in apart}


def check_shown(text: str, tenant: str, who: str) -> None:
    for other_tenant in TENANTS:
        assert other_tenant == tenant or other_tenant not in text
        for other in SUBSCRIBERS:
            assert (other_tenant, other) == (tenant, who) or secret(other_tenant, other) not in text


def state(broker: Broker, tenant: str, who: str) -> Any:
    """All that a subscriber has."""
    return (
        broker.subscriptions(who, tenant=tenant),
        [delivery.position for delivery in broker.pull(who, tenant=tenant, after=0)],
        broker.dead_letters(who, tenant=tenant),
    )


def bury_one(broker: Broker, tenant: str, who: str) -> None:
    """There shall be dead letters."""
    for record in broker.subscriptions(who, tenant=tenant):
        standing = broker._registry.get(tenant, who, record.id)
        assert standing is not None
        rows = broker.store.queues.pending(standing.number, standing.acked, 1)
        broker.store.dead_letters.bury(standing.number, rows, reason="r", attempts=1, now=1.0).result()
