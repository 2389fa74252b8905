"""The proof: every mutant is killed by the clause it names, and no conforming variant gets a fail.

No run of a server of which too little is seen is green.
Each server is judged by the test modules that judge a real target, over HTTP, with a profile file. Sessions
share a process, because starting one costs more than a small run.
"""

import os
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct, field

from catalog.model import LEVELS
from conformance.cases import CATALOG
from conformance.files.text_files import json_by_row
from conformance.mutants.model import Mutant, Unearned, Variant
from conformance.mutants.registry import load_mutants, load_unearned, load_variants
from conformance.proof.outcomes import TrialOutcome, outcome_of
from conformance.proof.pool import judge_all
from conformance.proof.trials import (
    Budget,
    Trial,
    all_trials,
    is_among,
    remote_budgets,
    trials_of,
    unearned_trial,
)
from reports.kills import PUBLISHED

MATRIX = PUBLISHED.name
_BY_PYTEST = 48
"""One trial of so many is a run of pytest."""
_TRIAL_S = 300
"""Seconds that a trial may take; the longest takes one minute on a machine that has much else to do."""

Killed: TypeAlias = dict[str, tuple[Mutant, TrialOutcome]]
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
    problems: tuple[str, ...] = field(default=())
    unearned: Refused = {}
    remote: Mapping[str, TrialOutcome] = {}

    @property
    def holds(self) -> bool:
        """Whether every check is proven both ways."""
        return not self.problems

    def killers(self, clause: str) -> list[str]:
        """The mutants that a clause kills."""
        return [name for name, (_, outcome) in self.mutants.items() if clause in outcome.clauses]

    def killed_remotely(self, name: str) -> frozenset[str]:
        """The clauses that kill a mutant with the budgets of a target elsewhere.

        Those that kill it with no more than these do so with them, and it is not judged again.
        """
        return self.remote.get(name, self.mutants[name][1]).clauses

    @property
    def survivors(self) -> list[Mutant]:
        """The mutants that a run of a target elsewhere does not see, with what it generates by default."""
        return [
            one for name, (one, _) in self.mutants.items() if one.clause not in self.killed_remotely(name)
        ]


def prove(
    out: Path, *, only: Sequence[str] = (), workers: int | None = None, budget: Budget = "loopback"
) -> Proof:
    """Judges each mutant, variant and unearned server, or those with one of `only` in their name.

    Mutants that need more than is generated for a target elsewhere are judged with that as well; with the
    `budget` of such a target, so are variants. Writes the matrix.
    """
    mutants = [mutant for mutant in load_mutants() if is_among(mutant.name, only)]
    variants = [variant for variant in load_variants() if is_among(variant.name, only)]
    servers = [server for server in load_unearned() if is_among(server.name, only)]
    trials = list(trials_of(mutants, variants, servers, reference=not only))
    named = {mutant.name for mutant in mutants}
    others = set(map(unearned_trial, servers))
    again = [
        trial
        for trial in trials
        if (trial.needs_more if trial.name in named else budget == "remote" and trial.name not in others)
    ]
    # a part of the time is waiting for servers to settle
    every = [*trials, *(trial.remote for trial in again)]
    outcomes = _judged(every, out, workers or (os.cpu_count() or 1) + 1)
    out.mkdir(parents=True, exist_ok=True)
    killed = {mutant.name: (mutant, outcomes[mutant.name]) for mutant in mutants}
    refused = {server.name: (server, outcomes[unearned_trial(server)]) for server in servers}
    clean = {
        trial.name: (*_described(trial.name, variants), outcomes[trial.name])
        for trial in trials
        if trial.name not in named | others
    }
    remote = {trial.name: outcomes[trial.remote.name] for trial in again}
    problems = (
        *_problems(killed, clean, complete=not only),
        *_green_problems(refused),
        *_remote_problems(remote, clean=clean.keys()),
    )
    proof = Proof(killed, clean, problems, refused, remote)
    (out / MATRIX).write_text(json_by_row(_matrix(proof)), encoding="utf-8")
    (out / "kill-matrix.md").write_text(render_matrix(proof), encoding="utf-8")
    return proof


def _judged(trials: list[Trial], out: Path, workers: int) -> dict[str, TrialOutcome]:
    """The outcome of each trial; the processes share nothing.

    Those that may do most come first, because they take longest: no process is left alone with one.
    """
    by_pytest = frozenset(trial.name for trial in trials[::_BY_PYTEST])
    judge = partial(_outcome, out=out, by_pytest=by_pytest)
    longest_first = sorted(trials, key=lambda trial: LEVELS.index(trial.level), reverse=True)
    return judge_all((trial.name for trial in longest_first), judge, workers=workers, limit_s=_TRIAL_S)


def _outcome(name: str, out: Path, by_pytest: frozenset[str]) -> TrialOutcome:
    return outcome_of(all_trials()[name], out / name, pytest=name in by_pytest)


def _problems(mutants: Killed, variants: Clean, *, complete: bool) -> Iterator[str]:
    for mutant, outcome in mutants.values():
        yield from _problems_of(mutant, outcome)
    for name, (_, _, outcome) in variants.items():
        yield from (f"variant {name}: {fault}" for fault in outcome.troubles)
        yield from (
            f"variant {name} gets a fail: {case}: {message}" for case, message in outcome.fails.items()
        )
    if complete:
        named = {mutant.clause for mutant, _ in mutants.values()}
        for clause in CATALOG.clauses.values():
            if clause.can_fail and clause.id not in named:
                yield f"clause {clause.id} can fail, and no mutant names it"


def _problems_of(mutant: Mutant, outcome: TrialOutcome) -> Iterator[str]:
    """Why a mutant proves nothing, or more than it should."""
    name = mutant.name
    yield from (f"mutant {name}: {fault}" for fault in outcome.troubles)
    if mutant.clause not in outcome.clauses:
        yield f"mutant {name} survives: {mutant.clause} does not fail ({mutant.fault})"
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


def _green_problems(servers: Refused) -> Iterator[str]:
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


def _remote_problems(remote: Mapping[str, TrialOutcome], *, clean: Container[str]) -> Iterator[str]:
    """What is wrong with the budgets of a target elsewhere; that a mutant survives there is only reported."""
    for name, outcome in remote.items():
        yield from (f"{name}, with the budgets of a remote target: {fault}" for fault in outcome.troubles)
        for case, message in outcome.fails.items() if name in clean else ():
            yield f"variant {name} gets a fail, with the budgets of a remote target: {case}: {message}"


def _described(trial: str, variants: list[Variant]) -> tuple[str, str]:
    name, _, knowledge = trial.rpartition(".")
    known = "with the whole truthful profile" if knowledge == "full" else "with nothing claimed"
    what = next((variant.what for variant in variants if variant.name == name), "the reference itself")
    return what, known


def _matrix(proof: Proof) -> dict[str, object]:
    clauses = [clause.id for clause in CATALOG.clauses.values() if clause.can_fail]
    return {
        "clauses": [{"id": clause, "killed": proof.killers(clause)} for clause in clauses],
        "mutants": [
            {
                "name": name,
                "fault": mutant.fault,
                "clause": mutant.clause,
                "seen_at": mutant.seen_at,
                "killed_by": sorted(outcome.clauses),
                "partners": dict(mutant.partners),
                "survived": mutant.clause not in outcome.clauses,
                "remote": {
                    "killed_by": sorted(proof.killed_remotely(name)),
                    "survived": mutant in proof.survivors,
                },
            }
            for name, (mutant, outcome) in proof.mutants.items()
        ],
        "variants": [
            {"name": name, "what": what, "known": known, "fails": sorted(outcome.fails)}
            for name, (what, known, outcome) in proof.variants.items()
        ],
        "unearned": [
            {
                "name": name,
                "what": server.what,
                "ground": server.ground.value,
                "level": server.level,
                "guards": list(server.guards),
                "ends": outcome.ends,
                "holds": not any(_green_problems({name: (server, outcome)})),
            }
            for name, (server, outcome) in proof.unearned.items()
        ],
        "problems": list(proof.problems),
    }


def render_matrix(proof: Proof) -> str:
    """The kill matrix as Markdown: clauses with their mutants, the tallies, and what does not hold."""
    every = (*proof.mutants.values(), *proof.variants.values(), *proof.unearned.values())
    alike = sum(not found[-1].differs for found in every)
    killed = sum(mutant.clause in outcome.clauses for mutant, outcome in proof.mutants.values())
    clean = sum(not outcome.fails for _, _, outcome in proof.variants.values())
    lines = ["| clause | level | killed mutants |", "|---|---|---|"]
    for clause in CATALOG.clauses.values():
        if clause.can_fail:
            names = proof.killers(clause.id)
            lines.append(
                f"| {clause.id} | {clause.level} | {len(names)}{': ' if names else ''}{', '.join(names)} |"
            )
    verdicts = Counter(outcome.verdict for _, _, outcome in proof.variants.values())
    lines += [
        "",
        (
            f"{killed} of {len(proof.mutants)} mutants killed; {clean} of {len(proof.variants)} variants and"
            " references without a fail"
        ),
    ]
    refused = sum(not any(_green_problems({name: found})) for name, found in proof.unearned.items())
    lines += [f"{refused} of {len(proof.unearned)} unearned servers without a green run"]
    lines += [f"{alike} of {len(every)} ledgers hold what was judged"]
    lines += [f"variants: {', '.join(f'{count} {verdict}' for verdict, count in sorted(verdicts.items()))}"]
    budgets = ", ".join(f"pace.{name} {most}" for name, most in remote_budgets().items())
    left = proof.survivors
    lines += [
        "",
        f"With what is generated of a remote target ({budgets})",
        f"{len(proof.mutants) - len(left)} of {len(proof.mutants)} mutants killed, {len(left)} not",
        *(f"- {mutant.name} ({mutant.clause})" for mutant in left),
    ]
    lines += [
        "",
        "The proof holds." if proof.holds else f"The proof does not hold, for {len(proof.problems)} reasons:",
    ]
    return "\n".join([*lines, *(f"- {problem}" for problem in proof.problems)]) + "\n"
