"""Operation state fits power state; statuses that revert on their own, and what only some appliances have.

> Inactive | Vendor.Common.EnumType.OperationState.Inactive | Switched off or in standby
"""

from catalog import keys
from conformance.cases import Judge, each, each_appliance
from conformance.checks.groups import DAY, POWER_ORDERS, TOUCH, WALK
from conformance.checks.writes import operation


@each(keys.OPERATION_STATE, clause="OPS-INACTIVE", written=WALK, besides=POWER_ORDERS)
def test_inactive_means_off_or_standby(judge: Judge) -> None:
    """OperationState Inactive implies PowerState Off or Standby."""
    judge(operation.assert_inactive_is_off)


@each(keys.OPERATION_STATE, clause="OPS-READY", written=WALK, besides=POWER_ORDERS)
def test_ready_means_on(judge: Judge) -> None:
    """OperationState Ready implies PowerState On."""
    judge(operation.assert_ready_is_on)


@each(keys.OPERATION_STATE, clause="OPS-ON-NOT-INACTIVE", written=WALK, besides=POWER_ORDERS)
def test_on_is_not_inactive(judge: Judge) -> None:
    """While PowerState is On, OperationState is not Inactive."""
    judge(operation.assert_on_is_not_inactive)


@each(keys.LOCAL_CONTROL, clause="SELF-LOCALCONTROL", besides=TOUCH)
def test_local_control_reverts(judge: Judge) -> None:
    """LocalControlActive returns to false after a few seconds without intervention."""
    judge(operation.assert_local_control_reverts)


@each_appliance(clause="SELF-LOCALEVENT", besides=TOUCH)
def test_local_control_event_is_noted(judge: Judge) -> None:
    """Whether a channel for events is declared is recorded."""
    judge(operation.note_event)


@each(keys.REMOTE_START, clause="SELF-RCSA-24H", besides=DAY)
def test_remote_start_over_a_day_is_noted(judge: Judge) -> None:
    """Whether RemoteControlStartAllowed ends after a day is recorded; it can, and usually does."""
    judge(operation.note_day)


@each(keys.CAMERA_STATE, clause="OPT-CAMERA")
def test_camera_state_needs_a_camera(judge: Judge) -> None:
    """An appliance declared without a streaming camera does not return CameraState."""
    judge(operation.assert_camera_only_with_one)
