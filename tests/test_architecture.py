"""Order is tested: layers import only downwards, and heavy libraries only in the rooms that own them."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "semantic_pubsub"

# From the bottom up; a module may import from its own layer's room or from a lower layer.
LAYERS = [
    ("errors", "terms", "vocab", "shipped"),
    ("concepts",),
    ("events", "subscriptions"),
    ("matching",),
    ("broker",),
    ("broker.http", "spark"),
    ("cli",),
    ("__main__",),
]
RANK = {room: rank for rank, rooms in enumerate(LAYERS) for room in rooms}

HEAVY = {
    "owlready2": {"concepts"},
    "networkx": {"concepts"},
    "pyroaring": {"concepts"},
    "pyshacl": {"events"},
    "re2": {"subscriptions"},
    "rich": {"cli", "matching"},
    "typer": {"cli"},
    "pyspark": {"spark"},
    "numba": {"matching"},
    "llvmlite": {"matching"},
    "pandas": {"spark"},
    "pyarrow": {"cli", "spark"},
    "httpx": {"broker"},
    "psycopg": {"broker"},
    "starlette": {"broker.http"},
    "jwt": {"broker.http"},
    "uvicorn": {"broker.http"},
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    relative = path.relative_to(PACKAGE)
    if relative.parts[:2] == ("broker", "http"):
        return "broker.http"
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Each imported module, and whether it is needed when the program runs (not only for types)."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) not in for_types) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, id(node) not in for_types


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_downwards(path: Path) -> None:
    room = room_of(path)
    if room == "__init__":
        return
    for module, at_run_time in imports(path):
        parts = module.split(".")
        if parts[0] != "semantic_pubsub" or len(parts) == 1:
            continue
        other = "broker.http" if parts[1:3] == ["broker", "http"] else parts[1]
        if other == room or not at_run_time:
            continue
        assert RANK[other] < RANK[room], f"{room} must not import {other} ({module})"


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_heavy_libraries_stay_in_their_rooms(path: Path) -> None:
    for module, _ in imports(path):
        library = module.split(".")[0]
        if library in HEAVY:
            assert room_of(path) in HEAVY[library], f"{library} does not belong in {room_of(path)}"


def test_importing_the_package_is_light() -> None:
    heavy = "pyspark owlready2 pyshacl pandas numba typer starlette networkx httpx psycopg"
    code = f"import sys, semantic_pubsub; print([m for m in {heavy.split()!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_the_broker_brings_no_web_stack_and_no_database_driver() -> None:
    heavy = "httpx psycopg starlette uvicorn numba pyshacl"
    code = f"import sys, semantic_pubsub.broker; print([m for m in {heavy.split()!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
