"""A killed run is undone, and a campaign of several nights says what one run says."""

import random
import time
from pathlib import Path

import pytest

from catalog import keys
from catalog.model import Segment
from conformance.cases import CATALOG, each_case
from conformance.harness.day_budget import DayBudget
from conformance.mutants.fleets import AMBIENT, THREE_STATES
from conformance.mutants.registry import find_server, load_mutants
from conformance.mutants.variants.lights import Unreadable
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.trials import PREFIX, Trial, trials_of
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from conformance.reference.appliance import Appliance
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs import live_run
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.restoring import restore
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import begin, session_of
from conformance.selftest.support.servers.recording import values_of
from reports.results.build import exit_code
from reports.results.headline import headline


class DarkWhenFound(Unreadable):
    """Every setting of a light that is off has no content, and the light is found off."""

    fleet = (AMBIENT.having({keys.AMBIENT_ENABLED: False}),)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        dark = key != keys.AMBIENT_ENABLED and not appliance.values[keys.AMBIENT_ENABLED]
        return Reply(204, media_type=None) if dark else super().read(appliance, segment, key)


class OnlyOnFromOff(Service):
    """From Off no write leads to Standby, where it is found: the table has only On (lines 129 to 133)."""

    fleet = (THREE_STATES.having({keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE}),)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if (appliance.values[key], value) != (keys.OFF, keys.STANDBY):
            super().apply(appliance, key, value)


COUPLED = (
    *("custom-color-shows-the-preset", "brightness-starts-at-a-try", "colors-have-their-brightness"),
    *("light-on-at-full", "brightness-unlocks-itself", "custom-color-unlocks-itself"),
    *("percent-unlocks-itself", "locked-when-found"),
)
"""Servers whose settings read otherwise while they are locked, or move beside others."""


@pytest.mark.parametrize("kind", [*map(find_server, COUPLED), DarkWhenFound, OnlyOnFromOff])
def test_killed_run_is_undone_at_whichever_write(kind: type[Service], tmp_path: Path) -> None:
    """Everything is as it was found, from the journal of the run or from those of the appliances."""
    out, state = tmp_path / "out", tmp_path / "state"
    kills: list[tuple[dict[tuple[str, str], Json], dict[Path, str]]] = []

    def answer(self: Service, request: Incoming) -> Reply:
        reply = kind.answer(self, request)
        if request.method == "PUT":
            journals = (out / JOURNAL_FILE, *state.glob("*.ndjson"))
            kills.append((values_of(self), {path: path.read_text(encoding="utf-8") for path in journals}))
        return reply

    service = type("Killed", (kind,), {"answer": answer})()
    before = values_of(service)
    state.mkdir()
    with serve({"": service}) as base_url:
        with session_of(service, out, "power", base_url=base_url) as session:
            begin(session, state=state)
            session.write()
        assert kills
        for number, (values, journals) in enumerate(kills[::7]):
            for (ha_id, key), value in values.items():
                service.appliances[ha_id].values[key] = value
            for path, text in journals.items():
                path.write_text(text, encoding="utf-8")
            run, *records = journals
            assert all(restore(place, {}).is_clean for place in ([run] if number % 2 else records))
            assert values_of(service) == before


# A campaign of several nights, cut wherever the requests of a day end, says what one run says.
CUTS = 10
_DAY_S = 86_400
_PER_DAY = 100_000


class Campaign:
    """A run of a trial on as many days as it takes; `passed` are over."""

    def __init__(self, trial: Trial, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Begins on the first day."""
        self.service, self.passed = trial.server(), 0
        data = trial.profile(self.service, BASE_URL)
        pace = {**build_profile(data, CATALOG).pace.model_dump(exclude_unset=True), "per_day": _PER_DAY}
        self.profile = build_profile({**data, "pace": pace}, CATALOG)
        self._trial, self._out = trial, out
        real = time.time

        def budget(profile: Profile, _state: Path | None) -> DayBudget:
            return DayBudget(profile, out / "requests.json")

        monkeypatch.setattr(time, "time", lambda: real() + self.passed * _DAY_S)
        monkeypatch.setattr(live_run, "budget_of", budget)

    def session(self) -> Session:
        """A run that goes on from the one of the day before."""
        network = network_of({PREFIX: self.service})
        session = Session(self.profile, self._out, self._trial.level, network=network)
        if self.passed:
            assert not session.resume(self._out / LEDGER_FILE)
        return session

    def cut(self, left: int) -> None:
        """Asks on a day on which others have left so many requests; nothing is judged."""
        DayBudget(self.profile, self._out / "requests.json").set_aside(_PER_DAY - left - 1)
        session = self.session()
        every = each_case(session.profile, session.level)
        session.select([case for case, omission in every if omission is None])
        session.read()
        session.write()
        assert (session.finish(), session.trouble.partition(" of")[0]) == ([], "the 100,000 requests")
        session.close()
        self.passed += 1


def verdicts(results: Results) -> dict[str, str]:
    """The verdict of each case, by its id."""
    return {case.id: case.verdict for case in results.cases}


def twenty() -> list[Trial]:
    """Mutants of one appliance that few requests show.

    None counts what it is asked, is late, or keeps what it took, which cannot be put back.
    """
    trials = [one for one in trials_of(load_mutants(), (), reference=False) if len(one.server.fleet) == 1]
    steady = [
        one for one in trials if not any(word in one.name for word in ("every", "second", "late", "sticks"))
    ]
    chosen = random.Random(28)
    found = chosen.sample([one for one in steady if one.level == "read"], 12)
    return found + chosen.sample([one for one in steady if one.level == "power"], 8)


class Small(Service):
    """One appliance of the reference."""

    fleet = tuple(one for one in Service.fleet if one.ha_id == "hood-2")


@pytest.mark.parametrize(
    "trial", [Trial("reference", Small, "full", "power", 0), *twenty()], ids=lambda trial: trial.name
)
def test_cut_campaign_says_what_one_run_says(
    trial: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cut at ten random places, with what was put back each time, it has the verdicts of one run."""
    once = judged_in(Campaign(trial, tmp_path / "whole", monkeypatch).session())
    campaign = Campaign(trial, tmp_path / "cut", monkeypatch)
    found = campaign.service.settings()
    places = random.Random(trial.name)
    for _ in range(CUTS):
        campaign.cut(places.randrange(2, max(3, once.run.requests.total // 4)))
        assert campaign.service.settings() == found
    results = judged_in(campaign.session())
    assert (verdicts(results), exit_code(results)) == (verdicts(once), exit_code(once))


def test_night_says_how_far_the_campaign_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was judged so far is no verdict; how to go on stands beside it. The whole one has its nights."""
    trial = Trial("reference", Small, "full", "read", 0)
    campaign = Campaign(trial, tmp_path, monkeypatch)
    campaign.cut(20)
    DayBudget(campaign.profile, tmp_path / "requests.json").set_aside(_PER_DAY - 41)
    results = judged_in(campaign.session())
    night = results.run.campaign
    assert night
    assert (night.nights, night.of, night.planned > night.sent) == (2, 3, True)
    told = f"night 2 of about 3: {night.sent} of {night.planned} requests"
    assert results.run.notices[0] == f"{told}; go on with the same command and --resume"
    assert (exit_code(results), headline(results)) == (3, "Inconclusive: the requests of the day are used up")
    campaign.passed += 1
    whole = judged_in(campaign.session()).run.campaign
    assert whole
    assert (whole.is_over, whole.nights) == (True, 3)
