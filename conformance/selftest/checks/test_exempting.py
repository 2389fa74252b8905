"""The exempting state of an inconclusive case is what the check hands over, never what its finding happens to
say.
"""

from __future__ import annotations

import pytest

from conformance.checks.groups import AMBIENT, setting_group
from conformance.checks.reads.reading import assert_readable
from conformance.checks.reads.value_types import assert_boolean
from conformance.checks.writes.lights import assert_custom_settable
from conformance.checks.writes.settings import assert_writable
from conformance.selftest.support.handmade import judged, profile_of, refusal, seen_of, value
from conformance.selftest.support.handtraced import LOCK, attempt, procedure, read, traced

COLOR, CUSTOM = "Vendor.Common.Setting.AmbientLightColor", "Vendor.Common.Setting.AmbientLightCustomColor"
CUSTOM_COLOR = "Vendor.Common.EnumType.AmbientLightColor.CustomColor"
POWER, OFF = "Vendor.Common.Setting.PowerState", "Vendor.Common.EnumType.PowerState.Off"
MIMICRY = "X4: #123456"


def test_a_value_that_reads_like_a_state_exempts_nothing() -> None:
    """A colour that reads back as `X4: #123456` is quoted in the finding, and the case stays open without any
    condition.
    """
    steps = [
        read(COLOR, CUSTOM_COLOR),
        read(CUSTOM, "#000000"),
        *attempt(CUSTOM, "#4a88f8", MIMICRY, MIMICRY),
        read(COLOR, CUSTOM_COLOR),
    ]
    result = judged(
        assert_custom_settable, "AMB-CUSTOM-SETTABLE", CUSTOM, traced(procedure(AMBIENT, steps), "Hood")
    )
    assert (result.verdict, MIMICRY in result.message, result.exempt) == ("inconclusive", True, "")


@pytest.mark.parametrize("status", [200, 404])
def test_a_state_that_held_is_named(status: int) -> None:
    """A refusal, or a write without effect, while the appliance is off names X4 as the state it is open
    through.
    """
    if status == 200:
        steps = [read(POWER, OFF), read(LOCK, shown=False), *attempt(LOCK, True, False, False) * 2]
        result = judged(assert_writable, "SET-WRITABLE", LOCK, traced(procedure(setting_group(LOCK), steps)))
    else:
        seen = seen_of(profile_of(appliance={"supports": [LOCK]}), value(POWER, OFF), refusal(LOCK))
        result = judged(assert_readable, "READ-SETTING", LOCK, seen)
    assert (result.verdict, result.exempt) == ("inconclusive", "X4")


def test_a_clause_about_a_value_that_is_refused_names_the_state() -> None:
    """A clause that has no value to judge, because the key is refused while the appliance is off, is open
    through X4, too.
    """
    seen = seen_of(profile_of(appliance={"supports": [LOCK]}), value(POWER, OFF), refusal(LOCK))
    assert judged(assert_boolean, "TYPE-BOOLEAN", LOCK, seen).exempt == "X4"
