"""The generated requests of a run: how many, which, and what is told of them."""

from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.checks.generated.mutations import METHODS, Mutation
from conformance.mutants.fleets import FRIDGE
from conformance.reference.service import Service
from conformance.runs import live_run
from conformance.selftest.support.commanding import BARE, run
from conformance.selftest.support.judged_runs import Run, run_of
from conformance.selftest.support.ran import Ran

CLAUSES = {"ADDR-UNKNOWNKEY", "ADDR-HAID", "ADDR-SPECIFIC", "ADDR-KEY-LAST", "READ-SAFE", "PROT-ERRORS"}
OTHER = replace(FRIDGE.having({keys.SETPOINT: 7, keys.FREEZER_SETPOINT: -21}), ha_id="fridge-9")


class Sound(Service):
    """Two refrigerators that are asked 60 generated requests each."""

    fleet = (FRIDGE, OTHER)
    profile_extras = {"pace": {"generated_reads": 60}}  # noqa: RUF012  read only


class Drawn(Sound):
    """The same two, asked so much that names are drawn as well."""

    profile_extras = {"pace": {"generated_reads": 120}}  # noqa: RUF012  read only


class Anything(Sound):
    """Every key is answered as ChildLock."""

    def canonical(self, appliance: Any, text: str) -> str:  # noqa: ARG002  whatever it is
        return keys.CHILD_LOCK


class Unasked(Sound):
    """No request is to be generated."""

    profile_extras = {"pace": {"generated_reads": 0}}  # noqa: RUF012  read only


def generated(ran: Run | Ran) -> list[tuple[str, str, str]]:
    """Method and path of each generated request, with its appliance."""
    lines = [line for line in ran.evidence if line["purpose"] == "generated"]
    return [
        (line["lane"], line["request"]["method"], line["request"]["url"].partition("/api/")[2])
        for line in lines
    ]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run against a server that does nothing wrong."""
    return run_of(Sound(), tmp_path_factory.mktemp("sound"), "read", still=False, clauses=CLAUSES)


def test_budget_is_kept(sound: Run) -> None:
    """No appliance is asked more generated requests than the profile allows, and each nearly as many."""
    made = [line["lane"] for group in ("generated/", "after/") for line in sound.requests(group)]
    assert all(50 <= made.count(ha_id) <= 60 for ha_id in ("fridge-1", "fridge-9"))


@pytest.mark.parametrize(("most", "judged"), [(1, 1), (3, 4), (8, 5), (20, 5), (30, 5)])
def test_a_small_budget_leaves_nothing_open(tmp_path: Path, most: int, judged: int) -> None:
    """Every clause about names has its share of few requests; what none was made for is not judged."""
    wanted = CLAUSES - {"PROT-ERRORS"}
    pace = {"pace": {"generated_reads": most}}
    cases = run_of(Sound(), tmp_path, "read", pace, still=False, clauses=wanted).cases.values()
    verdicts = [one.verdict for one in cases if one.case.id.endswith("~generated@fridge-1")]
    assert (verdicts.count("pass"), verdicts.count("not_judged")) == (judged, len(wanted) - judged)


def test_a_larger_budget_sends_what_a_smaller_one_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut at ten places: what a few requests show, more of them show as well."""
    monkeypatch.setattr(live_run, "nonces_of", Mock(return_value="one seed"))
    asked: list[set[tuple[str, str, str]]] = []
    for most in (1, 6, 12, 30, 59, 60, 66, 99, 100, 150):
        tables = {"pace": {"generated_reads": most}}
        run = run_of(Sound(), tmp_path / str(most), "read", tables, still=False, clauses=CLAUSES)
        asked.append({one for one in generated(run) if one[0] == "fridge-1"})
    assert [one <= other for one, other in pairwise(asked)] == [True] * 9
    assert len(asked[0]) < len(asked[4]) < len(asked[9])


def test_only_safe_methods_are_sent(sound: Run) -> None:
    """Nothing but GET, HEAD and OPTIONS is generated."""
    assert {method for _, method, _ in generated(sound)} == {"GET", "HEAD", "OPTIONS"}


def test_another_seed_draws_other_requests(tmp_path: Path) -> None:
    """What is drawn from a text is the same for the same text, kept in the ledger, and other for another."""
    asked: list[list[tuple[str, str, str]]] = []
    for name, seed in (("one", "monday"), ("again", "monday"), ("other", "tuesday")):
        (tmp_path / name).mkdir()
        ran = run(tmp_path / name, "variant:keys-in-any-case", "--level", "read", "--seed", seed, *BARE)
        assert ran.evidence[0]["seed"] == seed
        asked.append(generated(ran))
    assert asked[0] == asked[1] != asked[2]


def test_one_case_stands_for_all_requests(sound: Run) -> None:
    """A clause has one case for each appliance, whatever was generated, and a sound server passes it."""
    found = {name: case.verdict for name, case in sound.cases.items() if "::~generated@" in name}
    assert len(found) == len(CLAUSES) * len(Sound.fleet)
    assert set(found.values()) == {"pass", "observed"}


def test_no_budget_leaves_the_cases_out(tmp_path: Path) -> None:
    """With pace.generated_reads = 0 there is no case, and no request."""
    run = run_of(Unasked(), tmp_path, "read", still=False, clauses=CLAUSES)
    assert [name for name in run.cases if "~generated" in name] == generated(run) == []


def test_server_that_answers_anything_is_asked_no_more(tmp_path: Path) -> None:
    """Where two unknown keys gave a value, nothing is learned from more of them: one finding is told."""
    run = run_of(Anything(), tmp_path, "read", still=False, clauses=CLAUSES)
    assert generated(run) == []
    assert run.cases["ADDR-UNKNOWNKEY::~generated@fridge-1"].verdict == "inconclusive"


def test_drawn_names_take_no_place_of_the_tables(tmp_path: Path) -> None:
    """Each sort of the tables is made before the first name that schemathesis draws, which comes, too."""
    ran = run_of(Drawn(), tmp_path, "read", still=False, clauses=CLAUSES)
    made = [line["groups"][0] for line in ran.evidence if line["purpose"] == "generated"]
    sorts = list(dict.fromkeys(Mutation(group.rpartition("/")[2]) for group in made))
    names = [sort for sort in sorts if sort not in METHODS]
    assert len(names) > 30
    assert names[-1] is Mutation.DRAWN
