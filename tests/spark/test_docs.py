"""The Python of docs/spark.md runs, word for word but for its paths: Spark's are not those of this process."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from semantic_pubsub import FlatMatcher, events_from

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_python(spark: Any, verified: FlatMatcher, project: Path, tmp_path: Path) -> None:
    (code,) = BLOCK.findall((project / "docs" / "spark.md").read_text(encoding="utf-8"))
    for name in ("ontology/", "examples/"):
        code = code.replace(f'"{name}', f'"{project / name}/')
    for name in ("compiled", "matches"):
        code = code.replace(f'"{name}"', f'"{tmp_path / name}"')
    exec(code, {})
    found = sorted(
        (row.event_id, row.subscription_id) for row in spark.read.parquet(str(tmp_path / "matches")).collect()
    )
    events = events_from(project / "examples" / "events")
    assert found == sorted((event.id, name) for event in events for name in verified.match_ids(event))
