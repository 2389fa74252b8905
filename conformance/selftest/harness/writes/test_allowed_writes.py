"""What a run never writes, whatever it is asked to; and what the writes that are allowed would cost."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog import keys
from catalog.keys import (
    CHILD_LOCK,
    DOOR_STATE,
    ECO_MODE,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LIGHTING,
    LOCAL_CONTROL,
    ON,
    POWER_STATE,
    SETPOINT,
)
from catalog.model import Level
from conformance.cases import all_cases
from conformance.checks.groups import Group, ProcedureKind, Sends, setting_group
from conformance.harness.errors import ForbiddenWriteError, SecretValueError
from conformance.harness.steps import Ask, write
from conformance.harness.wire.messages import Wanted
from conformance.harness.writes import write_runner
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.journal import UNWRITTEN, Journal, JournalFile
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.player import Player
from conformance.harness.writes.preparing import Locking
from conformance.harness.writes.procedures.model import Stage
from conformance.harness.writes.procedures.scripts import Played, Step
from conformance.harness.writes.procedures.settings import SettingWrites
from conformance.harness.writes.rehearsal import rehearse
from conformance.profiles.fields import ProfileError
from conformance.profiles.model import PROTECTING, Profile
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.server import serve
from conformance.runs.targets import level_of
from conformance.selftest.support.handmade import (
    HA_ID,
    STATUS_PATH,
    fleet_of_hoods,
    profile_of,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.raw_server import profile_at, transport_of
from conformance.selftest.support.recording import MACHINE_ID, Small
from conformance.selftest.support.stepping import Answering

LISTS: list[tuple[Level, list[str], bool, set[str]]] = [
    ("read", ["*"], True, set()),
    ("write", ["*", CHILD_LOCK], True, {CHILD_LOCK, DOOR_STATE}),
    ("write", [POWER_STATE], False, set()),
    ("power", [POWER_STATE], False, {POWER_STATE}),
    ("power", ["*", CHILD_LOCK], True, {POWER_STATE, CHILD_LOCK, DOOR_STATE}),
    ("attended", [CHILD_LOCK], False, {CHILD_LOCK}),
    ("attended", ["*.ChildLock"], True, {DOOR_STATE}),
]


@pytest.mark.parametrize(("level", "allow", "probing", "written"), LISTS)
def test_nothing_is_written_that_is_not_allowed(
    level: Level, allow: list[str], written: set[str], tmp_path: Path, *, probing: bool
) -> None:
    """The server gets the writes that level, write list and status_path allow, and is then as before."""
    service = Small()
    tried = {"status_path": STATUS_PATH} if probing else {}
    ran = run_of(service, tmp_path, level, {"write": write_table(*allow, **tried)})
    assert service.written == written
    assert (service.settings(), ran.left, ran.errors()) == (Small().settings(), [], set())


# fmt: off
WRONG: list[tuple[Level, dict[str, Any], str]] = [
    ("write", {}, "write: is not there: level write needs [write] method, path, body and allow"),
    ("power", {}, "write: is not there: level power needs [write] method, path, body and allow"),
    ("write", {"write": write_table()},
        "write.allow: is empty: level write writes only the settings that it names"),
    ("power", {"write": write_table(CHILD_LOCK)},
        f"write.allow: does not name {POWER_STATE}, which level power writes"),
]
# fmt: on


@pytest.mark.parametrize(("level", "tables", "finding"), WRONG)
def test_level_without_what_it_needs_is_wrong_usage(
    level: Level, tables: dict[str, Any], finding: str
) -> None:
    """A level for which the profile lacks something is refused, with what that is."""
    with pytest.raises(ProfileError, match=re.escape(finding)):
        level_of("hub.toml", profile_of(**tables), level)


PROFILE = profile_of(write=write_table(CHILD_LOCK))


class Blind(SettingWrites):
    """Writes what it has not read."""

    def opening(self, stage: Stage) -> Iterable[Ask]:  # noqa: ARG002  whatever is there
        return ()

    def may_begin(self, now: Played) -> bool:  # noqa: ARG002  whatever is there
        return True

    def script(self, now: Played) -> Iterator[Step]:  # noqa: ARG002  whatever is there
        yield Step(CHILD_LOCK, value=True)


def test_write_of_an_unknown_value_is_an_error_of_the_suite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A procedure that asks for such a write gives its cases an error, and nothing is sent."""
    made = {MACHINE_ID: [Blind(setting_group(CHILD_LOCK), frozenset())]}
    monkeypatch.setattr(write_runner, "procedures_of", Mock(return_value=made))
    service = Small()
    ran = run_of(service, tmp_path, "write")
    assert service.written == set()
    verdict, message = ran.finding("SET-WRITABLE", f"{CHILD_LOCK}@{MACHINE_ID}")
    assert (verdict, message.partition(":")[0]) == ("error", ForbiddenWriteError.__name__)
    assert ran.finding("TYPE-BOOLEAN", f"{CHILD_LOCK}@{MACHINE_ID}")[0] == "pass"


@pytest.mark.parametrize("is_operated", [False, True])
def test_no_state_is_chosen_while_somebody_operates_the_appliance(*, is_operated: bool) -> None:
    """What shows that somebody acts is read before a light is switched off to write while it is dark."""
    profile = profile_of("Hood", appliance={"supports": [LIGHTING, LOCAL_CONTROL]}, write=write_table("*"))
    found, operated = (
        seen_of(profile, value(LIGHTING, shown=True), value(LOCAL_CONTROL, is_there, segment="status"))
        for is_there in (False, True)
    )
    locking = Locking([Blind(setting_group(LIGHTING), frozenset())], "write", {LIGHTING: False})
    lane = Answering(operated if is_operated else found)
    lane.seen = found
    locking.make(lane)
    written = {ask.key for ask in lane.asked if ask.purpose == "write"}
    assert written == (set() if is_operated else {LIGHTING})


def gate_of(path: Path, level: Level, profile: Profile = PROFILE) -> Gate:
    """A gate of a run at a level."""
    return Gate(profile, level, Journal(JournalFile(path / JOURNAL_FILE, {})), Closed())


@pytest.mark.parametrize("method", ["PUT", "POST", "PATCH", "DELETE"])
def test_transport_sends_no_write_without_a_permit(method: str) -> None:
    """Whatever is no GET and did not pass the gate is not sent, not even where it only looks like a slip."""
    service = Small()
    with (
        serve({"": service}) as base_url,
        transport_of(profile_at(base_url)) as transport,
        pytest.raises(ForbiddenWriteError, match="did not pass"),
    ):
        transport.send(Wanted("/api/homeappliances", method))
    assert service.requests == []


@pytest.mark.parametrize(
    ("level", "allow"),
    [("read", [CHILD_LOCK]), ("write", []), ("write", [POWER_STATE]), ("power", ["*.AlarmClock"])],
)
def test_gate_knows_level_and_list(level: Level, allow: list[str], tmp_path: Path) -> None:
    """A write that level or list forbid is refused, whoever wants it and though its old value is known."""
    profile = profile_of(write=write_table(*allow))
    seen, gate = seen_of(profile, value(CHILD_LOCK, shown=False)), gate_of(tmp_path, level, profile)
    gate.learn(*seen.reads.values())
    with pytest.raises(ForbiddenWriteError, match=f"a write of {CHILD_LOCK} to {HA_ID} was not sent"):
        gate.admit(write(seen, setting_group(CHILD_LOCK), CHILD_LOCK, value=True))
    assert not (tmp_path / JOURNAL_FILE).exists()


@pytest.mark.parametrize("level", ["write", "power"])
def test_hooks_wait_for_level_attended(level: Level, tmp_path: Path) -> None:
    """Hands and time are moved at level attended only, and leave no line in the journal."""
    touch = Ask("hook", setting_group(CHILD_LOCK), "one", "touch", "", Wanted("/touch", "POST"))
    with pytest.raises(ForbiddenWriteError, match="hooks are used at level attended"):
        gate_of(tmp_path, level).admit(touch)
    gate = gate_of(tmp_path, "attended")
    (answer,) = seen_of(PROFILE, value(CHILD_LOCK, shown=False)).reads.values()
    told = replace(answer, exchange=replace(answer.exchange, purpose="hook", ha_id="one", key="touch"))
    for _ in range(2):  # the bench may answer with a value, which is none that was read
        assert gate.admit(touch) == UNWRITTEN
        gate.answered(UNWRITTEN, told)
        gate.learn(told)
    assert not (tmp_path / JOURNAL_FILE).exists()


def test_body_of_a_write_is_the_declared_one() -> None:
    """A placeholder is filled in wherever it stands, and all else is sent as it is declared."""
    body = {"version": 2, "items": [{"name": "{ha_id}/{key}", "value": "{value}"}]}
    seen = seen_of(profile_of(write=write_table("*", body=body)), value(CHILD_LOCK, shown=False))
    sent = json.loads(write(seen, setting_group(CHILD_LOCK), CHILD_LOCK, value=True).wanted.body or "")
    assert sent == {"version": 2, "items": [{"name": f"{HA_ID}/{CHILD_LOCK}", "value": True}]}


@pytest.mark.parametrize("key", sorted(PROTECTING))
def test_what_protects_people_is_named_in_full(key: str) -> None:
    """A glob does not allow it to be written; its whole key does."""
    allowed = [profile_of(write=write_table("*", *more)).may_write(key) for more in ([], [key])]
    assert allowed == [False, True]


WRITING = [kind for kind in ProcedureKind if kind.sends in {Sends.WRITES_ALLOWED, Sends.WRITES_FORBIDDEN}]


@pytest.mark.parametrize("kind", WRITING)
def test_gate_keeps_a_secret_from_each_kind_of_procedure(kind: ProcedureKind, tmp_path: Path) -> None:
    """What a procedure reads first is a secret then, so neither a write nor the value goes through; another
    value is still put back.
    """
    profile = profile_of("CleaningRobot", write=write_table("*"))
    group = Group(kind, keys.MAP_NAME_1)
    seen = seen_of(profile, value(keys.MAP_NAME_1, "Room ${HUB_TOKEN}", group=group))
    gate = gate_of(tmp_path, "power", profile)
    gate.learn(*seen.group(group))
    other, same = (write(seen, group, keys.MAP_NAME_1, name) for name in ("Attic", "Room ${HUB_TOKEN}"))
    for ask, told in (other, "holds a secret"), (replace(same, purpose="restore"), "is a secret"):
        with pytest.raises(SecretValueError, match=told):
            gate.admit(ask)
    assert gate.admit(replace(other, purpose="restore")) != UNWRITTEN


# What writing would cost is counted by running its procedures against a stand-in.
def test_an_appliance_called_like_a_missing_kind_is_counted() -> None:
    """A haId that begins with `no-` is a haId: its tours are counted like those of others."""
    counts: list[object] = []
    for ha_id in ("no-frost", "one"):
        profile = profile_of(appliance={"ha_id": ha_id}, write=write_table("*"))
        costs = rehearse(all_cases(profile), profile, "power")
        counts.append([cost.writes for cost in costs.values()])
    assert counts[0] == counts[1] != []


def test_appliances_alike_are_rehearsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the profile says the same of costs the same: a plan for many takes no more than one for a few."""
    played: list[Player] = []
    play = Player.play

    def counted(player: Player, scripts: Sequence[Played]) -> None:
        played.append(player)
        play(player, scripts)

    monkeypatch.setattr(Player, "play", counted)
    counts: list[int] = []
    for number in (4, 16):
        profile = fleet_of_hoods(number)
        costs = rehearse(all_cases(profile), profile, "write").values()
        assert (len(costs), len({cost.requests for cost in costs})) == (number, 1)
        counts.append(len(played))
    assert counts[1] == 2 * counts[0]


@pytest.mark.parametrize(
    ("level", "named", "prepared"),
    [
        ("write", (), {ECO_MODE: False, INTERNAL_LIGHT: True}),
        ("write", (CHILD_LOCK,), {ECO_MODE: False, INTERNAL_LIGHT: True, CHILD_LOCK: False}),
        ("power", (), {ECO_MODE: False, INTERNAL_LIGHT: True, POWER_STATE: ON}),
    ],
)
def test_plan_knows_what_would_be_prepared(
    level: Level, named: tuple[str, ...], prepared: dict[str, JsonValue]
) -> None:
    """It is what level and write list allow of what may be in the way; nothing where `prepare` is off."""
    keys = [ECO_MODE, INTERNAL_LIGHT, INTERNAL_BRIGHTNESS, SETPOINT, POWER_STATE, *named]
    own = {"supports": keys, "lacks": ["*"], "power_states": ["On", "Off"]}
    told: list[object] = []
    for prepare in (True, False):
        write = write_table("*", *named, prepare=prepare)
        profile = profile_of("Refrigerator", appliance=own, write=write)
        (cost,) = rehearse(all_cases(profile, level), profile, level).values()
        told.append(cost.prepared)
    assert told == [prepared, {}]


def test_what_is_not_allowed_costs_nothing() -> None:
    """Nothing is counted that the write list does not name."""
    profile = profile_of(write=write_table())
    assert rehearse(all_cases(profile), profile, "power") == {}
