"""What writes did: the exchanges of a procedure that wrote, read as one attempt after another.

An attempt is one write, with what had been read before it and what was read after it, up to the next write.
Checks judge attempts and never ask who made them: a guarded write, the power walk and a tour
leave the same kind of trace, and a saved ledger gives it again. Elapsed time is that of the ledger.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile

from msgspec import Struct
from msgspec.structs import replace

from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import WRITES, Exchange
from conformance.checks.groups import Group
from conformance.checks.reads.tries import noted
from conformance.checks.view import View, with_reads
from conformance.model.couplings import may_move
from conformance.model.json_values import NOTHING, same

CLOCK_TOLERANCE_S = 0.005  # the ledger keeps milliseconds
STAYS_AFTER_S = 2.0
"""How long after it was read a value that was taken is read once more, in seconds: it has to stay."""
AT_ONE_TIME_S = 60.0
"""For how long what others read of an appliance tells how it is, while nobody writes."""


class Attempt(Struct, frozen=True, eq=False):
    """One write of a procedure.

    `answer` is the answer to the write; `before` the last read of each (ha_id, segment, key) that the
    procedure had made by then,
    `after` the reads that followed, in order, up to its next write. `comes_back` says that the write was
    answered with a server error so often, while the key could be read, that chance does not explain it.
    One that `was_read_twice` had a lasting effect that shows in two reads: that counts as much as two
    writes. `previous` is the write before it in the same procedure.
    """

    answer: Answer
    before: Mapping[tuple[str, str, str], Answer]
    after: tuple[Answer, ...]
    comes_back: bool = False
    was_read_twice: bool = False
    previous: "Attempt | None" = None

    @property
    def key(self) -> str:
        """The key that was written."""
        return self.answer.key

    @property
    def ha_id(self) -> str:
        """The appliance that was written to."""
        return self.answer.ha_id

    @property
    def segment(self) -> str:
        """The segment that was written to: status for a probe of a status."""
        return self.answer.segment

    @property
    def value(self) -> object:
        """The value that was to be written, as on the wire."""
        return self.answer.exchange.value

    @property
    def is_acknowledged(self) -> bool:
        """Whether the answer was a success."""
        return self.answer.is_acknowledged

    @property
    def is_refused(self) -> bool:
        """Whether the answer was a refusal; a server error counts as one only where it comes back."""
        return self.answer.outcome is Outcome.REFUSED or (
            self.answer.outcome is Outcome.SERVERERR and self.comes_back
        )

    @property
    def earlier(self) -> Iterator["Attempt"]:
        """The writes before it in the same procedure, the last one first."""
        one = self.previous
        while one is not None:
            yield one
            one = one.previous

    @property
    def words(self) -> str:
        """The answer to the write in a few words: `acknowledged (204)`, `409 (refused)`."""
        return f"acknowledged ({self.answer.status})" if self.is_acknowledged else self.answer.words

    def old(self, key: str | None = None, *, ha_id: str | None = None) -> object:
        """The value last read before the write, of the written key or of `key`; NOTHING if none was."""
        read = self.old_read(key, ha_id=ha_id)
        return read.value if read else NOTHING

    def old_read(self, key: str | None = None, *, ha_id: str | None = None) -> Answer | None:
        """The last read before the write, of the written key or of another; None where there was none."""
        wanted = (ha_id or self.ha_id, key or self.key)
        found = [answer for (owner, _, name), answer in self.before.items() if (owner, name) == wanted]
        return found[-1] if found else None

    def reads(self, key: str | None = None, *, ha_id: str | None = None) -> list[Answer]:
        """The reads after the write, of the written key or of another."""
        wanted = (ha_id or self.ha_id, key or self.key)
        return [answer for answer in self.after if (answer.ha_id, answer.key) == wanted]

    def last(self, key: str | None = None) -> object:
        """The value last read after the write; NOTHING where none was."""
        reads = self.reads(key)
        return reads[-1].value if reads else NOTHING

    def last_read(self, key: str | None = None) -> Answer | None:
        """The last read after the write that gave a value, of the written key or of `key`, or None."""
        return next((answer for answer in reversed(self.reads(key)) if answer.has_value), None)

    def watched(self) -> float:
        """Seconds from the answer of the write to the last read of its key after it."""
        reads = self.reads()
        return max(0.0, reads[-1].began - self.answer.ended) if reads else 0.0

    def is_settled(self, seconds: float) -> bool:
        """Whether its key was watched for so many seconds after the write."""
        return bool(self.reads()) and self.watched() >= seconds - CLOCK_TOLERANCE_S

    def seen_before(self, seen: View) -> View:
        """The appliance as it was known right before the write."""
        return with_reads(
            seen, [answer for (owner, _, _), answer in self.before.items() if owner == self.ha_id]
        )

    def seen_after(self, seen: View) -> View:
        """The appliance as it was known by the last read after the write."""
        return with_reads(
            self.seen_before(seen), [answer for answer in self.after if answer.ha_id == self.ha_id]
        )


def attempts(seen: View, *groups: Group, key: str = "") -> list[Attempt]:
    """The writes of some procedures, of one `key` where it is named, without those that put a value back."""
    made = (attempt for group in groups for attempt in _with_errors_that_come_back(seen, group))
    return [attempt for attempt in made if key in {"", attempt.key}]


def in_rows(tried: Sequence[Attempt]) -> Iterator[Attempt]:
    """Writes of one key in their order; one that another followed unread, with what was read after their row.

    That tells of it only where the key is as it was before: what is wrong may be any write's of the row.
    """
    for index, attempt in enumerate(tried):
        last = next((one for one in tried[index:] if one.reads()), attempt)
        has_stayed = all(same(read.value, attempt.old()) for read in last.reads())
        yield replace(attempt, after=last.after) if last is not attempt and has_stayed else attempt


def reads_until(seen: View, after: Answer, key: str, is_ended_by: Callable[[str], bool]) -> list[Answer]:
    """What any procedure read of a key after an answer, before a key was written that ends that."""
    later = islice(seen.told, bisect_right(seen.told, after.n, key=lambda one: one.n), None)
    until = takewhile(lambda one: not (one.is_write and is_ended_by(one.key)), later)
    return [one for one in until if one.key == key and one.has_value and not one.is_write]


def tries_to_put_back(seen: View, key: str) -> list[Attempt]:
    """The writes that were to put an entry back, whatever procedure they were made in, in their order.

    What had come by then, and goes when its settle time is over, may have been moved by somebody else.
    """
    made = _attempts(seen.told, lambda one: one.purpose == "restore" and one.key == key)
    return [_until_settled(one, seen.profile.timing.settle_seconds(key) + STAYS_AFTER_S) for one in made]


def _until_settled(attempt: Attempt, most_s: float) -> Attempt:
    """The attempt; one whose value had come by then without the later reads that do not show it."""

    def is_soon(read: Answer) -> bool:
        return _seconds(attempt.answer, read) <= most_s

    def shows(read: Answer) -> bool:
        return same(read.value, attempt.value)

    if not any(is_soon(read) and read.key == attempt.key and shows(read) for read in attempt.after):
        return attempt
    return replace(attempt, after=tuple(read for read in attempt.after if is_soon(read) or shows(read)))


def _with_errors_that_come_back(seen: View, group: Group) -> list[Attempt]:
    tried = writes_in(seen, seen.group(group))
    failed = [
        attempt for attempt in tried if attempt.answer.outcome is Outcome.SERVERERR and attempt.last_read()
    ]
    odds = {key: noted(seen, group, key) for key in {attempt.key for attempt in failed}}

    def comes_back(one: Attempt) -> bool:
        alike = [other for other in failed if other.key == one.key and same(other.value, one.value)]
        found = odds.get(one.key)
        return one in failed and found is not None and found.are_met_by(len(alike))

    return [replace(one, comes_back=comes_back(one)) if one in failed else one for one in tried]


def writes_in(seen: View, answers: Sequence[Answer]) -> Sequence[Attempt]:
    """The writes of one procedure; of those that others made, only with what was read at one time with each.

    That was read shortly before, with no write since that may move it, or in a row after it.
    """
    if not seen.witnessed:
        return trace_of(answers)
    return seen.once(id(answers), lambda its: tuple(_at_one_time(its, trace_of(answers))))


def _at_one_time(seen: View, made: Iterable[Attempt]) -> Iterator[Attempt]:
    standing: dict[tuple[str, str, str], Answer] = {}
    last: Attempt | None = None
    for one in made:
        written = last.answer.n if last else 0
        moved = {place for place in standing if last and may_move(last.key, place[2])}
        standing = {
            place: read
            for place, read in one.before.items()
            if read.n > written or (standing.get(place) is read and place not in moved)
            if _seconds(read, one.answer) <= AT_ONE_TIME_S
        }
        most_s = seen.profile.timing.settle_seconds(one.key) + AT_ONE_TIME_S
        is_near = last is not None and _seconds(last.answer, one.answer) <= most_s
        after = tuple(_in_a_row(one, most_s))
        last = replace(one, before=standing, after=after, previous=last if is_near else None)
        yield last


def _in_a_row(attempt: Attempt, most_s: float) -> Iterator[Answer]:
    """The reads after a write that follow each other without a long pause."""
    last = attempt.answer
    for read in attempt.after:
        if _seconds(last, read) > AT_ONE_TIME_S or _seconds(attempt.answer, read) > most_s:
            return
        yield read
        last = read


def _seconds(one: Answer, later: Answer) -> float:
    return later.began - one.ended


def trace_of(answers: Sequence[Answer]) -> list[Attempt]:
    """The writes of one procedure, from its answers in the order they came."""
    return list(_attempts(answers, lambda one: one.purpose == "write"))


def _attempts(answers: Sequence[Answer], is_one: Callable[[Exchange], bool]) -> Iterator[Attempt]:
    before: dict[tuple[str, str, str], Answer] = {}
    made: Attempt | None = None
    for index, answer in enumerate(answers):
        exchange = answer.exchange
        if is_one(exchange):
            following: list[Answer] = []
            for later in islice(answers, index + 1, None):
                if later.is_write:
                    break
                following.append(later)
            made = Attempt(answer, dict(before), tuple(following), previous=made)
            yield made
        elif exchange.purpose not in WRITES:
            before.pop((exchange.ha_id, exchange.segment, exchange.key), None)
            before[exchange.ha_id, exchange.segment, exchange.key] = answer


def opening(seen: View, *groups: Group) -> tuple[Answer, ...]:
    """The reads of the first of some procedures that was run, before its first write: its premise."""
    answers = next((found for group in groups if (found := seen.group(group))), ())
    cut = next((index for index, answer in enumerate(answers) if answer.is_write), len(answers))
    return answers[:cut]
