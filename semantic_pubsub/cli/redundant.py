"""`check --subscriptions`: what is redundant among subscriptions, as a table or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table

from semantic_pubsub.cli.output import counted, note, stdout, warn
from semantic_pubsub.errors import SubscriptionError
from semantic_pubsub.matching import is_ready
from semantic_pubsub.subscriptions import Subscription, resolve, subscriptions_from

if TYPE_CHECKING:
    from pathlib import Path

    from semantic_pubsub.cli.output import Problems
    from semantic_pubsub.concepts import Ontology
    from semantic_pubsub.matching.redundancy import Redundancies

__all__ = ["Checked", "check_subscriptions"]


class Checked(NamedTuple):
    """How many subscriptions were looked at, and what was found."""

    number: int
    found: Redundancies

    def as_json(self) -> dict[str, object]:
        """What JSON shows beside the ontology."""
        found = self.found
        return {
            "subscriptions": self.number,
            "duplicates": found.duplicates,
            "covered": found.covered,
            "unsatisfiable_subscriptions": found.unsatisfiable,
            "undecided": found.undecided,
        }

    def print(self) -> None:
        """A table of what deserves a look, after one line of counts."""
        duplicates, covered, never, undecided = self.found
        console = stdout()
        console.print(
            f"{counted(self.number, 'subscription')}: {counted(len(duplicates), 'group')} of duplicates, "
            f"{len(covered):,} covered, {len(never):,} unsatisfiable"
        )
        table = Table("subscription", "is", "")
        for first, *others in duplicates:
            for other in others:
                table.add_row(other, "a duplicate of", first)
        for name, wider in covered.items():
            table.add_row(name, "covered by", wider)
        for name, reason in never.items():
            table.add_row(name, "unsatisfiable", reason)
        if table.row_count:
            console.print(table)
        if undecided:
            warn(f"too much alike to be compared with all others: {', '.join(undecided)}")


def check_subscriptions(paths: list[Path], ontology: Ontology, problems: Problems) -> Checked:
    """Read subscriptions and find what is redundant; bad ones are reported and left out."""
    from semantic_pubsub.matching.redundancy import redundancies  # brings numba: only for who asks for it

    known: dict[str, Subscription] = {}
    for subscription in subscriptions_from(*paths, on_error=problems):
        try:
            resolve(subscription, ontology)
            if subscription.id in known:
                hint = "give each subscription an id of its own"
                raise SubscriptionError(
                    f"there is already a subscription with the id {subscription.id!r}",
                    source=subscription.source,
                    hint=hint,
                )
        except SubscriptionError as error:
            problems(error)
        else:
            known[subscription.id] = subscription
    if not is_ready("ops"):
        note("compiling the matcher for this machine: once, about half a minute")
    return Checked(len(known), redundancies(known.values(), ontology))
