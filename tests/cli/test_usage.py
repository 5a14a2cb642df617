"""Help, wrong usage, exit codes, and how the command line behaves on terminals and in pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

COMMANDS = ("demo", "check", "validate", "match", "explain", "flatten", "bench")


def test_help_lists_every_command(run: Run) -> None:
    done = run("--help")
    assert done.code == 0
    assert all(f" {command} " in done.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(run: Run, command: str) -> None:
    for flag in ("--help", "-h"):
        done = run(command, flag)
        assert done.code == 0
        assert f"Example: semantic-pubsub {command}" in done.out


@pytest.mark.parametrize("command", ["check", "match", "explain", "flatten"])
def test_the_example_works(run: Run, command: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    words = run(command, "--help").out.partition("Example: semantic-pubsub ")[2].partition("╭")[0].split()
    done = run(*words)
    assert done.code == 0
    assert done.out


def test_version(run: Run) -> None:
    done = run("--version")
    assert done.code == 0
    assert done.out.startswith("semantic-pubsub 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("check",),
        ("check", "--nonsense"),
        ("check", "{auction}", "--format", "xml"),
        ("check", "{auction}", "--inferred"),
        ("check", "{auction}", "--reasoner", "nobody"),
        ("match",),
        ("match", "-o", "{auction}"),
        ("match", "-o", "{auction}", "-s", "{subscriptions}"),
        ("match", "-o", "{auction}", "-s", "{subscriptions}", "-e", "{events}", "--algorithm", "guess"),
        ("match", "-o", "{auction}", "-s", "{subscriptions}", "-e", "{events}", "--context", "no-equals-sign"),
        ("match", "-o", "{auction}", "-s", "{subscriptions}", "-e", "{events}", "--strict", "stray"),
        ("validate", "--events", "{events}"),
        ("explain", "-o", "{auction}", "-e", "{events}"),
    ],
    ids=" ".join,
)
def test_wrong_usage_is_2(
    run: Run, arguments: tuple[str, ...], auction: Path, subscriptions: Path, events: Path
) -> None:
    done = run(*(a.format(auction=auction, subscriptions=subscriptions, events=events) for a in arguments))
    assert done.code == 2
    assert "Usage: semantic-pubsub" in done.out + done.err
    assert "Traceback" not in done.err


def test_strict_stops_at_the_first_bad_input(
    run: Run, auction: Path, subscriptions: Path, events: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.ttl"
    broken.write_text("_:H a", encoding="utf-8")
    arguments = ("match", "-o", auction, "-s", subscriptions, "--events", events / "notebook.ttl", broken)
    rest = (events / "market.trig", "--format", "json")
    lenient, strict = run(*arguments, *rest), run(*arguments, *rest, "--strict")
    assert lenient.code == strict.code == 1
    assert len(lenient.errors) == len(strict.errors) == 1
    assert {o["event"] for o in strict.objects} == {"notebook.ttl"}
    assert {o["event"] for o in lenient.objects} > {"notebook.ttl"}
    table = run(*arguments, "--strict")
    assert "cheap-computers" in table.out, "what was found before is still told"


def test_a_reader_that_leaves_early_is_no_reason_to_complain(auction: Path, subscriptions: Path, events: Path) -> None:
    command = [sys.executable, "-m", "semantic_pubsub", "explain", "-o", auction, "-s", subscriptions, "-e"]
    with subprocess.Popen(
        [*map(str, command), *[str(events)] * 40, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        complaint = process.stderr.read().decode()
    assert complaint == ""
    assert process.returncode == 1


def test_progress_is_for_terminals_and_results_are_not_lost_in_it(
    auction: Path, subscriptions: Path, events: Path
) -> None:
    pty = pytest.importorskip("pty")
    command = [sys.executable, "-m", "semantic_pubsub", "match", "-o", auction, "-s", subscriptions, "-e", events]
    words = [*map(str, command), "--format", "json"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    piped = subprocess.run(words, capture_output=True, check=True, env=environment)
    assert b"matching events" not in piped.stderr
    leader, follower = pty.openpty()
    shown = subprocess.run(words, stdout=subprocess.PIPE, stderr=follower, check=True, env=environment)
    os.close(follower)
    on_terminal = os.read(leader, 1_000_000)
    os.close(leader)
    assert b"matching events" in on_terminal
    assert len(shown.stdout.splitlines()) == len(piped.stdout.splitlines()) > 5
