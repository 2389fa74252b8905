"""A larger budget shows all that a smaller one does: what is cut off is what tells least."""

from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from conformance.cases import CATALOG
from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.outcomes import judged_in
from conformance.proof.trials import PREFIX, Trial, usual_trials
from conformance.runs import live_run
from conformance.runs.session import Session
from conformance.selftest.support.rows import drawn

FIELDS = ("generated", "generated_reads", "generated_writes")
"""The budgets of [pace]."""
CUTS = (1, 3, 6, 12, 20, 30, 45, 60, 120, 200)
SAMPLE = 4


def budgets_of(mutant: Mutant) -> dict[str, int]:
    """The budgets without which nothing shows a mutant."""
    declared: Any = mutant.service.profile_extras.get("pace", {})
    return {name: declared[name] for name in FIELDS if declared.get(name)}


GENERATED = {mutant.name: mutant for mutant in load_mutants() if budgets_of(mutant)}


def is_killed(mutant: Mutant, trial: Trial, most: int, out: Path) -> bool:
    """Whether the clause of a mutant fails where no more than so much is generated."""
    service = trial.server()
    told: dict[str, Any] = trial.profile(service, BASE_URL)
    told["pace"] = {**told["pace"], **dict.fromkeys(budgets_of(mutant), most)}
    session = Session(build_profile(told, CATALOG), out, trial.level, network=network_of({PREFIX: service}))
    return any(case.clause == mutant.clause for case in judged_in(session).of("fail"))


@pytest.mark.parametrize("name", sorted({"head-counts", *drawn([*GENERATED], SAMPLE)}))
def test_kills_never_fall_as_the_budget_grows(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut at ten places: what shows a mutant with few requests is made with more of them as well."""
    monkeypatch.setattr(live_run, "nonces_of", Mock(return_value="one seed"))
    mutant, trial = GENERATED[name], usual_trials()[name]
    killed = [is_killed(mutant, trial, most, tmp_path / str(most)) for most in CUTS]
    assert [one <= other for one, other in pairwise(killed)] == [True] * (len(CUTS) - 1), killed
    assert killed[CUTS.index(60)]
