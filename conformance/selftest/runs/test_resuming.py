"""A run that was cut off, or a campaign of nights, sends what is missing, and says what one run says."""

import json
import random
import re
import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from catalog.keys import CHILD_LOCK
from catalog.model import Level
from conformance.cases import all_cases
from conformance.harness.day_budget import DayBudget
from conformance.harness.errors import LedgerError, TransportError
from conformance.harness.writes.keeping.owed import owed_in
from conformance.mutants.fleets import HOOD, HOOD_LIGHT, THREE_STATES
from conformance.mutants.registry import find_server, load_mutants
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.trials import PREFIX, Trial, trials_of
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.service import Service
from conformance.reference.wire import Reply
from conformance.runs import session as sessions
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import several
from conformance.selftest.support.rows import drawn
from reports.results.build import exit_code
from reports.results.headline import headline

FEW = {"generated_reads": 20}
COLLECTING = ("--", "--collect-only")
"""The last words of a run that asks for nothing."""
WRONG = several(HOOD, 2, find_server("booleans-as-words"))
LIT = several(HOOD_LIGHT, 1)
DROPPING = several(OVEN.only(CHILD_LOCK), 2, find_server("acknowledged-and-dropped"))


@contextmanager
def ran_against(server: Service, here: Path, level: Level, words: tuple[str, ...] = BARE) -> Generator[Ran]:
    """A run of a server, which goes on serving."""
    with served(server, here / "hub.toml", pace=STILL if level != "read" else FEW):
        yield command("run", "hub.toml", "--level", level, *words, directory=here)


@pytest.fixture(scope="module")
def server() -> Service:
    """What is read."""
    return WRONG()


@pytest.fixture(scope="module")
def whole(server: Service, tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run that reads."""
    with ran_against(server, tmp_path_factory.mktemp("whole"), "read") as ran:
        yield ran


@pytest.fixture(scope="module")
def writing_run(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run that writes."""
    with ran_against(DROPPING(), tmp_path_factory.mktemp("written"), "write") as ran:
        yield ran


def second_run(
    whole: Ran, directory: Path, lines: int, level: Level = "read", words: tuple[str, ...] = BARE
) -> Ran:
    """The run that goes on from so many lines of its ledger, and from its journal, where nothing is owed."""
    ledger = (whole.out / "evidence.ndjson").read_bytes().splitlines(keepends=True)
    (directory / "out").mkdir(parents=True)
    (directory / "out" / "evidence.ndjson").write_bytes(b"".join(ledger[:lines]))
    if level != "read":
        shutil.copy(whole.out / "journal.ndjson", directory / "out")
    return command(
        "run", str(whole.out.parent / "hub.toml"), "--level", level, "--resume", *words, directory=directory
    )


def times(lines: list[dict[str, Any]]) -> list[str]:
    """When the exchanges were made."""
    return [line["at"] for line in lines if "request" in line]


def test_resumed_run_says_the_same(whole: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was kept is in its ledger, and only a few keys of each
    appliance are read again. Its files say from when to when its evidence comes.
    """
    lines = int(0.9 * len(whole.evidence))
    ran = second_run(whole, tmp_path, lines)
    assert (ran.code, ran.verdicts) == (whole.code, whole.verdicts)
    kept, made = times(whole.evidence[:lines]), times(ran.evidence)
    again = [at for at, before in zip(made, kept, strict=False) if at != before]
    assert 0 < len(again) <= 4 * 2
    newer = [at for at in made if at > whole.results["finished"]]
    assert (len(newer), {*again} <= {*newer}) == (len(times(whole.evidence)) - len(kept) + len(again), True)
    (interruption,) = ran.results["interruptions"]
    assert interruption["after"] == whole.evidence[lines - 1]["at"]
    assert interruption["until"] <= min(newer)
    assert ran.results["notices"][0].startswith("the evidence comes from ")
    assert ran.results["started"] == whole.results["started"]


def test_appliance_that_answers_otherwise_is_asked_anew(
    server: Service, whole: Ran, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier run saw of it is no evidence any more; that of the others stays."""
    gone, stays = server.appliances
    monkeypatch.setattr(server.appliances[gone], "values", {})
    ran = second_run(whole, tmp_path, len(whole.evidence) - 10)
    older = {
        line["lane"] for line in ran.evidence if "request" in line and line["at"] < whole.results["finished"]
    }
    assert (older, f"what was asked of {gone} is asked anew" in ran.output) == ({stays}, True)


def test_certificate_of_a_resumed_run_names_the_gap(tmp_path: Path) -> None:
    """Whoever reads or verifies it learns when nothing was asked."""
    words = ("--certify",)
    with ran_against(find_server("off-means-standby")(), tmp_path, "read", words) as whole:
        ran = second_run(whole, tmp_path / "again", len(whole.evidence) // 2, words=words)
    certificate = json.loads((ran.out / "certificate.json").read_bytes())
    assert (ran.code, len(certificate["interruptions"])) == (0, 1)
    assert certificate["interruptions"] == ran.results["interruptions"]
    verified = command("verify", str(ran.out))
    assert (verified.code, "nothing was asked " in verified.output) == (0, True)


def test_resumed_run_writes_what_is_missing(writing_run: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was made to its end is not made again.

    Its journal holds the writes of the run that was cut off, and its own; none is owed.
    """
    lines = len(writing_run.evidence) // 2  # some appliances have been written to and others not
    ran = second_run(writing_run, tmp_path, lines, "write")
    assert (ran.code, findings_of(ran)) == (writing_run.code, findings_of(writing_run))
    made = [line for line in writing_run.evidence[:lines] if line.get("purpose") == "made"]
    kept = {(made_of["ha_id"], group) for made_of in made for group in made_of["note"]["made"]}
    writes = [line for line in ran.evidence if line["purpose"] in {"write", "restore"}]
    assert kept
    for write in writes:
        was_kept = (write["lane"], write["groups"][0]) in kept
        assert was_kept == (write["at"] <= writing_run.results["finished"])
    before, lines = ([line["at"] for line in each.journal if "intent" in line] for each in (writing_run, ran))
    assert (lines[: len(before)], owed_in(ran.out / JOURNAL_FILE)) == (before, [])
    numbers, ends = [line["n"] for line in ran.journal], [line.get("end") for line in ran.journal]
    assert (numbers, ends) == ([*range(len(ends))], [None] * (len(ends) - 1) + [True])


def findings_of(ran: Ran) -> list[tuple[str, ...]]:
    """The id, verdict and finding of every case, without how long was waited."""
    ends = ran.verdicts.items()
    return [(case, verdict, re.sub(r" after [0-9.]+ s\b", "", said)) for case, (verdict, said) in ends]


def test_run_that_begins_anew_says_so(whole: Ran, tmp_path: Path) -> None:
    """It does where the run came to its end, or there is none, as after a directory misspelt."""
    over = second_run(whole, tmp_path / "over", len(whole.evidence), words=COLLECTING)
    none = command("run", str(whole.out.parent / "hub.toml"), "--resume", *COLLECTING, directory=tmp_path)
    assert over.output.startswith(
        f"the run of {over.out / LEDGER_FILE} had come to its end: this one begins anew\n"
    )
    told = f"there is no {none.out / LEDGER_FILE} to go on from: this run begins anew\n"
    assert none.output.startswith(told)


def test_run_of_another_profile_is_not_resumed(whole: Ran, tmp_path: Path) -> None:
    """What another profile has asked for may be something else; an option may be missing, too."""
    profile = whole.out.parent / "hub.toml"
    kept = profile.read_text(encoding="utf-8")
    profile.write_text(f"{kept}\n[paths]\nbattery_drift = 3\n", encoding="utf-8")
    ran = second_run(whole, tmp_path, 10)
    profile.write_text(kept, encoding="utf-8")
    says = "cannot be resumed: its profile is another one (--shard and --sample belong to it)"
    assert (ran.code, says in ran.output) == (2, True)


# A campaign of several nights, cut wherever the requests of a day end, says what one run says.
DAYS = 10
_DAY_S = 86_400
_PER_DAY = 100_000


class Campaign:
    """A run of a trial on as many days as it takes; `passed` are over."""

    def __init__(self, trial: Trial, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Begins on the first day."""
        self.service, self.passed = trial.server(), 0
        data = trial.profile(self.service, BASE_URL)
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

    None counts what it is asked, is late, or keeps what it took, which cannot be put back.
    """
    trials = [one for one in trials_of(load_mutants(), (), reference=False) if len(one.server.fleet) == 1]
    steady = [
        one for one in trials if not any(word in one.name for word in ("every", "second", "late", "sticks"))
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
    """Where a night is over before an order of a tour is certain, the next does not play the tour anew."""
    server = several(THREE_STATES, 3, find_server("third-off-ignored"))
    campaign = Campaign(Trial("third-off-ignored", server, "full", "power", 600), tmp_path, monkeypatch)
    # of 831 requests, with what each night reads anew, it takes three nights of 360 or more
    assert [bool(campaign.night(400)) for _ in range(3)] == [True, True, False]


def test_campaign_goes_on_after_a_night_in_vain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that takes more requests than a day has is not over where no token was granted."""
    campaign = Campaign(Trial("reference", LIT, "full", "read", 0), tmp_path, monkeypatch)
    few = campaign.profile.pace.model_copy(update={"per_day": 20})
    campaign.profile = campaign.profile.model_copy(update={"pace": few})
    with patch.object(sessions.Transport, "send", side_effect=TransportError("no token")):
        judged_in(campaign.session())
    campaign.passed += 1
    campaign.session().close()


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
