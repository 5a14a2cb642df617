"""The process: settings to broker to uvicorn; signals; an end in order."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
import sys
from typing import TYPE_CHECKING, Final

import uvicorn

from semantic_pubsub.broker.errors import BrokerError
from semantic_pubsub.broker.http.app import make_app
from semantic_pubsub.broker.http.loading import open_broker
from semantic_pubsub.broker.http.patience import with_patience
from semantic_pubsub.broker.http.service import Service
from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from semantic_pubsub.broker.broker import Broker
    from semantic_pubsub.broker.http.settings import Settings
    from semantic_pubsub.broker.routes import MakeMatcher

__all__ = ["check_exposure", "serve"]

_BACKLOG: Final = 1_024
_log = logging.getLogger(__name__)


def serve(
    settings: Settings,
    *,
    matcher: MakeMatcher | None = None,
    listening: Callable[[str, int], object] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT; `listening` is told address and port once clients may come."""
    hung_up = _Hangups()
    with open_broker(settings, matcher) as broker:
        check_exposure(settings, broker)
        sockets = _bind(settings)
        asyncio.run(_run(broker, settings, sockets, listening, hung_up))
        hung_up.ignore()
        broker.close(settings.http.drain_seconds)


def check_exposure(settings: Settings, broker: Broker) -> None:
    """Refuse to be reached from elsewhere as long as nobody can be told apart."""
    if not settings.loopback and settings.jwt is None and not broker.store.keys.count():
        raise BrokerError(
            f"there is no key, so {settings.host} would let everybody in",
            hint="make one with `semantic-pubsub serve keys add`, configure [jwt], or stay on 127.0.0.1",
        )


def _bind(settings: Settings) -> list[socket.socket]:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named, since asyncio switches off Nagle's delay only where it sees it: 40 ms an answer.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((settings.host, settings.port))
    except (OSError, OverflowError) as error:
        bound.close()
        said = getattr(error, "strerror", None) or error
        hint = "choose another --host or --port"
        raise BrokerError(f"cannot listen on {settings.host} port {settings.port}: {said}", hint=hint) from None
    return [bound]


async def _run(
    broker: Broker,
    settings: Settings,
    sockets: list[socket.socket],
    listening: Callable[[str, int], object] | None,
    hung_up: _Hangups,
) -> None:
    service = Service(broker, settings)
    http = settings.http
    config = uvicorn.Config(
        make_app(service),
        http=with_patience(http.header_seconds),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        limit_concurrency=http.connections,
        timeout_keep_alive=max(1, int(http.idle_seconds)),
        timeout_graceful_shutdown=max(1, int(http.drain_seconds)),
        h11_max_incomplete_event_size=http.header_bytes,
    )
    server = _Server(config, service, listening)
    hung_up.reload(service)
    await server.serve(sockets)
    service.close()


class _Server(uvicorn.Server):
    """Ends streams first: they would not end by themselves."""

    def __init__(
        self, config: uvicorn.Config, service: Service, listening: Callable[[str, int], object] | None
    ) -> None:
        super().__init__(config)
        self._service = service
        self._listening = listening

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Say where clients may come."""
        await super().startup(sockets)
        if sockets and self.started:
            host, port = sockets[0].getsockname()[:2]
            _log.info("listening", extra={"facts": {"host": host, "port": port}})
            if self._listening is not None:
                self._listening(host, port)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Once: drain and stop. Twice: do not wait. uvicorn would raise the signal again, and the broker stay open."""
        _log.info("stopping", extra={"facts": {"signal": signal.Signals(sig).name}})
        self.force_exit = self.should_exit
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let streams end, requests finish, and no new ones in."""
        self._service.stopping.set()
        await super().shutdown(sockets)


class _Hangups:
    """SIGHUP reads ontology and shapes again; if that fails all stays as it is.

    From the first to the last moment: by default the signal ends a process, and who starts, or ends in order, may
    take a while. What came before the service was there is made up for.
    """

    def __init__(self) -> None:
        self._early = False
        if sys.platform != "win32":
            signal.signal(signal.SIGHUP, self._note)

    def reload(self, service: Service) -> None:
        """From now on; called on the loop that serves."""
        if sys.platform == "win32":
            return
        asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, lambda: service.later(_reload(service)))
        if self._early:
            service.later(_reload(service))

    def ignore(self) -> None:
        """The loop has ended, and taken its handler along."""
        if sys.platform != "win32":
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def _note(self, *_: object) -> None:
        self._early = True


async def _reload(service: Service) -> None:
    try:
        await service.changing.run(service.reload)
    except SemanticPubSubError as error:
        _log.error("the ontology was not reloaded: %s", error)
    except Exception:
        _log.exception("the ontology was not reloaded")
