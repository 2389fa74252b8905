"""The listed edges between the power states: what convicts an appliance, and what only looks as if it did."""

from conformance.checks.groups import POWER_ORDERS, WALK
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.power import edge
from conformance.selftest.support.samples.handmade import judged, refusal, value
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
    NONCE,
    POWER,
    TO_STANDBY_INSTEAD,
    is_in,
    operation,
    to,
    told,
    wire,
)

REMOTE, LOCAL = "Vendor.Common.Status.RemoteControlActive", "Vendor.Common.Status.LocalControlActive"

ADVERTISED = (value(POWER, wire("On"), allowed=[wire("On"), wire("Off"), wire("Standby")]),)
READ_ONLY = (value(POWER, wire("On"), access="read"),)
REFUSED_OFF = [FROM_ON, *to("Off", "On", "On", status=409) * 2]
NEVER_ON_AGAIN = [FROM_OFF, *to("On", "Off", "Off") * 2]
REFUSED_ON = [FROM_OFF, *to("On", "Off", status=409) * 2]

# A write along a listed edge convicts when it led elsewhere twice, where it is shown to be supported.
# fmt: off
EDGES: dict[str, dict[str, Story]] = {
    # From Off, and from Standby, On always leads to On: no support has to be shown.
    "PWR-OFF-ON": {
        "off, on": told("pass", FROM_OFF, to("On", "On", "On")),
        "off, on at the last moment": told("pass", FROM_OFF, to("On", "Off", "Off", "On")),
        "off, on though the answer was an error": told("pass", FROM_OFF, to("On", "On", status=500)),
        "off, On is dropped": told("fail", NEVER_ON_AGAIN),
        "off, On is dropped, nothing declared": told("fail", NEVER_ON_AGAIN, declared=""),
        "off, On is refused": told("fail", REFUSED_ON),
        "off, On is refused, nothing declared": told("inconclusive", REFUSED_ON, declared=""),
        "off, On is dropped once": told("inconclusive", FROM_OFF, to("On", "Off", "Off"), to("On", "On")),
        "off, On is not watched long enough": told("inconclusive", FROM_OFF,
            to("On", "Off", "Off", seconds=58.999) * 2),
        "off, it cannot be reached": told("inconclusive", FROM_OFF, to("On", SILENT) * 2),
        "off, it is not read again": told("inconclusive", FROM_OFF, to("On")),
        "off, the write is not answered": told("inconclusive", FROM_OFF,
            to("On", "Off", "Off", status=None) * 2),
        "off, access is refused": told("inconclusive", FROM_OFF, to("On", "Off", "Off", status=403) * 2),
        "off, On is refused while locked": told("inconclusive", read(LOCK, True), REFUSED_ON),
        "off, On is refused, the lock is hidden": told("inconclusive", read(LOCK, SILENT), REFUSED_ON,
            supports=(LOCK,)),
        "off, On is refused without remote control": told("inconclusive", read(REMOTE, False), REFUSED_ON),
        "off was never reached": told("not_applicable", FROM_ON, to("Standby", "Standby"), to("On", "On")),
        "off is not declared": told("not_applicable", NEVER_ON_AGAIN, declared="On Standby"),
    },
    "PWR-STANDBY-ON": {
        "standby, on": told("pass", FROM_STANDBY, to("On", "Standby", "On")),
        "standby, On is dropped": told("fail", FROM_STANDBY, to("On", "Standby", "Standby") * 2, declared=""),
        "standby, On is refused": told("fail", FROM_STANDBY, to("On", "Standby", status=409) * 2),
    },
    # To Off and to Standby only where the appliance supports it: declared, or at least advertised.
    "PWR-ON-OFF": {
        "on, off": told("pass", FROM_ON, to("Off", "Off")),
        "on, off, nothing declared": told("pass", FROM_ON, to("Off", "Off"), declared=""),
        "on, Off is dropped": told("fail", DEAF_OFF),
        "on, Off is dropped, advertised": told("fail", DEAF_OFF, declared="", shown=ADVERTISED),
        "on, Off is dropped, nothing declared": told("inconclusive", DEAF_OFF, declared=""),
        "on, Off is dropped, declared absent": told("not_applicable", DEAF_OFF, declared="On Standby"),
        "on, Off is refused, advertised": told("inconclusive", REFUSED_OFF, declared="", shown=ADVERTISED),
        "on, Off is refused, nothing declared": told("not_applicable", REFUSED_OFF, declared=""),
        "on, Off is refused while a program is active": told("inconclusive", operation("Run"), REFUSED_OFF),
        "on, Off leads to Standby, advertised": told("inconclusive", TO_STANDBY_INSTEAD, declared="",
            shown=ADVERTISED),
        # What keeps the walk from being made, and who else acted.
        "not begun": told("inconclusive", read(LOCAL, True), FROM_ON),
        "not readable": told("inconclusive", is_in(SILENT)),
        "not asked": told("inconclusive"),
        "not served": told("not_applicable", shown=(NONCE, refusal(POWER))),
        "read-only": told("not_applicable", DEAF_OFF, shown=READ_ONLY),
        "somebody operates it": told("inconclusive", read(LOCAL, False), DEAF_OFF, read(LOCAL, True)),
        "its operation state follows": told("fail", operation("Ready"), DEAF_OFF, operation("Inactive")),
    },
    "PWR-ON-STANDBY": {
        "on, Standby was not tried": told("not_applicable", FROM_OFF, to("On", "Off", "Off") * 2),
    },
    # Line 133 states no condition, lines 79 and 130 do: without a claim nobody is blamed, and nothing is
    # called supported either.
    "PWR-STANDBY-OFF": {
        "standby, Off is dropped, nothing declared": told("inconclusive", FROM_STANDBY,
            to("Off", "Standby", "Standby") * 2, declared=""),
        "standby, Off is refused, nothing declared": told("inconclusive", FROM_STANDBY,
            to("Off", "Standby", status=409) * 2, declared=""),
    },
}
# fmt: on


test_power = Story.each_of({(clause, judge_writes(edge), WALK): rows for clause, rows in EDGES.items()})


def test_order_that_was_found_is_judged_like_the_walk() -> None:
    """What is made again of a tour counts beside the walk."""
    walk = procedure(WALK, FROM_ON, to("Off", "Off"), to("On", "On"))
    twice = procedure(POWER_ORDERS, *DEAF_OFF)
    seen = traced([value(POWER, wire("On")), *walk, *twice], appliance={"power_states": ["On", "Off"]})
    assert judged(judge_writes(edge), "PWR-ON-OFF", POWER, seen).verdict == "fail"
    assert judged(judge_writes(edge), "PWR-OFF-ON", POWER, seen).verdict == "pass"


def test_putting_back_is_no_attempt() -> None:
    """A write that puts back belongs to no edge."""
    exchanges = procedure(
        WALK, FROM_OFF, restore(POWER, wire("On")), FROM_OFF, restore(POWER, wire("On")), FROM_OFF
    )
    seen = traced([value(POWER, wire("On")), *exchanges], appliance={"power_states": ["On", "Off"]})
    assert judged(judge_writes(edge), "PWR-OFF-ON", POWER, seen).verdict == "not_applicable"
