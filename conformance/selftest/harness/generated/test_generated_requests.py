"""What is generated: how many requests, which, and what is told of them."""

from collections import Counter
from collections.abc import Mapping
from contextlib import closing, suppress
from itertools import pairwise
from pathlib import Path
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.checks.exchange import Failure, FailureKind
from conformance.checks.view import View
from conformance.harness.generated.procedures import Generated, generated_reads
from conformance.harness.steps import Ask
from conformance.model.values import fits
from conformance.mutants.fleets import FRIDGE
from conformance.reference.service import Service
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import begin, judge_all, ran_of, session_of
from conformance.selftest.support.ran import Ran

CLAUSES = {"ADDR-UNKNOWNKEY", "ADDR-HAID", "ADDR-SPECIFIC", "ADDR-KEY-LAST", "READ-SAFE", "PROT-ERRORS"}
OTHER = replace(FRIDGE.having({keys.SETPOINT: 7, keys.FREEZER_SETPOINT: -21}), ha_id="fridge-9")


class Sound(Service):
    """Two refrigerators."""

    fleet = (FRIDGE, OTHER)


def reading(most: int, out: Path) -> closing[Session]:
    """A session that reads, with so many generated requests for each appliance."""
    return session_of(Sound(), out, "read", {"pace": {"generated_reads": most}}, still=False)


def run_with(most: int, out: Path) -> Ran:
    """What came of such a session."""
    with reading(most, out) as session:
        return ran_of(session, judge_all(session, CLAUSES), out)


@pytest.fixture(scope="module")
def views(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, View]:
    """What is seen of the two before anything is generated."""
    with reading(0, tmp_path_factory.mktemp("read")) as session:
        begin(session)
        return session.views


def requests_of(
    views: Mapping[str, View], most: int, seed: str = "monday", failure: Failure | None = None
) -> list[Ask]:
    """What the first of the two would be asked with so many generated requests, whatever it answers.

    With `failure` no request gets an answer.
    """
    seen = next(iter(views.values()))
    pace = seen.profile.pace.model_copy(update={"generated_reads": most})
    profile = seen.profile.model_copy(update={"pace": pace})
    answer = next(iter(seen.reads.values()))
    exchange = replace(answer.exchange, failure=failure)
    asks: list[Ask] = []
    for procedure in generated_reads(replace(seen, profile=profile), views, seed, Generated()):
        with suppress(StopIteration):
            step = next(procedure)
            while True:
                asks += [step] if isinstance(step, Ask) and step.purpose == "generated" else []
                method = step.wanted.method if isinstance(step, Ask) else "GET"
                sent = replace(exchange, request=replace(exchange.request, method=method))
                step = procedure.send(replace(answer, exchange=sent))
    return asks


def test_budget_is_kept_by_requests_that_are_safe(tmp_path: Path) -> None:
    """Each appliance is asked nearly as many as the profile allows, by GET, HEAD and OPTIONS alone; a clause
    has one case for all of them, which a sound server passes.
    """
    run = run_with(60, tmp_path)
    made = [line["lane"] for group in ("generated/", "after/") for line in run.requests(group)]
    assert all(50 <= made.count(ha_id) <= 60 for ha_id in ("fridge-1", "fridge-9"))
    methods = {line["request"]["method"] for line in run.evidence if line["purpose"] == "generated"}
    assert methods == {"GET", "HEAD", "OPTIONS"}
    found = {name: case.verdict for name, case in run.cases.items() if "::~generated@" in name}
    assert (len(found), {*found.values()}) == (len(CLAUSES) * len(Sound.fleet), {"pass", "observed"})


def test_a_larger_budget_sends_what_a_smaller_one_does(views: Mapping[str, View]) -> None:
    """Cut at five places: what a few requests show, more of them show as well."""
    made = [{ask.wanted for ask in requests_of(views, most)} for most in (1, 12, 59, 66, 150)]
    assert [one <= other for one, other in pairwise(made)] == [True] * 4
    assert len(made[0]) < len(made[2]) < len(made[4])


@pytest.mark.parametrize(("kind", "is_over"), [("timeout", True), ("closed", False)])
def test_method_that_is_never_answered_is_sent_once(
    views: Mapping[str, View], kind: FailureKind, *, is_over: bool
) -> None:
    """Each waits for the timeout of the profile; an answer that ends at once costs nothing."""
    asks = requests_of(views, 400, failure=Failure(kind, ""))
    sent = Counter(ask.wanted.method for ask in asks)
    assert [sent[method] == 1 for method in ("HEAD", "OPTIONS")] == [is_over] * 2
    assert sent["GET"] > 100


def test_entries_of_each_appliance_are_found_once(
    views: Mapping[str, View], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many requests are made: else a fleet of hundreds takes longer to ask for than to be asked."""
    looked_at = Mock(wraps=fits)
    monkeypatch.setattr("conformance.harness.generated.candidates.fits", looked_at)
    requests_of({ha_id: replace(seen) for ha_id, seen in views.items()}, 150)
    assert 0 < looked_at.call_count <= sum(len(seen.reads) for seen in views.values())


def test_another_seed_asks_otherwise(views: Mapping[str, View]) -> None:
    """What is drawn from a text is the same for the same text, and other for another."""
    assert requests_of(views, 59) == requests_of(views, 59) != requests_of(views, 59, "tuesday")


def test_no_budget_leaves_the_cases_out(tmp_path: Path) -> None:
    """With pace.generated_reads = 0 there is no case, and no request."""
    run = run_with(0, tmp_path)
    assert [name for name in run.cases if "~generated" in name] == run.requests("generated/") == []
