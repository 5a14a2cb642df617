"""A file that is no saved matcher, or not a whole one, is refused in one clear line."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import pytest

from semantic_pubsub import Ontology, OpsMatcher, SemanticPubSubError
from semantic_pubsub.matching.arrays.storage_format import read_file, write_file
from semantic_pubsub.matching.graph import layout
from tests.matching.graph.varied import ONTOLOGY, turtle, varied


@pytest.fixture
def ontology() -> Ontology:
    return turtle(ONTOLOGY)


@pytest.fixture
def saved(ontology: Ontology, tmp_path: Path) -> Path:
    path = tmp_path / "subscriptions.ops"
    varied(ontology).save(path)
    return path


def refusal(path: Path, ontology: Ontology, *, verify: bool = False) -> str:
    with pytest.raises(SemanticPubSubError) as caught:
        OpsMatcher.load(path, ontology, verify=verify)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert message.endswith(")"), "no remedy"
    return message


def test_no_file(tmp_path: Path, ontology: Ontology) -> None:
    assert "no such file" in refusal(tmp_path / "missing", ontology)
    assert "cannot be read" in refusal(tmp_path, ontology)


@pytest.mark.parametrize("content", [b"", b"\x89", b"PK\x03\x04" + bytes(200), ONTOLOGY.encode()])
def test_a_foreign_file(content: bytes, tmp_path: Path, ontology: Ontology) -> None:
    path = tmp_path / "foreign"
    path.write_bytes(content)
    assert "is no file of saved subscriptions" in refusal(path, ontology)


def test_a_file_that_is_cut_off(saved: Path, ontology: Ontology) -> None:
    content = saved.read_bytes()
    for length in (8, 20, 63, 64, 65, 1000, len(content) // 2, len(content) - 1):
        saved.write_bytes(content[:length])
        assert "is cut off" in refusal(saved, ontology)
    saved.write_bytes(content + b"x")
    assert "is cut off or longer" in refusal(saved, ontology)


def test_another_version(saved: Path, ontology: Ontology) -> None:
    content = bytearray(saved.read_bytes())
    content[8:12] = struct.pack("<I", 99)
    saved.write_bytes(content)
    assert "was saved in format 99, and this version reads format 1" in refusal(saved, ontology)


def test_other_tables(saved: Path, ontology: Ontology, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "ROW_WIDTH", 9)
    assert "arranges its tables differently" in refusal(saved, ontology)


def test_a_changed_byte_is_noticed(saved: Path, ontology: Ontology) -> None:
    content = saved.read_bytes()
    start, length = struct.unpack_from("<QQ", content, 16)
    assert start + length == len(content)
    changed = bytearray(content)
    changed[start + length // 2] ^= 1
    saved.write_bytes(changed)
    assert "the checksum of its directory is wrong" in refusal(saved, ontology)
    changed = bytearray(content)
    changed[64] ^= 1  # in an array: noticed by who looks at it
    saved.write_bytes(changed)
    assert "the checksum of an array is wrong" in refusal(saved, ontology, verify=True)


@pytest.mark.parametrize(
    "entry", [["<i4", [9**9], 64, ""], ["<i4", [-1], 64, ""], ["<i4", [1], 65, ""], ["|O", [1], 64, ""]]
)
def test_arrays_that_do_not_lie_in_the_file(entry: list[Any], saved: Path, ontology: Ontology) -> None:
    tamper_entry(saved, "rows", entry)
    assert refusal(saved, ontology)


def tamper_entry(path: Path, name: str, entry: list[Any]) -> None:
    """Change where an array is said to lie, with the checksum set right."""
    content = path.read_bytes()
    start, length = struct.unpack_from("<QQ", content, 16)
    directory = json.loads(content[start : start + length])
    directory["arrays"][name] = entry
    text = json.dumps(directory).encode()
    checksum = hashlib.blake2b(text, digest_size=32).digest()
    head = content[:16] + struct.pack("<QQ", start, len(text)) + checksum
    path.write_bytes(head + content[64:start] + text)


WRONG = [
    ("nodes", layout.NODE_PARENT),
    ("nodes", layout.NODE_VALUES),
    ("items", layout.ITEM_NODE),
    ("items", layout.ITEM_HEAD),
    ("items", layout.ITEM_NEXT),
    ("items", layout.ITEM_WAITING),
    ("segments", layout.SEGMENT_START),
    ("segments", layout.SEGMENT_CAPACITY),
    ("segments", layout.SEGMENT_COUNT),
    ("segments", layout.SEGMENT_NEXT),
    ("rows", 0),
    ("rows", 1),
    ("slots", layout.SLOT_OWNER),
    ("slots", layout.SLOT_SHAPE),
    ("slots", layout.SLOT_PARAMETERS),
    ("slots", layout.SLOT_ROW),
    ("slots", layout.SLOT_ITEM),
    ("slots", layout.SLOT_NEXT),
    ("shape_table", None),
    ("parameters", None),
    ("needles", 1),
    ("needles", 2),
    ("values", None),
    ("counts", layout.COUNT_FREE),
    ("counts", layout.COUNT_ROWS),
    ("owners", None),
    ("first", None),
    ("free_slots", None),
    ("free_bounds", None),
    ("free_spans", 0),
    ("free_owners", None),
]


@pytest.mark.parametrize("number", [-7, 1 << 30])
@pytest.mark.parametrize(("name", "column"), WRONG)
def test_numbers_that_lead_nowhere(name: str, column: int | None, number: int, saved: Path, ontology: Ontology) -> None:
    """The checksums are right: the file was made so."""
    directory, arrays = read_file(saved, verify=True)
    if name == "values":
        arrays[name][arrays["keys"] >= 0] = number
    elif name == "counts":
        arrays[name][column] = number
    else:
        row = 0 if name in ("slots", "parameters") else -1  # the last ones are free
        arrays[name][row if column is None else (row, column)] = number
    write_file(saved, directory, arrays)
    assert "does not fit together" in refusal(saved, ontology, verify=True)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("nodes", layout.NODE_PARENT),
        ("items", layout.ITEM_NEXT),
        ("segments", layout.SEGMENT_NEXT),
        ("slots", layout.SLOT_NEXT),
    ],
)
def test_chains_without_an_end(name: str, column: int, saved: Path, ontology: Ontology) -> None:
    directory, arrays = read_file(saved, verify=True)
    arrays[name][1, column], arrays[name][2, column] = 2, 1
    write_file(saved, directory, arrays)
    assert "does not fit together" in refusal(saved, ontology, verify=True)


def test_a_slot_that_waits_in_the_row_of_another(saved: Path, ontology: Ontology) -> None:
    directory, arrays = read_file(saved, verify=True)
    arrays["slots"][0, layout.SLOT_ROW] = arrays["slots"][1, layout.SLOT_ROW]
    write_file(saved, directory, arrays)
    assert "rows of slots" in refusal(saved, ontology, verify=True)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("labels", ['"unclosed']),
        ("labels", ["<x:y> . <x:a> <x:b> <x:c>"]),
        ("labels", 3),
        ("predicates", [["v0", "?v0 +"]]),
        ("predicates", [["v0", "?v0 > 1 ) || true"]]),
        ("shapes", [[0, []]]),
        ("shapes", [[0, [[None], [], [], [[0, 77]], [], 0, None, 0]]]),
        ("ids", ["only one"]),
        ("ids", None),
        ("numbers", {}),
        ("numbers", {"_largest": 9, "_refiled": "x", "_refile_until": 0, "_next_review": 0}),
        ("warnings", {"x": [[1, 2, 3, 4, 5, 6, 7]]}),
    ],
)
def test_names_that_make_no_sense(name: str, value: object, saved: Path, ontology: Ontology) -> None:
    directory, arrays = read_file(saved, verify=True)
    write_file(saved, {**directory, name: value}, arrays)
    assert "does not fit together" in refusal(saved, ontology)
    del directory[name]
    write_file(saved, directory, arrays)
    assert "does not fit together" in refusal(saved, ontology)
