"""Each doubt keeps a server from a finding that it does not deserve: without the doubt, there is one.

Most servers are variants, which conform; a mutant would be found fault with twice for one fact. The writes
are those of a run, or of a client that writes what no run chooses.
"""

import inspect
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import Struct
from msgspec.structs import replace

from catalog import keys
from conformance.checks.traces import expecting
from conformance.checks.traces.expecting import Among, Doubt, Evaluation
from conformance.checks.view import View
from conformance.checks.writes import doubts
from conformance.checks.writes.expected import power_moves
from conformance.mutants import fleets
from conformance.mutants.registry import find_server
from conformance.proof.in_process import BASE_URL
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.profile import truthful_profile
from conformance.runs.saved.judged_again import judged_in
from conformance.selftest.support.captured import MODES, STATES, Client, judged_use, sets
from conformance.selftest.support.judged_runs import session_of
from conformance.selftest.support.recording import served_by


class Needed(Struct, frozen=True, kw_only=True):
    """Where a doubt is needed.

    Attributes:
        by: the name of a server.
        case: what it would fail without the doubt, as `CLAUSE::key`.
        using: what a client does; None for a run.
        fleet: its appliance, where it is another than its own.
    """

    by: str
    case: str
    using: Callable[[Client], None] | None = None
    fleet: ApplianceSpec | None = None

    def red(self, directory: Path) -> set[str]:
        """The cases that the server fails."""
        server = find_server(self.by)
        if self.using is None:
            service = server()
            tables = {"timing": truthful_profile(service, BASE_URL)["timing"]}
            with session_of(service, directory, "power", tables) as session:
                return {
                    case.id.partition("@")[0] for case in judged_in(session).cases if case.verdict == "fail"
                }
        directory.mkdir()
        judged = judged_use(
            directory, served_by(server, fleet=self.fleet) if self.fleet else server, self.using
        )
        return {case for case, (verdict, _) in judged.items() if verdict == "fail"}


def sets_both(client: Client) -> None:
    """Sets two temperatures of a refrigerator in one go, on two days."""
    for degrees in (5, 6):
        client.read(*STATES, *MODES, keys.SETPOINT)
        client.poll(keys.FREEZER_SETPOINT, times=1, every_s=0)
        client.write(keys.SETPOINT, degrees)
        client.wait(0.1)
        client.write(keys.FREEZER_SETPOINT, -20)
        client.poll(keys.FREEZER_SETPOINT)
        client.wait(3600)


def switches_modes(client: Client) -> None:
    """Switches a mode on, and tries another one beside it on two days."""
    for mode in (keys.ECO_MODE, keys.VACATION_MODE, keys.VACATION_MODE):
        client.sets(mode, True, *MODES)


def frees_by_hand(client: Client) -> None:
    """Writes a brightness that cannot be read, which is what it is; a person frees it. So on three days."""
    for _ in range(3):
        client.read(*STATES, keys.AMBIENT_ENABLED, keys.AMBIENT_COLOR, keys.AMBIENT_BRIGHTNESS)
        client.write(keys.AMBIENT_BRIGHTNESS, BRIGHT)
        client.read(*STATES, keys.AMBIENT_COLOR, keys.AMBIENT_BRIGHTNESS)
        client.touch(keys.AMBIENT_COLOR, keys.COLOR_1)
        client.read(keys.AMBIENT_BRIGHTNESS)
        client.touch(keys.AMBIENT_COLOR, keys.COLOR_CUSTOM)
        client.wait(3600)


def writable(key: str) -> str:
    """The case of the clause that says a setting can be written."""
    return f"SET-WRITABLE::{key}"


POWER = keys.POWER_STATE
BRIGHT = fleets.AMBIENT.values[keys.AMBIENT_BRIGHTNESS]
LIGHT, OUT, SETPOINT_ENDS = (
    keys.INTERNAL_BRIGHTNESS,
    "RANGE-WRITE-OUT",
    f"RANGE-WRITE-BOUNDS::{keys.SETPOINT}",
)
# fmt: off
NEEDED: dict[Doubt, Needed] = {
    doubts.misdirected: Needed(by="write-path-wrong-of-what-is-claimed", case=f"PWR-ON-OFF::{POWER}"),
    doubts.still_busy: Needed(by="busy-for-long-after-writes", case=writable(keys.FREEZER_SETPOINT),
        using=sets_both, fleet=fleets.FRIDGE_SETPOINTS),
    doubts.subset_unknown: Needed(by="subset-told-nowhere", case=writable(keys.ASSISTANT_FORCE_FRIDGE)),
    doubts.mode_excludes: Needed(by="modes-refused-in-eco-mode", case=writable(keys.VACATION_MODE),
        using=switches_modes),
    doubts.step_unknown: Needed(by="setpoints-in-untold-steps", case=writable(keys.SETPOINT),
        using=sets(keys.SETPOINT, 4.9)),
    doubts.echo: Needed(by="map-names-cut-short", case=writable(keys.MAP_NAME_1),
        using=sets(keys.MAP_NAME_1, "First floor", "First floor", panel=())),
    doubts.others_taken: Needed(by="brightness-in-untold-halves", case=writable(LIGHT),
        using=sets(LIGHT, 100, 55, 0, 55, panel=(keys.INTERNAL_LIGHT, *MODES))),
    doubts.of_power: Needed(by="on-refused-when-off", case=writable(POWER),
        using=lambda client: client.switches(every_s=10, times=7)),
    doubts.unsettled: Needed(by="off-through-standby", case=f"PWR-NO-FOREIGN::{POWER}",
        using=lambda client: client.switches(every_s=0.02)),
    doubts.still_moving: Needed(by="colder-by-slow-degrees", case=SETPOINT_ENDS),
    doubts.rounded: Needed(by="alarm-clock-cut-to-untold-minutes",
        case=f"RANGE-WRITE-BOUNDS::{keys.ALARM_CLOCK}"),
    doubts.unclaimed: Needed(by="coldest-from-afar", case=SETPOINT_ENDS),
    doubts.nothing_taken: Needed(by="acknowledged-and-dropped", case=SETPOINT_ENDS,
        using=sets(keys.SETPOINT, 2, 8), fleet=fleets.FRIDGE_SETPOINTS),
    doubts.lifted: Needed(by="numbers-beyond-end-with-the-mode", case=f"{OUT}::{keys.SETPOINT}"),
    doubts.near_the_range: Needed(by="numbers-clamped-in-celsius", case=f"{OUT}::{keys.SETPOINT}"),
    doubts.moved_unwritten: Needed(by="door-in-use-now-and-then", case=f"STA-READONLY::{keys.DOOR_STATE}"),
    doubts.once_freed: Needed(by="brightness-unreadable-under-custom-color",
        case=f"AMB-BRIGHTNESS-LOCKED::{keys.AMBIENT_BRIGHTNESS}", using=frees_by_hand),
    power_moves.undeclared: Needed(by="off-means-standby-untold", case=f"PWR-ON-OFF::{POWER}"),
    power_moves.written_unknown: Needed(by="off-means-standby-untold", case=f"PWR-NO-FOREIGN::{POWER}"),
    power_moves.lagging: Needed(by="operation-state-lags", case=f"PWR-READBACK::{POWER}",
        using=lambda client: client.switches(every_s=0.02)),
    power_moves.read_once: Needed(by="unsupported-state-for-a-moment", case=f"PWR-UNSUPPORTED::{POWER}"),
}
# fmt: on


@contextmanager
def without(doubt: Doubt) -> Generator[None]:
    """Judges as if there were no such doubt."""
    judged = expecting.doubted

    def doubted(seen: View, one: Evaluation, among: Among) -> Evaluation:
        if one.expect is None:
            return one
        left = tuple(each for each in one.expect.doubts if each is not doubt)
        return judged(seen, replace(one, expect=replace(one.expect, doubts=left)), among)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expecting, "doubted", doubted)
        yield


def doubts_of(module: ModuleType) -> set[Doubt]:
    """The doubts that a module defines."""
    functions = [one for _, one in inspect.getmembers(module, inspect.isfunction)]
    own = (one for one in functions if one.__module__ == module.__name__)
    return {one for one in own if [*inspect.get_annotations(one).values()][:3] == [View, Evaluation, Among]}


@pytest.mark.parametrize("doubt", NEEDED, ids=lambda doubt: doubt.__name__)
def test_doubt_is_needed(tmp_path: Path, doubt: Doubt) -> None:
    """Without it, a server fails a case that it does not fail with it."""
    needed = NEEDED[doubt]
    kept, lost = needed.red(tmp_path / "with"), set[str]()
    with without(doubt):
        lost = needed.red(tmp_path / "without")
    assert needed.case in lost - kept


def test_each_doubt_is_listed() -> None:
    """No doubt is left without a server that needs it."""
    assert doubts_of(doubts) | doubts_of(power_moves) == NEEDED.keys()
