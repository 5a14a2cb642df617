"""State-based partial verification (SBPV): the cheap check that runs while a matching tree grows.

Wang, Jin, Li: *Data model and matching algorithm in an ontology-based publish/subscribe system*, section 5.5, figure 7.
A rectangle is checked when one of its circles is, a circle when all of its rectangles are. If the root stays unchecked,
the event does not match (theorem 2); if it is checked, the event may match, and the expressions (`bebv`) decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semantic_pubsub.matching.graph.tree_nodes import Circle

__all__ = ["backtrack"]


def backtrack(circle: Circle) -> None:
    """Report upward that a partial mapping has nothing left to wait for."""
    current: Circle | None = circle
    while current is not None:
        # step 1
        current.checked = True
        # step 2: a circle; at the root, or below a rectangle that is checked already, all is said
        rectangle = current.parent
        if rectangle is None or rectangle.checked:
            return
        rectangle.checked = True
        # step 3: a rectangle; its circle waits for one child less
        above = rectangle.parent
        above.unchecked_children -= 1
        current = None if above.unchecked_children else above
