"""Keys and tokens: who is let in, and who is not."""

from __future__ import annotations

import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from semantic_pubsub.broker import BrokerError
from semantic_pubsub.broker.http.settings import Settings, TokenSettings
from semantic_pubsub.broker.http.tokens import TokenReader
from tests.broker.conftest import HandClock, event, pattern
from tests.broker.http.conftest import TURTLE, Api, MakeApi, add_key

SECRET = "0123456789abcdef0123456789abcdef"
HS256 = TokenSettings(issuer="https://issuer.example", audience="broker", key=SECRET)


def bearer(text: str) -> dict[str, str]:
    return {"authorization": f"Bearer {text}"}


def claims(**changes: Any) -> dict[str, Any]:
    given = {
        "sub": "ann", "iss": HS256.issuer, "aud": HS256.audience, "exp": int(time.time()) + 600,
        "roles": ["subscribe"], "tenant": "red", **changes,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


def token(key: Any = SECRET, algorithm: str = "HS256", **changes: Any) -> str:
    return jwt.encode(claims(**changes), key, algorithm)


def test_once_there_is_a_key_everybody_needs_one(api: Api) -> None:
    assert api.client.get("/subscriptions").status_code == 200
    mine = api.key("ann", "subscribe")
    refused = api.client.get("/subscriptions")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")
    assert api.client.get("/subscriptions", headers=mine).status_code == 200
    api.broker.store.keys.remove("default", "ann-key").result()
    api.service.door.forget()
    assert api.client.get("/subscriptions", headers=mine).status_code == 401
    assert api.client.get("/subscriptions").status_code == 401


@pytest.mark.parametrize(
    "authorization", ["", "Bearer", "Bearer ", "Bearer sps_wrong", "Basic abc", "Bearer " + "x" * 9000, "Bearer a.b.c"]
)
def test_what_is_no_key(api: Api, authorization: str) -> None:
    api.key("ann", "subscribe")
    assert api.client.get("/subscriptions", headers={"authorization": authorization}).status_code == 401


def test_a_key_expires(api: Api, clock: HandClock) -> None:
    api.service.door.close()
    key = add_key(api.broker, "ann", "subscribe", expires_at=clock.time + 10)
    assert api.client.get("/subscriptions", headers=bearer(key)).status_code == 200
    clock.time += 10
    assert api.client.get("/subscriptions", headers=bearer(key)).status_code == 401


def test_a_removed_key_is_forgotten_soon(api: Api, clock: HandClock) -> None:
    mine = api.key("ann", "subscribe")
    assert api.client.get("/subscriptions", headers=mine).status_code == 200
    api.broker.store.keys.remove("default", "ann-key").result()
    clock.time += 2
    assert api.client.get("/subscriptions", headers=mine).status_code == 401


def test_keys_are_made_listed_and_removed(api: Api) -> None:
    root = api.key("root", "admin")
    wish = {"name": "shop", "subject": "shop", "roles": ["publish"], "expiresAt": "2030-01-01T00:00:00Z"}
    made = api.client.post("/keys", json=wish, headers=root)
    assert made.status_code == 201
    key = made.json()["key"]
    assert api.client.post("/events", content=event(1), headers={**TURTLE, **bearer(key)}).status_code == 201
    assert api.client.post("/keys", json=wish, headers=root).status_code == 409
    listed = api.client.get("/keys", headers=root)
    assert [entry["name"] for entry in listed.json()["keys"]] == ["root-key", "shop"]
    assert [entry["expiresAt"] for entry in listed.json()["keys"]] == [None, wish["expiresAt"]]
    assert key not in listed.text
    assert api.client.delete("/keys/shop", headers=root).status_code == 204
    assert api.client.delete("/keys/shop", headers=root).status_code == 404
    assert api.client.post("/events", content=event(1), headers={**TURTLE, **bearer(key)}).status_code == 401


def test_operators_make_the_first_key_of_a_tenant_and_nobody_else_does(api: Api) -> None:
    root, foreign = api.key("root", "admin"), api.key("root", "admin", tenant="blue")
    wish = {"name": "first", "subject": "boss", "roles": ["admin"]}
    made = api.client.post("/keys?tenant=green", json=wish, headers=root)
    assert made.json()["tenant"] == "green"
    assert api.client.get("/keys", headers=bearer(made.json()["key"])).json()["keys"][0]["name"] == "first"
    for headers in (foreign, bearer(made.json()["key"])):
        assert api.client.post("/keys?tenant=default", json=wish, headers=headers).status_code == 403
        assert api.client.get("/keys?tenant=default", headers=headers).status_code == 403
        assert api.client.delete("/keys/root-key?tenant=default", headers=headers).status_code == 403
    assert api.client.delete("/keys/first?tenant=green", headers=root).status_code == 204


@pytest.mark.parametrize(
    "change",
    [{"roles": []}, {"roles": ["root"]}, {"roles": "admin"}, {"subject": ""}, {"name": "a/b"}, {"subject": "*"},
     {"tenant": "blue"}, {"expiresAt": 5}],
)  # fmt: skip
def test_bad_keys(api: Api, change: dict[str, Any]) -> None:
    wish = {"name": "shop", "subject": "shop", "roles": ["publish"], **change}
    assert api.client.post("/keys", json=wish, headers=api.key("root", "admin")).status_code == 400


def test_a_key_whose_time_is_over_is_not_made(api: Api) -> None:
    """As the first one it would lock out everybody, the admin who sent it as well."""
    wish = {"name": "x", "subject": "x", "roles": ["admin"]}
    assert api.client.post("/keys", json={**wish, "expiresAt": "1970-01-02T00:00:00Z"}).status_code == 400
    assert api.client.get("/keys").json() == {"keys": []}


def test_a_token_says_who_one_is(make_api: MakeApi) -> None:
    api = make_api(Settings(jwt=HS256))
    assert api.client.get("/subscriptions").status_code == 401
    made = api.client.post("/subscriptions", json={"pattern": pattern(), "id": "a"}, headers=bearer(token()))
    assert made.status_code == 201
    assert api.broker.subscription("ann", "a", tenant="red").subscriber == "ann"
    assert api.client.post("/events", content=event(1), headers={**TURTLE, **bearer(token())}).status_code == 403
    scope = token(roles="publish other admin")
    assert api.client.get("/keys", headers=bearer(scope)).status_code == 200


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": 1}, {"exp": None}, {"exp": 10**400}, {"iss": "https://other.example"}, {"iss": None}, {"aud": "other"},
        {"aud": None}, {"sub": None}, {"sub": ""}, {"sub": "a\nb"}, {"tenant": 5}, {"nbf": int(time.time()) + 6000},
    ],
)  # fmt: skip
def test_tokens_that_are_not_believed(make_api: MakeApi, changes: dict[str, Any]) -> None:
    api = make_api(Settings(jwt=HS256))
    try:
        made = token(**changes)
    except TypeError:  # PyJWT does not even write it
        return
    assert api.client.get("/subscriptions", headers=bearer(made)).status_code == 401


def test_the_algorithm_is_ours_and_not_the_tokens(make_api: MakeApi) -> None:
    private = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    settings = TokenSettings(HS256.issuer, HS256.audience, "RS256", key=public.decode())
    api = make_api(Settings(jwt=settings))
    assert api.client.get("/subscriptions", headers=bearer(token(private, "RS256"))).status_code == 200
    none = jwt.encode(claims(), None, "none")
    header, body, _ = token().split(".")
    import base64
    import hashlib
    import hmac

    signed = f"{header}.{body}".encode()
    confused = base64.urlsafe_b64encode(hmac.new(public, signed, hashlib.sha256).digest()).rstrip(b"=").decode()
    other = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    for bad in (none, f"{header}.{body}.{confused}", f"{header}.{body}.", token(other, "RS256")):
        assert api.client.get("/subscriptions", headers=bearer(bad)).status_code == 401


@pytest.mark.parametrize(
    "settings",
    [
        TokenSettings(HS256.issuer, HS256.audience, key="short"),
        TokenSettings(HS256.issuer, HS256.audience, "RS256", key="no key"),
        TokenSettings(HS256.issuer, HS256.audience, key_file="missing"),
    ],
)
def test_weak_keys_are_refused(settings: TokenSettings) -> None:
    with pytest.raises(BrokerError):
        TokenReader(settings)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8080", "[::", "10.0.0.1", "127.0.0.1.evil.example"])
def test_without_keys_only_loopback_names_are_answered(api: Api, host: str) -> None:
    assert api.client.get("/subscriptions", headers={"host": host}).status_code == 421
    assert api.client.get("/health", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8080", "[::1]:8080"])
def test_without_keys_loopback_names_are(api: Api, host: str) -> None:
    assert api.client.get("/subscriptions", headers={"host": host}).status_code == 200


def test_without_keys_web_pages_of_others_are_refused(api: Api) -> None:
    for origin, status in (("http://127.0.0.1", 200), ("https://evil.example", 403), ("null", 403)):
        assert api.client.get("/subscriptions", headers={"origin": origin}).status_code == status


def test_without_keys_no_image_of_a_web_page_acknowledges_anything(api: Api) -> None:
    """Resuming a stream is a GET, acknowledges, and needs no Origin."""
    api.broker.subscribe("local", pattern(), id="mine")
    api.broker.publish(event(1))
    for site in ("cross-site", "same-site"):
        answer = api.client.get("/subscriptions/mine/stream?after=1", headers={"sec-fetch-site": site})
        assert answer.status_code == 403
    assert len(api.broker.pull("local")) == 1
    for site in ("none", "same-origin"):
        assert api.client.get("/docs", headers={"sec-fetch-site": site}).status_code == 200
