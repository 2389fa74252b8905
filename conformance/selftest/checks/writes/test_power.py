"""The listed edges between the power states: what convicts an appliance, and what only looks as if it did."""

from conformance.checks.groups import POWER_ORDERS, WALK
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.power import edge
from conformance.selftest.support.samples.handmade import UNKNOWN, refusal, ruling, value
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SILENT,
    Story,
    procedure,
    read,
    restore,
    traced,
)
from conformance.selftest.support.samples.power_walks import (
    DEAF_OFF,
    FROM_OFF,
    FROM_ON,
    FROM_STANDBY,
    POWER,
    is_in,
    operation,
    to,
    walk,
    wire,
)

REMOTE, LOCAL = "Vendor.Common.Status.RemoteControlActive", "Vendor.Common.Status.LocalControlActive"

READ_ONLY = (value(POWER, wire("On"), access="read"),)
REFUSED_OFF = [FROM_ON, *to("Off", "On", "On", status=409) * 2]
NEVER_ON_AGAIN = [FROM_OFF, *to("On", "Off", "Off") * 2]
REFUSED_ON = [FROM_OFF, *to("On", "Off", status=409) * 2]

OFF_AT_MOST, STANDBY_AT_MOST = (
    value(POWER, wire("On"), allowed=[wire("On"), wire(rest)]) for rest in ("Off", "Standby")
)

# A write along a listed edge convicts when it led elsewhere twice, where it is shown to be supported.
# fmt: off
EDGES: dict[str, dict[str, tuple[str, Story]]] = {
    # From Off, and from Standby, On always leads to On: no support has to be shown.
    "PWR-OFF-ON": {
        "off, on": ("pass (5)", walk(FROM_OFF, to("On", "On", "On"))),
        "off, on though the answer was an error": ("pass (4)", walk(FROM_OFF, to("On", "On", status=500))),
        "off, On is dropped": ('fail 5 DROPPED 204 "…PowerState.Off" 60 129', walk(NEVER_ON_AGAIN)),
        "off, On is refused": ('fail 4 REFUSED 409 "…PowerState.Off" 129', walk(REFUSED_ON)),
        "off, it cannot be reached": ("inconclusive 4 204 409", walk(FROM_OFF, to("On", SILENT) * 2)),
        "off, the write is not answered": ('inconclusive 8 nothing "…PowerState.Off" 60',
            walk(FROM_OFF, to("On", "Off", "Off", status=None) * 2)),
        "off, access is refused": ('inconclusive 8 403 "…PowerState.Off" 60',
            walk(FROM_OFF, to("On", "Off", "Off", status=403) * 2)),
        "off, On is refused while locked": ('inconclusive 7 X13 409 "…PowerState.Off" ChildLock',
            walk(read(LOCK, True), REFUSED_ON)),
        "off, On is refused, the lock is hidden": (
            'inconclusive 7 409 "…PowerState.Off" ChildLock PowerState …PowerState.Off',
            walk(read(LOCK, SILENT), REFUSED_ON, supports=(LOCK,))),
        "off, On is refused without remote control": (
            'inconclusive 7 X6 409 "…PowerState.Off" RemoteControlActive false',
            walk(read(REMOTE, False), REFUSED_ON)),
        "off is not declared": ("not_applicable (1)", walk(NEVER_ON_AGAIN, declared="On Standby")),
    },
    "PWR-STANDBY-ON": {
        "standby, on": ("pass (5)", walk(FROM_STANDBY, to("On", "Standby", "On"))),
        "standby, On is dropped": ('fail 5 DROPPED 204 "…PowerState.Standby" 60 132',
            walk(FROM_STANDBY, to("On", "Standby", "Standby") * 2, declared="")),
        "standby, On is refused": ('fail 4 REFUSED 409 "…PowerState.Standby" 132',
            walk(FROM_STANDBY, to("On", "Standby", status=409) * 2)),
    },
    # To Off and to Standby only where the appliance supports it: declared, or at least advertised.
    "PWR-ON-OFF": {
        "on, off, nothing declared": ("pass (4)", walk(FROM_ON, to("Off", "Off"), declared="")),
        "on, Off is dropped": ('fail 5 DROPPED 204 "…PowerState.On" 60 130', walk(DEAF_OFF)),
        "on, Off is refused, nothing declared": ("not_applicable (8) 409", walk(REFUSED_OFF, declared="")),
        "on, Off is refused while a program is active": (
            'inconclusive 9 X10 409 "…PowerState.On" OperationState …OperationState.Run',
            walk(operation("Run"), REFUSED_OFF)),
        "on, Off is dropped, and not advertised": ("not_applicable (8)",
            walk(DEAF_OFF, declared="", shown=(STANDBY_AT_MOST,))),
        "on, Off is dropped, another one is not advertised": ('fail 5 DROPPED 204 "…PowerState.On" 60 130',
            walk(DEAF_OFF, declared="", shown=(OFF_AT_MOST,))),
        "on, Off is refused, and advertised": ('inconclusive 8 409 "…PowerState.On" appliance.power_states',
            walk(REFUSED_OFF, declared="", shown=(OFF_AT_MOST,))),
        # What keeps the walk from being made, and who else acted.
        "in no state of the document": ('inconclusive 2 nothing PowerState "…PowerState.Eco"',
            walk(is_in("Eco"))),
        "not read before the walk": ("inconclusive (2) nothing PowerState 409", walk(is_in(SILENT))),
        "not begun": ("inconclusive (3) X6 nothing LocalControlActive true",
            walk(read(LOCAL, True), FROM_ON)),
        "not asked": ("inconclusive (1) nothing PowerState", walk()),
        "not served": ("not_applicable 2 404", walk(shown=(UNKNOWN, refusal(POWER)))),
        "read-only": ('not_applicable 1 PowerState "read"', walk(DEAF_OFF, shown=READ_ONLY)),
    },
    "PWR-ON-STANDBY": {
        "on was written, and cannot be read": ("inconclusive 3 204 PowerState",
            walk(FROM_OFF, to("On", SILENT))),
        "on was refused": ("not_applicable (4)", walk(FROM_OFF, to("On", SILENT, status=409))),
        "on, Standby was not tried": ("not_applicable (8)", walk(FROM_OFF, to("On", "Off", "Off") * 2)),
    },
    # Line 133 states no condition, lines 79 and 130 do: without a claim nobody is blamed, and nothing is
    # called supported either.
    "PWR-STANDBY-OFF": {
        "standby, Off is dropped, nothing declared": (
            'inconclusive 8 204 "…PowerState.Standby" 60 appliance.power_states',
            walk(FROM_STANDBY, to("Off", "Standby", "Standby") * 2, declared="")),
    },
}
# fmt: on


test_power = Story.each_of({(clause, judge_writes(edge), WALK): rows for clause, rows in EDGES.items()})


def test_order_that_was_found_is_judged_like_the_walk() -> None:
    """What is made again of a tour counts beside the walk."""
    walk = procedure(WALK, FROM_ON, to("Off", "Off"), to("On", "On"))
    twice = procedure(POWER_ORDERS, *DEAF_OFF)
    seen = traced([value(POWER, wire("On")), *walk, *twice], appliance={"power_states": ["On", "Off"]})
    assert ruling(judge_writes(edge), "PWR-ON-OFF", POWER, seen).verdict == "fail"
    assert ruling(judge_writes(edge), "PWR-OFF-ON", POWER, seen).verdict == "pass"


def test_what_does_not_go_back_is_evidence() -> None:
    """A write that puts back is one more try of its edge, where it was watched for the settle time."""
    tried = [restore(POWER, wire("On")), *to("On", "Off", "Off")[1:]]
    for steps, verdict in (
        ([FROM_OFF, *tried * 2], "fail"),
        ([FROM_OFF, *tried], "inconclusive"),
        ([FROM_OFF, restore(POWER, wire("On")), *to("On", "On", "On")[1:]], "not_applicable"),
        ([FROM_OFF, *[restore(POWER, wire("On")), FROM_OFF] * 2], "not_applicable"),
    ):
        seen = traced(
            [value(POWER, wire("On")), *procedure(WALK, *steps)], appliance={"power_states": ["On", "Off"]}
        )
        assert ruling(judge_writes(edge), "PWR-OFF-ON", POWER, seen).verdict == verdict
