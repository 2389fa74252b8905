"""What was judged, and what came of it: mutants beside their twins, conforming servers, unearned servers.

Why a proof does not hold stands below: a mutant that survives, a conforming server that fails, a run that is
green and must not be.
"""

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TypeAlias

from msgspec import Struct

from catalog.loader import CATALOG
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
Clean: TypeAlias = dict[str, TrialOutcome]
Refused: TypeAlias = dict[str, tuple[Unearned, TrialOutcome]]
"""Mutants, trials of conforming servers, and unearned servers, by name, with what came of judging them."""


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


def problems(mutants: Killed, variants: Clean, *, complete: bool) -> Iterator[str]:
    """What is wrong with what came of mutants and conforming servers; `complete` if that is all of them."""
    for tried in mutants.values():
        yield from _problems_of(tried)
    for name, outcome in variants.items():
        yield from (f"variant {name}: {fault}" for fault in outcome.troubles)
        yield from (
            f"variant {name} gets a fail: {case}: {message}" for case, message in outcome.fails.items()
        )
    if complete:
        proven = {tried.mutant.clause for tried in mutants.values() if tried.mutant.clause in tried.kills}
        for clause in CATALOG.clauses.values():
            if clause.can_fail and clause.id not in proven:
                yield f"clause {clause.id} can fail, and kills no mutant that names it"


def _problems_of(tried: Tried) -> Iterator[str]:
    """Why a mutant proves nothing, or more than it should."""
    mutant, outcome, name = tried.mutant, tried.outcome, tried.mutant.name
    yield from (f"mutant {name}: {fault}" for fault in outcome.troubles)
    if mutant.clause not in outcome.clauses:
        yield f"mutant {name} survives: {mutant.clause} does not fail ({mutant.fault})"
    for key in sorted(set(mutant.everywhere) - _keys(mutant.clause, outcome.fails)):
        yield f"mutant {name} is not red on {key}"
    for clause in sorted(outcome.clauses - {mutant.clause} - set(mutant.partners)):
        case, message = next(
            (case, text) for case, text in outcome.fails.items() if case.startswith(f"{clause}::")
        )
        yield f"mutant {name} turns {clause} red, which it does not declare: {case}: {message}"
    for clause in sorted(set(mutant.partners) - outcome.clauses):
        yield f"mutant {name} declares {clause} as a partner, which stays green"
    for clauses in outcome.findings:
        if mutant.clause in outcome.clauses and mutant.clause not in clauses:
            yield (
                f"mutant {name} is told as a second finding, on {', '.join(clauses)} (same_fact and"
                " same_answer of clauses.toml)"
            )
    yield from _problems_of_twin(tried)


def _problems_of_twin(tried: Tried) -> Iterator[str]:
    """Why nothing follows from a clause that is red on a mutant: the reference in its place is not green."""
    mutant, twin, name = tried.mutant, tried.twin, f"the twin of mutant {tried.mutant.name}"
    yield from (f"{name}: {fault}" for fault in twin.troubles)
    yield from (f"{name} gets a fail: {case}: {message}" for case, message in twin.fails.items())
    for clause in sorted({mutant.clause, *mutant.partners} - twin.green - twin.clauses):
        yield f"{name} has no case of {clause} that passes"
    for key in sorted(set(mutant.everywhere) - _keys(mutant.clause, twin.passes)):
        yield f"{name} does not pass {mutant.clause} on {key}"


def _keys(clause: str, cases: Iterable[str]) -> set[str]:
    """The keys of some cases of a clause."""
    named = (case.removeprefix(f"{clause}::") for case in cases if case.startswith(f"{clause}::"))
    return {case.rpartition("@")[0] for case in named}


def green_problems(servers: Refused) -> Iterator[str]:
    """Where a run is green, a guard passes or a certificate is given, although too little was seen."""
    for name, (server, outcome) in servers.items():
        yield from (f"unearned {name}: {fault}" for fault in outcome.troubles)
        if outcome.ends not in server.ends:
            due = " or ".join(map(str, server.ends))
            yield f"unearned {name} ends with {outcome.ends}, not with {due} ({server.ground.value})"
        yield from (
            f"unearned {name} passes {case} ({server.ground.value})"
            for case in outcome.passes
            if not {case.partition("::")[0], case.rpartition("@")[0]}.isdisjoint(server.guards)
        )
        if server.headline and outcome.headline != server.headline:
            yield (
                f"unearned {name} is told as {outcome.headline!r}, not as {server.headline!r}"
                f" ({server.ground.value})"
            )
        if not outcome.refused and not server.certified:
            yield f"unearned {name} gets a certificate ({server.ground.value})"


def remote_problems(remote: Mapping[str, TrialOutcome], *, clean: Container[str]) -> Iterator[str]:
    """What is wrong with the budgets of a target elsewhere; that a mutant survives there is only reported."""
    for name, outcome in remote.items():
        yield from (f"{name}, with the budgets of a remote target: {fault}" for fault in outcome.troubles)
        for case, message in outcome.fails.items() if name in clean else ():
            yield f"variant {name} gets a fail, with the budgets of a remote target: {case}: {message}"
