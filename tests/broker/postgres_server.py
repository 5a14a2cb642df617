"""A PostgreSQL server of our own: an unprivileged user, a temporary folder, a socket in it, no network."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

USERS = ("postgres", "nobody")


def program(name: str) -> str | None:
    """Debian keeps the server's programs out of the path."""
    found = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"))
    return found[-1] if found else shutil.which(name)


def unprivileged() -> dict[str, Any]:
    """PostgreSQL does not run as root: who it runs as, if we are."""
    if os.geteuid():
        return {}
    for name in USERS:
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    pytest.skip("there is no unprivileged user for PostgreSQL")


class Server:
    """A server that can be stopped and started again; `folder` is where its socket is, and so its address."""

    def __init__(self, folder: str, postgres: str, pg_isready: str, options: dict[str, Any]) -> None:
        self.folder = folder
        self._command = [postgres, "-D", f"{folder}/data", "-k", folder]
        self._command += ["-c", "listen_addresses=", "-c", "shared_buffers=16MB"]
        self._command += ["-c", "fsync=off"]  # it is the server that crashes here, never the machine
        self._ready = ["sh", "-c", f"until {pg_isready} -q -h {folder}; do sleep 0.1; done"]
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self._process = subprocess.Popen(self._command, **self._options)
        subprocess.run(self._ready, check=True, timeout=60)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT breaks all connections, SIGQUIT is as good as a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None


@contextmanager
def running_server() -> Iterator[Server]:
    """A new server without any database of ours."""
    initdb, postgres, pg_isready = program("initdb"), program("postgres"), program("pg_isready")
    if initdb is None or postgres is None or pg_isready is None:
        pytest.skip("there is no PostgreSQL server; .ci/postgres installs one on Debian")
    pytest.importorskip("psycopg", reason="there is no psycopg")
    who = unprivileged()
    folder = tempfile.mkdtemp(prefix="pg")
    if who:
        os.chown(folder, who["user"], who["group"])
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **who}
    server = Server(folder, postgres, pg_isready, quiet)
    try:
        command = [initdb, "-D", f"{folder}/data", "-U", "tests", "-A", "trust", "-N"]
        subprocess.run(command, check=True, timeout=120, **quiet)
        server.start()
        yield server
    finally:
        server.stop(signal.SIGQUIT)  # nobody needs what is in it
        shutil.rmtree(folder, ignore_errors=True)
