"""Which addresses a webhook may have: public ones only, judged on what the name resolves to at that moment."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from semantic_pubsub.broker.errors import TargetError
from semantic_pubsub.broker.resolving import Resolver, is_address

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

__all__ = ["Target", "Targets", "is_public", "parse_target"]

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

_PORTS: Final = {"http": 80, "https": 443}
_HOST: Final = re.compile(r"[A-Za-z0-9._-]{1,253}|[0-9A-Fa-f:.]{2,45}")
_PATH: Final = re.compile(r"[!-\"$-~]*")
_LONGEST: Final = 2_048
_HINT: Final = "the operator may allow its network"
_ASSIGNMENTS: Final = ipaddress.IPv4Network("192.0.0.0/24")
"""For protocols, never a host; versions of Python differ in what of it they call global."""
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")


class Target(NamedTuple):
    """A webhook's URL in its parts."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse_target(url: str) -> Target:
    """The parts of a URL; a TargetError if it is none that can be called."""
    hint = "write https://host/path, with names outside ASCII in their xn-- form"
    if len(url) > _LONGEST or not url.isprintable():  # urlsplit would take line ends out without a word
        raise TargetError(f"{url[:80]!r} is no URL of a webhook", hint=hint)
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise TargetError(f"{url!r} is no URL: {error}", hint=hint) from None
    if parts.scheme not in _PORTS:
        raise TargetError(f"a webhook's URL begins with http:// or https://, not {parts.scheme!r}", hint=hint)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if not host or not _HOST.fullmatch(host) or not _PATH.fullmatch(path):
        raise TargetError(f"{url!r} is no URL of a webhook", hint=hint)
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise TargetError("a webhook's URL has neither a user nor a fragment", hint="use a secret instead")
    return Target(parts.scheme, host, _PORTS[parts.scheme] if port is None else port, path)


def is_public(address: Address) -> bool:
    """Whether an address is one of the open Internet, looking into those that carry another inside."""
    if isinstance(address, ipaddress.IPv6Address):
        inside = _carried(address)
        if inside:
            return all(is_public(carried) for carried in inside)
        if address.is_site_local:
            return False
    return address.is_global and not (
        address in _ASSIGNMENTS
        or address.is_multicast
        or address.is_reserved
        or address.is_unspecified
        or address.is_loopback
        or address.is_link_local
        or address.is_private
    )


def _carried(address: ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses inside an IPv6 one: mapped, 6to4, Teredo, NAT64."""
    if address.ipv4_mapped is not None:
        return [address.ipv4_mapped]
    if address.sixtofour is not None:
        return [address.sixtofour]
    if address.teredo is not None:
        return list(address.teredo)
    if address in _NAT64:
        return [ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)]
    return []


class Targets:
    """Resolves names and says which address to connect to.

    `allowed` are networks (`"10.0.0.0/8"`) that the operator permits besides the public ones. `resolve` gives the
    addresses of a host and port; the system's resolver by default.
    """

    def __init__(
        self,
        allowed: Iterable[str] = (),
        *,
        resolve: Callable[[str, int], Awaitable[list[str]]] | None = None,
    ) -> None:
        self._allowed: tuple[Network, ...] = tuple(ipaddress.ip_network(network) for network in allowed)
        self._resolver = Resolver()
        self._resolve = resolve or self._resolver

    def allows(self, address: str) -> bool:
        """Whether this address may be called."""
        try:
            parsed = ipaddress.ip_address(address)
        except ValueError:
            return False
        if any(parsed.version == network.version and parsed in network for network in self._allowed):
            return True
        return is_public(parsed)

    def check(self, url: str) -> None:
        """Refuse at once what could never be called; a TargetError says why. Names are judged at each delivery."""
        host = parse_target(url).host
        if is_address(host) and not self.allows(host):
            raise TargetError(f"{host} is no address that may be called", hint=_HINT)

    async def address_of(self, target: Target) -> str:
        """The address to connect to for this one delivery; a TargetError if none is permitted."""
        try:
            found = await self._resolve(target.host, target.port)
        except OSError as error:
            raise TargetError(f"{target.host} cannot be resolved: {error.strerror or error}") from None
        for address in found:
            if self.allows(address):
                return address
        raise TargetError(f"{target.host} has no address that may be called", hint=_HINT)

    def close(self) -> None:
        """Let go of the threads that look up names."""
        self._resolver.close()
