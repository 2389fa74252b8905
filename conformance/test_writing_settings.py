"""Settings can be written, and a write changes what it names.

> The service exposes, per home appliance, a set of settings (configurable properties) and a set of statuses
> (read-only states).
"""

from conformance.cases import CATALOG, Judge, each, each_appliance
from conformance.checks import notes
from conformance.checks.groups import Purpose, isolation_group, setting_group
from conformance.checks.writes import settings
from conformance.checks.writes.judging import judge_writes

_LIMITED = tuple(entry for entry in CATALOG.settings if entry.range or entry.own_range or entry.line == 57)


@each(CATALOG.settings, clause="SET-WRITABLE", written=setting_group, purpose=Purpose.ANOTHER_VALUE)
def test_setting_takes_another_value(judge: Judge) -> None:
    """Another allowed value that is written is there within the settle time, and stays."""
    judge(judge_writes(settings.another_value))


@each(CATALOG.settings, clause="SET-ONLY-TARGET", written=setting_group, purpose=Purpose.NEIGHBOURS)
def test_write_changes_what_it_names(judge: Judge) -> None:
    """A write of one setting changes no unrelated one."""
    judge(judge_writes(settings.only_target))


@each(CATALOG.settings, clause="ADDR-HAID-ISOLATION", written=isolation_group)
def test_write_stays_on_its_appliance(judge: Judge) -> None:
    """A write on one appliance leaves the same key of another as it was."""
    judge(judge_writes(settings.isolated))


@each(_LIMITED, clause="RANGE-WRITE-BOUNDS", written=setting_group, purpose=Purpose.BOTH_ENDS)
def test_both_ends_can_be_written(judge: Judge) -> None:
    """The lowest and the highest value of the range can be written."""
    judge(judge_writes(settings.both_ends))


@each_appliance(clause="PROT-WRITE")
def test_writes_are_noted(judge: Judge) -> None:
    """How writing is declared and how writes were answered is recorded."""
    judge(notes.note_writes)
