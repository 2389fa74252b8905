"""What a run never does, whatever it is asked to: nothing passes that is not allowed, and everything that passed is put back."""

from __future__ import annotations

from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from conformance.cases import all_cases
from conformance.derive import CATALOG
from conformance.harness import conducting
from conformance.harness.gate import HOOK, ForbiddenWriteError, Gate
from conformance.harness.journal import JOURNAL, Debt, Journal, read_journal
from conformance.harness.redaction import Redactor
from conformance.harness.repertoire import make as made
from conformance.harness.requests import write
from conformance.harness.steps import Ask
from conformance.harness.transport import Transport, TransportError, Wanted, WriteWithoutGateError
from conformance.mutants.soil import CHILD_LOCK, DOOR_STATE, MACHINE, TIMED_OVEN
from conformance.profiles.loader import build_profile
from conformance.profiles.writing import toml_of, write_profile
from conformance.reference.names import ON, POWER_STATE
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.selftest.commanding import said
from conformance.selftest.handmade import HA_ID, profile_of, seen_of, value
from conformance.selftest.stubborn import STUBBORN, WILLING, Stubborn
from conformance.selftest.writing_runs import STILL, lines_of, performed
from conformance.session import Session

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path

    from catalog.model import Level
    from conformance.checks.case import Case
    from conformance.checks.seen import Seen
    from conformance.harness.repertoire import Stage
    from conformance.harness.steps import Procedure
    from conformance.harness.transport import Sent
    from conformance.profiles.model import Profile
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

PUT = {"method": "PUT", "path": "/api/homeappliances/{ha_id}/settings/{key}", "body": {"data": {"key": "{key}", "value": "{value}"}}}
STATUS = {"status_path": "/api/homeappliances/{ha_id}/status/{key}"}


class Small(Stubborn):
    """Two appliances of few keys, so that a run of every case is short."""

    fleet = (MACHINE.only(POWER_STATE, CHILD_LOCK, DOOR_STATE), TIMED_OVEN.only(CHILD_LOCK, DOOR_STATE))

    @property
    def written(self) -> set[str]:
        """The keys that anybody tried to write."""
        return {*self.writes(STUBBORN), *self.writes(WILLING)}


LISTS: list[tuple[Level, list[str], bool, set[str]]] = [
    ("read", ["*"], True, set()),
    ("write", ["*"], False, {CHILD_LOCK}),
    ("write", ["*"], True, {CHILD_LOCK, DOOR_STATE}),
    ("write", [POWER_STATE], False, set()),
    ("power", [POWER_STATE], False, {POWER_STATE}),
    ("power", ["*"], False, {POWER_STATE, CHILD_LOCK}),
    ("power", ["*"], True, {POWER_STATE, CHILD_LOCK, DOOR_STATE}),
    ("attended", [CHILD_LOCK], False, {CHILD_LOCK}),
    ("attended", ["*.ChildLock"], True, {CHILD_LOCK, DOOR_STATE}),
]


@pytest.mark.parametrize(("level", "allow", "probing", "written"), LISTS)
def test_nothing_is_written_that_is_not_allowed(
    level: Level, allow: list[str], written: set[str], tmp_path: Path, *, probing: bool
) -> None:
    """The server gets writes of the keys that level, write list and probe_status allow, and of no other; afterwards it is as before."""
    service = Small()
    ran = performed(service, tmp_path, level, {"write": {**PUT, **STATUS, "allow": allow, "probe_status": probing}})
    assert service.written == written
    assert (service.settings(), ran.left, ran.errors()) == (Small().settings(), [], set())


def profile_file(path: Path, base_url: str, write: dict[str, Any] | None) -> str:
    """A profile file of the small service with this [write], or none, and without hooks."""
    data = {name: table for name, table in truthful_profile(Small(), base_url).items() if name not in {"write", "hooks"}}
    path.write_text(toml_of(data | ({"write": write} if write else {})), encoding="utf-8")
    return str(path)


WRONG: dict[str, tuple[Level, dict[str, Any] | None, str]] = {
    "no way to write": ("write", None, "write: is not there, so that nobody knows how to write, which level write does"),
    "no way to switch": ("power", None, "write: is not there, so that nobody knows how to write, which level power does"),
    "nothing on the list": ("write", PUT, "write.allow: is empty, so that nothing may be written, which level write does"),
    "no power on the list": (
        "power",
        {**PUT, "allow": [CHILD_LOCK]},
        f"write.allow: does not name {POWER_STATE}, which level power writes",
    ),
    "nobody's hands": ("attended", {**PUT, "allow": ["*"]}, "hooks: are not there, and no person at a terminal"),
}


@pytest.mark.parametrize("name", WRONG)
def test_level_without_what_it_needs_is_wrong_usage(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A level for which the profile or the terminal lacks something ends with 2, says what, and sends nothing."""
    level, table, finding = WRONG[name]
    monkeypatch.setattr("sys.__stdin__", None)
    service = Small()
    with serve({"": service}) as base_url:
        profile = profile_file(tmp_path / "small.toml", base_url, table)
        result = said("run", profile, "--level", level, "--out", str(tmp_path / "out"))
    assert (result.exit_code, service.requests) == (2, [])
    assert finding in result.output


@pytest.mark.parametrize("method", ["PUT", "POST", "PATCH", "DELETE"])
def test_transport_sends_no_write_without_a_permit(method: str) -> None:
    """Whatever is no GET and did not pass the gate is not sent, not even where it only looks like a slip."""
    service = Small()
    with serve({"": service}) as base_url:
        profile = profile_of(target={"name": "small", "base_url": base_url})
        with Transport(profile, Redactor({}), {}, "selftest") as transport, pytest.raises(WriteWithoutGateError, match="did not pass"):
            transport.send(Wanted("/api/homeappliances", method))
    assert service.requests == []


def gate_of(path: Path, level: Level = "write", allow: tuple[str, ...] = ("*",)) -> tuple[Gate, Seen]:
    """A gate at a level, and an appliance of which the child lock was read."""
    profile: Profile = profile_of("Oven", write={**PUT, "allow": allow})
    return Gate(profile, level, Journal(path / JOURNAL, {})), seen_of(profile, value(CHILD_LOCK, shown=False))


def test_gate_wants_the_old_value(tmp_path: Path) -> None:
    """A write whose old value was not read in its procedure could not be undone: it is refused, and leaves no line in the journal."""
    gate, seen = gate_of(tmp_path)
    with pytest.raises(ForbiddenWriteError, match="its value was not read before"):
        gate.admit(write(seen, "x", CHILD_LOCK, value=True))
    assert not (tmp_path / JOURNAL).exists()
    gate.learn(seen.reads["settings", CHILD_LOCK])
    assert gate.admit(write(seen, "x", CHILD_LOCK, value=True)) == 1


def test_gate_forgets_old_values_between_procedures(tmp_path: Path) -> None:
    """What an earlier procedure has read is not what the next one would owe."""
    gate, seen = gate_of(tmp_path)
    gate.learn(seen.reads["settings", CHILD_LOCK])
    gate.settle([])
    with pytest.raises(ForbiddenWriteError, match="its value was not read before"):
        gate.admit(write(seen, "x", CHILD_LOCK, value=True))


@pytest.mark.parametrize(("level", "allow"), [("read", ("*",)), ("write", ()), ("write", (POWER_STATE,)), ("power", ("*.AlarmClock",))])
def test_gate_knows_level_and_list(level: Level, allow: tuple[str, ...], tmp_path: Path) -> None:
    """A write that level or list forbid is refused, though its old value is known."""
    gate, seen = gate_of(tmp_path, level, allow)
    gate.learn(seen.reads["settings", CHILD_LOCK])
    with pytest.raises(ForbiddenWriteError, match=f"{CHILD_LOCK} to {HA_ID} was not sent"):
        gate.admit(write(seen, "x", CHILD_LOCK, value=True))


def test_gate_is_closed_for_who_does_not_go_back(tmp_path: Path) -> None:
    """After something could not be put back nothing more is written to that appliance, whatever is known of it."""
    gate, seen = gate_of(tmp_path)
    gate.settle([Debt(HA_ID, "settings", CHILD_LOCK, before=False, now=True)])
    gate.learn(seen.reads["settings", CHILD_LOCK])
    with pytest.raises(ForbiddenWriteError, match=f"nothing more is written to {HA_ID}: {HA_ID} ChildLock was false, is true"):
        gate.admit(write(seen, "x", CHILD_LOCK, value=True))


@pytest.mark.parametrize("level", ["write", "power"])
def test_hooks_wait_for_level_attended(level: Level, tmp_path: Path) -> None:
    """Hands and time are moved at level attended only, and leave no line in the journal."""
    touch = Ask("hook", f"x@{HA_ID}", HA_ID, "touch", "", Wanted("/touch", "POST"))
    with pytest.raises(ForbiddenWriteError, match="hooks are used at level attended"):
        gate_of(tmp_path, level)[0].admit(touch)
    assert gate_of(tmp_path, "attended")[0].admit(touch) == HOOK
    assert not (tmp_path / JOURNAL).exists()


def blind(group: str, stage: Stage) -> Procedure | None:
    """A procedure that writes what it has not read."""
    key = group.partition("/")[2]
    return iter_of(write(stage.seen, group, key, value=True)) if key == CHILD_LOCK else None


def iter_of(ask: Ask) -> Procedure:
    """A procedure of one request."""
    yield ask


def test_write_of_an_unknown_value_is_an_error_of_the_suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A procedure that asks for such a write gives its cases an error, not a verdict, and the target hears nothing of it."""
    monkeypatch.setattr(conducting, "make", blind)
    service = Small()
    ran = performed(service, tmp_path, "write")
    assert service.written == set()
    wrong = ran.judged[f"SET-WRITABLE::{CHILD_LOCK}@{STUBBORN}"]
    assert (wrong.verdict, isinstance(wrong.crash, ForbiddenWriteError)) == ("error", True)
    assert ran.judged[f"TYPE-BOOLEAN::{CHILD_LOCK}@{STUBBORN}"].verdict == "pass"


def cut_short(group: str, stage: Stage) -> Procedure | None:
    """A procedure that breaks right after its first write."""
    procedure = made(group, stage)
    return broken(procedure) if procedure else None


def broken(procedure: Procedure) -> Procedure:
    """The same steps up to the first write, and then an error of ours."""
    answer: Any = None
    with suppress(StopIteration):
        while True:
            step = next(procedure) if answer is None else procedure.send(answer)
            answer = yield step
            if isinstance(step, Ask) and step.purpose == "write":
                raise ZeroDivisionError("ours")


def test_procedure_that_breaks_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a procedure breaks right after a write, the case is an error, and what it wrote is put back all the same."""
    monkeypatch.setattr(conducting, "make", cut_short)
    service = Small()
    ran = performed(service, tmp_path, "power")
    assert ran.errors() == {"ZeroDivisionError: ours"}
    assert (service.settings(), ran.left) == (Small().settings(), [])
    took = [line for line in ran.journal if "restored" in line and line["tries"]]
    assert {line["key"] for line in took} == {POWER_STATE, CHILD_LOCK}
    assert all(line["restored"] for line in took)


def test_check_that_breaks_is_put_back(tmp_path: Path) -> None:
    """Where every check breaks, every case that was asked for is an error, and nothing is left behind."""

    def crash(case: Case, seen: Seen) -> None:
        raise ZeroDivisionError(f"{case.id} {seen.appliance.ha_id}")

    service = Small()
    ran = performed(service, tmp_path, "power", check=crash)
    assert ran.judged[f"SET-WRITABLE::{CHILD_LOCK}@{STUBBORN}"].verdict == "error"
    assert {POWER_STATE, CHILD_LOCK} <= service.written
    assert (service.settings(), ran.left) == (Small().settings(), [])


@pytest.fixture(scope="module")
def first_writes(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """How many requests a run of level power has made by each of its writes that lead away from what was there."""
    service = Small()
    ran = performed(service, tmp_path_factory.mktemp("whole"), "power", {"pace": {**STILL, "concurrency": 1}})
    away = {line["n"] for line in ran.journal if line.get("intent") == "write" and line["value"] != line["before"]}
    answered = [line["evidence"] for line in ran.journal if line.get("of") in away and line["outcome"] == "acknowledged"]
    requests = [line["n"] for line in ran.evidence if "request" in line]
    return [requests.index(number) + 1 for number in answered]


@pytest.mark.parametrize("which", [0, 1, -1])
def test_end_of_the_day_is_no_obstacle(which: int, first_writes: list[int], tmp_path: Path) -> None:
    """Where the day's requests run out right after a write, it is put back over the budget, and nothing else is sent after that."""
    budget = first_writes[which]
    service = Small()
    ran = performed(service, tmp_path, "power", {"pace": {**STILL, "concurrency": 1, "per_day": budget}})
    assert len(service.requests) > budget
    assert (service.settings(), ran.left, ran.errors()) == (Small().settings(), [], set())
    over = [line for line in ran.evidence if "request" in line][budget:]
    assert {line["purpose"] for line in over} <= {"restore", "repeat"}
    assert len({line["group"] for line in over}) == 1
    assert {line["restored"] for line in ran.journal if "restored" in line} == {True}


@pytest.mark.parametrize("granted", [1, 2, 9])
def test_what_cannot_even_be_tried_is_said(granted: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no access token is granted after some writes, the run says what it could not put back, and comes to its end."""
    sent: list[str] = []
    send = Transport.send

    def until_then(self: Transport, wanted: Wanted, *, permit: int | None = None) -> list[Sent]:
        if len(sent) >= granted:
            raise TransportError("no access token")
        if permit is not None:
            sent.append(wanted.path)
        return send(self, wanted, permit=permit)

    monkeypatch.setattr(Transport, "send", until_then)
    service = Small()
    ran = performed(service, tmp_path, "power", {"write": {**PUT, "allow": ["*"]}})
    place = (sent[-1].split("/")[3], sent[-1].rpartition("/")[2])
    assert [line.partition(" was ")[0] for line in ran.left] == [f"not restored: {place[0]} {place[1].rpartition('.')[2]}"]
    last = [line["restored"] for line in ran.journal if "restored" in line and (line["ha_id"], line["key"]) == place][-1]
    assert (last, ran.journal[-1]["end"]) == (False, True)


def test_interruption_right_before_putting_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second Ctrl-C, between a procedure and its putting back, leaves nothing behind either: the end of the run makes up for it."""
    undisturbed, entered = conducting.undisturbed, list[None]()

    def impatient() -> AbstractContextManager[None]:
        entered.append(None)
        if len(entered) == 1:
            raise KeyboardInterrupt
        return undisturbed()

    monkeypatch.setattr(conducting, "undisturbed", impatient)
    monkeypatch.setattr(conducting, "make", cut_short)
    service = Small()
    with serve({"": service}) as base_url:
        profile = build_profile({**truthful_profile(service, base_url), "pace": STILL}, CATALOG)
        with closing(Session(str(write_profile(profile, tmp_path / "small.toml")), tmp_path, level="power")) as session:
            session.select(all_cases(session.profile, "power"))
            with pytest.raises(KeyboardInterrupt):
                session.perform()
            assert service.settings() != Small().settings()
            assert session.finish() == []
    assert service.settings() == Small().settings()
    assert read_journal(tmp_path / JOURNAL).owed == []


@pytest.mark.parametrize("concurrency", [1, 2])
def test_interruption_takes_no_connection_away(concurrency: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the moment in which an answer has come and nobody holds it yet: putting back does not wait for the lost connection."""
    send, struck = httpx.Client.send, list[None]()

    def striking(self: httpx.Client, request: httpx.Request, **options: Any) -> httpx.Response:
        response = send(self, request, **options)
        if request.method == "PUT" and not struck:
            struck.append(None)
            monkeypatch.setattr(conducting, "lost", response, raising=False)  # a frame that is unwound keeps it for a while, too
            raise KeyboardInterrupt
        return response

    monkeypatch.setattr(httpx.Client, "send", striking)
    service = Small()
    with serve({"": service}) as base_url:
        tables = {"pace": {**STILL, "concurrency": concurrency}, "http": {"timeout_s": 0.2}}
        profile = build_profile({**truthful_profile(service, base_url), **tables}, CATALOG)
        with closing(Session(str(write_profile(profile, tmp_path / "small.toml")), tmp_path, level="power")) as session:
            session.select(all_cases(session.profile, "power"))
            with pytest.raises(KeyboardInterrupt):
                session.perform()
            assert (session.finish(), service.settings()) == ([], Small().settings())
    assert "no response" not in {line.get("outcome") for line in lines_of(tmp_path / JOURNAL)}


class Tiring(Small):
    """Goes back to On so many times, and then no more."""

    times = 8

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Stays where it is once it is tired."""
        if (appliance.ha_id, key, value) == (STUBBORN, POWER_STATE, ON):
            self.times -= 1
        if self.times >= 0 or key != POWER_STATE:
            super().apply(appliance, key, value)


SEARCHING = {"generated": 60, "concurrency": 1}


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> list[int]:
    """How many requests a run has made by each write of its search for an order of power writes; it is put back."""
    service = Small()
    ran = performed(service, tmp_path_factory.mktemp("searched"), "power", {"pace": SEARCHING})
    assert (service.settings(), ran.left, ran.errors()) == (Small().settings(), [], set())
    requests = [line for line in ran.evidence if "request" in line]
    return [n for n, line in enumerate(requests, start=1) if line["purpose"] == "write" and "search/" in str(line["group"])]


@pytest.mark.parametrize("which", [0, 1, -1])
def test_end_of_the_day_within_a_search(which: int, searched: list[int], tmp_path: Path) -> None:
    """Where the day's requests run out in the middle of a search, what it wrote is put back like any other write."""
    service = Small()
    ran = performed(service, tmp_path, "power", {"pace": {**SEARCHING, "per_day": searched[which]}})
    assert (service.settings(), ran.left, ran.errors()) == (Small().settings(), [], set())


def test_search_ends_where_an_appliance_does_not_go_back(tmp_path: Path) -> None:
    """An appliance that stops going back during a search is said not to be restored, and nothing is written to it any more."""
    service = Tiring()
    ran = performed(service, tmp_path, "power", {"pace": SEARCHING})
    assert [line.partition(" was ")[0] for line in ran.left] == [f"not restored: {STUBBORN} PowerState"]
    failed = next(index for index, line in enumerate(ran.journal) if line.get("restored") is False)
    assert not [line for line in ran.journal[failed:] if "intent" in line and line["ha_id"] == STUBBORN]
    assert CHILD_LOCK in service.writes(WILLING)
