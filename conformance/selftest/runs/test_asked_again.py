"""What is read again is what a check wants, and a run ends when that brings nothing more."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from catalog import keys
from conformance.checks.view import View
from conformance.harness.generated.lane import Generated
from conformance.harness.steps import Procedure
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.certainty import make_certain
from conformance.selftest.support.judged_runs import Run, run_of
from conformance.selftest.support.samples.handmade import HA_ID, case_of, profile_of, seen_of, value

LOCK = keys.CHILD_LOCK
AGAIN = ("again/", "elsewhere/", "payload/", "version", "local-control")


class Sound(Service):
    """A dishwasher that does nothing wrong."""

    fleet = (DISHWASHER,)


class WrongAtFirst(Sound):
    """The first answers about ChildLock show a text, as many as are `wrong`."""

    wrong = 1

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        if request.path.endswith(LOCK) and self.wrong:
            self.wrong -= 1
            return Reply(200, reply.body.replace(b"false", b'"yes"').replace(b"true", b'"yes"'))
        return reply


class Refused(Sound):
    """ChildLock is refused, though the profile claims it."""

    def answer(self, request: Incoming) -> Reply:
        return Reply(409) if request.path.endswith(LOCK) else super().answer(request)


def made(run: Run) -> list[tuple[str, str]]:
    """What was asked again, in its order: the procedure, and the name of the key."""
    lines = [line for group in AGAIN for line in run.requests(group)]
    return [(line["groups"][0].partition("/")[0], line["key"].rpartition(".")[2]) for line in lines]


def test_nothing_is_asked_again_where_nothing_is_found(tmp_path: Path) -> None:
    """A server that conforms is sent no request more."""
    assert made(run_of(Sound(), tmp_path, "read")) == []


@pytest.mark.parametrize(("wrong", "verdict"), [(1, "inconclusive"), (99, "fail")])
def test_finding_is_read_again_once(tmp_path: Path, wrong: int, verdict: str) -> None:
    """One more answer, on a connection of its own, decides whether a finding stands."""
    service = WrongAtFirst()
    service.wrong = wrong
    run = run_of(service, tmp_path, "read", clauses={"TYPE-BOOLEAN"}, tables={"timing": {"repeat_sample": 0}})
    judged = run.cases[f"TYPE-BOOLEAN::{LOCK}@{DISHWASHER.ha_id}"]
    assert (made(run), judged.verdict) == ([("again", "ChildLock")], verdict)
    assert judged.message.endswith("then false") is (verdict == "inconclusive")


@pytest.mark.parametrize(
    ("clause", "wanted"),
    [("READ-SETTING", {"again"}), ("READ-NOPAYLOAD", {"again", "payload"})],
)
def test_only_what_a_selected_clause_wants_is_made(tmp_path: Path, clause: str, wanted: set[str]) -> None:
    """A refused key is tried again for every clause, and asked with a payload for the one about that."""
    run = run_of(Refused(), tmp_path, "read", clauses={clause})
    assert {procedure for procedure, _ in made(run)} == wanted


def test_nothing_is_asked_for_ever() -> None:
    """What brings nothing, as where the appliance is lost, is asked for once."""
    seen = seen_of(profile_of(), value(LOCK, "yes"))
    asked: list[int] = []

    def run(procedures: Iterable[Procedure]) -> None:
        asked.append(len([*procedures]))

    def views() -> dict[str, View]:
        return {HA_ID: seen}

    found = make_certain([case_of("TYPE-BOOLEAN", LOCK, seen)], views, run, Generated())
    assert asked == [1]
    assert [judged.verdict for _, judged in found.values()] == ["fail"]
