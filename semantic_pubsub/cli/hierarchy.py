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
_ROW, _LETTER, _GAP, _MARGIN = 22, 8, 60, 16


def hierarchy_tree(ontology: Ontology, root: str | None = None) -> list[Tree]:
    """The class and property hierarchies, or what is below one concept, for the terminal."""
    names = _Names(ontology)
    if root is not None:
        name = ontology.expand(root)
        return [_branch(names, Tree(names.text(name, "bold")), name, set())]
    trees = []
    for title, members in (("classes", ontology.classes), ("properties", ontology.properties)):
        tree = Tree(Text(title, style="bold"))
        seen: set[str] = set()
        for top in names.roots(members):
            _branch(names, tree.add(names.text(top)), top, seen)
        trees.append(tree)
    return trees


def draw_hierarchy(ontology: Ontology, root: str | None = None) -> str:
    """The class hierarchy (or what is below one concept) as SVG: parents left, children right."""
    names = _Names(ontology)
    tops = [ontology.expand(root)] if root is not None else names.roots(ontology.classes)
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
        stack.extend((child, column + 1, name) for child in reversed(names.children(name)))
    return _svg(names, place, arcs, rows)


def _svg(names: _Names, place: dict[str, tuple[int, int]], arcs: list[tuple[str, str, bool]], rows: int) -> str:
    labels = {name: names.text(name).plain for name in place}
    starts = _column_starts(place, labels)
    spots = {name: (starts[column], _MARGIN + row * _ROW + _ROW // 2) for name, (column, row) in place.items()}
    width, height = starts[-1] + _MARGIN, rows * _ROW + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for parent, child, first in arcs:
        (x1, y1), (x2, y2) = spots[parent], spots[child]
        style = 'stroke="#7a8ca0"' if first else 'stroke="#c9824a" stroke-dasharray="4 3"'
        parts.append(
            f'<path d="M{x1 + 4} {y1 + 6} C{x1 + 4} {y2}, {x2 - 40} {y2}, {x2 - 4} {y2}" fill="none" {style}/>'
        )
    for name, (x, y) in spots.items():
        parts.append(f'<circle cx="{x + 4}" cy="{y}" r="3" fill="#2f6f9f"/>')
        parts.append(f'<text x="{x + 12}" y="{y + 4}">{escape(labels[name])}</text>')
    return "\n".join([*parts, "</svg>\n"])


def _column_starts(place: dict[str, tuple[int, int]], labels: dict[str, str]) -> list[int]:
    """Where each column begins, and where the last one ends: as wide as its longest label."""
    longest: dict[int, int] = {}
    for name, (column, _) in place.items():
        longest[column] = max(longest.get(column, 0), len(labels[name]))
    starts = [_MARGIN]
    for column in sorted(longest):
        starts.append(starts[-1] + longest[column] * _LETTER + _GAP)
    return starts


def _branch(names: _Names, tree: Tree, name: str, seen: set[str]) -> Tree:
    """Add what is below `name`; a concept with several parents is unfolded under the first."""
    seen.add(name)
    stack = [(child, tree) for child in reversed(names.children(name))]
    while stack:
        current, branch = stack.pop()
        if current in seen:
            branch.add(Text(f"{names.words.iri(current)} …", style="dim"))
            continue
        seen.add(current)
        added = branch.add(names.text(current))
        stack.extend((child, added) for child in reversed(names.children(current)))
    return tree


class _Names:
    """Concepts of an ontology for the eye; of those that are equivalent, one stands for all."""

    def __init__(self, ontology: Ontology) -> None:
        self.words = Words(ontology)
        self._ontology = ontology

    def text(self, name: str, style: str = "") -> Text:
        """The name, its equivalents, and the label where it says more than the name."""
        same = sorted(str(other) for other in self._ontology.equivalents(name) if str(other) != name)
        text = Text(" = ".join(self.words.iri(each) for each in (name, *same)), style=style)
        label = self._ontology.label(name)
        if _letters(label) not in _letters(text.plain):
            text.append(f"  {label}", style="italic dim")
        return text

    def roots(self, names: Iterable[str]) -> list[str]:
        """Concepts with nothing but a top above them."""
        return self._one_each(
            str(name)
            for name in names
            if str(name) not in _TOPS
            and not str(name).startswith(XSD)
            and not {str(parent) for parent in self._ontology.parents(name)} - _TOPS
        )

    def children(self, name: str) -> list[str]:
        return self._one_each(str(child) for child in self._ontology.children(name))

    def _one_each(self, names: Iterable[str]) -> list[str]:
        """In the order of their names; the first of equivalents stands for all."""
        return sorted({min(str(same) for same in self._ontology.equivalents(name)) for name in names})


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
