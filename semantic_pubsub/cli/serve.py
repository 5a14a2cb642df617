"""`semantic-pubsub serve`: the broker over HTTP, and its API keys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from semantic_pubsub.cli.inputs import contexts_from
from semantic_pubsub.cli.output import json_line, note
from semantic_pubsub.errors import SemanticPubSubError

if TYPE_CHECKING:
    from semantic_pubsub.broker.http.settings import Settings
    from semantic_pubsub.broker.store import Store

__all__ = ["serve"]

serve = typer.Typer(
    name="serve",
    help="Run a broker: publish, match, deliver over HTTP.",
    rich_markup_mode="rich",
)
keys = typer.Typer(
    name="keys",
    help="API keys in the store of a broker that does not run; of one that runs: its /keys.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
serve.add_typer(keys)

ConfigOption = Annotated[Path | None, typer.Option("--config", help="A TOML file.", show_default=False)]
StoreOption = Annotated[
    str | None,
    typer.Option("--store", help="sqlite:///file, a file, or postgresql://…", show_default=False),
]
TenantOption = Annotated[str, typer.Option("--tenant", help="Whose keys.")]
_ROLES = ("publish", "subscribe", "admin")
_MOST_DAYS = 36_500


@serve.callback(invoke_without_command=True)
def run(
    context: typer.Context,
    ontology: Annotated[
        list[Path] | None,
        typer.Option("--ontology", "-o", help="Ontology files or folders, any RDF syntax.", show_default=False),
    ] = None,
    shapes: Annotated[
        list[Path] | None, typer.Option("--shapes", help="SHACL shapes that events must conform to.")
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0: any.", show_default="8080")] = None,
    contexts: Annotated[
        list[str] | None, typer.Option("--context", metavar="URL=PATH", help="A JSON-LD context from a file.")
    ] = None,
    reasoner: Annotated[str | None, typer.Option(help="Infer further hierarchy: hermit.", show_default=False)] = None,
    log_level: Annotated[str | None, typer.Option(help="debug, info, warning or error.", show_default="info")] = None,
) -> None:
    """Run a broker: publish, match, deliver over HTTP.

    Settings come from --config, then from SEMANTIC_PUBSUB_… in the environment, then from options; later ones win.

    [bold]Example:[/bold] semantic-pubsub serve --ontology ontology/auction.ttl --shapes shapes/auction.ttl
    --store sqlite:///broker.db
    """
    given: dict[str, Any] = {
        "ontology": _texts(ontology),
        "shapes": _texts(shapes),
        "store": _url(store),
        "host": host,
        "port": port,
        "reasoner": reasoner,
        "log_level": log_level,
        "contexts": {url: str(path) for url, path in contexts_from(contexts).items()} or None,
    }
    if context.invoked_subcommand is not None:
        if config is not None or any(value is not None for value in given.values()):  # else a key in another store
            message = f"options stand behind the command: serve {context.invoked_subcommand} … --store …"
            raise typer.BadParameter(message)
        return
    settings = _settings(config, given)
    from semantic_pubsub.broker.http import serve as start
    from semantic_pubsub.broker.http.logs import log_as_json

    log_as_json(settings.log_level)
    start(settings)


@keys.command("add")
def add(
    name: Annotated[str, typer.Argument(help="What to call the key.")],
    subject: Annotated[str, typer.Option(help="The publisher or subscriber that it stands for.")],
    role: Annotated[list[str], typer.Option(help="publish, subscribe or admin; may be repeated.")],
    store: StoreOption = None,
    config: ConfigOption = None,
    tenant: TenantOption = "default",
    days: Annotated[float | None, typer.Option(help="Days until it expires.", show_default="never")] = None,
) -> None:
    """Make a key and print it; only its hash is kept.

    [bold]Example:[/bold] semantic-pubsub serve keys add shop --subject shop --role publish --store sqlite:///broker.db
    """
    from semantic_pubsub.broker import new_key
    from semantic_pubsub.broker.clock import SystemClock

    if unknown := [r for r in role if r not in _ROLES]:
        raise typer.BadParameter(f"{unknown[0]!r} is not one of: {', '.join(_ROLES)}", param_hint="--role")
    for value, hint in ((name, "NAME"), (subject, "--subject"), (tenant, "--tenant")):
        if not value or not value.isprintable() or len(value) > 256 or value == "*":
            raise typer.BadParameter("1 to 256 printable characters", param_hint=hint)
    if days is not None and not 0 < days <= _MOST_DAYS:
        raise typer.BadParameter(f"more than 0 and at most {_MOST_DAYS:,}", param_hint="--days")
    now = SystemClock().now()
    expires = None if days is None else now + 86_400 * days
    key, record = new_key(
        tenant=tenant,
        subject=subject,
        roles=role,  # type: ignore[arg-type]  # checked above
        name=name,
        now=now,
        expires_at=expires,
    )
    with _store(config, store) as opened:
        opened.keys.add(record).result()
    typer.echo(key)
    note("this is the only time that the key is shown")


@keys.command("list")
def listed(store: StoreOption = None, config: ConfigOption = None, tenant: TenantOption = "default") -> None:
    """One JSON object a line for each key of a tenant."""
    from semantic_pubsub.broker.clock import written_time

    with _store(config, store) as opened:
        for record in opened.keys.page(tenant):
            roles = sorted(record.roles)
            expires = None if record.expires_at is None else written_time(record.expires_at)
            json_line({"name": record.name, "subject": record.subject, "roles": roles, "expiresAt": expires})


@keys.command("remove")
def remove(
    name: Annotated[str, typer.Argument(help="The key's name.")],
    store: StoreOption = None,
    config: ConfigOption = None,
    tenant: TenantOption = "default",
) -> None:
    """Remove a key."""
    with _store(config, store) as opened:
        if not opened.keys.remove(tenant, name).result():
            raise SemanticPubSubError(f"there is no key {name!r} of tenant {tenant}", hint="list the keys")


def _settings(config: Path | None, given: dict[str, Any]) -> Settings:
    try:
        from semantic_pubsub.broker.http import load_settings
    except ImportError as error:
        hint = "pip install 'semantic-pubsub[serve]'"
        raise SemanticPubSubError(f"serving needs more packages ({error})", hint=hint) from None
    return load_settings(config, os.environ, given)


def _store(config: Path | None, store: str | None) -> Store:
    from semantic_pubsub.broker import open_store

    return open_store(_settings(config, {"store": _url(store)}).store)


def _url(store: str | None) -> str | None:
    return store if store is None or "://" in store else f"sqlite:///{store}"


def _texts(paths: list[Path] | None) -> list[str] | None:
    return [str(path) for path in paths] if paths else None
