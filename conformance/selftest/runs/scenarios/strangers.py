"""Servers that are closed, confused or err: nothing crashes, nobody is blamed for what was not shown, and
what a controlling key does not show excuses nothing.
"""

from collections.abc import Callable
from itertools import cycle
from math import inf
from typing import ClassVar

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.shapes.reads import converts, meets
from conformance.mutants.shapes.requests import Leaving, intercepts, paths
from conformance.mutants.shapes.writes import drops
from conformance.proof.in_process import BASE_URL
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.runs.scenarios.model import Scenario
from conformance.selftest.support.recording import served_by

FEW = {"pace": {"generated_reads": 30}}
"""The pace of these runs: what each of them shows shows in few generated requests."""
TWO = tuple(spec for spec in Service.fleet if spec.ha_id in {"hood-1", "robot-3"})
NOT_THERE = frozenset({"ADDR-BASE"})


def saying(
    status: int, body: bytes = b"", media: str | None = "application/json", **headers: str
) -> Callable[[Incoming], Reply]:
    """One answer to everything."""
    return lambda _request: Reply(status, body, media, headers)


def page(request: Incoming) -> Reply:
    """A page for people, which differs from path to path."""
    text = f"<!doctype html><title>Sign in</title><p>Request 4711 of {request.path} at 12:00"
    return Reply(200, text.encode(), "text/html; charset=utf-8")


EVERYTHING: dict[str, tuple[Callable[[Incoming], Reply], frozenset[str]]] = {
    "access refused": (saying(401, b'{"error": "no"}'), frozenset()),
    "server errors": (saying(500, b"<html>", "text/html"), frozenset()),
    "a redirect to a version that redirects": (saying(307, Location="/api/v2/homeappliances"), frozenset()),
    "a page": (page, frozenset()),
    "not found": (saying(404), NOT_THERE),
    "an empty object": (saying(200, b"{}"), NOT_THERE),
    "nothing": (saying(200), NOT_THERE),
    "no content": (saying(204), NOT_THERE),
    "one number": (saying(200, b"5"), NOT_THERE),
    "NaN": (saying(200, b'{"data": {"value": NaN}}'), frozenset({"ADDR-UNKNOWNKEY"})),
}
"""What is answered to everything, and what a target may be blamed for that is claimed to serve everything."""


class InTurn(Service):
    """Two appliances behind one haId, which answer in turn."""

    fleet = TWO

    def __init__(self) -> None:
        super().__init__()
        self.turn = cycle([False, True])

    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        if found and next(self.turn):
            return next(each for each in self.appliances.values() if each is not found)
        return found


UNDER_A_VERSION = paths(lambda path: path.replace("/api/v1/", "/api/"))
"""Serves everything under a version, too."""


class StartsLate(Service):
    """Answers an empty list, whatever it is asked, for some seconds after the first request."""

    fleet = (fleets.MACHINE,)
    began, late_s = 0.0, 0.3

    def answer(self, request: Incoming) -> Reply:
        now = self.clock.now()
        self.began = self.began or now
        return super().answer(request) if now > self.began + self.late_s else Reply(200, b"[]")


class WrongAtFirst(Service):
    """A dishwasher whose first answers about ChildLock show a text, as many as are `wrong`."""

    fleet = (DISHWASHER,)
    wrong = 1

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        if request.path.endswith(keys.CHILD_LOCK) and self.wrong:
            self.wrong -= 1
            return Reply(200, reply.body.replace(b"false", b'"yes"').replace(b"true", b'"yes"'))
        return reply


class DropsMeanwhile(Service):
    """Acknowledges a write and drops it, while somebody operates the machine, or switches it off."""

    fleet = (
        DISHWASHER.only(
            keys.POWER_STATE, keys.CHILD_LOCK, keys.LOCAL_CONTROL, keys.REMOTE_CONTROL, keys.OPERATION_STATE
        ),
    )
    dropped: ClassVar[tuple[str, Json]]
    is_switched_off: ClassVar[bool]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if (key, value) != self.dropped:
            super().apply(appliance, key, value)
        elif self.is_switched_off:
            super().apply(appliance, keys.POWER_STATE, keys.STANDBY)
        else:
            self.touch(appliance)


LOCKED, OFF = (keys.CHILD_LOCK, True), (keys.POWER_STATE, keys.OFF)
OPERATED, SWITCHED_OFF = (
    "LocalControlActive is true",
    (f'PowerState changed from "{keys.ON}" to "{keys.STANDBY}" though nobody here wrote it'),
)


# fmt: off

FRIDGE = FRIDGE_CELSIUS.only(keys.ECO_MODE, keys.FREEZER_DOOR)
AT_ONCE = {"timing": {"settle_s": 0, "power_settle_s": 0, "retry_s": 0}}
CONTROLS = {
    keys.FRIDGE_SABBATH: 500,
    keys.CHILD_LOCK: 504,
    keys.REMOTE_CONTROL: 408,
    keys.OPERATION_STATE: 429,
    keys.POWER_STATE: 500,
}
"""What keeps something from being written, and the error that it answers."""
MISSPELLED = converts(lambda shown: str(shown).rpartition(".")[2], keys.POWER_STATE)
"""PowerState is shown by the short names of its values."""


def failing(on: str, status: int, times: int = 1_000) -> type[Service]:
    """A key that nobody claims, and that answers with an error, for ever or so often."""
    answer = Reply(status, b'{"error": "gateway"}')

    class Fails(meets(lambda its, key: key == on and its.nth(f"GET {key}") <= times, answer)):
        def claims(self, spec: ApplianceSpec) -> dict[str, object]:
            known = super().claims(spec)
            return {**known, "lacks": [], "supports": [each for each in spec.values if each != on]}

    return Fails


class ClaimsVacation(Service):
    """Claims a mode that the refrigerator does not have."""

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        return {**super().claims(spec), "supports": [keys.ECO_MODE, keys.VACATION_MODE], "lacks": []}


# fmt: off


AGAIN: dict[str, int | range] = dict.fromkeys(
    ("again/", "elsewhere/", "payload/", "version", "local-control"), 0
)
"""The procedures in which something is asked again, none of which is made."""


ROWS = [
    Scenario("a server that conforms is asked nothing again",
        served_by(fleet=DISHWASHER), "read", requests=AGAIN),
    # Where a target that is said to be online answers all alike at first, it is looked at for the
    # settle time.
    *(Scenario(f"a target that starts {'late is judged' if starts else 'never is found wrong'}",
        type("Late", (StartsLate,), {"late_s": late_s}), "read",
        {"timing": {"settle_s": settle_s, "retry_s": 0, "poll_s": 0.01}},
        red=set() if starts else None, cases={"ADDR-BASE::*": "pass" if starts else "fail"})
      for starts, late_s, settle_s in ((True, 0.3, 2), (False, inf, 0.02))),
    # One more answer, on a connection of its own, decides.
    *(Scenario(f"a finding is read again once, and {outcome.partition(' ')[0]}: {wrong} wrong",
        type("Wrong", (WrongAtFirst,), {"wrong": wrong}), "read", {"timing": {"repeat_sample": 0}},
        clauses=("TYPE-BOOLEAN",), red=red, cases={f"TYPE-BOOLEAN::{keys.CHILD_LOCK}@*": outcome},
        requests={**AGAIN, "again/": 1, f"again/settings/{keys.CHILD_LOCK}": 1})
      for wrong, outcome, red in (
        (1, "inconclusive : then false", set[str]()), (99, "fail", {"TYPE-BOOLEAN"}))),
    # Otherwise such a fault fails, as mutants show.
    *(Scenario(f"a write of {dropped[0]} that is dropped while somebody acts is open: {told}",
        type("Drops", (DropsMeanwhile,), {"dropped": dropped, "is_switched_off": told is SWITCHED_OFF}),
        clauses=(clause,), cases={f"{clause}::{dropped[0]}@*": f"inconclusive {told}"},
        moved=set() if told is SWITCHED_OFF else {"LocalControlActive"})
      for clause, dropped, told in (
        ("SET-WRITABLE", LOCKED, OPERATED), ("SET-WRITABLE", LOCKED, SWITCHED_OFF),
        ("PWR-ON-OFF", OFF, OPERATED))),
    *(Scenario(f"one answer to everything, all of it claimed: {name}",
        served_by(intercepts(reply), fleet=TWO[0]), "read", FEW, still=False, red=blame,
        cases={"[!A]*": "!pass"})
      for name, (reply, blame) in EVERYTHING.items()),
    *(Scenario(f"one answer to everything, nothing claimed: {name}",
        served_by(intercepts(EVERYTHING[name][0]), fleet=TWO[0]), "read", FEW, still=False, knowledge="L0",
        cases={"*": "!pass"})
      for name in ("access refused", "nothing")),
    *(Scenario(f"two appliances in turn behind one haId, nothing claimed, {width} at a time",
        InTurn, "read", {"pace": {**FEW["pace"], "concurrency": width}}, still=False, knowledge="L0")
      for width in (1, 16)),
    *(Scenario(f"a server that answers {refused} requests with {status} is not blamed for them",
        served_by(type("Recovers", (Leaving,), {"after": 0, "back_after": refused, "says": Reply(status)}),
            UNDER_A_VERSION, fleet=TWO[0]), "read",
        {"pace": {**FEW["pace"], "concurrency": 1}}, still=False)
      for refused, status in ((20, 409), (43, 500), (49, 200))),
    Scenario("what was read before the day's requests ran out is judged, the rest is open and says so",
        served_by(fleet=TWO), "read", {"pace": {**FEW["pace"], "per_day": 30}}, still=False,
        cases={"READ-VALUE::*.PowerState@hood-1": "pass"}, why_open="pace.per_day"),
    Scenario("without a token nothing is asked and nothing is judged",
        served_by(fleet=TWO), "read", {**FEW, "auth": {"oauth2": {
            "token_url": f"{BASE_URL}/nowhere", "client_id": "me", "client_secret": "${SECRET}"}}},
        still=False, verdicts={"inconclusive", "observed"}, why_open="auth.oauth2.token_url",
        environment={"SECRET": "a very secret secret"}),
    *(Scenario(f"an error {status} on {key} is no state: what it keeps from being written is open",
        served_by(failing(key, status), drops(keys.ECO_MODE), fleet=FRIDGE), tables=AT_ONCE, exempt=set(),
        cases={"SET-WRITABLE::*EcoMode@*": f"inconclusive could not be read ({status})"},
        written={"mode": ""})
      for key, status in CONTROLS.items()),
    Scenario("an error on a controlling key that does not come back keeps nothing from being written",
        served_by(failing(keys.FRIDGE_SABBATH, 504, times=2), drops(keys.ECO_MODE), fleet=FRIDGE), "write",
        AT_ONCE, red={"SET-WRITABLE"}),
    Scenario("a claimed key that answers 404 is missing, whatever PowerState answers",
        served_by(ClaimsVacation, failing(keys.POWER_STATE, 504), fleet=FRIDGE), "read", AT_ONCE,
        red={"READ-SETTING"}, cases={"READ-SETTING::*VacationMode@*": "fail"}),
    Scenario("a power state that is no value is a finding, and keeps nothing from being written",
        served_by(MISSPELLED, fleet=fleets.THREE_STATES_AND_LOCK), "write", AT_ONCE, exempt=set(),
        red={"ENUM-KEYFORM", "ENUM-POWERSTATE"}, cases={"SET-WRITABLE::*ChildLock@*": "pass"}),
    Scenario("a write without effect is open beside a power state that is no value",
        served_by(MISSPELLED, drops(keys.CHILD_LOCK), fleet=fleets.THREE_STATES_AND_LOCK), "write", AT_ONCE,
        red={"ENUM-KEYFORM", "ENUM-POWERSTATE"}, cases={"SET-WRITABLE::*ChildLock@*":
            'inconclusive PowerState is "On", which is no value of the document'}),
    Scenario("a power walk does not begin from what is no value of the document",
        served_by(MISSPELLED, fleet=fleets.THREE_STATES), tables=AT_ONCE,
        red={"ENUM-KEYFORM", "ENUM-POWERSTATE"},
        cases={"PWR-ON-OFF::*": 'inconclusive PowerState is "On", which is no value'}),
]
