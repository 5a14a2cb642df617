"""Starting Spark: with a clear word where Java is missing, and only for who asks for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from semantic_pubsub import SemanticPubSubError
from semantic_pubsub.spark.session import check_java, told_by_java


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(SemanticPubSubError, match=r"no Java was found on the PATH \(Spark runs on Java 17 or later"):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(SemanticPubSubError, match="in JAVA_HOME"):
        check_java()


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ('openjdk version "11.0.2"', "Java 11 is too old"),
        ('java version "1.8.0_1"', "Java 8 is too old"),
        ("?", "does not tell"),
    ],
)
def test_a_java_that_will_not_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str, words: str) -> None:
    java = tmp_path / "java"
    java.write_text(f"#!/bin/sh\necho '{said}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(SemanticPubSubError, match=words):
        check_java()


def test_the_command_without_java(tmp_path: Path, project: Path) -> None:
    given = {
        "--ontology": project / "ontology" / "auction.ttl",
        "--subscriptions": project / "examples" / "subscriptions",
        "--events": project / "examples" / "events",
        "--output": tmp_path / "out",
    }
    arguments = [str(part) for option in given.items() for part in option]
    command = [sys.executable, "-m", "semantic_pubsub", "spark", "match", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"}
    environment["PATH"] = str(tmp_path)
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("Error") <= 1
    assert "Traceback" not in done.stderr
    assert "no Java was found on the PATH" in done.stderr


def test_the_package_does_without_spark() -> None:
    code = "import sys, semantic_pubsub.cli.app; print('pyspark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


STARTING = """WARNING: Using incubator modules
An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.
: org.apache.spark.SparkException: Could not parse Master URL: 'local[zwei]'
\tat org.apache.spark.SparkContext$.createTaskScheduler(SparkContext.scala:3391)
"""


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (STARTING, "Could not parse Master URL: 'local[zwei]'"),
        (
            "Exception in thread main java.io.IOException: Mkdirs failed to create file:/x\n\tat a.B(C)",
            "Mkdirs failed to create file:/x",
        ),
        ("one\ntwo", "one"),
        ("", "no reason is given"),
    ],
)
def test_what_java_says_in_a_line(said: str, words: str) -> None:
    assert told_by_java(said) == words
