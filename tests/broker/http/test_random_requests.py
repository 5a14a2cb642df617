"""Random requests made from the OpenAPI document never end in a server's error."""

from __future__ import annotations

import os
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from semantic_pubsub.broker.http.openapi import document
from semantic_pubsub.broker.http.settings import HttpLimits, Settings
from tests.broker.conftest import pattern
from tests.broker.http.conftest import Api, MakeApi

EXAMPLES = 200 if os.environ.get("SEMANTIC_PUBSUB_SOAK") else 8
ENDLESS = ("/stream", "/subscriptions/{id}/stream")
SCHEMA = schemathesis.openapi.from_dict(document())
OPERATIONS = [
    (method.upper(), path) for path, entry in document()["paths"].items() for method in entry if path not in ENDLESS
]


@pytest.fixture
def random_api(make_api: MakeApi) -> Api:
    api = make_api(Settings(http=HttpLimits(explain_per_second=1e6, explain_burst=10**6)))
    api.broker.subscribe("local", pattern(), id="a")
    return api


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_no_server_error(random_api: Api, method: str, path: str) -> None:
    operation = SCHEMA[path][method]
    cases = st.one_of(
        operation.as_strategy(), operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    )

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
    )
    @given(case=cases)
    def run(case: Any) -> None:
        asked = case.as_transport_kwargs(base_url="http://127.0.0.1")
        answer = send(random_api.client, asked)
        assert answer is None or answer.status_code < 500, (asked, answer.text)

    run()


def send(client: httpx.Client, asked: dict[str, Any]) -> httpx.Response | None:
    """None for what httpx does not send at all."""
    content = asked.get("data") if asked.get("data") is not None else None
    if not isinstance(content, (str, bytes, type(None))):
        content = str(content)
    try:
        headers = {k: v.encode("utf-8", "surrogateescape") for k, v in dict(asked.get("headers") or {}).items()}
        request = client.build_request(
            asked["method"],
            asked["url"],
            params=asked.get("params") or None,
            headers=headers,
            cookies=None,
            **({"json": asked["json"]} if asked.get("json") is not None else {"content": content}),
        )
    except (httpx.InvalidURL, UnicodeError, ValueError, TypeError):
        return None
    return client.send(request)
