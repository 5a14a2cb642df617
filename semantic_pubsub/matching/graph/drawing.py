"""Matching trees as SVG, drawn from left to right: circles and rectangles in the colours of their states.

A circle shows how many of its statement patterns are still open, as figure 7 of the paper does, with its newest vertex
pair beside it. The nodes that a complete mapping keeps (the reduced matching tree) have a strong outline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from semantic_pubsub.matching.graph.tree_nodes import Circle, Node
from semantic_pubsub.matching.graph.tree_words import TreeWords
from semantic_pubsub.matching.words import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from semantic_pubsub.matching.graph.and_or_tree import MatchingTree

__all__ = ["draw"]

_MAX_DRAWN: Final = 400
_CHARACTER: Final = 7.3  # of a monospaced font of 12 pixels, rounded up
_LONGEST: Final = 80
_RADIUS: Final = 11
_BOX: Final = 24
_ROW: Final = 42
_GAP: Final = 34
_MARGIN: Final = 20

_STYLE: Final = """\
text { font: 12px Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1b1f24; }
.title { font-weight: bold; font-size: 14px; }
.note, .miss { fill: #57606a; }
.miss { font-size: 11px; fill: #a40e26; }
.inside { text-anchor: middle; }
path { fill: none; stroke: #8c959f; }
.checked { fill: #dafbe1; stroke: #1a7f37; }
.unchecked { fill: #ffebe9; stroke: #cf222e; }
.plain { fill: #f6f8fa; stroke: #57606a; }
.kept { stroke-width: 3; }
"""


def draw(trees: Sequence[MatchingTree], titles: Sequence[str] = ()) -> str:
    """One drawing of several trees, one below the other."""
    parts: list[str] = []
    width, top = 0.0, float(_MARGIN)
    for number, tree in enumerate(trees):
        picture = _Picture(tree, top, titles[number] if number < len(titles) else "")
        parts += picture.parts
        width, top = max(width, picture.width), picture.bottom + _ROW
    height = top - _ROW + _MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}">'
    )
    background = f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join([head, f"<style>\n{_STYLE}</style>", background, *parts, "</svg>"]) + "\n"


class _Picture:
    """One tree with its heading and legend, from a line downward."""

    def __init__(self, tree: MatchingTree, top: float, title: str) -> None:
        self.tree = tree
        self.words = TreeWords(tree)
        self.nodes = tree.nodes[:_MAX_DRAWN]
        mappings = tree.mappings()
        self.kept = tree.reduced(mappings[0]) if mappings else frozenset[int]()
        self.labels = [self._label(node) for node in self.nodes]
        self.misses = [self._miss(node) for node in self.nodes]
        self.parts: list[str] = []
        self.width = 560.0
        top = self._heading(title, top)
        self.x = self._columns()
        self.y, self.bottom = self._rows(top)
        self.parts += [self._arc(node) for node in self.nodes[1:]]
        for node in self.nodes:
            self.parts += self._node(node)

    # text

    def _label(self, node: Node) -> str:
        return self.words.pair(node) if isinstance(node, Circle) else self.words.statement(node)

    def _miss(self, node: Node) -> str:
        return "" if isinstance(node, Circle) else _short(next(iter(self.words.misses(node)), ""))

    def _heading(self, title: str, top: float) -> float:
        lines = [*([title] if title else []), *self.words.summary()]
        if len(self.tree.nodes) > len(self.nodes):
            lines.append(f"{len(self.tree.nodes) - len(self.nodes):,} further nodes are not drawn")
        for number, line in enumerate(lines):
            shown = _short(line, 120)
            self.width = max(self.width, _wide(shown) * 1.2 + 2 * _MARGIN)
            style = "note" if number else "title"
            self.parts.append(f'<text class="{style}" x="{_MARGIN}" y="{top + 12:.0f}">{_xml(shown)}</text>')
            top += 20
        return self._legend(top + 12) + _ROW

    def _legend(self, y: float) -> float:
        x = float(_MARGIN + _RADIUS)
        for style, words in (("checked", "checked"), ("unchecked", "unchecked"), ("checked kept", "in the mapping")):
            self.parts.append(f'<circle class="{style}" cx="{x:.0f}" cy="{y:.0f}" r="7"/>')
            self.parts.append(_text(x + 12, y, words, "note"))
            x += _wide(words) + 44
        self.parts.append(f'<circle class="plain" cx="{x:.0f}" cy="{y:.0f}" r="7"/>')
        self.parts.append(_text(x + 12, y, "all below (AND)", "note"))
        x += 160
        self.parts.append(f'<rect class="plain" x="{x - 7:.0f}" y="{y - 7:.0f}" width="14" height="14"/>')
        self.parts.append(_text(x + 12, y, "one below (OR)", "note"))
        x += 140
        self.width = max(self.width, x)
        return y

    # places

    def _size(self, node: Node) -> float:
        """How wide a node is with its label."""
        label = _wide(_short(self.labels[node.number]))
        if isinstance(node, Circle):
            return 2 * _RADIUS + 6 + label
        return max(label + 16, _wide(self.misses[node.number]))

    def _columns(self) -> list[float]:
        """The left edge of each node: one column for each depth, as wide as its widest node."""
        depth: list[int] = []
        widths: list[float] = []
        for node in self.nodes:
            deep = 0 if node.parent is None else depth[node.parent.number] + 1
            depth.append(deep)
            if deep == len(widths):
                widths.append(0.0)
            widths[deep] = max(widths[deep], self._size(node))
        edges = [float(_MARGIN)]
        for width in widths:
            edges.append(edges[-1] + width + _GAP)
        self.width = max(self.width, edges[-1] - _GAP + _MARGIN)
        return [edges[deep] for deep in depth]

    def _rows(self, top: float) -> tuple[list[float], float]:
        """A row for each leaf, in the order of the tree; every other node in the middle of its children."""
        y = [0.0] * len(self.nodes)
        row, todo = 0, [self.nodes[0]]
        while todo:
            node = todo.pop()
            drawn = [child for child in node.children if child.number < len(self.nodes)]
            todo.extend(reversed(drawn))
            if not drawn:
                y[node.number] = top + row * _ROW
                row += 1
        for node in reversed(self.nodes):
            drawn = [child for child in node.children if child.number < len(self.nodes)]
            if drawn:
                y[node.number] = (y[drawn[0].number] + y[drawn[-1].number]) / 2
        return y, top + (row - 1) * _ROW + _BOX

    # shapes

    def _style(self, node: Node) -> str:
        state = "checked" if node.checked else "unchecked"
        return f"{state} kept" if node.number in self.kept else state

    def _node(self, node: Node) -> list[str]:
        x, y, label = self.x[node.number], self.y[node.number], _short(self.labels[node.number])
        note = f"<title>{_xml(_short(self.words.line(node), 500))}</title>"
        if isinstance(node, Circle):
            centre = x + _RADIUS
            return [
                f'<circle class="{self._style(node)}" cx="{centre:.1f}" cy="{y:.1f}" r="{_RADIUS}">{note}</circle>',
                _text(centre, y, str(node.unchecked_children), "inside"),
                _text(x + 2 * _RADIUS + 6, y, label),
            ]
        parts = [
            f'<rect class="{self._style(node)}" x="{x:.1f}" y="{y - _BOX / 2:.1f}" width="{_wide(label) + 16:.1f}" '
            f'height="{_BOX}" rx="2">{note}</rect>',
            _text(x + 8, y, label),
        ]
        if self.misses[node.number]:
            parts.append(_text(x + 2, y + _BOX / 2 + 8, self.misses[node.number], "miss"))
        return parts

    def _arc(self, node: Node) -> str:
        parent = node.parent
        if parent is None:
            return ""
        start, end = self.x[parent.number] + self._size_drawn(parent), self.x[node.number]
        y, other = self.y[parent.number], self.y[node.number]
        turn = end - _GAP / 2
        strong = ' stroke-width="2.5"' if node.number in self.kept else ""
        return f'<path d="M{start:.1f},{y:.1f} H{turn:.1f} V{other:.1f} H{end:.1f}"{strong}/>'

    def _size_drawn(self, node: Node) -> float:
        """Where the outline (for a circle: its label) ends."""
        label = _wide(_short(self.labels[node.number]))
        return label + 16 if not isinstance(node, Circle) else 2 * _RADIUS + 10 + label


def _wide(text: str) -> float:
    return len(text) * _CHARACTER


def _short(text: str, longest: int = _LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _text(x: float, y: float, words: str, style: str = "") -> str:
    css = f'class="{style}" ' if style else ""
    return f'<text {css}x="{x:.1f}" y="{y + 4:.1f}">{_xml(words)}</text>'


def _xml(text: str) -> str:
    return escape(printable(text))
