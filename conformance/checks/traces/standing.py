"""Which wrong values stood: what a key showed at any read of a run, whatever that was made for.

A read alone may show a value on its way to another one, right after a write, also of one that is refused. So
one counts once no write that may move the key was made for the settle time, but refused ones of allowed
values. A finding takes two of those, or reads in a row that show wrong values for the whole settle time.
"""

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from catalog.keys import ALARM_CLOCK
from conformance.checks.answer import Answer, Outcome
from conformance.checks.view import View
from conformance.model.couplings import controllers_of
from conformance.model.json_values import is_number, number
from conformance.model.state_table import states_of


class Wrong(Struct, frozen=True):
    """A read that shows a wrong value.

    Attributes:
        read: the read.
        stood_s: how long wrong values had been read by then, and nothing else, since the last write that may
            move the key.
        settled_s: how long that write was ago.
        by: the forbidden write that this run had made before and that put the value there, if one did.
    """

    read: Answer
    stood_s: float
    settled_s: float
    by: Answer | None


def wrong_reads(
    seen: View, key: str, reads: Iterable[Answer], is_wrong: Callable[[Answer], bool]
) -> list[Wrong]:
    """Those of the reads of a key that show a wrong value, in their order."""
    shown = sorted(reads, key=lambda read: read.n)
    wrong = {read.n for read in shown if is_wrong(read)}
    if not wrong:
        return []
    movers = {key, *controllers_of(seen.catalog, key)}
    made = [one for one in seen.told if one.is_write and one.key in movers]
    lifting = {row.controller for row in states_of(seen.catalog) if key in row.lifts}
    found: list[Wrong] = []
    since: Answer | None = None
    right = 0
    for read in shown:
        number = read.n
        before = [one for one in made if one.n < number]
        moved = next((one for one in reversed(before) if one.is_acknowledged or one.is_forbidden), None)
        if number not in wrong:
            since, right = None, number
            continue
        if since is None or (moved is not None and moved.n > since.n):
            since = read
        settled_s = read.began - moved.ended if moved else float("inf")
        lifted = max((one.n for one in before if one.key in lifting), default=0)
        # once it was right again, what a mode shows that was switched since is the doing of the mode
        own = [one for one in before if one.n > lifted] if right < lifted else before
        found.append(Wrong(read, read.began - since.ended, settled_s, _put_there_by(read, own, right)))
    return found


def _put_there_by(read: Answer, before: Sequence[Answer], right: int) -> Answer | None:
    """The forbidden write that led to a wrong value: the last one of that value, else one right before it.

    `right` is the number of the last read before it that showed a right value.
    """
    own = [one for one in before if one.key == read.key and one.exchange.purpose == "write"]
    # what moves by itself may come to show what was refused
    is_still = not moves_by_itself(read.key)
    forbidden = [one for one in own if one.is_forbidden and (is_still or one.outcome is not Outcome.REFUSED)]
    for one in reversed(forbidden):
        written, shown = one.exchange.value, read.value
        if repr(written) == repr(shown) or _are_equal(written, shown) or _ran_down(one, read):
            return one
    return next((one for one in reversed(forbidden) if one.n > right), None)


def _are_equal(one: object, other: object) -> bool:
    return is_number(one) and is_number(other) and one == other


def _ran_down(write: Answer, read: Answer) -> bool:
    """Whether an alarm clock shows what a write has become by then, if it counts the seconds."""
    written, shown = write.exchange.value, read.value
    if read.key != ALARM_CLOCK or not is_number(written) or not is_number(shown):
        return False
    return 0 <= number(written) - number(shown) <= read.ended - write.began + 1


def moves_by_itself(key: str) -> bool:
    """Whether an entry changes though nobody writes it: a status, or the alarm clock, which runs down."""
    return ".Status." in key or key == ALARM_CLOCK


def have_stood(found: Sequence[Wrong], settle_s: float) -> bool:
    """Whether wrong reads are enough for a finding."""
    settled = [one for one in found if one.settled_s >= settle_s]
    return len(settled) > 1 or any(one.stood_s >= settle_s for one in found)
