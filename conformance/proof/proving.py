"""The proof: every mutant is killed by the clause it names, and no conforming variant gets a fail.

Nor does the reference in the place of a mutant, and no run of a server of which too little is seen is green.
Each server is judged by the checks that judge a real target. Most of them are asked within the process that
judges them, with many others; a few by a session of pytest over loopback, with a profile file.
"""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from catalog.model import LEVELS
from conformance.files.text_files import json_by_row
from conformance.mutants.registry import is_among, load_mutants, load_unearned, load_variants
from conformance.proof.kill_matrix import matrix_of, render_matrix
from conformance.proof.outcomes import TrialOutcome, outcome_of
from conformance.proof.pool import judge_all
from conformance.proof.proof import Proof, Tried, green_problems, problems, remote_problems
from conformance.proof.trials import Budget, Trial, all_trials, trials_of, twins, unearned_trial
from reports.kills import PUBLISHED

MATRIX = PUBLISHED.name
_READING_BY_PYTEST, _WRITING_BY_PYTEST = 48, 240
"""One trial of so many is a run of pytest; one that writes takes seconds."""


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
    alike = {twins()[mutant.name].name: twins()[mutant.name] for mutant in mutants}
    every = [*trials, *alike.values(), *(trial.remote for trial in again)]
    outcomes = _judged(every, out, workers or os.cpu_count() or 1)
    out.mkdir(parents=True, exist_ok=True)
    killed = {
        mutant.name: Tried(mutant, outcomes[mutant.name], outcomes[twins()[mutant.name].name])
        for mutant in mutants
    }
    refused = {server.name: (server, outcomes[unearned_trial(server)]) for server in servers}
    clean = {trial.name: outcomes[trial.name] for trial in trials if trial.name not in named | others}
    remote = {trial.name: outcomes[trial.remote.name] for trial in again}
    found = (
        *problems(killed, clean, complete=not only),
        *green_problems(refused),
        *remote_problems(remote, clean=clean.keys()),
    )
    proof = Proof(killed, clean, found, refused, remote)
    (out / MATRIX).write_text(json_by_row(matrix_of(proof)), encoding="utf-8")
    (out / "kill-matrix.md").write_text(render_matrix(proof), encoding="utf-8")
    return proof


def _judged(trials: list[Trial], out: Path, workers: int) -> dict[str, TrialOutcome]:
    """The outcome of each trial; the processes share nothing.

    Those that may do most come first, because they take longest: no process is left alone with one.
    """
    # pytest runs by the time of the machine, which a server that says how long it takes would make long
    steady = [one for one in trials if one.is_steady and "timing" not in one.server.profile_extras]
    reading, writing = (
        [trial.name for trial in steady if (trial.level == "read") is reads] for reads in (True, False)
    )
    # the first of each is the whole reference, which a command of the tests and `make certify` judge so
    by_pytest = frozenset((*reading[1::_READING_BY_PYTEST], *writing[1::_WRITING_BY_PYTEST]))
    judge = partial(_outcome, out=out, by_pytest=by_pytest)
    longest_first = sorted(trials, key=lambda trial: LEVELS.index(trial.level), reverse=True)
    return judge_all((trial.name for trial in longest_first), judge, workers=workers)


def _outcome(name: str, out: Path, by_pytest: frozenset[str]) -> TrialOutcome:
    return outcome_of(all_trials()[name], out / name, pytest=name in by_pytest)
