"""The command line: the same verbs as the Python interface, for files.

Exit codes: 0 done, 1 some input was bad (said on stderr, the rest was still processed), 2 wrong usage.
"""

from semantic_pubsub.cli.app import app, main

__all__ = ["app", "main"]
