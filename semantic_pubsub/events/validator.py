"""Events against SHACL shapes, on pyshacl, with everything prepared that does not depend on the event.

pyshacl parses and reads its shapes for every call. Here the shapes are read once, only those whose target
occurs in the event are run, and instead of a whole ontology the event is given the superclasses of its own classes.
Verdicts and results are pyshacl's.
"""

from __future__ import annotations

__all__ = ["EventValidator"]
