"""Which addresses a webhook may have."""

from __future__ import annotations

import asyncio
import ipaddress

import pytest

from semantic_pubsub.broker import TargetError, Targets
from semantic_pubsub.broker.addresses import Target, is_public, parse_target

FORBIDDEN = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254",
    "192.0.0.8", "192.0.0.9", "::ffff:192.0.0.10", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1",
    "192.168.1.1", "198.18.0.1", "198.51.100.1",
    "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::7f00:1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:0",
    "2002:7f00:1::", "2002:a00:1::1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "64:ff9b:1::1",
    "2001:0:7f00:1::", "100::1", "not an address", "",
]  # fmt: skip
PERMITTED = ["8.8.8.8", "93.184.215.14", "172.32.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]


@pytest.mark.parametrize("address", FORBIDDEN)
def test_addresses_that_are_not_public_are_refused(address: str) -> None:
    assert not Targets().allows(address)


@pytest.mark.parametrize("address", PERMITTED)
def test_public_addresses_are_called(address: str) -> None:
    assert Targets().allows(address)
    assert is_public(ipaddress.ip_address(address))


def test_the_operator_may_allow_networks() -> None:
    targets = Targets(["10.1.0.0/16", "::1/128"])
    assert targets.allows("10.1.2.3")
    assert targets.allows("::1")
    assert not targets.allows("10.2.0.1")
    assert not targets.allows("::ffff:10.1.2.3")
    with pytest.raises(ValueError, match="network"):
        Targets(["nonsense"])


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://example.org", Target("https", "example.org", 443, "/")),
        ("http://Example.org:8080/a/b?c=d&e", Target("http", "example.org", 8080, "/a/b?c=d&e")),
        ("https://[2606:4700::1]:444/x", Target("https", "2606:4700::1", 444, "/x")),
        ("http://2130706433/", Target("http", "2130706433", 80, "/")),
    ],
)
def test_urls_are_taken_apart(url: str, target: Target) -> None:
    assert parse_target(url) == target


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "//example.org", "ftp://example.org", "file:///etc/passwd", "gopher://x", "https://",
        "https://a@example.org/", "https://a:b@example.org/", "https://example.org/#x", "https://exa mple.org/",
        "https://example.org/a b", "https://example.org:99999/", "https://example.org\\@10.0.0.1/",
        "https://münchen.de/", "https://example.org/\r\nx:y", "https://exam\nple.org/",
        "https://example.org/" + "x" * 3000, "https://example.org/é", "https://[::1/",
    ],
)  # fmt: skip
def test_what_is_no_url_of_a_webhook_is_refused(url: str) -> None:
    with pytest.raises(TargetError):
        parse_target(url)


def resolving(*answers: list[str]) -> Targets:
    """Targets whose resolver gives these answers one after the other."""
    left = list(answers)

    async def resolve(_host: str, _port: int) -> list[str]:
        return left.pop(0)

    return Targets(resolve=resolve)


def test_the_first_address_that_may_be_called_is_taken() -> None:
    target = parse_target("https://example.org/")
    assert asyncio.run(resolving(["10.0.0.1", "8.8.8.8", "1.1.1.1"]).address_of(target)) == "8.8.8.8"
    with pytest.raises(TargetError, match="no address that may be called"):
        asyncio.run(resolving(["10.0.0.1", "::1"]).address_of(target))


def test_every_delivery_is_judged_anew() -> None:
    targets, target = resolving(["8.8.8.8"], ["127.0.0.1"]), parse_target("https://example.org/")
    assert asyncio.run(targets.address_of(target)) == "8.8.8.8"
    with pytest.raises(TargetError):
        asyncio.run(targets.address_of(target))


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f.0.0.1", "0"])
def test_the_systems_resolver_is_judged_too(host: str) -> None:
    targets = Targets()
    with pytest.raises(TargetError):
        asyncio.run(targets.address_of(Target("http", host, 80, "/")))
    targets.close()
