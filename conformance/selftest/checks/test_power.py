"""The listed edges between the power states: what convicts an appliance, and what only looks as if it did."""

from __future__ import annotations

import pytest

from conformance.checks.groups import POWER_ORDERS, WALK
from conformance.checks.writes.power import assert_edge
from conformance.selftest.support.handmade import judged, refusal, value
from conformance.selftest.support.handtraced import LOCK, SILENT, Story, procedure, read, restore, traced
from conformance.selftest.support.power_walks import (
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

EDGES: dict[str, tuple[str, Story]] = {
    # From Off, and from Standby, On always leads to On: no support has to be shown.
    "off, on": ("PWR-OFF-ON", told("pass", "", [FROM_OFF, *to("On", "On", "On")])),
    "off, on at the last moment": ("PWR-OFF-ON", told("pass", "", [FROM_OFF, *to("On", "Off", "Off", "On")])),
    "off, on though the answer was an error": (
        "PWR-OFF-ON",
        told("pass", "", [FROM_OFF, *to("On", "On", status=500)]),
    ),
    "off, On is dropped": (
        "PWR-OFF-ON",
        told(
            "fail",
            'wrote On from Off, acknowledged (204), PowerState is "Vendor.Common.EnumType.PowerState.Off"',
            NEVER_ON_AGAIN,
        ),
    ),
    "off, On is dropped, nothing declared": (
        "PWR-OFF-ON",
        told("fail", "after 60 s, twice; document says On (line 129)", NEVER_ON_AGAIN, ""),
    ),
    "off, On is refused": ("PWR-OFF-ON", told("fail", "409 (refused)", REFUSED_ON)),
    "off, On is refused, nothing declared": (
        "PWR-OFF-ON",
        told("inconclusive", "whether it can be written is not declared", REFUSED_ON, ""),
    ),
    "off, On is dropped once": (
        "PWR-OFF-ON",
        told("inconclusive", "but not twice", [FROM_OFF, *to("On", "Off", "Off"), *to("On", "On")]),
    ),
    "off, On is not watched long enough": (
        "PWR-OFF-ON",
        told(
            "inconclusive",
            "watched for 59.0 s of 60 s",
            [FROM_OFF, *to("On", "Off", "Off", seconds=58.999) * 2],
        ),
    ),
    "off, it cannot be reached": (
        "PWR-OFF-ON",
        told("inconclusive", "then PowerState answered 409", [FROM_OFF, *to("On", SILENT) * 2]),
    ),
    "off, it is not read again": (
        "PWR-OFF-ON",
        told("inconclusive", "then PowerState was not read", [FROM_OFF, *to("On")]),
    ),
    "off, the write is not answered": (
        "PWR-OFF-ON",
        told(
            "inconclusive", "the write was not answered", [FROM_OFF, *to("On", "Off", "Off", status=None) * 2]
        ),
    ),
    "off, access is refused": (
        "PWR-OFF-ON",
        told("inconclusive", "403 (access refused)", [FROM_OFF, *to("On", "Off", "Off", status=403) * 2]),
    ),
    "off, On is refused while locked": (
        "PWR-OFF-ON",
        told("inconclusive", "while X13: ChildLock is on", [read(LOCK, shown=True), *REFUSED_ON]),
    ),
    "off, On is refused, the lock is hidden": (
        "PWR-OFF-ON",
        told(
            "inconclusive",
            "while X13: ChildLock cannot be read now",
            [read(LOCK, SILENT), *REFUSED_ON],
            supports=[LOCK],
        ),
    ),
    "off, On is refused without remote control": (
        "PWR-OFF-ON",
        told("inconclusive", "while X6", [read(REMOTE, shown=False), *REFUSED_ON]),
    ),
    "off was never reached": (
        "PWR-OFF-ON",
        told(
            "not_applicable", "Off was never reached", [FROM_ON, *to("Standby", "Standby"), *to("On", "On")]
        ),
    ),
    "off is not declared": (
        "PWR-OFF-ON",
        told("not_applicable", "Off is not among the power states", NEVER_ON_AGAIN, "On Standby"),
    ),
    "standby, on": ("PWR-STANDBY-ON", told("pass", "", [FROM_STANDBY, *to("On", "Standby", "On")])),
    "standby, On is dropped": (
        "PWR-STANDBY-ON",
        told(
            "fail",
            "twice; document says On (line 132)",
            [FROM_STANDBY, *to("On", "Standby", "Standby") * 2],
            "",
        ),
    ),
    "standby, On is refused": (
        "PWR-STANDBY-ON",
        told("fail", "409", [FROM_STANDBY, *to("On", "Standby", status=409) * 2]),
    ),
    "standby was never reached": (
        "PWR-STANDBY-ON",
        told("not_applicable", "Standby was never reached", [FROM_ON, *to("Off", "Off"), *to("On", "On")]),
    ),
    # To Off and to Standby only where the appliance supports it: declared, or at least advertised.
    "on, off": ("PWR-ON-OFF", told("pass", "", [FROM_ON, *to("Off", "Off")])),
    "on, off, nothing declared": ("PWR-ON-OFF", told("pass", "", [FROM_ON, *to("Off", "Off")], "")),
    "on, Off is dropped": ("PWR-ON-OFF", told("fail", "twice; document says Off (line 130)", DEAF_OFF)),
    "on, Off is dropped, advertised": (
        "PWR-ON-OFF",
        told("fail", "(line 130)", DEAF_OFF, "", shown=ADVERTISED),
    ),
    "on, Off is dropped, nothing declared": (
        "PWR-ON-OFF",
        told("inconclusive", "whether it supports Off is not declared", DEAF_OFF, ""),
    ),
    "on, Off is dropped, declared absent": (
        "PWR-ON-OFF",
        told("not_applicable", "Off is not among the power states", DEAF_OFF, "On Standby"),
    ),
    "on, Off is refused": ("PWR-ON-OFF", told("fail", "409 (refused)", REFUSED_OFF)),
    "on, Off is refused, advertised": (
        "PWR-ON-OFF",
        told("inconclusive", "not declared", REFUSED_OFF, "", shown=ADVERTISED),
    ),
    "on, Off is refused, nothing declared": (
        "PWR-ON-OFF",
        told("not_applicable", "the write was refused", REFUSED_OFF, ""),
    ),
    "on, Off is refused while a program is active": (
        "PWR-ON-OFF",
        told("inconclusive", "while X10: OperationState is", [operation("Run"), *REFUSED_OFF]),
    ),
    "on, Off leads to Standby": (
        "PWR-ON-OFF",
        told("fail", 'is "Vendor.Common.EnumType.PowerState.Standby"', TO_STANDBY_INSTEAD),
    ),
    "on, Off leads to Standby, nothing declared": (
        "PWR-ON-OFF",
        told("inconclusive", "supports Off is not declared", TO_STANDBY_INSTEAD, ""),
    ),
    "on, Off leads to Standby, advertised": (
        "PWR-ON-OFF",
        told("inconclusive", "supports Off is not declared", TO_STANDBY_INSTEAD, "", shown=ADVERTISED),
    ),
    "on, standby": ("PWR-ON-STANDBY", told("pass", "", [FROM_ON, *to("Standby", "Standby")])),
    "on, Standby is dropped": (
        "PWR-ON-STANDBY",
        told("fail", "twice; document says Standby (line 131)", [FROM_ON, *to("Standby", "On", "On") * 2]),
    ),
    "on, Standby is a fridge's": (
        "PWR-ON-STANDBY",
        told("not_applicable", "Standby is not among", [FROM_ON], "On"),
    ),
    "on, Standby was not tried": (
        "PWR-ON-STANDBY",
        told("not_applicable", "was never reached", [FROM_OFF, *to("On", "Off", "Off") * 2]),
    ),
    # Line 133 states no condition, lines 79 and 130 do: without a claim nobody is blamed, and nothing is
    # called supported either.
    "standby, off": ("PWR-STANDBY-OFF", told("pass", "", [FROM_STANDBY, *to("Off", "Off")])),
    "standby, Off is dropped": (
        "PWR-STANDBY-OFF",
        told("fail", "(line 133)", [FROM_STANDBY, *to("Off", "Standby", "Standby") * 2]),
    ),
    "standby, Off is dropped, advertised": (
        "PWR-STANDBY-OFF",
        told(
            "fail", "(line 133)", [FROM_STANDBY, *to("Off", "Standby", "Standby") * 2], "", shown=ADVERTISED
        ),
    ),
    "standby, Off is refused": (
        "PWR-STANDBY-OFF",
        told("fail", "409", [FROM_STANDBY, *to("Off", "Standby", status=409) * 2]),
    ),
    "standby, Off is dropped, nothing declared": (
        "PWR-STANDBY-OFF",
        told(
            "inconclusive",
            "supports Off is not declared",
            [FROM_STANDBY, *to("Off", "Standby", "Standby") * 2],
            "",
        ),
    ),
    "standby, Off is refused, nothing declared": (
        "PWR-STANDBY-OFF",
        told("inconclusive", "not declared", [FROM_STANDBY, *to("Off", "Standby", status=409) * 2], ""),
    ),
    "standby, an oven without Off": (
        "PWR-STANDBY-OFF",
        told(
            "not_applicable",
            "Off is not among",
            [FROM_STANDBY, *to("Off", "Standby", status=409) * 2],
            "On Standby",
        ),
    ),
    # What keeps the walk from being made, and who else acted.
    "not begun": (
        "PWR-ON-OFF",
        told(
            "inconclusive",
            "nothing was written while X6: LocalControlActive is true",
            [read(LOCAL, shown=True), FROM_ON],
        ),
    ),
    "not readable": (
        "PWR-ON-OFF",
        told("inconclusive", "nothing was written: PowerState answered 409", [is_in(SILENT)]),
    ),
    "not asked": ("PWR-ON-OFF", told("inconclusive", "nothing was written: PowerState was not read", [])),
    "not served": ("PWR-ON-OFF", told("not_applicable", "not supported", [], shown=(NONCE, refusal(POWER)))),
    "read-only": ("PWR-ON-OFF", told("not_applicable", "advertised as read-only", DEAF_OFF, shown=READ_ONLY)),
    "somebody operates it": (
        "PWR-ON-OFF",
        told(
            "inconclusive",
            "meanwhile LocalControlActive is true",
            [read(LOCAL, shown=False), *DEAF_OFF, read(LOCAL, shown=True)],
        ),
    ),
    "its operation state follows": (
        "PWR-ON-OFF",
        told("fail", "twice", [operation("Ready"), *DEAF_OFF, operation("Inactive")]),
    ),
}


@pytest.mark.parametrize("name", EDGES)
def test_listed_edge(name: str) -> None:
    """A write along a listed edge convicts when it was made twice and led elsewhere, on an appliance that is
    shown to support it.
    """
    clause, story = EDGES[name]
    story.holds(assert_edge, clause, WALK)


def test_order_that_was_found_is_judged_like_the_walk() -> None:
    """What a state machine made again counts beside the walk: a walk without a fault and an order with one
    convict.
    """
    walk = procedure(WALK, FROM_ON, to("Off", "Off"), to("On", "On"))
    twice = procedure(POWER_ORDERS, *DEAF_OFF)
    seen = traced([value(POWER, wire("On")), *walk, *twice], appliance={"power_states": ["On", "Off"]})
    assert judged(assert_edge, "PWR-ON-OFF", POWER, seen).verdict == "fail"
    assert judged(assert_edge, "PWR-OFF-ON", POWER, seen).verdict == "pass"


def test_putting_back_is_no_attempt() -> None:
    """A write that puts back belongs to no edge."""
    exchanges = procedure(
        WALK, FROM_OFF, restore(POWER, wire("On")), FROM_OFF, restore(POWER, wire("On")), FROM_OFF
    )
    seen = traced([value(POWER, wire("On")), *exchanges], appliance={"power_states": ["On", "Off"]})
    assert judged(assert_edge, "PWR-OFF-ON", POWER, seen).verdict == "not_applicable"
