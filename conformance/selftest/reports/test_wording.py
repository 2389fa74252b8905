"""The words of the reports: what is folded into one reason, and what is left as it was said."""

from __future__ import annotations

import pytest

from conformance.selftest.support.sample_results import JudgedAppliance, a_case
from reports.phrases import mask

POWER = "Vendor.Common.Setting.PowerState"
OWN = JudgedAppliance("one", "Oven")
REASONS = {
    f"{POWER} gave no answer": "<key> gave no answer",
    "PowerState of one was not read": "<key> of <haId> was not read",
    "no one else answered: none, phone, one-2, PowerState2": (
        "no <haId> else answered: none, phone, one-2, PowerState2"
    ),
    '"Vendor.Common.EnumType.PowerState.On" is PowerState.': (
        '"Vendor.Common.EnumType.PowerState.On" is <key>.'
    ),
    "unit is Vendor.Common.EnumType.PowerState.On": "unit is Vendor.Common.EnumType.PowerState.On",
    r'a name "say \" one \" twice" for one': r'a name "say \" one \" twice" for <haId>',
}
"""A reason as a case gives it, and as it stands where equal reasons are counted together."""


@pytest.mark.parametrize("said", REASONS)
def test_reason_is_folded_without_touching_values(said: str) -> None:
    """The case's own key and appliance are replaced as whole words, and not in values."""
    assert (
        mask(a_case("PWR-READBACK", "inconclusive", key=POWER, appliance=OWN, message=said)) == REASONS[said]
    )
