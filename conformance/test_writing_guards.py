"""What is not allowed does not take effect, and statuses cannot be written.

> possible values | enumeration keys, true/false, or a numeric range | Allowed values
"""

from functools import partial

from catalog import keys
from conformance.cases import CATALOG, Judge, each
from conformance.checks.groups import Purpose, guard_group, probe_group
from conformance.checks.writes import settings, statuses
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.requirements import beside_setting, beside_status

_LIMITED = tuple(entry for entry in CATALOG.settings if entry.range or entry.own_range or entry.line == 57)
_ENUMERATIONS = tuple(entry for entry in CATALOG.settings if entry.type == "Enumeration")
_READ_ONLY = tuple(entry for entry in CATALOG.statuses if entry.key != keys.REMOTE_START)
_forbidden = partial(each, written=guard_group, besides=beside_setting)


@_forbidden(CATALOG.settings, clause="SET-TYPEGUARD", purpose=Purpose.WRONG_TYPES)
def test_value_of_a_wrong_type_has_no_effect(judge: Judge) -> None:
    """After a value of another type was written, the value that reads back has the type of the catalog."""
    judge(judge_writes(settings.right_type))


@_forbidden(_ENUMERATIONS, clause="SET-ENUMGUARD", purpose=Purpose.NO_MEMBERS)
def test_unknown_value_has_no_effect(judge: Judge) -> None:
    """After a write of a value outside the enumeration, one of the catalog's values reads back."""
    judge(judge_writes(settings.a_member))


@_forbidden(_LIMITED, clause="RANGE-WRITE-OUT", purpose=Purpose.OUTSIDE)
def test_value_outside_the_range_has_no_effect(judge: Judge) -> None:
    """After a value just outside the range was written, the value that reads back is inside."""
    judge(judge_writes(settings.inside))


@each(_READ_ONLY, clause="STA-READONLY", written=probe_group, besides=beside_status)
def test_status_cannot_be_written(judge: Judge) -> None:
    """An attempt to write a status does not set it."""
    judge(judge_writes(statuses.read_only))


@each(keys.REMOTE_START, clause="STA-RCSA-DISABLE-ONLY", written=probe_group, besides=beside_status)
def test_remote_start_can_only_be_disabled(judge: Judge) -> None:
    """A program may make RemoteControlStartAllowed false, never true."""
    judge(judge_writes(statuses.only_disabled))
