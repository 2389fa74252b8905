"""What `plan` says a run sends is what it sends, by the defaults of a target elsewhere."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.model import Level
from conformance.benchmarks.asked import remote, server_of
from conformance.cases import CATALOG, all_cases
from conformance.harness.forecast import Forecast, forecast
from conformance.harness.planning import plan_run
from conformance.proof.in_process import network_of
from conformance.proof.trials import PREFIX
from conformance.reference.service import Service
from conformance.runs.session import Session

NEAR = 1.2
PROFILES: dict[str, dict[str, dict[str, object]]] = {
    "as it is": {},
    "nothing generated": {"pace": {"generated": 0, "generated_reads": 0, "generated_writes": 0}},
    "every key in a series": {"timing": {"repeat_sample": 40}},
    "no lists": {"list": {}},
    "some writes": {"write": {"allow": ["*.Setting.ChildLock", "*.Setting.AlarmClock", "*.Light*"]}},
}


@pytest.mark.parametrize(
    ("ha_ids", "level", "name"),
    [
        *(((own.ha_id,), "read", "as it is") for own in Service.fleet),
        *(((ha_id,), "write", "as it is") for ha_id in ("wine-cabinet-1", "hood-2", "coffee-maker-1")),
        *(((ha_id,), "power", "as it is") for ha_id in ("wine-cabinet-1", "hood-2")),
        *((("hood-2", "wine-cabinet-1"), "write", name) for name in PROFILES if name != "as it is"),
    ],
)
def test_plan_is_near_what_is_sent(ha_ids: tuple[str, ...], level: Level, name: str, tmp_path: Path) -> None:
    """Not more than a fifth more, nor less, where nothing is in the way."""
    service = server_of(ha_ids)
    profile = remote(service, PROFILES[name])
    cases = all_cases(profile, level)
    planned = forecast(plan_run(profile, CATALOG, cases, level), cases, level).requests
    session = Session(profile, tmp_path, level, network=network_of({PREFIX: service}))
    session.select(cases)
    session.read()
    session.write()
    session.finish()
    sent = session.facts().requests.total
    session.close()
    assert sent / NEAR <= planned <= sent * NEAR, (planned, sent)


NIGHTS = Forecast(4_000, 100, 60.0, 600.0, 40, 900, 900, {})


@pytest.mark.parametrize(
    ("cost", "nights", "in_all", "binding"),
    [
        (NIGHTS, 5, 4_400, "pace.per_day = 900"),
        (replace(NIGHTS, left=100), 6, 4_500, "pace.per_day = 900"),
        (replace(NIGHTS, left=4_000), 1, 4_000, "pace.per_minute = 40"),
        (replace(NIGHTS, left=None, per_day=None), 1, 4_000, "pace.per_minute = 40"),
        (replace(NIGHTS, left=None, per_minute=None), 1, 4_000, "how fast the target answers"),
        (replace(NIGHTS, going_on=900), 0, 4_000, "pace.per_day = 900"),
    ],
)
def test_nights_are_what_is_left_and_what_each_begins_with(
    cost: Forecast, nights: int, in_all: int, binding: str
) -> None:
    """The first has what is left of today; each further one spends some to see what has changed."""
    assert (cost.nights, cost.in_all, cost.binding) == (nights, in_all, binding)
