"""The index: all tables in one place, and what is done to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from semantic_pubsub.matching.arrays.pools import Pool, Spans
from semantic_pubsub.matching.graph import layout
from semantic_pubsub.matching.graph.compiled import CompiledPattern, Kind, Test, TextTest
from semantic_pubsub.matching.graph.kernels import add_child, file_slots, match, rehash, release_slot
from semantic_pubsub.matching.graph.numbers import form_of, interval_from
from semantic_pubsub.matching.graph.shapes import Shape, shape_key, shape_numbers
from semantic_pubsub.matching.graph.symbols import Symbols
from semantic_pubsub.subscriptions.algebra import Call, Constant, Expression, Reference, Variable
from semantic_pubsub.terms import Literal

if TYPE_CHECKING:
    import numpy.typing as npt

    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.graph.traversal import EncodedEvent

__all__ = ["ANY", "Answers", "Index", "renamed"]

_FIRST_TABLE: Final = 1 << 12
_ROOM: Final = 100  # items and nodes that filing one pattern can make at the most
_LAST_EPOCH: Final = (1 << 31) - 4
_BATCH: Final = 256  # patterns that are filed in one call
ANY: Final = ""  # the name of the one variable in a shared predicate


class Answers:
    """What the kernel says of one event; views that hold until the next event."""

    __slots__ = ("asked", "found", "needed", "needed_masks", "pending", "undecided")

    def __init__(self, table: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64], masks: Any) -> None:
        found, pending, asked, undecided, needed = lengths.tolist()
        self.found: list[int] = table[0, :found].tolist()
        self.pending: int = pending
        self.asked: list[int] = table[2, :asked].tolist() if asked else []
        self.undecided: list[int] = table[3, :undecided].tolist() if undecided else []
        self.needed: list[int] = table[4, :needed].tolist() if needed else []
        self.needed_masks: npt.NDArray[np.uint64] = masks


class Index:
    """Patterns by the integers that their owners chose, and the question which of them an event satisfies."""

    def __init__(self, ontology: Ontology) -> None:
        self.symbols = Symbols(ontology)
        self.counts = np.zeros(layout.COUNT_WIDTH, np.int64)
        self.counts[layout.COUNT_FREE :] = -1
        self.keys = np.full(_FIRST_TABLE, -1, np.int64)
        self.values = np.zeros(_FIRST_TABLE, np.int32)
        self.nodes = Pool(np.int64, layout.NODE_WIDTH)
        self.items = Pool(np.int32, layout.ITEM_WIDTH)
        self.orders = Pool(np.int64)
        self.segments = Pool(np.int32, layout.SEGMENT_WIDTH)
        self.rows = Pool(np.int32, layout.ROW_WIDTH)
        self.slots = Pool(np.int32, layout.SLOT_WIDTH)
        self.shape_table = Pool(np.int32)
        self.parameters = Pool(np.int32)
        self.bounds = Pool(np.float64, 2)
        self.ends = Pool(np.int32)
        self.needles = Pool(np.int32, 3)
        self.needle_bytes = Pool(np.uint8)
        self.marks = {name: Pool(np.int32, 2) for name in ("node", "label", "property", "predicate")}
        self.item_mark = Pool(np.int32)
        self.owner_mark = Pool(np.int32)
        self.shapes: dict[Shape, int] = {}
        self.shape_at: dict[int, Shape] = {}
        self.predicates: dict[Expression, int] = {}
        self.predicate_list: list[Expression] = []
        self._needle_numbers: dict[tuple[int, bytes], int] = {}
        self._spans = Spans(self.parameters)
        self._free_slots: list[int] = []
        self._unfiled: list[int] = []
        self._free_bounds: list[int] = []
        self._largest = 1
        self._refiled = 0
        self._refile_until = 0
        self._next_review = 64
        self._answers = np.zeros((5, 64), np.int32)
        self._marked: tuple[int, ...] | None = None  # for what sizes there are marks
        self._lengths = np.zeros(5, np.int64)
        self._awake = Pool(np.int64)
        self._no_masks = np.zeros(1, np.uint64)
        self._nobody = np.zeros(0, np.int64)
        self.files = True
        """Whether patterns wait under items; without that the index only verifies what is proposed to it."""
        self.needle_bytes.reserve(1)
        self.shape_table.reserve(1)
        self.parameters.reserve(1)
        self._make_root()

    def _make_root(self) -> None:
        self._make_room()
        root = self.nodes.array[0]
        root[:] = 0
        root[layout.NODE_PARENT] = root[layout.NODE_UP] = root[layout.NODE_DOWN] = root[layout.NODE_VALUES] = -1
        self.counts[layout.COUNT_NODES] = 1

    # adding and removing

    def add(
        self, owner: int, pattern: CompiledPattern, projection: tuple[str, ...] | None, statements: bool, after: int
    ) -> int:
        """Add a pattern; gives its slot. `after` is the owner's previous slot, or -1."""
        shape = self.shape(shape_key(pattern, projection, statements))
        return self._put(owner, shape, [self.parameter(test, pattern) for test in pattern.tests], after)

    def add_bound(
        self, owner: int, shape: int, parameters: list[int], bounds: list[tuple[float, float, int]], after: int
    ) -> int:
        """Add a pattern of a known shape; a parameter -1 - n stands for the nth of the bounds."""
        if bounds:
            parameters = [number if number >= 0 else self._put_bound(*bounds[-1 - number]) for number in parameters]
        return self._put(owner, shape, parameters, after)

    def _put(self, owner: int, shape: int, parameters: list[int], after: int) -> int:
        """A new slot; it is filed together with others, before anybody could miss it."""
        at = 0
        if parameters:
            at = self._spans.take(len(parameters))
            self.parameters.array[at : at + len(parameters)] = parameters
        slot = self._free_slots.pop() if self._free_slots else self.slots.take()
        self.slots.array[slot] = (owner, shape, at, -1, -1, after)
        if self.files:
            self._unfiled.append(slot)
            if len(self._unfiled) >= _BATCH:
                self.file_all()
        return slot

    def file_all(self) -> None:
        """File what was added without it."""
        if self._unfiled:
            self._file(np.array(self._unfiled, np.int64), True)
            self._unfiled.clear()

    def _file(self, which: npt.NDArray[np.int64], fresh: bool) -> None:
        """File slots, as many in one call as there is room for."""
        self._marked = None
        while len(which):
            self._make_room(len(which))
            which = which[file_slots(which, fresh, *self._tables()) :]

    def remove(self, slot: int) -> int:
        """Forget a slot; gives the next one of the same owner, or -1."""
        self.file_all()
        row = self.slots.array[slot]
        following, shape, at = int(row[layout.SLOT_NEXT]), int(row[layout.SLOT_SHAPE]), int(row[layout.SLOT_PARAMETERS])
        self._make_room()
        release_slot(slot, *self._tables())
        tests = self.shape_at[shape].tests
        for number, (_, kind) in enumerate(tests):
            if kind is Kind.INTERVAL:
                self._free_bounds.append(int(self.parameters.array[at + number]))
        if tests:
            self._spans.give(at, len(tests))
        self._free_slots.append(slot)
        return following

    def pending_slots(self, answers: Answers) -> list[int]:
        """The slots of the last match that are to be judged."""
        slots: list[int] = self._answers[1, : answers.pending].tolist()
        return slots

    def pattern_tests(self, slot: int) -> list[tuple[Kind, int]]:
        """The tests of a slot's pattern, each as its kind and the integer that stands for its value."""
        row = self.slots.array[slot]
        tests, at = self.shape_at[int(row[layout.SLOT_SHAPE])].tests, int(row[layout.SLOT_PARAMETERS])
        values = self.parameters.array[at : at + len(tests)].tolist()
        return [(kind, value) for (_, kind), value in zip(tests, values, strict=True)]

    def pattern(self, slot: int) -> tuple[CompiledPattern, Shape]:
        """The pattern of a slot, told again from its shape and parameters."""
        row = self.slots.array[slot]
        shape = self.shape_at[int(row[layout.SLOT_SHAPE])]
        at = int(row[layout.SLOT_PARAMETERS])
        values = self.parameters.array[at : at + len(shape.tests)].tolist()
        vertices = list(shape.vertices)
        tests = []
        for (vertex, kind), value in zip(shape.tests, values, strict=True):
            test = self._test(vertex, kind, value, vertices[vertex])
            if vertices[vertex] is None and kind is Kind.CONSTANT:
                vertices[vertex] = test.value  # type: ignore[assignment]
            tests.append(test)
        whole = CompiledPattern(
            tuple(vertices),  # type: ignore[arg-type]
            shape.tree,
            shape.chords,
            tuple(tests),
            shape.joint,
            shape.injective,
        )
        return whole, shape

    def _test(self, vertex: int, kind: Kind, value: int, name: object) -> Test:
        variable = name.name if isinstance(name, Variable) else ""
        if kind <= Kind.CONSTANT:
            return Test(vertex, kind, self.symbols.label_names[value])  # type: ignore[arg-type]
        if kind is Kind.PREDICATE:
            return Test(vertex, kind, renamed(self.predicate_list[value], ANY, variable))
        if kind is Kind.TEXT:
            start, length, operator = self.needles.array[value].tolist()
            needle = self.needle_bytes.array[start : start + length].tobytes()
            name_of = ("CONTAINS", "STRSTARTS", "STRENDS")[operator]
            source = Call(name_of, (Reference(variable), Constant(Literal(needle.decode()))))
            return Test(vertex, kind, TextTest(operator, needle, source))
        lower, upper = self.bounds.array[value].tolist()
        return Test(vertex, kind, interval_from(variable, lower, upper, int(self.ends.array[value])))

    def shape(self, shape: Shape) -> int:
        """Where the shape is in its table, put there if it is new."""
        at = self.shapes.get(shape)
        if at is None:
            numbers = shape_numbers(shape, self.symbols.property_number, self._child)
            at = self.shape_table.take(len(numbers))
            self.shape_table.array[at : at + len(numbers)] = numbers
            self.shapes[shape] = at
            self.shape_at[at] = shape
            self._largest = max(self._largest, len(shape.vertices))
        return at

    def _child(self, node: int, prop: int) -> int:
        self._make_room()
        return int(add_child(node, prop, self.keys, self.values, self.nodes.array, self.counts))

    def parameter(self, test: Test, pattern: CompiledPattern) -> int:
        """The integer that stands for the value of a test."""
        value: Any = test.value
        if test.kind is Kind.CLASS:
            return self.symbols.class_label(value)
        if test.kind is Kind.CONSTANT:
            return self.symbols.constant_label(value)
        if test.kind is Kind.INTERVAL:
            return self._put_bound(value.lower, value.upper, form_of(value))
        if test.kind is Kind.TEXT:
            return self.needle(value.operator, value.needle)
        vertex = pattern.vertices[test.vertex]
        return self._predicate(renamed(value, vertex.name, ANY) if isinstance(vertex, Variable) else value)

    def _put_bound(self, lower: float, upper: float, ends: int) -> int:
        if self._free_bounds:
            number = self._free_bounds.pop()
        else:
            number = self.bounds.take()
            self.ends.take()
        self.bounds.array[number] = (lower, upper)
        self.ends.array[number] = ends
        return number

    def needle(self, operator: int, needle: bytes) -> int:
        """The number of a test of a text, shared by all who ask the same."""
        number = self._needle_numbers.get((operator, needle))
        if number is None:
            start = self.needle_bytes.take(len(needle))
            self.needle_bytes.array[start : start + len(needle)] = np.frombuffer(needle, np.uint8)
            number = self._needle_numbers[operator, needle] = self.needles.take()
            self.needles.array[number] = (start, len(needle), operator)
        return number

    def _predicate(self, expression: Expression) -> int:
        number = self.predicates.get(expression)
        if number is None:
            number = self.predicates[expression] = len(self.predicate_list)
            self.predicate_list.append(expression)
        return number

    # the tables for the kernels

    def _tables(self) -> tuple[Any, ...]:
        """In the order of `layout.Tables`."""
        return (
            self.keys,
            self.values,
            self.nodes.array,
            self.items.array,
            self.orders.array,
            self.segments.array,
            self.rows.array,
            self.slots.array,
            self.shape_table.array,
            self.parameters.array,
            self.bounds.array,
            self.ends.array,
            self.needles.array,
            self.needle_bytes.array,
            self.counts,
        )

    def _make_room(self, patterns: int = 1) -> None:
        """Room for whatever filing so many patterns can need."""
        counts, room = self.counts, patterns * _ROOM
        for pool, column in (
            (self.nodes, layout.COUNT_NODES),
            (self.items, layout.COUNT_ITEMS),
            (self.orders, layout.COUNT_ITEMS),
            (self.segments, layout.COUNT_SEGMENTS),
        ):
            pool.size = int(counts[column])
            if pool.size + room > len(pool.array):
                pool.reserve(room)
        self.rows.size = int(counts[layout.COUNT_ROWS])
        if self.rows.size + layout.LARGEST_SEGMENT > len(self.rows.array):
            self.rows.reserve(layout.LARGEST_SEGMENT)
        if 2 * (counts[layout.COUNT_HASHED] + room) > len(self.keys):
            keys = np.full(2 * len(self.keys), -1, np.int64)
            values = np.zeros(2 * len(self.keys), np.int32)
            rehash(self.keys, self.values, keys, values)
            self.keys, self.values = keys, values

    # matching

    def match(
        self, event: EncodedEvent, owners: int, budget: int = 0, proposed: npt.NDArray[np.int64] | None = None
    ) -> Answers:
        """Which of so many owners the event satisfies, as far as the kernel can tell.

        `proposed` are the only slots that can match, if somebody else found them; then nothing needs to be filed.
        """
        if proposed is None:
            self.file_all()
            self._review()
        self._make_marks(owners)
        if self.counts[layout.COUNT_EPOCH] >= _LAST_EPOCH:
            self._clear_marks()
        self.counts[layout.COUNT_EPOCH] += 1
        self._lengths[:] = 0
        return self._run(event, self._no_masks, budget, False, self._nobody if proposed is None else proposed)

    def judge(self, event: EncodedEvent, masks: npt.NDArray[np.uint64], budget: int = 0) -> Answers:
        """Decide the pending slots of the last match by the vertices on which each needed predicate is true."""
        self.counts[layout.COUNT_EPOCH] += 1
        return self._run(event, masks, budget, True, self._nobody)

    def _run(
        self,
        event: EncodedEvent,
        masks: npt.NDArray[np.uint64],
        budget: int,
        judged: bool,
        proposed: npt.NDArray[np.int64],
    ) -> Answers:
        marks = self.marks
        needed = match(
            event.integers,
            event.numbers,
            event.texts,
            self.symbols.closure.array,
            self._largest,
            budget,
            judged,
            masks,
            proposed,
            marks["node"].array,
            self.item_mark.array,
            marks["label"].array,
            marks["property"].array,
            self.owner_mark.array,
            marks["predicate"].array,
            self._awake.array,
            self._answers,
            self._lengths,
            *self._tables(),
        )
        return Answers(self._answers, self._lengths, needed)

    def _make_marks(self, owners: int) -> None:
        known = owners, len(self.symbols.label_names), len(self.symbols.property_names), len(self.predicate_list)
        if known == self._marked:
            return
        self._marked = known
        for pool, size in (
            (self.marks["node"], self.counts[layout.COUNT_NODES]),
            (self.marks["label"], len(self.symbols.label_names)),
            (self.marks["property"], len(self.symbols.property_names) + 1),
            (self.marks["predicate"], len(self.predicate_list) + 1),
            (self.item_mark, self.counts[layout.COUNT_ITEMS]),
            (self._awake, self.counts[layout.COUNT_ITEMS]),
            (self.owner_mark, owners),
        ):
            if size > len(pool.array):
                pool.take(int(size) - pool.size)
        if self.slots.size + len(self.predicate_list) >= self._answers.shape[1]:
            self._answers = np.zeros((5, 2 * (self.slots.size + len(self.predicate_list) + 1)), np.int32)

    def _clear_marks(self) -> None:
        """Epochs are 32 bits wide: after two thousand million events they begin anew."""
        for pool in (*self.marks.values(), self.item_mark, self.owner_mark):
            pool.array.fill(0)
        self.counts[layout.COUNT_EPOCH] = 0

    def _review(self) -> None:
        """File slots anew, some at each event, when enough was learned of how often items are active."""
        events = int(self.counts[layout.COUNT_EVENTS])
        if events >= self._next_review:
            self._next_review = 8 * events
            self._refiled, self._refile_until = 0, self.slots.size
        if self._refiled < self._refile_until:
            last = min(self._refiled + _BATCH, self._refile_until)
            self._file(np.arange(self._refiled, last), False)
            self._refiled = last


def renamed(expression: Expression, old: str, new: str) -> Expression:
    """The same expression with another name for one of its variables."""
    if isinstance(expression, Reference):
        return Reference(new) if expression.name == old else expression
    if isinstance(expression, Call):
        return Call(expression.operator, tuple(renamed(argument, old, new) for argument in expression.arguments))
    return expression
