"""A Spark session that starts quietly, finds its Python, and says in one line that Java is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from contextlib import contextmanager
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import SparkSession

__all__ = ["check_java", "quiet_session", "told_by_java"]

# Arrow, not pandas, carries everything here.
warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)

_OLDEST_JAVA: Final = 17
_EXCEPTION: Final = re.compile(r"(?:^|.*[ :])(?:[a-z]\w*\.)+\w*(?:Exception|Error): (.*)")
_JAVA_HINT: Final = "Spark runs on Java 17 or later: install it, or set JAVA_HOME"


def quiet_session(
    master: str | None = None, name: str = "semantic-pubsub", settings: Mapping[str, str] | None = None
) -> SparkSession:
    """The running session, or a new one; `master` is `local[*]` where neither the caller nor `spark-submit` says more.

    With a local master everything stays on the loopback address. Python workers run on this interpreter unless
    PYSPARK_PYTHON names another.
    """
    found = _active()
    if found is not None:
        return found
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    if not submitted:
        check_java()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if not submitted and (master is None or master.startswith("local")):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(name)
    if master is not None or not submitted:
        builder = builder.master(master or "local[*]")
    for key, value in {**_quiet(), **(settings or {})}.items():
        builder = builder.config(key, value)
    with _start_messages_kept():
        return builder.getOrCreate()


@contextmanager
def _start_messages_kept() -> Iterator[None]:
    """Java's and Spark's chatter goes to a file and not to the terminal; it is shown if they do not start."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as kept:
        terminal = os.dup(2)
        try:
            os.dup2(kept.fileno(), 2)
            yield
        except Exception as error:
            kept.seek(0)
            said = kept.read().decode("utf-8", "replace")
            hint = "check the master"
            raise SemanticPubSubError(f"Spark does not start: {told_by_java(said, error)}", hint=hint) from error
        finally:
            os.dup2(terminal, 2)
            os.close(terminal)


def told_by_java(*said: object) -> str:
    """The cause that Java names last, without its class and the frames; else the first line."""
    lines = [line.strip() for one in said for line in str(one).splitlines() if line.strip()]
    found = next((match for match in map(_EXCEPTION.search, reversed(lines)) if match and match[1]), None)
    return found[1] if found else lines[0] if lines else "no reason is given"


def _active() -> SparkSession | None:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        hint = "pip install 'semantic-pubsub[spark]'"
        raise SemanticPubSubError("PySpark is not installed", hint=hint) from None
    return SparkSession.getActiveSession()


def _quiet() -> dict[str, str]:
    log4j = files("semantic_pubsub.spark").joinpath("log4j2.properties")
    return {
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log4j}",
        "spark.log.level": "ERROR",
        "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
    }


def check_java() -> None:
    """Raise an error with a remedy where there is no Java that Spark can run on."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=os.path.join(home, "bin")) if home else shutil.which("java")
    if java is None:
        where = f"in JAVA_HOME ({home})" if home else "on the PATH"
        raise SemanticPubSubError(f"no Java was found {where}", hint=_JAVA_HINT)
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SemanticPubSubError(f"Java does not start: {error}", hint=_JAVA_HINT) from None
    version = re.search(r'version "(?:1\.)?(\d+)', done.stderr + done.stdout)
    if done.returncode or version is None:
        raise SemanticPubSubError(f"{java} does not tell its version", hint=_JAVA_HINT)
    if int(version[1]) < _OLDEST_JAVA:
        raise SemanticPubSubError(f"Java {version[1]} is too old", hint=_JAVA_HINT)
