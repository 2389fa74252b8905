"""States that a run may end are ended for a short time, and those of two lights at once."""

from pathlib import Path

import pytest

from catalog import keys
from conformance.proof import own_time
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import Run, run_of
from conformance.selftest.support.samples.handmade import STATUS_PATH, write_table
from conformance.selftest.support.servers.held import values_of

WRITE = write_table("*", keys.CHILD_LOCK, status_path=STATUS_PATH)


def run(service: Service, out: Path, **write: object) -> Run:
    """A judged run of level power with these fields of [write]."""
    return run_of(service, out, "power", {"write": {**WRITE, **write}})


class Counted(Service):
    """A locked refrigerator of many doors; `longest` are the most requests while it is not locked.

    Most of what is written to it is written together.
    """

    fleet = (
        FRIDGE_CELSIUS.only(
            keys.CHILD_LOCK,
            keys.INTERNAL_LIGHT,
            *(key for key in FRIDGE_CELSIUS.values if ".Status.Door" in key),
        ).having({keys.CHILD_LOCK: True}),
    )

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.longest = self.lifted = 0

    def answer(self, request: Incoming) -> Reply:
        self.asked += 1
        reply = super().answer(request)
        if self.appliances[FRIDGE_CELSIUS.ha_id].values[keys.CHILD_LOCK]:
            self.lifted = self.asked
        self.longest = max(self.longest, self.asked - self.lifted)
        return reply


def test_prepared_states_are_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of one second a request no state lasts longer than it may, and the verdicts are the same."""
    longest, verdicts = list[int](), list[dict[str, str]]()
    for most in (30, 80_000):
        out = tmp_path / f"{most}"
        out.mkdir()
        service = Counted()
        monkeypatch.setattr(own_time, "_REQUEST_S", 1.0)
        ran = run(service, out, max_prepared_s=most)
        longest.append(service.longest)
        verdicts.append({name: verdict for name, (verdict, _) in ran.verdicts.items()})
        assert values_of(service) == values_of(Counted())
    assert (longest[0] <= 30 < longest[1], verdicts[0]) == (True, verdicts[1]), longest


class Colorful(Service):
    """A hood with two lights, one under a preset, the other one under a colour temperature of its own."""

    fleet = (HOOD_COLORFUL.having({keys.COLOR_TEMPERATURE: keys.NEUTRAL_LIGHT}),)


def test_both_lights_are_prepared_at_the_same_time(tmp_path: Path) -> None:
    """What needs the one light prepared and what needs the other one is written in one prepared state."""
    prepared = [line["key"] for line in run(Colorful(), tmp_path).journal if line.get("prepared")]
    assert {*prepared[:2]} == {keys.AMBIENT_COLOR, keys.COLOR_TEMPERATURE}
