"""What a broker that serves is configured with: a file, the environment, the command line; later ones win."""

from __future__ import annotations

import ipaddress
import math
import os
import tomllib
from collections.abc import Mapping  # noqa: TC003 - the annotations are read when the program runs
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, TypeVar, get_type_hints

from semantic_pubsub.broker.errors import BrokerError
from semantic_pubsub.broker.limits import BrokerLimits, Retention, RetryPolicy
from semantic_pubsub.errors import did_you_mean
from semantic_pubsub.events import Limits

__all__ = ["HttpLimits", "Settings", "TokenSettings", "is_loopback", "load_settings"]

_T = TypeVar("_T")
_PREFIX: Final = "SEMANTIC_PUBSUB_"
_SECTIONS: Final = ("http", "limits", "retry", "retention", "jwt")
_ALGORITHMS: Final = ("HS256", "RS256")
_LEVELS: Final = ("debug", "info", "warning", "error")
_MAY_BE_ZERO: Final = frozenset(
    {"port", "http.drain_seconds", "http.streams_per_subscriber", "retry.first_delay", "retention.acknowledged"}
)
"""Elsewhere 0 would stop the broker (no place for a push), wear it out (a heartbeat without a pause), or throw away
what whoever takes it for "no limit" wants to keep."""
_MAY_BE_ENDLESS: Final = frozenset(
    {"retention.acknowledged", "retention.undelivered", "retention.dead_letters", "retention.idempotency_keys"}
)


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Bounds on connections and requests."""

    body_bytes: int = 8 * 1024 * 1024
    """Body of a request; an event in it is held to `limits.event_bytes`."""
    bodies_bytes: int = 256 * 1024 * 1024
    """Bodies of all requests that are being read or answered together."""
    header_bytes: int = 32 * 1024
    header_seconds: float = 10.0
    """Time in which a connection must send the headers of a request."""
    body_seconds: float = 30.0
    idle_seconds: float = 30.0
    """Time that a connection is kept between two requests."""
    connections: int = 1_000
    events_per_request: int = 1_000
    streams_per_subscriber: int = 16
    heartbeat_seconds: float = 15.0
    explain_bytes: int = 64 * 1024
    explain_per_second: float = 2.0
    explain_burst: int = 10
    explain_seconds: float = 10.0
    drain_seconds: float = 10.0
    """Time that requests and pushes in flight are given when the broker stops."""


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """Which JSON Web Tokens are believed. Exactly one of `key` and `key_file`."""

    issuer: str = ""
    audience: str = ""
    algorithm: str = "HS256"
    key: str | None = field(default=None, repr=False)
    key_file: str | None = None
    tenant_claim: str = "tenant"
    roles_claim: str = "roles"

    def read_key(self) -> bytes:
        """The secret of HS256, or the public key of RS256."""
        if self.key_file is None:
            return (self.key or "").encode("utf-8")
        try:
            return Path(self.key_file).read_bytes().strip()
        except OSError as error:
            raise _wrong(
                f"the key file {self.key_file} cannot be read: {error.strerror}", "check jwt.key_file"
            ) from None

    def check(self) -> None:
        """Refuse what would let anybody in."""
        if self.algorithm not in _ALGORITHMS:
            raise _wrong(f"jwt.algorithm is {self.algorithm!r}", f"take one of {', '.join(_ALGORITHMS)}")
        if not self.issuer or not self.audience:
            raise _wrong("jwt needs issuer and audience", "set jwt.issuer and jwt.audience")
        if (self.key is None) == (self.key_file is None):
            raise _wrong("jwt needs a key", "set either jwt.key or jwt.key_file")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that `semantic-pubsub serve` is told."""

    ontology: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    reasoner: str | None = None
    contexts: Mapping[str, str] = field(default_factory=dict)
    store: str = "sqlite:///semantic-pubsub.db"
    compiled: str | None = None
    """A folder for compiled subscriptions; beside the file of a SQLite store where it is not given."""
    host: str = "127.0.0.1"
    port: int = 8080
    log_level: str = "info"
    operator_tenant: str = "default"
    """The tenant whose admins may reload the ontology and read the metrics."""
    webhook_networks: tuple[str, ...] = ()
    """Networks that webhooks may be in besides the public ones."""
    http: HttpLimits = field(default_factory=HttpLimits)
    limits: BrokerLimits = field(default_factory=BrokerLimits)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    retention: Retention = field(default_factory=Retention)
    jwt: TokenSettings | None = None

    @property
    def loopback(self) -> bool:
        """Whether nobody but this machine reaches the broker."""
        return is_loopback(self.host)


@lru_cache(maxsize=256)  # asked of each request as long as there are no keys
def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own; of names only `localhost` is taken to be."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def load_settings(
    file: str | os.PathLike[str] | None = None,
    environment: Mapping[str, str] | None = None,
    given: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings from a TOML file, then `SEMANTIC_PUBSUB_…` of the environment, then what was given otherwise.

    `[section]` and `name` are `SEMANTIC_PUBSUB_SECTION_NAME`; several values are separated as in PATH, networks by
    commas. The event limits are `limits.event_bytes`, `event_triples` and `event_depth`.
    """
    raw = _read(Path(file)) if file is not None else {}
    for name, text in (environment or {}).items():
        _put(raw, name, text)
    raw.update({name: value for name, value in (given or {}).items() if value is not None})
    sections = {name: _section(raw, name) for name in _SECTIONS}
    settings = _made(Settings, {k: v for k, v in raw.items() if k not in sections}, "")
    jwt = _made(TokenSettings, sections["jwt"], "jwt.") if sections["jwt"] else None
    if jwt is not None:
        jwt.check()
    if settings.log_level.lower() not in _LEVELS:
        raise _wrong(f"log_level is {settings.log_level!r}", f"take one of {', '.join(_LEVELS)}")
    for network in settings.webhook_networks:
        try:
            ipaddress.ip_network(network)
        except ValueError:
            raise _wrong(f"webhook_networks: {network!r} is no network", "write 10.0.0.0/8") from None
    return replace(
        settings,
        jwt=jwt,
        http=_made(HttpLimits, sections["http"], "http."),
        limits=_limits(sections["limits"]),
        retry=_made(RetryPolicy, sections["retry"], "retry."),
        retention=_made(Retention, sections["retention"], "retention."),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BrokerError(f"cannot be read: {error.strerror}", source=str(path), hint="check --config") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BrokerError(f"is no TOML: {error}", source=str(path), hint="correct the file") from None


def _section(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    found = raw.get(name, {})
    if not isinstance(found, dict):
        raise _wrong(f"{name} is a section", f"write [{name}]")
    return found


def _put(raw: dict[str, Any], variable: str, text: str) -> None:
    """Take over a variable of the environment if it is one of ours."""
    if not variable.startswith(_PREFIX):
        return
    name = variable.removeprefix(_PREFIX).lower()
    for section in _SECTIONS:
        inner = name.removeprefix(section + "_")
        if inner != name:  # what there is no setting for is refused with the rest of the section
            table = raw.setdefault(section, {})
            if isinstance(table, dict):
                table[inner] = text
            return
    if name in {entry.name for entry in fields(Settings)} - {"contexts", *_SECTIONS}:
        raw[name] = text


def _limits(given: Mapping[str, Any]) -> BrokerLimits:
    event = {name.removeprefix("event_"): v for name, v in given.items() if name.startswith("event_")}
    others = {name: v for name, v in given.items() if not name.startswith("event_")}
    limits = _made(BrokerLimits, others, "limits.")
    plain = limits.event
    values = _typed(Limits, event, "limits.event_")
    return replace(limits, event=replace(plain, **values))


def _made(kind: type[_T], given: Mapping[str, Any], prefix: str) -> _T:
    return kind(**_typed(kind, given, prefix))


def _typed(kind: type[Any], given: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    hints = get_type_hints(kind)
    for name in given:
        if name not in hints:
            raise _wrong(f"there is no setting {prefix}{name}", did_you_mean(name, hints) or "see docs/broker.md")
    return {name: _value(hints[name], value, prefix + name) for name, value in given.items()}


def _value(hint: Any, value: Any, name: str) -> Any:
    """A value of the file, or a text of the environment, as the setting wants it."""
    said = str(hint)
    number = float if "float" in said else int if "int" in said else None
    try:
        if said.startswith("tuple"):
            parts = _parts(value, name) if isinstance(value, str) else value
            return tuple(str(part) for part in parts if str(part))
        if number is not None and not isinstance(value, bool):
            return _bounded(number(value), name)
        if "Mapping" in said and isinstance(value, dict):
            return {str(k): str(v) for k, v in value.items()}
        if "str" in said and isinstance(value, str) and number is None:
            return value
    except (ValueError, TypeError, OverflowError):
        pass
    raise _wrong(f"{name} cannot be {str(value)[:60]!r}", f"give a value like {_example(said)}")


def _parts(text: str, name: str) -> list[str]:
    """Several values in one text; the addresses of IPv6 have colons, as PATH has between its entries."""
    return [part.strip() for part in text.split("," if name == "webhook_networks" else os.pathsep)]


def _bounded(found: float, name: str) -> float:
    """A number, if it is one that a setting can have; else a ValueError."""
    if found < 0 or found != found or (found == math.inf and name not in _MAY_BE_ENDLESS):
        raise ValueError
    if not found and name not in _MAY_BE_ZERO:
        raise ValueError
    return found


def _example(hint: str) -> str:
    for word, example in {"tuple": '["a", "b"]', "float": "2.5", "int": "100"}.items():
        if word in hint:
            return example
    return '"text"'


def _wrong(message: str, hint: str) -> BrokerError:
    return BrokerError(f"the settings are wrong: {message}", hint=hint)
