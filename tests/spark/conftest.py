"""One Spark session for the whole run, started by the first test that asks for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import FlatMatcher, Ontology, subscriptions_from
from semantic_pubsub.spark import quiet_session, register
from tests.spark.clusters import QUICK_JAVA

NEEDS_JAVA = pytest.mark.skipif(shutil.which("java") is None, reason="there is no Java")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests with Spark in one process: one session, and not two that fight for the cores.

    They come first: this longest group of all would otherwise run on when everything else is done.
    """
    ours = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in ours:
        item.add_marker(pytest.mark.xdist_group("spark"))
    held = set(ours)
    items[:] = [*ours, *(item for item in items if item not in held)]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    os.environ.setdefault("JDK_JAVA_OPTIONS", QUICK_JAVA)
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.default.parallelism": "1",  # of a table with three rows: one Python worker, not two; files say more
    }
    session = quiet_session("local[2]", "tests", settings)
    register(session)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def auction(project: Path) -> Ontology:
    return Ontology.load(project / "ontology" / "auction.ttl")


@pytest.fixture(scope="session")
def verified(project: Path, auction: Ontology) -> FlatMatcher:
    matcher = FlatMatcher(auction, verify=True)
    matcher.add_all(subscriptions_from(project / "examples" / "subscriptions"))
    return matcher
