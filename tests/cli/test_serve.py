"""`serve`: which setting wins, what is refused, keys, signals."""

from __future__ import annotations

import configparser
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import httpx
import pytest

from semantic_pubsub.broker import BrokerError, hash_of_key, open_store
from semantic_pubsub.broker.http import Settings, load_settings
from semantic_pubsub.broker.http.loading import open_broker
from tests.cli.conftest import Run
from tests.conftest import PROJECT


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "broker.toml"
    path.write_text(
        f"""
        ontology = ["a.ttl", "b.ttl"]
        store = "sqlite:///{tmp_path}/broker.db"
        port = 1000
        [limits]
        steps = 10
        event_triples = 20
        [http]
        idle_seconds = 2
        [retention]
        acknowledged = 30
        [contexts]
        "https://schema.org" = "schema.jsonld"
        """
    )
    return path


def test_later_ones_win(config: Path) -> None:
    environment = {
        "SEMANTIC_PUBSUB_PORT": "2000",
        "SEMANTIC_PUBSUB_HOST": "::1",
        "SEMANTIC_PUBSUB_LIMITS_STEPS": "11",
        "SEMANTIC_PUBSUB_LIMITS_EVENT_DEPTH": "5",
        "SEMANTIC_PUBSUB_SHAPES": os.pathsep.join(["s.ttl", "t.ttl"]),
        "SEMANTIC_PUBSUB_RETRY_TIMEOUT": "2.5",
        "SEMANTIC_PUBSUB_WEBHOOK_NETWORKS": "10.0.0.0/8, fd00::/8",
        "SEMANTIC_PUBSUB_COMPILED": "/var/cache/compiled",
        "SEMANTIC_PUBSUB_OTHER": "x",
        "PORT": "5",
    }
    found = load_settings(config, environment, {"port": 3000, "host": None})
    assert (found.port, found.host, found.loopback) == (3000, "::1", True)
    assert found.ontology == ("a.ttl", "b.ttl")
    assert found.shapes == ("s.ttl", "t.ttl")
    assert (found.limits.steps, found.limits.event.triples, found.limits.event.depth) == (11, 20, 5)
    assert (found.retry.timeout, found.http.idle_seconds, found.retention.acknowledged) == (2.5, 2.0, 30.0)
    assert (found.compiled, load_settings(config).compiled) == ("/var/cache/compiled", None)
    assert found.webhook_networks == ("10.0.0.0/8", "fd00::/8")
    assert found.contexts == {"https://schema.org": "schema.jsonld"}
    assert load_settings(config, environment).port == 2000
    assert load_settings(config).port == 1000
    assert load_settings().port == 8080


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prot = 1", "did you mean port"),
        ("[limits]\nstep = 1", "did you mean steps"),
        ("limits = 1", r"write \[limits\]"),
        ('port = "x"', "port cannot be 'x'"),
        ("port = true", "port cannot be"),
        ("port = -1", "port cannot be"),
        ("ontology = 5", "ontology cannot be"),
        ("[limits]\nevent_bytes = 0", "event_bytes cannot be '0'"),
        ("[http]\nheartbeat_seconds = 0", "heartbeat_seconds cannot be '0'"),
        ("[http]\nexplain_per_second = 0.0", "explain_per_second cannot be '0.0'"),
        ("[retry]\nat_once = 0", "at_once cannot be '0'"),
        ("[retry]\ntimeout = inf", "timeout cannot be 'inf'"),
        ("[retention]\nundelivered = 0", "undelivered cannot be '0'"),
        ("[retention]\nevery = inf", "every cannot be 'inf'"),
        ('log_level = "loud"', "debug, info, warning, error"),
        ('webhook_networks = ["10.0.0.0/99"]', "no network"),
        ('[jwt]\nissuer = "i"', "issuer and audience"),
        ('[jwt]\nissuer = "i"\naudience = "a"', "needs a key"),
        ('[jwt]\nissuer = "i"\naudience = "a"\nkey = "k"\nalgorithm = "none"', "HS256, RS256"),
        ("port = ", "is no TOML"),
    ],
)
def test_wrong_settings_say_what_is_right(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "broker.toml"
    path.write_text(text)
    with pytest.raises(BrokerError, match=said):
        load_settings(path)


def test_some_settings_may_be_nothing_or_endless(tmp_path: Path) -> None:
    path = tmp_path / "broker.toml"
    path.write_text(
        "port = 0\n[http]\ndrain_seconds = 0\n[retry]\nfirst_delay = 0\n"
        "[retention]\nacknowledged = 0\ndead_letters = inf\n"
    )
    found = load_settings(path)
    assert (found.port, found.http.drain_seconds, found.retry.first_delay) == (0, 0, 0)
    assert (found.retention.acknowledged, found.retention.dead_letters) == (0, float("inf"))


def test_a_variable_of_a_section_is_refused_like_a_line_of_the_file() -> None:
    for variable, said in (("HTTP_BODY_BYTE", "did you mean body_bytes"), ("LIMITS_EVENT_BYTE", "did you mean bytes")):
        with pytest.raises(BrokerError, match=said):
            load_settings(None, {f"SEMANTIC_PUBSUB_{variable}": "1"})


def test_without_a_key_it_stays_on_loopback(run: Run, auction: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/broker.db"
    done = run("serve", "--ontology", auction, "--store", store, "--host", "0.0.0.0", "--port", "0")
    assert done.code == 1
    assert "there is no key" in done.err
    assert "serve keys add" in done.err


def test_options_before_keys_are_refused(run: Run, tmp_path: Path) -> None:
    """They are those of serving: the key would be made in another store."""
    store, config = tmp_path / "broker.db", tmp_path / "broker.toml"
    config.write_text(f'store = "sqlite:///{store}"')
    key = ("keys", "add", "a", "--subject", "a", "--role", "admin")
    for options in (("--store", store), ("--config", config)):
        done = run("serve", *options, *key)
        assert done.code == 2
        assert "behind the command" in done.err
        assert done.out == ""
    assert not store.exists()


def test_without_an_ontology(run: Run, tmp_path: Path) -> None:
    done = run("serve", "--store", f"{tmp_path}/broker.db")
    assert done.code == 1
    assert "--ontology" in done.err


def test_keys_are_added_listed_and_removed(run: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "broker.db")
    made = run("serve", "keys", "add", "shop", "--subject", "shop", "--role", "publish", "--store", store)
    assert made.code == 0, made.err
    key = made.out.strip()
    with open_store(f"sqlite:///{store}") as opened:
        record = opened.keys.find(hash_of_key(key))
    assert record is not None
    assert (record.tenant, record.subject, record.roles) == ("default", "shop", {"publish"})
    listed = run("serve", "keys", "list", "--store", store)
    assert listed.objects == [{"name": "shop", "subject": "shop", "roles": ["publish"], "expiresAt": None}]
    assert key not in Path(store).read_bytes().decode("latin-1")
    taken = run("serve", "keys", "add", "shop", "--subject", "x", "--role", "publish", "--store", store)
    assert taken.code == 1
    assert run("serve", "keys", "add", "x", "--subject", "x", "--role", "root", "--store", store).code == 2
    short = ("serve", "keys", "add", "short", "--subject", "x", "--role", "publish", "--store", store, "--days")
    assert [run(*short, days).code for days in ("0", "-1", "nan", "1e9", "7")] == [2, 2, 2, 2, 0]
    assert run("serve", "keys", "list", "--store", store).objects[1]["expiresAt"].endswith("Z")
    assert run("serve", "keys", "remove", "short", "--store", store).code == 0
    assert run("serve", "keys", "remove", "shop", "--store", store).code == 0
    assert run("serve", "keys", "remove", "shop", "--store", store).code == 1
    assert run("serve", "keys", "list", "--store", store).out == ""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], str, Path]]:
    """The command itself, with the matcher that it has by default."""
    ontology = tmp_path / "auction.ttl"
    ontology.write_text((PROJECT / "ontology/auction.ttl").read_text())
    command = [sys.executable, "-m", "semantic_pubsub", "serve", "--ontology", str(ontology), "--port", "0"]
    environment = {**os.environ, "SEMANTIC_PUBSUB_STORE": f"sqlite:///{tmp_path}/broker.db", "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        yield process, logged(process, "listening")["port"], ontology
        process.kill()


def logged(process: subprocess.Popen[str], message: str) -> dict[str, Any]:
    """Read the log until it says something."""
    assert process.stderr is not None
    seen = []
    for line in process.stderr:
        seen.append(line)
        found: dict[str, Any] = json.loads(line)
        if message in found["message"]:
            return found
    raise AssertionError("".join(seen))


def test_it_serves_reloads_and_stops(served: tuple[subprocess.Popen[str], str, Path]) -> None:
    process, port, ontology = served
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        text = {"content-type": "text/plain"}
        pattern = "(_:H, ?1, (Selling, target, Computer))"
        assert client.post("/subscriptions?id=c", content=pattern, headers=text).status_code == 201
        event = (PROJECT / "examples/events/notebook.ttl").read_bytes()
        answer = client.post("/events", content=event, headers={"content-type": "text/turtle"})
        assert answer.json()["matches"] == 1
        ontology.write_text(ontology.read_text() + "\nauction:Novelty a owl:Class .\n")
        process.send_signal(signal.SIGHUP)
        logged(process, "was reloaded")
        assert "Novelty" in client.get("/ontology").text
        ontology.write_text("broken")
        process.send_signal(signal.SIGHUP)
        logged(process, "was not reloaded")
        assert len(client.get("/deliveries").json()["deliveries"]) == 1
    process.send_signal(signal.SIGTERM)
    logged(process, "stopping")
    assert process.wait(60) == 0


HUNG_UP = """
import os, signal, sys
from semantic_pubsub import ReferenceMatcher
from semantic_pubsub.broker import Broker
from semantic_pubsub.broker.http import Settings, server
from semantic_pubsub.broker.http.logs import log_as_json

def after_hanging_up(function):
    def work(*given):
        os.kill(os.getpid(), signal.SIGHUP)
        return function(*given)
    return work

server.open_broker = after_hanging_up(server.open_broker)
Broker.close = after_hanging_up(Broker.close)
log_as_json("info")
server.serve(Settings(ontology=(sys.argv[1],), store=sys.argv[2], port=0), matcher=ReferenceMatcher)
"""


def test_a_hangup_while_it_starts_or_ends_does_not_kill_it(tmp_path: Path) -> None:
    """By default the signal does, and a supervisor takes that for an end in order."""
    command = [sys.executable, "-c", HUNG_UP, str(PROJECT / "ontology/auction.ttl"), f"sqlite:///{tmp_path}/broker.db"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as process:
        logged(process, "was reloaded")
        process.send_signal(signal.SIGTERM)
        logged(process, "stopping")
        assert process.wait(60) == 0


def test_compiled_subscriptions_are_kept_where_the_settings_say(tmp_path: Path) -> None:
    """Stores without a file of their own, as those in PostgreSQL, have no place beside it."""
    folder = tmp_path / "sets"
    settings = load_settings(
        None,
        {"SEMANTIC_PUBSUB_STORE": f"sqlite:///{tmp_path}/broker.db", "SEMANTIC_PUBSUB_COMPILED": str(folder)},
        {"ontology": [str(PROJECT / "ontology/auction.ttl")]},
    )
    with open_broker(settings) as broker:
        broker.subscribe("alice", "(_:H, ?1, (Selling, target, Computer))")
    assert len(list(folder.iterdir())) == 1
    assert not (tmp_path / "broker.db.compiled").exists()


def test_the_settings_of_the_example_are_read() -> None:
    found = load_settings(PROJECT / "examples/deployment/broker.toml")
    assert found.loopback
    assert found.limits.event.bytes == 262_144


DEPLOYMENT = PROJECT / "examples/deployment"


def known_variables(names: Iterable[str]) -> None:
    """Each is a setting that there is, or a folder for compiled kernels."""
    given = {name: "1" if name.endswith("PORT") else "x" for name in names if name != "NUMBA_CACHE_DIR"}
    known = {f"SEMANTIC_PUBSUB_{entry.name.upper()}" for entry in fields(Settings)}
    assert given
    assert given.keys() <= known
    load_settings(None, given)


def test_the_container_file_copies_and_sets_what_there_is() -> None:
    text = (DEPLOYMENT / "Containerfile").read_text().replace("\\\n", " ")
    lines = [line.split() for line in text.splitlines() if line and not line.startswith("#")]
    of = {word: [rest for first, *rest in lines if first == word] for word in ("COPY", "ENV", "RUN", "ENTRYPOINT")}
    copied = [path for *paths, _ in of["COPY"] for path in paths]
    assert [path for path in copied if not (PROJECT / path).exists()] == []
    variables = dict(entry.split("=", 1) for entry in of["ENV"][0])
    known_variables(variables)
    for name in ("SEMANTIC_PUBSUB_ONTOLOGY", "SEMANTIC_PUBSUB_SHAPES"):
        path = Path(variables[name]).relative_to("/opt/semantic-pubsub")
        assert path.parts[0] in copied
        assert (PROJECT / path).exists()
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
    (wanted,) = re.findall(r"\.\[(.*?)\]", " ".join(of["RUN"][0]))
    assert set(wanted.split(",")) <= set(project["optional-dependencies"])
    program, command = json.loads(" ".join(of["ENTRYPOINT"][0]))
    assert program in project["scripts"]
    assert command == "serve"


def test_the_unit_starts_what_there_is(run: Run) -> None:
    unit = configparser.RawConfigParser(strict=False, delimiters=("=",), comment_prefixes=("#",))
    text = (DEPLOYMENT / "semantic-pubsub.service").read_text()
    variables = [line.split("=")[1] for line in text.splitlines() if line.startswith("Environment=")]
    known_variables(variables)
    unit.read_string(text)
    program, *words = unit["Service"]["ExecStart"].split()
    assert (Path(program).name, words[0]) == ("semantic-pubsub", "serve")
    options = [word for word in words if word.startswith("-")]
    offered = run("serve", "--help").out
    assert options
    assert [option for option in options if option not in offered] == []
    assert unit["Service"]["ExecReload"].split()[1] == "-HUP"
    drain = load_settings(DEPLOYMENT / "broker.toml").http.drain_seconds
    assert float(unit["Service"]["TimeoutStopSec"]) > 2 * drain
