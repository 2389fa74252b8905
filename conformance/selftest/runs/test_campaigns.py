"""A campaign of several nights, cut wherever the requests of a day end, says what one run says."""

import random
import time
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from catalog.keys import (
    ALARM_CLOCK,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    COLOR_PERCENT,
    DOOR_STATE,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    OPERATION_STATE,
    POWER_STATE,
    READY,
    RUN,
)
from conformance.cases import all_cases
from conformance.checks.groups import WATCH, conducted, setting_group
from conformance.harness.day_budget import DayBudget
from conformance.harness.errors import LedgerError, TransportError
from conformance.harness.ledger import read_ledger
from conformance.harness.planning import forecast, plan_run
from conformance.harness.writes.batches import Batch, KeptBatches
from conformance.mutants.fleets import HOOD_LIGHT, THREE_STATES, TIMED_OVEN
from conformance.mutants.registry import find_server, load_mutants
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import network_of
from conformance.proof.trials import PREFIX, Trial, trials_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.wire import Incoming, Reply
from conformance.runs import session as sessions
from conformance.runs.observed_run import observed
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.recording import served_by, several
from conformance.selftest.support.rows import drawn
from reports.results.build import exit_code
from reports.results.headline import headline

LIT = several(HOOD_LIGHT, 1)
_PREPARED = served_by(fleet=(HOOD_COLORFUL, DISHWASHER))
"""What needs states prepared that several procedures are made in."""
_DARK = HOOD_COLORFUL.only(LIGHTING, LIGHTING_BRIGHTNESS, POWER_STATE, AMBIENT_ENABLED).having(
    {LIGHTING: False}
)
DAYS = 10
_DAY_S = 86_400
_PER_DAY = 100_000


class Campaign:
    """A run of a trial on as many days as it takes; `passed` are over."""

    def __init__(self, trial: Trial, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Begins on the first day."""
        self.service, self.passed = trial.server(), 0
        data = trial.profile(self.service)
        pace = {**build_profile(data).pace.model_dump(exclude_unset=True), "per_day": _PER_DAY}
        self.profile = build_profile({**data, "pace": pace})
        self._trial, self._out = trial, out
        real = time.time

        def budget(profile: Profile, _state: Path | None) -> DayBudget:
            return DayBudget(profile, out / "requests.json")

        monkeypatch.setattr(time, "time", lambda: real() + self.passed * _DAY_S)
        monkeypatch.setattr(sessions, "budget_of", budget)

    def session(self) -> Session:
        """A run that goes on from the one of the day before."""
        network = network_of({PREFIX: self.service})
        session = Session(self.profile, self._out, self._trial.level, network=network)
        if self.passed:
            assert not session.resume(self._out / LEDGER_FILE)
        return session

    def night(self, left: int) -> str:
        """Asks on a day on which others have left so many requests; why it came to no end, or nothing."""
        DayBudget(self.profile, self._out / "requests.json").take(0, aside=_PER_DAY - left - 1)
        session = self.session()
        session.select(all_cases(session.profile, session.level))
        session.read()
        session.write()
        assert session.finish() == []
        session.close()
        self.passed += 1
        return session.trouble

    def cut(self, left: int) -> None:
        """A night that comes to no end, because so many requests do not suffice."""
        assert self.night(left).startswith("the 100,000 requests of")


def mutants_of_one() -> list[Trial]:
    """Mutants of one appliance that few requests show.

    None counts what it is asked, is late, moves what was not written, or keeps what it took.
    """
    trials = [one for one in trials_of(load_mutants(), (), reference=False) if len(one.server.fleet) == 1]
    steady = [
        one
        for one in trials
        if not any(word in one.name for word in ("every", "second", "late", "sticks", "follows"))
    ]
    chosen = random.Random(28)
    found = drawn(chosen.sample([one for one in steady if one.level == "read"], 12), 2)
    return found + drawn(chosen.sample([one for one in steady if one.level == "power"], 8), 2)


@pytest.mark.parametrize(
    "trial", [Trial("reference", LIT, "full", "power", 0), *mutants_of_one()], ids=lambda trial: trial.name
)
def test_cut_campaign_says_what_one_run_says(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut at ten random places, with what was put back each time, it has the verdicts of one run.

    Nor does a night lose what the others brought in which the target is down.
    """
    once = judged_in(Campaign(trial, tmp_path / "whole", monkeypatch).session())
    campaign = Campaign(trial, tmp_path / "cut", monkeypatch)
    found = campaign.service.settings()
    places = random.Random(trial.name)
    for _ in range(DAYS):
        campaign.cut(places.randrange(2, max(3, once.run.requests.total // 4)))
        assert campaign.service.settings() == found
    with patch.object(campaign.service, "handle", return_value=Reply(503)):
        campaign.night(1_000)
    results = judged_in(campaign.session())
    said, whole = ({case.id: case.verdict for case in one.cases} for one in (results, once))
    assert (said, exit_code(results)) == (whole, exit_code(once))


def test_campaign_comes_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a night is over before an order of a tour is certain, the next does not play the tour anew.

    Nor are three of them cut short beside each other, night after night.
    """
    server = several(THREE_STATES, 3, find_server("third-off-ignored"))
    campaign = Campaign(Trial("third-off-ignored", server, "full", "power", 600), tmp_path, monkeypatch)
    # of 1,344 requests, with what each night reads anew, it takes four nights
    assert [bool(campaign.night(400)) for _ in range(4)] == [True, True, True, False]


def test_campaign_takes_as_many_nights_as_planned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was made is not prepared anew, and what each night begins with is known beforehand."""
    campaign = Campaign(Trial("reference", _PREPARED, "full", "power", 0), tmp_path, monkeypatch)
    pace = campaign.profile.pace.model_copy(update={"per_day": 300})
    told = campaign.profile.model_copy(update={"pace": pace})
    planned = forecast(plan_run(told, all_cases(told, "power"), "power"), 300)
    nights = next(night for night in count(1) if not campaign.night(300))
    assert planned.nights <= nights <= planned.nights * 1.2, nights


def test_what_a_night_adds_is_not_made_with_what_was_made_as_a_whole() -> None:
    """That all procedures of an appliance were made says nothing of one that was not among them."""
    first, second, third = map(setting_group, (LIGHTING, COLOR_PERCENT, AMBIENT_ENABLED))
    kept = KeptBatches([], [Batch("hood", (conducted(first), first, second)).remark])
    asked = (first,), (first, second), (first, third)
    made = [kept.begun_with("hood", conducted(first), own) is not None for own in asked]
    assert made == [True, True, False]


def test_what_the_owner_sets_by_day_is_nobody_who_writes_by_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another night has read is not compared with what this one reads: nothing need be watched."""
    campaign = Campaign(Trial("reference", LIT, "full", "write", 0), tmp_path, monkeypatch)
    campaign.cut(100)
    (hood,) = campaign.service.appliances.values()
    hood.values[COLOR_PERCENT] = 33
    session = campaign.session()
    assert judged_in(session).verdict == "pass"
    assert not [one for one in session.contents.exchanges if one.group == WATCH]


def test_appliance_that_answers_otherwise_is_asked_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What an earlier night saw of it is no evidence any more; that of the others stays."""
    campaign = Campaign(Trial("reference", several(HOOD_LIGHT, 2), "L0", "read", 0), tmp_path, monkeypatch)
    campaign.cut(40)
    gone, stays = campaign.service.appliances
    monkeypatch.setattr(campaign.service.appliances[gone], "values", {})
    session = campaign.session()
    (pause,) = session.contents.header.interruptions
    judged_in(session)
    older = {one.lane for one in session.contents.exchanges if one.at <= pause.after}
    assert (older, f"what was asked of {gone} is asked anew" in capsys.readouterr().err) == ({stays}, True)


def test_what_a_program_kept_from_writing_is_written_on_another_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of two hoods is busy on the second night, and is asked again on the third."""
    campaign = Campaign(Trial("reference", several(HOOD_LIGHT, 2), "full", "write", 0), tmp_path, monkeypatch)
    campaign.cut(90)
    *_, hood = campaign.service.appliances.values()
    hood.values[OPERATION_STATE] = RUN
    campaign.cut(190)
    hood.values[OPERATION_STATE] = READY
    assert not judged_in(campaign.session()).of("inconclusive")


def test_what_the_dark_kept_from_writing_is_written_on_another_night(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A light that was off, which the run must not switch on, has kept one of two settings of a batch."""
    trial = Trial("reference", served_by(fleet=_DARK), "full", "write", 0)
    campaign = Campaign(trial, tmp_path, monkeypatch)
    assert campaign.profile.write
    allowed = {"allow": (LIGHTING_BRIGHTNESS, AMBIENT_ENABLED)}
    write = campaign.profile.write.model_copy(update=allowed)
    campaign.profile = campaign.profile.model_copy(update={"write": write})
    for left in (35, 35, 80):
        campaign.cut(left)
    (hood,) = campaign.service.appliances.values()
    hood.values[LIGHTING] = True
    assert not judged_in(campaign.session()).of("inconclusive")


def test_nothing_counts_as_made_of_what_is_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do the writes of a status, which no state excuses, but which a lock that is not named ends."""
    oven = TIMED_OVEN.only(CHILD_LOCK, DOOR_STATE, ALARM_CLOCK)
    server = served_by(fleet=(oven.having({CHILD_LOCK: True}), replace(oven, ha_id="oven-2")))
    campaign = Campaign(Trial("reference", server, "full", "write", 0), tmp_path, monkeypatch)
    assert campaign.profile.write
    write = campaign.profile.write.model_copy(update={"allow": (ALARM_CLOCK,)})
    campaign.profile = campaign.profile.model_copy(update={"write": write})
    for left in (30, 30, 30, 200):
        campaign.cut(left)
    remarks = read_ledger(tmp_path / LEDGER_FILE).remarks
    assert {one.ha_id for one in remarks if one.purpose == "made"} == {"oven-2"}


def test_campaign_goes_on_after_a_night_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that takes more requests than a day has is not over where no token was granted."""
    campaign = Campaign(Trial("reference", LIT, "full", "read", 0), tmp_path, monkeypatch)
    few = campaign.profile.pace.model_copy(update={"per_day": 20})
    campaign.profile = campaign.profile.model_copy(update={"pace": few})
    with patch.object(sessions.Transport, "send", side_effect=TransportError("no token")):
        judged_in(campaign.session())
    campaign.passed += 1
    campaign.session().close()


def test_night_in_vain_leaves_what_was_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the nights before have shown is judged as it was in a night in which the target is down.

    A null is looked for once more at the end of a run, which that night does not reach.
    """
    server = several(THREE_STATES, 1, find_server("third-off-ignored"))
    campaign = Campaign(Trial("third-off-ignored", server, "full", "power", 0), tmp_path, monkeypatch)
    campaign.cut(260)
    before = judged_in(observed(SavedRun(tmp_path / LEDGER_FILE)))
    with patch.object(campaign.service, "handle", return_value=Reply(503)):
        campaign.night(1_000)
    after = judged_in(observed(SavedRun(tmp_path / LEDGER_FILE)))
    shown = (one for one in before.cases if one.verdict in {"pass", "fail"} and one.clause != "TYPE-NOTNULL")
    decided = {case.id: case.verdict for case in shown}
    assert {one.id: one.verdict for one in after.cases if one.id in decided} == decided


def test_night_leaves_an_appliance_that_is_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What gives no value when a night begins to write has not changed, and is not put back."""
    server = several(THREE_STATES, 2, find_server("third-off-ignored"))
    campaign = Campaign(Trial("third-off-ignored", server, "full", "power", 0), tmp_path, monkeypatch)
    campaign.cut(700)
    handle, gone = campaign.service.handle, [*campaign.service.appliances][-1]

    def answer(request: Incoming) -> Reply:
        return Reply(503) if gone in request.path else handle(request)

    with patch.object(campaign.service, "handle", side_effect=answer):
        results = judged_in(campaign.session())
    assert [one.ha_id for one in results.run.lost] == [gone]


def test_night_says_how_far_the_campaign_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was judged so far is no verdict; how to go on stands beside it. The whole one has its nights."""
    campaign = Campaign(Trial("reference", LIT, "full", "read", 0), tmp_path, monkeypatch)
    campaign.cut(20)
    with patch.object(sessions.Transport, "send", side_effect=TransportError("no token")):
        assert campaign.night(1_000) == "no token"  # the next one goes on with what was sent before
    with monkeypatch.context() as past:  # in which what is asked would be dated before the first night
        past.setattr(sessions.REAL, "since_1970", lambda: 0.0)
        with pytest.raises(LedgerError, match="clock of this machine is behind"):
            campaign.session()
    DayBudget(campaign.profile, tmp_path / "requests.json").take(0, aside=_PER_DAY - 41)
    results = judged_in(campaign.session())
    night = results.run.campaign
    assert night
    assert (night.nights, night.of, night.planned > night.sent) == (2, 3, True)
    told = f"night 2 of about 3: {night.sent} of {night.planned} requests"
    assert results.run.notices[0] == f"{told}; go on with the same command and --resume"
    assert (exit_code(results), headline(results)) == (3, "Inconclusive: the run goes on another night")
    campaign.passed += 1
    whole = judged_in(campaign.session()).run.campaign
    assert whole
    assert (whole.is_over, whole.nights) == (True, 3)
