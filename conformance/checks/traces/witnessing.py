"""Writes that others were seen to make: what keeps one from proving anything.

A run reads what it has to know before it writes, and sees whether somebody else acts. Others read what they
need. So a write of theirs contradicts nothing where a state that may explain it was not looked at, where an
earlier write may still be on its way, or where something moved that nobody was seen to write.
"""

from collections.abc import Iterator
from itertools import chain, pairwise

from catalog.keys import ALARM_CLOCK, LOCAL_CONTROL, OPERATION_STATE, POWER_STATE, SUPER_MODES, short_name
from catalog.loader import CATALOG
from conformance.checks.answer import Answer
from conformance.checks.case import samples
from conformance.checks.groups import WATCH
from conformance.checks.traces.expecting import Comes, Evaluation
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.model.couplings import are_tied, controllers_of, write_controllers_of
from conformance.model.json_values import quoted, same
from conformance.model.state_table import SHOWING_WHO_ACTS, STATE_ROWS

_END_BY_THEMSELVES = frozenset({ALARM_CLOCK, *SUPER_MODES})
"""Settings that an appliance takes back when their time is over (lines 41, 48)."""


def why_unproven(seen: View, one: Evaluation) -> str:
    """Why what follows a write of others contradicts nothing; empty where nothing keeps it from that."""
    attempt = one.attempt
    if missed := _not_looked_at(seen, one):
        return f"not seen at that time: {', '.join(map(short_name, missed))}"
    reasons = (
        _on_its_way(seen, attempt),
        _moved_by_others(attempt),
        _known_of_others(seen, one),
        _unknown_text(seen, one),
    )
    return next(chain.from_iterable(reasons), "")


def _not_looked_at(seen: View, one: Evaluation) -> list[str]:
    """The keys of which nobody has seen whether they show a state that may explain what a key shows.

    Where a written value did not come, that is any state that may keep it out. What came and must not is
    excused by others who act alone, and by what may move it.
    """
    written, shown = one.attempt.key, one.shown.key
    rows = [row for row in STATE_ROWS if row.acts or written in row.blurs]
    needed = {row.controller for row in rows} | controllers_of(shown)
    if isinstance(one.expect, Comes):
        needed |= write_controllers_of(written)
    return [
        key
        for key in seen.tried
        if key in needed - {written, shown}
        and seen.claim(key) != "no"
        and not _is_known(seen, one.attempt, key)
    ]


def _is_known(seen: View, attempt: Attempt, key: str) -> bool:
    """Whether a key showed a value before a write, or none whenever anybody looked."""
    read, any_read = attempt.old_read(key), seen.read(key)
    if read and read.has_value:
        return True
    return any_read is not None and not any_read.has_value and any_read.is_refusal


def _on_its_way(seen: View, attempt: Attempt) -> Iterator[str]:
    """An earlier write whose effect may come yet."""
    for one in attempt.earlier:
        waited_s = attempt.answer.began - one.answer.ended
        may_come = one.is_acknowledged and waited_s < seen.profile.timing.settle_seconds(one.key)
        took = any(same(read.value, one.value) for read in one.reads())
        if may_come and not took and are_tied(one.key, attempt.key):
            yield f"{short_name(one.key)} had been written just before"


def _moved_by_others(attempt: Attempt) -> Iterator[str]:
    """What was seen to move after a write, and not by it."""
    reads: dict[str, list[Answer]] = {}
    for read in attempt.after:
        if read.has_value:
            reads.setdefault(read.key, []).append(read)
    for key in SHOWING_WHO_ACTS:
        old = attempt.old_read(key)
        if key != attempt.key and old and old.has_value and key in reads:
            reads[key].insert(0, old)
    for key, row in reads.items():
        if key == LOCAL_CONTROL and row[-1].value is True:
            yield "somebody operated the appliance"
        for one, other in pairwise(row):
            if not same(one.value, other.value) and not _is_of_itself(attempt, key, one, other):
                moved = f"from {quoted(one.value)} to {quoted(other.value)}"
                yield f"{short_name(key)} went {moved}, which nobody was seen to write"


def _known_of_others(seen: View, one: Evaluation) -> Iterator[str]:
    """Somebody else who writes what was written, or what shows it, at any time."""
    for remark in seen.remarks.get(WATCH, ()):
        if remark.key in {one.attempt.key, one.shown.key}:
            note = remark.note
            moved = f"{short_name(remark.key)} went from {note['from']} to {note['to']} ({note['at']})"
            yield f"{moved}, which nobody was seen to write"


def _unknown_text(seen: View, one: Evaluation) -> Iterator[str]:
    """A text that was not taken, and that nothing shows to be one that the setting takes (lines 60, 70)."""
    attempt = one.attempt
    if CATALOG.entries[attempt.key].type != "String" or not isinstance(one.expect, Comes):
        return
    shown = (read.value for read in seen.told if read.key == attempt.key and read.has_value)
    if attempt.value not in samples(seen.appliance, attempt.key) and attempt.value not in shown:
        yield "the format of its texts is not shown"


def _is_of_itself(attempt: Attempt, key: str, one: Answer, other: Answer) -> bool:
    """Whether a key may have moved without a further write: by that one, or as it does."""
    if key == attempt.key:
        return same(other.value, attempt.value) or key in _END_BY_THEMSELVES
    if key == OPERATION_STATE:
        between = {short_name(one.value), short_name(other.value)} == {"Ready", "Inactive"}
        return between or attempt.key == POWER_STATE
    is_status = ".Status." in key and key not in SHOWING_WHO_ACTS
    return is_status or key in _END_BY_THEMSELVES
