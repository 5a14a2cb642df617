"""From ontology files to the concept model: hierarchies, names, meta-statements."""

from semantic_pubsub.concepts.guards import OntologyLimits
from semantic_pubsub.concepts.hierarchy import Hierarchy
from semantic_pubsub.concepts.meta import MetaStatement
from semantic_pubsub.concepts.model import Ontology

__all__ = ["Hierarchy", "MetaStatement", "Ontology", "OntologyLimits"]
