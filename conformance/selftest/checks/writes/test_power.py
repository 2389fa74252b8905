"""Power states that are written, or read beside the operation state: what convicts, and what seems to."""

from typing import Any

from msgspec.structs import replace

from catalog.keys import LIFTED, OPERATION_STATE
from conformance.checks.exchange import Exchange
from conformance.checks.groups import POWER_ORDERS, WALK
from conformance.checks.reads.paths import agreement
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.operation import ALTERNATING
from conformance.checks.writes.power import edge
from conformance.selftest.support.handmade import UNKNOWN, Reads, exchange, refusal, value, write_table
from conformance.selftest.support.handtraced import (
    DEAF_OFF,
    FROM_OFF,
    FROM_ON,
    FROM_STANDBY,
    LOCK,
    POWER,
    SILENT,
    TO_STANDBY_INSTEAD,
    Steps,
    Story,
    attempt,
    is_in,
    operation,
    procedure,
    read,
    restore,
    served,
    to,
    walk,
    wire,
)

REMOTE, LOCAL = "Vendor.Common.Status.RemoteControlActive", "Vendor.Common.Status.LocalControlActive"

READ_ONLY = (value(POWER, wire("On"), access="read"),)
REFUSED_OFF = [FROM_ON, *to("Off", "On", "On", status=409) * 2]
NEVER_ON_AGAIN = [FROM_OFF, *to("On", "Off", "Off") * 2]
REFUSED_ON = [FROM_OFF, *to("On", "Off", status=409) * 2]
BACK_ON = restore(POWER, wire("On"))
NOT_BACK: Steps = [BACK_ON, *to("On", "Off", "Off")[1:]]

OFF_AT_MOST, STANDBY_AT_MOST = (
    value(POWER, wire("On"), allowed=[wire("On"), wire(rest)]) for rest in ("Off", "Standby")
)
BESIDE = (value(POWER, wire("On")), *procedure(WALK, FROM_ON, to("Off", "Off"), to("On", "On")))
SELF_TOGGLES = [FROM_ON, *to("On", "Off", "Off"), *to("On", "On"), *to("On", "Off", "Off")]
SERVED = served("On", "Ready")
TWO, PROBING = {"power_states": ["On", "Standby"]}, {"probe_unlisted": True}


def advertised(*without: str) -> Exchange:
    """The power state, with a list of all states but these."""
    allowed = [wire(one) for one in ("On", "Off", "Standby") if one not in without]
    return value(POWER, wire("On"), allowed=allowed)


PROBED: dict[str, Any] = {
    "key": POWER,
    "appliance": TWO,
    "shared": SERVED,
    "write": write_table(POWER),
    "power": PROBING,
}


def probed(*steps: Exchange | float | Steps, **but: Any) -> Story:
    """What came of an appliance of two states, of which the third one is to be written."""
    return Story(*steps, **{**PROBED, **but})


ON, OFF = (value(POWER, wire(name)) for name in ("On", "Off"))
READY, INACTIVE = (
    value(OPERATION_STATE, f"Vendor.Common.EnumType.OperationState.{name}") for name in ("Ready", "Inactive")
)


def turns(*states: Exchange, pause: float = 60) -> tuple[Exchange, ...]:
    """A first read of power and operation state, and two more in turn, so many seconds apart."""
    return *states[:2], *procedure(ALTERNATING, *states[:2], pause, *(states[2:] or states))


SAME = [read(LIFTED, shown=True, segment=segment) for segment in ("status", "settings")]
APART: Steps = [SAME[0], read(LIFTED, shown=False, segment="settings")]
HANDS = replace(exchange("touch", 204, segment="", purpose="hook"), value=None)


def paths(*later: Exchange | float | Steps) -> Reads:
    """What two paths of one status show, which agree at first."""
    return Reads(
        *(replace(one, purpose="read") for one in SAME),
        *procedure(agreement(LIFTED), *SAME * 4),
        *procedure(WALK, *later),
    )


# fmt: off
ROWS = {
    # A write along a listed edge convicts when it led elsewhere twice, where it is shown to be supported.
    # From Off, and from Standby, On always leads to On: no support has to be shown.
    ("PWR-OFF-ON", WALK): {
        "off, on": ("pass (5) ~573", walk(FROM_OFF, to("On", "On", "On"))),
        "off, on though the answer was an error": ("pass (4) ~058",
            walk(FROM_OFF, to("On", "On", status=500))),
        "off, On is dropped": ('fail 5 DROPPED 204 "…PowerState.Off" 60 129 ~573', walk(NEVER_ON_AGAIN)),
        "off, On is refused": ('fail 4 REFUSED 409 "…PowerState.Off" 129 ~ad1', walk(REFUSED_ON)),
        "off, On is refused, and so would be any write": ('inconclusive 6 405 "…PowerState.Off" ~837',
            walk(FROM_OFF, to("On", "Off", status=405) * 2)),
        "off, it cannot be reached": ("inconclusive 4 204 409 ~963", walk(FROM_OFF, to("On", SILENT) * 2)),
        "off, the write is not answered": ('inconclusive 8 nothing "…PowerState.Off" 60 ~47b',
            walk(FROM_OFF, to("On", "Off", "Off", status=None) * 2)),
        "off, access is refused": ('inconclusive 8 403 "…PowerState.Off" 60 ~a2b',
            walk(FROM_OFF, to("On", "Off", "Off", status=403) * 2)),
        "off, On is refused while locked": ('inconclusive 7 X13 409 "…PowerState.Off" ChildLock ~d16',
            walk(read(LOCK, True), REFUSED_ON)),
        "off, On is refused, the lock is hidden": (
            'inconclusive 7 409 "…PowerState.Off" ChildLock PowerState ~eec',
            walk(read(LOCK, SILENT), REFUSED_ON, supports=(LOCK,))),
        "off, On is refused without remote control": (
            'inconclusive 7 X6 409 "…PowerState.Off" RemoteControlActive ~5c9',
            walk(read(REMOTE, False), REFUSED_ON)),
        # A write that puts back is one more try of its edge, where it was watched for the settle time.
        "off, it does not go back to On": ('fail 5 DROPPED 204 "…PowerState.Off" 60 129 ~573',
            walk(FROM_OFF, NOT_BACK * 2)),
        "off, it does not go back to On, once": ('inconclusive 5 204 "…PowerState.Off" 60 ~32f',
            walk(FROM_OFF, NOT_BACK)),
        "off, it goes back to On": ("not_applicable (5) ~cb5",
            walk(FROM_OFF, BACK_ON, to("On", "On", "On")[1:])),
        "off, it does not go back to On, not watched": ("not_applicable (6) ~432",
            walk(FROM_OFF, BACK_ON, FROM_OFF, BACK_ON, FROM_OFF)),
        "off is not declared": ("not_applicable (1) ~42e", walk(NEVER_ON_AGAIN, declared="On Standby")),
    },
    ("PWR-STANDBY-ON", WALK): {
        "standby, on": ("pass (5) ~573", walk(FROM_STANDBY, to("On", "Standby", "On"))),
        "standby, On is dropped": ('fail 5 DROPPED 204 "…PowerState.Standby" 60 132 ~b6b',
            walk(FROM_STANDBY, to("On", "Standby", "Standby") * 2, declared="")),
        "standby, On is refused": ('fail 4 REFUSED 409 "…PowerState.Standby" 132 ~cd6',
            walk(FROM_STANDBY, to("On", "Standby", status=409) * 2)),
        # Who moves it when it has settled may be somebody else, or another appliance.
        "standby, it goes back to On, and is in standby long after": ("not_applicable (8) ~763",
            walk([FROM_STANDBY, BACK_ON, is_in("On"), 120.0] * 2, FROM_STANDBY)),
    },
    # To Off and to Standby only where the appliance supports it: declared, or at least advertised.
    ("PWR-ON-OFF", WALK): {
        "on, remote control ends with the power": ("pass (7) ~d4c",
            walk(read(REMOTE, True), FROM_ON, to("Off", "Off", "Off"), read(REMOTE, False))),
        "on, Off is dropped, and remote control ends": ('inconclusive 6 204 "…PowerState.On" 60 ~e24',
            walk(read(REMOTE, True), FROM_ON, to("Off", "On", "On") * 2, read(REMOTE, False))),
        "on, off, nothing declared": ("pass (4) ~058", walk(FROM_ON, to("Off", "Off"), declared="")),
        "on, off, and an error after it": ("pass (13) ~9ff",
            walk(*(FROM_ON, to("Off", "Off"), exchange(POWER, 500), to("On", "On")) * 2)),
        "on, off, and hidden after it": ("inconclusive 11 204 409 ~91c",
            walk(*(FROM_ON, to("Off", "Off", SILENT), to("On", "On")) * 2)),
        "on, off, and throttled after it": ("inconclusive 11 204 429 ~84e",
            walk(*(FROM_ON, to("Off", "Off"), exchange(POWER, 429), to("On", "On")) * 2)),
        "on, Off is dropped": ('fail 5 DROPPED 204 "…PowerState.On" 60 130 ~bed', walk(DEAF_OFF)),
        "on, Off is refused, nothing declared": ("not_applicable (8) 409 ~152",
            walk(REFUSED_OFF, declared="")),
        "on, Off is refused while a program is active": (
            'inconclusive 9 X10 409 "…PowerState.On" OperationState ~d99',
            walk(operation("Run"), REFUSED_OFF)),
        "on, Off is dropped, and the operation state moves": ('inconclusive 6 204 "…PowerState.On" 60 ~666',
            walk(operation("Ready"), DEAF_OFF, operation("Run"))),
        "on, Off is dropped, and not advertised": ("not_applicable (8) ~397",
            walk(DEAF_OFF, declared="", shown=(STANDBY_AT_MOST,))),
        "on, Off is dropped, another one is not advertised": (
            'fail 5 DROPPED 204 "…PowerState.On" 60 130 ~bed',
            walk(DEAF_OFF, declared="", shown=(OFF_AT_MOST,))),
        "on, Off is refused, and advertised": (
            'inconclusive 8 409 "…PowerState.On" appliance.power_states ~159',
            walk(REFUSED_OFF, declared="", shown=(OFF_AT_MOST,))),
        # What keeps the walk from being made, and who else acted.
        "in no state of the document": ('inconclusive 2 nothing PowerState "…PowerState.Eco" ~431',
            walk(is_in("Eco"))),
        "not read before the walk": ("inconclusive (2) nothing PowerState 409 ~4f6", walk(is_in(SILENT))),
        "not begun": ("inconclusive (3) X6 nothing LocalControlActive true ~32b",
            walk(read(LOCAL, True), FROM_ON)),
        "not asked": ("inconclusive (1) nothing PowerState ~f4a", walk()),
        "not served": ("not_applicable 2 404 ~df0", walk(shown=(UNKNOWN, refusal(POWER)))),
        "read-only": ('not_applicable 1 PowerState "read" ~69f', walk(DEAF_OFF, shown=READ_ONLY)),
    },
    ("PWR-ON-STANDBY", WALK): {
        "on was written, and cannot be read": ("inconclusive 3 204 PowerState ~bce",
            walk(FROM_OFF, to("On", SILENT))),
        "on was refused": ("not_applicable (4) ~f50", walk(FROM_OFF, to("On", SILENT, status=409))),
        "on, Standby was not tried": ("not_applicable (8) ~36d", walk(FROM_OFF, to("On", "Off", "Off") * 2)),
    },
    # Line 133 states no condition, lines 79 and 130 do: without a claim nobody is blamed, and nothing is
    # called supported either.
    ("PWR-STANDBY-OFF", WALK): {
        "standby, Off is dropped, nothing declared": ('inconclusive 8 204 "…PowerState.Standby" 60 ~8f3',
            walk(FROM_STANDBY, to("Off", "Standby", "Standby") * 2, declared="")),
    },
    # What is made again of a tour counts beside the walk.
    ("PWR-ON-OFF", POWER_ORDERS): {
        "an order is dropped": ('fail 10 DROPPED 204 "…PowerState.On" 60 130 ~cf5',
            walk(DEAF_OFF, shown=BESIDE)),
    },
    ("PWR-OFF-ON", POWER_ORDERS): {
        "another order is dropped": ("pass (13) ~9ff", walk(DEAF_OFF, shown=BESIDE)),
    },
    # A state that is neither the written nor the old one convicts where the written one is supported.
    ("PWR-NO-FOREIGN", WALK): {
        "the old one": ('inconclusive 8 PowerState "…PowerState.Off" 204 ~0fb', walk(DEAF_OFF)),
        "a third one, twice": ('fail 5 204 PowerState "…PowerState.Standby" 129 133 ~44b',
            walk(TO_STANDBY_INSTEAD)),
        "a third one, not settled": ('inconclusive 5 204 PowerState "…PowerState.Standby" 9.0 60 ~180',
            walk(FROM_ON, to("Off", "Standby", "Standby", seconds=9))),
        "an unsupported state is taken for the third one": ("pass (9) ~315",
            probed(FROM_ON, to("Off", "Standby"), to("On", "On"), to("Standby", "Standby", seconds=60))),
        "a gateway without Off": ('inconclusive 10 204 PowerState "…PowerState.Standby" ~e1e',
            walk(TO_STANDBY_INSTEAD, declared="")),
        "a state that is none": ('fail 5 204 PowerState "MainsOff" 129 133 ~ded',
            walk([FROM_ON, *attempt(POWER, wire("Off"), "MainsOff", "MainsOff", seconds=60), *to("On",
                "On")] * 2)),
        "while a program is active": ('inconclusive 11 X10 204 PowerState "…PowerState.Standby" ~5ac',
            walk(operation("Run"), TO_STANDBY_INSTEAD)),
        "itself, and it stays": ("pass (6) ~d49",
            walk(FROM_ON, to("On", "On", status=400), to("Off", "Off"))),
        "unreadable": ("inconclusive 4 204 409 ~e27", walk(FROM_ON, to("Off", SILENT) * 2)),
        "only On": ("not_applicable (2) ~f83", walk(FROM_ON, declared="On")),
    },
    # A state that the appliance does not have convicts when it is read twice.
    ("PWR-UNSUPPORTED", WALK): {
        "it is reached": ('fail 5 204 PowerState "…PowerState.Off" 60 "only if the ~343',
            probed(FROM_ON, to("Off", "Off", "Off"))),
        "it shows in one read alone": ('inconclusive 5 204 PowerState "…PowerState.Off" 60 ~9f0',
            probed(FROM_ON, to("Off", "Off", "On"))),
        "it is ignored": ("pass (8) ~ca7", probed(FROM_ON, to("Off", "On", "On"), to("Standby", "Standby"))),
        "it is ignored, and nothing works": ("inconclusive (2) PowerState ~bcd",
            probed(FROM_ON, to("Off", "On", "On"))),
        "it is not written": ("inconclusive (2) ~03c", probed(FROM_ON, to("Standby", "Standby"))),
        "it is found in it": ('fail 1 PowerState "…PowerState.Off" appliance.power_states ~ca1',
            probed(shared=served("Off", "Inactive"))),
        "it is found in it, and it is not advertised": ("not_applicable (1) ~3e1",
            probed(appliance={}, shared=(value(POWER, wire("Off"), allowed=[wire("On"), wire("Standby")]),))),
        "nothing is known": ("not_judged (1) appliance.power_states ~576", probed(appliance={})),
        "each is supported": ("not_applicable (1) ~3e1",
            probed(appliance={"power_states": ["On", "Off", "Standby"]})),
        "each is advertised": ("not_applicable (1) ~3e1", probed(appliance={}, shared=(advertised(),))),
        "it is not advertised": ('fail 4 204 PowerState "…PowerState.Off" 60 "only if the ~6ac',
            probed(FROM_ON, to("Off", "Off", "Off"), appliance={}, shared=(advertised("Off"),))),
        "it is not to be probed": ("not_judged (1) power.probe_unlisted ~67f", probed(power={})),
        "writing is not declared": ("not_judged (1) write ~e63",
            Story(key=POWER, appliance=TWO, shared=SERVED, power=PROBING)),
        "it is not listed": ("not_judged (1) write.allow ~b9e", probed(write=write_table(LOCK))),
        "nothing was walked": ("not_judged (1) --level power PowerState ~491", probed()),
    },
    # What came of writes that the table does not list is told, whatever came.
    ("PWR-OFF-STANDBY", WALK): {
        "off, standby": ("observed (4) 409 ~d3f", walk(FROM_OFF, to("Standby", "Off", status=409))),
        "off, standby, never": ("not_applicable (4) ~120", walk(FROM_ON, to("Standby", "Standby"))),
    },
    ("PWR-SELF", WALK): {
        "itself": ("observed (10) 204 204 ~639", walk(SELF_TOGGLES)),
        "itself, never": ("not_applicable (4) ~120", walk(FROM_ON, to("Off", "Off"))),
    },
    # What two states show in turn, without a write, contradicts the table of operation states.
    ("OPS-INACTIVE", OPERATION_STATE): {
        "inactive and off": ("pass (6) ~724", Reads(*turns(OFF, INACTIVE))),
        "inactive and on": ('fail 6 5 6 OperationState "…OperationState.Inactive" ~8cf',
            Reads(*turns(ON, INACTIVE))),
        "inactive and on, for a moment": ('inconclusive 4 OperationState "…OperationState.Inactive" ~07a',
            Reads(*turns(ON, INACTIVE, pause=59))),
        "inactive and on, then off": ('inconclusive 4 OperationState "…OperationState.Inactive" ~36e',
            Reads(*turns(ON, INACTIVE, OFF, INACTIVE))),
        "inactive and on, in three turns": ('fail 8 7 8 OperationState "…OperationState.Inactive" ~4fe',
            Reads(*turns(ON, INACTIVE, ON, INACTIVE, ON, INACTIVE))),
        "inactive, read once": ("inconclusive (4) PowerState …OperationState ~b57",
            Reads(ON, INACTIVE, *procedure(ALTERNATING, ON, INACTIVE))),
        "inactive, not read again": ("inconclusive (6) PowerState OperationState ~8a2",
            Reads(*turns(ON, INACTIVE, ON, refusal(OPERATION_STATE, 409)))),
        "no power state": ("not_applicable PowerState OperationState ~f48", Reads(INACTIVE)),
    },
    ("OPS-READY", OPERATION_STATE): {
        "ready and on": ("pass (6) ~724", Reads(*turns(ON, READY))),
        "ready and off": ('fail 6 5 6 OperationState "…OperationState.Ready" PowerState ~661',
            Reads(*turns(OFF, READY))),
        "not ready": ('not_applicable (6) OperationState "…OperationState.Inactive" ~20b',
            Reads(*turns(OFF, INACTIVE))),
    },
    # So do two paths of one status, in whatever state, if those of a pair are read one after the other.
    ("PATH-AGREE", LIFTED): {
        "they differ": ("fail 13 14 /status/ true /settings/ false ~014", paths(APART, 10, APART)),
        "they differ for a moment": ("pass (10) ~bed", paths(APART, 9, APART)),
        "each moves between its reads": ("pass (10) ~bed",
            paths(*(step for one in APART * 2 for step in (one, 10)))),
        "somebody moves it between the reads": ("pass (10) ~bed", paths(APART, HANDS, 10, APART)),
    },
    ("OPS-ON-NOT-INACTIVE", OPERATION_STATE): {
        "on and inactive": ('fail 6 5 6 OperationState "…OperationState.Inactive" ~8cf',
            Reads(*turns(ON, INACTIVE))),
        "on and ready": ("pass (6) ~724", Reads(*turns(ON, READY))),
        "not on": ('not_applicable (6) PowerState "…PowerState.Off" ~2e7', Reads(*turns(OFF, INACTIVE))),
    },
}
# fmt: on

test_power = Story.each_of(ROWS)


def test_check_is_described_by_its_sentence() -> None:
    """What `explain` tells of a check of writes."""
    assert judge_writes(edge).__doc__ == edge.__doc__
