"""Pictures: what was printed as SVG, and files for drawings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from semantic_pubsub.cli.output import cannot_be_written, stderr

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

__all__ = ["as_svg", "write_picture"]

# What rich fills in for a recorded screen. Its own frame loads a font from the network; this one does not.
_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">
<style>
.{unique_id}-matrix {{
  font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
  line-height: {line_height}px; font-variant-east-asian: full-width;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def as_svg(console: Console) -> str:
    """All that a recording console has printed."""
    return console.export_svg(title="semantic-pubsub demo", code_format=_FRAME)


def write_picture(path: Path, svg: str) -> None:
    """Write a drawing and say so; one clear line if that cannot be done."""
    try:
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise cannot_be_written(path, error) from None
    stderr().print(f"drawn: {path}", style="dim")
