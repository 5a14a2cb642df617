"""The broker over HTTP: an ASGI app on uvicorn; `docs/broker.md` describes the interface.

from semantic_pubsub.broker.http import load_settings, serve

serve(load_settings("broker.toml"))
"""

from __future__ import annotations

from semantic_pubsub.broker.http.app import make_app
from semantic_pubsub.broker.http.loading import open_broker
from semantic_pubsub.broker.http.server import serve
from semantic_pubsub.broker.http.service import Service
from semantic_pubsub.broker.http.settings import Settings, load_settings

__all__ = ["Service", "Settings", "load_settings", "make_app", "open_broker", "serve"]
