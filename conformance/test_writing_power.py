"""The power state moves by writes, along the listed edges.

> The power state (setting) moves by writes
"""

from catalog.keys import POWER_STATE
from conformance.cases import Judge, each, keys
from conformance.checks.groups import POWER_ORDERS, WALK, Purpose
from conformance.checks.writes import power, power_readback, unsupported_power


@each(keys(POWER_STATE), clause="PWR-OFF-ON", written=WALK, besides=(POWER_ORDERS,))
@each(keys(POWER_STATE), clause="PWR-ON-OFF", written=WALK, besides=(POWER_ORDERS,))
@each(keys(POWER_STATE), clause="PWR-ON-STANDBY", written=WALK, besides=(POWER_ORDERS,))
@each(keys(POWER_STATE), clause="PWR-STANDBY-ON", written=WALK, besides=(POWER_ORDERS,))
@each(keys(POWER_STATE), clause="PWR-STANDBY-OFF", written=WALK, besides=(POWER_ORDERS,))
def test_listed_edge_leads_to_the_written_state(judge: Judge) -> None:
    """A write along a listed edge leads to the state that was written, on an appliance that has it."""
    judge(power.assert_edge)


@each(keys(POWER_STATE), clause="PWR-OFF-STANDBY", written=WALK, besides=(POWER_ORDERS,))
def test_standby_from_off_is_noted(judge: Judge) -> None:
    """What comes of Standby that is written to an appliance that is off is recorded."""
    judge(power.note_standby_from_off)


@each(keys(POWER_STATE), clause="PWR-SELF", written=WALK, besides=(POWER_ORDERS,))
def test_write_of_the_present_state_is_noted(judge: Judge) -> None:
    """What comes of writing the power state that an appliance has is recorded."""
    judge(power.note_present_state)


@each(keys(POWER_STATE), clause="PWR-UNSUPPORTED", written=WALK, purpose=Purpose.UNSUPPORTED_STATES)
def test_unsupported_state_is_not_reached(judge: Judge) -> None:
    """The appliance is in no power state that it does not support, and a write leads into none."""
    judge(unsupported_power.assert_not_reached)


@each(keys(POWER_STATE), clause="PWR-NO-FOREIGN", written=WALK, besides=(POWER_ORDERS,))
def test_no_write_leads_to_a_third_state(judge: Judge) -> None:
    """A power write settles in the written state or the old one."""
    judge(power.assert_no_foreign_state)


@each(keys(POWER_STATE), clause="PWR-READBACK", written=WALK, besides=(POWER_ORDERS,))
def test_state_is_more_than_an_echo(judge: Judge) -> None:
    """After a power write PowerState agrees with OperationState."""
    judge(power_readback.assert_state_is_read_back)
