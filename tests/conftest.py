"""Fixtures that every room's tests share."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the project: `ontology/`, `shapes/` and `examples/` are below it."""
    return PROJECT


@pytest.fixture(scope="session")
def test_data() -> Path:
    """Real ontologies and documents that are not part of the project."""
    folder = os.environ.get("SEMANTIC_PUBSUB_TEST_DATA")
    if not folder:
        pytest.skip("SEMANTIC_PUBSUB_TEST_DATA is not set")
    return Path(folder).resolve()


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    """Whatever set up logging sent it to what was stderr then: for the tests after this one that is a closed file."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)
