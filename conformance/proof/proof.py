"""What was judged, and what came of it: mutants beside their twins, conforming servers, unearned servers."""

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from conformance.mutants.model import Mutant, Unearned
from conformance.proof.outcomes import TrialOutcome


class Tried(Struct, frozen=True):
    """A mutant, with what came of it and of its twin."""

    mutant: Mutant
    outcome: TrialOutcome
    twin: TrialOutcome

    @property
    def kills(self) -> frozenset[str]:
        """The clauses that are red on the mutant and green on its twin: the others do not see the fault."""
        return self.outcome.clauses & self.twin.green


Killed: TypeAlias = dict[str, Tried]
Clean: TypeAlias = dict[str, tuple[str, str, TrialOutcome]]
Refused: TypeAlias = dict[str, tuple[Unearned, TrialOutcome]]
"""Mutants, conforming servers with what they are and what the suite was told, and unearned servers, by name,
with what came of judging them.
"""


class Proof(Struct, frozen=True):
    """The kill matrix, and every reason why it does not hold.

    `remote` is what came of trials with the budgets of a target elsewhere, by the names of the usual ones.
    """

    mutants: Killed
    variants: Clean
    problems: tuple[str, ...] = ()
    unearned: Refused = {}
    remote: Mapping[str, TrialOutcome] = {}

    @property
    def holds(self) -> bool:
        """Whether every check is proven both ways."""
        return not self.problems

    def killers(self, clause: str) -> list[str]:
        """The mutants that a clause kills."""
        return [name for name, tried in self.mutants.items() if clause in tried.kills]

    def killed_remotely(self, name: str) -> frozenset[str]:
        """The clauses that kill a mutant with the budgets of a target elsewhere.

        Those that kill it with no more than these do so with them, and it is not judged again.
        """
        tried = self.mutants[name]
        return self.remote.get(name, tried.outcome).clauses & tried.twin.green

    @property
    def survivors(self) -> list[Mutant]:
        """The mutants that a run of a target elsewhere does not see, with what it generates by default."""
        return [
            tried.mutant
            for name, tried in self.mutants.items()
            if tried.mutant.clause not in self.killed_remotely(name)
        ]
