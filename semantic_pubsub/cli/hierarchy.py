"""Hierarchies for the eye: as a tree in the terminal, and drawn as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from semantic_pubsub.matching.words import Words
from semantic_pubsub.vocab import LITERAL, RESOURCE, THING, XSD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from semantic_pubsub.concepts import Ontology

__all__ = ["draw_hierarchy", "hierarchy_tree"]

_TOPS = frozenset((THING, RESOURCE, LITERAL))
_ROW, _COLUMN, _MARGIN = 22, 200, 16


def hierarchy_tree(ontology: Ontology, root: str | None = None) -> list[Tree]:
    """The class and property hierarchies, or what is below one concept, for the terminal."""
    words = Words(ontology)
    if root is not None:
        name = ontology.expand(root)
        return [_branch(ontology, words, Tree(Text(words.iri(name), style="bold")), name, set())]
    trees = []
    for title, names in (("classes", ontology.classes), ("properties", ontology.properties)):
        tree = Tree(Text(title, style="bold"))
        seen: set[str] = set()
        for top in _roots(ontology, names):
            _branch(ontology, words, tree.add(words.iri(top)), top, seen)
        trees.append(tree)
    return trees


def draw_hierarchy(ontology: Ontology, root: str | None = None) -> str:
    """The class hierarchy (or what is below one concept) as SVG: parents left, children right."""
    words = Words(ontology)
    tops = [ontology.expand(root)] if root is not None else _roots(ontology, ontology.classes)
    place: dict[str, tuple[int, int]] = {}
    arcs: list[tuple[str, str, bool]] = []
    rows = 0
    stack = [(top, 0, None) for top in reversed(tops)]  # type: list[tuple[str, int, str | None]]
    while stack:
        name, column, parent = stack.pop()
        if parent is not None:
            arcs.append((parent, name, name not in place))
        if name in place:
            continue
        place[name] = column, rows
        rows += 1
        stack.extend((child, column + 1, name) for child in reversed(_children(ontology, name)))
    return _svg(words, place, arcs, rows)


def _svg(words: Words, place: dict[str, tuple[int, int]], arcs: list[tuple[str, str, bool]], rows: int) -> str:
    columns = max((column for column, _ in place.values()), default=0) + 1
    width, height = columns * _COLUMN + 2 * _MARGIN, rows * _ROW + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for parent, child, first in arcs:
        (x1, y1), (x2, y2) = _spot(place[parent]), _spot(place[child])
        style = 'stroke="#7a8ca0"' if first else 'stroke="#c9824a" stroke-dasharray="4 3"'
        parts.append(
            f'<path d="M{x1 + 4} {y1 + 6} C{x1 + 4} {y2}, {x2 - 40} {y2}, {x2 - 4} {y2}" fill="none" {style}/>'
        )
    for name, spot in place.items():
        x, y = _spot(spot)
        parts.append(f'<circle cx="{x + 4}" cy="{y}" r="3" fill="#2f6f9f"/>')
        parts.append(f'<text x="{x + 12}" y="{y + 4}">{escape(words.iri(name))}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _spot(place: tuple[int, int]) -> tuple[int, int]:
    column, row = place
    return _MARGIN + column * _COLUMN, _MARGIN + row * _ROW + _ROW // 2


def _branch(ontology: Ontology, words: Words, tree: Tree, name: str, seen: set[str]) -> Tree:
    """Add what is below `name`; a concept with several parents is unfolded under the first."""
    stack = [(name, tree)]
    while stack:
        current, branch = stack.pop()
        seen.add(current)
        for child in _children(ontology, current):
            if child in seen:
                branch.add(Text(f"{words.iri(child)} …", style="dim"))
            else:
                stack.append((child, branch.add(words.iri(child))))
    return tree


def _roots(ontology: Ontology, names: Iterable[str]) -> list[str]:
    return sorted(
        str(name)
        for name in names
        if str(name) not in _TOPS
        and not str(name).startswith(XSD)
        and not {str(parent) for parent in ontology.parents(name)} - _TOPS
    )


def _children(ontology: Ontology, name: str) -> list[str]:
    return sorted(str(child) for child in ontology.children(name))
