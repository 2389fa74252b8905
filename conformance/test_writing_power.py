"""The power state moves by writes, along the listed edges.

> The power state (setting) moves by writes
"""

from functools import partial

from catalog import keys
from conformance.cases import Judge, each
from conformance.checks.groups import POWER_ORDERS, WALK, Purpose
from conformance.checks.writes import power
from conformance.checks.writes.judging import judge_writes

_walked = partial(each, keys.POWER_STATE, written=WALK, besides=POWER_ORDERS)


@_walked(clause="PWR-OFF-ON")
@_walked(clause="PWR-ON-OFF")
@_walked(clause="PWR-ON-STANDBY")
@_walked(clause="PWR-STANDBY-ON")
@_walked(clause="PWR-STANDBY-OFF")
def test_listed_edge_leads_to_the_written_state(judge: Judge) -> None:
    """A write along a listed edge leads to the state that was written, on an appliance that has it."""
    judge(judge_writes(power.edge))


@_walked(clause="PWR-OFF-STANDBY")
def test_standby_from_off_is_noted(judge: Judge) -> None:
    """What comes of Standby that is written to an appliance that is off is recorded."""
    judge(power.note_standby_from_off)


@_walked(clause="PWR-SELF")
def test_write_of_the_present_state_is_noted(judge: Judge) -> None:
    """What comes of writing the power state that an appliance has is recorded."""
    judge(power.note_present_state)


@each(keys.POWER_STATE, clause="PWR-UNSUPPORTED", written=WALK, purpose=Purpose.UNSUPPORTED_STATES)
def test_unsupported_state_is_not_reached(judge: Judge) -> None:
    """The appliance is in no power state that it does not support, and a write leads into none."""
    judge(judge_writes(power.not_reached))


@_walked(clause="PWR-NO-FOREIGN")
def test_no_write_leads_to_a_third_state(judge: Judge) -> None:
    """A power write settles in the written state or the old one."""
    judge(judge_writes(power.no_third_state))


@_walked(clause="PWR-READBACK")
def test_state_is_more_than_an_echo(judge: Judge) -> None:
    """After a power write PowerState agrees with OperationState."""
    judge(judge_writes(power.in_agreement))
