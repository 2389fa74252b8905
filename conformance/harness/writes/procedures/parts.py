"""Parts of the procedures that write, for `yield from`: a premise, a write, and the reads until it settles.

What was written is put back by whoever runs a procedure, however it ends.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec.structs import replace
from pydantic import JsonValue

from catalog.model import Entry
from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import WRITES
from conformance.checks.groups import Group
from conformance.checks.reads.tries import LEAST_TRIES, odds
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.traces.trace import reads_back
from conformance.checks.view import View, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.reads.repeats import tries_ended
from conformance.harness.steps import Ask, Handing, Part, Pause
from conformance.harness.writes.procedures.requests import write
from conformance.model.couplings import write_controllers_of
from conformance.model.json_values import same
from conformance.model.state_table import SHOWING_WHO_ACTS, StateId
from conformance.model.states import may_write_now
from conformance.model.values import Values
from conformance.profiles.model import PROTECTING

STAYS_AFTER_S = 2.0
_FIRST_POLL = 16
"""The first pause between two polls is so many times shorter than `timing.poll_s`."""


def begin_writing(
    seen: View, key: str, group: Group, *, despite: Collection[StateId] = ()
) -> Part[Answer | None]:
    """Reads what may lock a key, then the key; None where it must not be written now, or is read-only.

    `despite` are the states that do not keep it from being written.
    """
    shown = yield from read_controllers(seen, [key], group, Handing.TAKEN)
    before = yield reread(seen, key, group)
    may = may_write_now(with_reads(seen, [*shown, before]), key, despite)
    is_open = seen.admits(before) and not before.shown.is_read_only
    return before if is_open and may else None


def could_be_written(seen: View, entry: Entry) -> bool:
    """Whether a setting was seen with a value, and nothing that kept it from being written."""
    found = seen.reads.get(("settings", entry.key))
    is_open = found is not None and seen.admits(found) and not found.shown.is_read_only
    return is_open and may_write_now(seen, entry.key)


def read_controllers(
    seen: View, keys: Sequence[str], group: Group, handing: Handing = Handing.NONE
) -> Part[list[Answer]]:
    """Reads the served keys that may lock one of `keys`, or show that somebody else acts."""
    needed = {controller for key in keys for controller in write_controllers_of(seen.catalog, key)} - set(
        keys
    )
    served = [
        entry
        for key, entry in seen.catalog.entries.items()
        if key in needed and key in seen.tried and seen.value(key) is not None
    ]
    return (yield from _read(seen, [entry.key for entry in served], group, handing))


def end_writing(seen: View, group: Group) -> Part[None]:
    """Reads at the end what would show that somebody else acted meanwhile."""
    yield from read_acting(seen, group, Handing.LEFT)


def read_acting(seen: View, group: Group, handing: Handing = Handing.NONE) -> Part[list[Answer]]:
    """What shows whether somebody else, or a program, acts on the appliance now."""
    keys = [key for key in SHOWING_WHO_ACTS if key in seen.tried and seen.value(key) is not None]
    return (yield from _read(seen, keys, group, handing))


def _read(seen: View, keys: Sequence[str], group: Group, handing: Handing) -> Part[list[Answer]]:
    """Reads some keys; what met an error, which says nothing of the appliance, again."""
    asks = [replace(reread(seen, key, group), handing=handing) for key in keys]
    answers = last = yield from ask_all(asks)
    for _ in range(LEAST_TRIES - 1):
        asks = [ask for ask, answer in zip(asks, last, strict=True) if answer.is_error]
        if not asks:
            break
        yield Pause(seen.profile.retry_s)
        last = yield from ask_all(asks)
        answers = [*answers, *last]
    return answers


def read_protecting(seen: View, group: Group) -> Part[list[Answer]]:
    """What shows whether the appliance is protected now."""
    keys = [key for key in seen.catalog.entries if key in PROTECTING]
    served = [key for key in keys if key in seen.tried and seen.value(key) is not None]
    return (yield from ask_all([reread(seen, key, group) for key in served]))


def write_until_read_back(  # noqa: PLR0913  how often, and whether more is written, are words of their own
    seen: View, entry: Entry, value: JsonValue, group: Group, *, once: bool = False, is_last: bool = False
) -> Part[bool]:
    """Writes a value until it reads back and stays, or only `once`; whether it did.

    `is_last` says that nothing else is written then.
    """
    settle_s = seen.profile.timing.settle_seconds(entry.key)
    tries: list[Answer] = []
    while not tries or needs_another_try(seen, tries, convicts=seen.appliance.is_writable(entry.key)):
        if tries:
            yield Pause(seen.profile.retry_s)
        sent = yield write(seen, group, entry.key, value)
        tries.append(sent)
        refused = sent.outcome in {Outcome.REFUSED, Outcome.SERVERERR}
        before = yield reread(seen, entry.key, group)
        tries.append(before)
        values = seen.values(entry.key, before)

        def took(answer: Answer, sent: Answer = sent, values: Values = values) -> bool:
            return reads_back(values, value, answer, sent)

        last = before if refused or took(before) else (yield from read_until(seen, entry.key, group, took))
        if took(last):
            yield Pause(min(STAYS_AFTER_S, settle_s), is_quiet=True, is_last=once and is_last)
            last = yield reread(seen, entry.key, group)
            if took(last):
                return True
        if once or (sent.outcome is Outcome.REFUSED and not seen.appliance.is_writable(entry.key)):
            return False
    if any(answer.outcome is Outcome.SERVERERR for answer in _writes(tries)):
        yield tries_ended(seen, group, entry.key, len(_writes(tries)), tries)
    return False


def write_until_shown(seen: View, entry: Entry, value: JsonValue, group: Group) -> Part[bool]:
    """Writes a value once, and reads it until it shows; whether it did."""
    sent = yield write(seen, group, entry.key, value)
    first = yield reread(seen, entry.key, group)
    values = seen.values(entry.key, first)

    def took(answer: Answer) -> bool:
        return reads_back(values, value, answer, sent)

    if took(first) or sent.outcome is Outcome.REFUSED:
        return took(first)
    return took((yield from read_until(seen, entry.key, group, took)))


def wait_quietly(seen: View, key: str) -> Part[None]:
    """Waits as long as it takes to know that nothing further happens."""
    yield Pause(seen.profile.timing.settle_seconds(key), is_quiet=True)


def watch(seen: View, key: str, group: Group, segment: str = "settings") -> Part[Answer]:
    """Reads a key that must not change, at once and when it is known that nothing comes; the last read."""
    yield reread(seen, key, group, segment)
    yield from wait_quietly(seen, key)
    return (yield reread(seen, key, group, segment))


def watch_wrong(seen: View, entry: Entry, group: Group) -> Part[Answer]:
    """Reads a value that must not be there once more, when it is known to stay; the last read.

    How long nothing comes says nothing of how long what came takes to go: the first is given the settle time.
    """
    yield Pause(seen.profile.timing.settle_seconds(entry.key), for_wrong=True)
    return (yield reread(seen, entry.key, group))


def look_for_wrong(seen: View, asks: Sequence[Ask]) -> Part[list[Answer]]:
    """Reads some keys once; a wrong value once more, when it is known to stay. Returns: the first reads."""
    shown = yield from ask_all([*asks])
    wrong = [
        ask for ask, answer in zip(asks, shown, strict=True) if answer.has_value and not seen.admits(answer)
    ]
    if wrong:
        yield Pause(max(seen.profile.timing.settle_seconds(ask.key) for ask in wrong), for_wrong=True)
        yield from ask_all(wrong)
    return shown


def look_at_statuses(seen: View, group: Group) -> Part[None]:
    """Looks so at every status, but at none that shows whether somebody acts."""
    found = [place for place, read in seen.reads.items() if ".Status." in place[1] and read.has_value]
    beside = [place for place in found if place[1] not in SHOWING_WHO_ACTS]
    yield from look_for_wrong(seen, [reread(seen, key, group, segment) for segment, key in beside])


def needs_another_try(seen: View, tries: list[Answer], *, convicts: bool) -> bool:
    """Whether to write a value once more, after the writes and reads of `tries`.

    A server error is a refusal only where it comes back so often that chance does not explain it; where a
    refusal `convicts` nobody, that need not be known.
    """
    errors = [answer for answer in _writes(tries) if answer.outcome is Outcome.SERVERERR]
    if len(_writes(tries)) < TIMES:
        return True
    if not convicts or len(errors) < len(_writes(tries)):
        return False
    now = odds(seen, tries)
    return now.is_within_budget and len(errors) < now.needed


def _writes(tries: list[Answer]) -> list[Answer]:
    return [answer for answer in tries if answer.exchange.purpose in WRITES]


def read_until(
    seen: View, key: str, group: Group, reached: Callable[[Answer], bool], segment: str = "settings"
) -> Part[Answer]:
    """Reads a key until `reached`, ever more slowly, or until the settle time is over; the last read."""
    answer = first = yield reread(seen, key, group, segment)
    for seconds in poll_pauses(seen, key):
        if reached(answer) or is_over(seen, first, answer):
            break
        yield Pause(seconds)
        answer = yield reread(seen, key, group, segment)
    return answer


def is_over(seen: View, first: Answer, now: Answer) -> bool:
    """Whether a read is so much later than the first one of its key that the settle time is over."""
    return now.began - first.began >= seen.profile.timing.settle_seconds(now.exchange.key)


def poll_pauses(seen: View, key: str) -> Iterator[float]:
    """The pauses between the reads of a key until its settle time is over, where answers take no time."""
    poll_s = seen.profile.timing.poll_s / _FIRST_POLL
    waited_s = 0.0
    while waited_s < seen.profile.timing.settle_seconds(key):
        yield poll_s
        waited_s += poll_s
        poll_s = min(2 * poll_s, seen.profile.timing.poll_s)


def show_the_same(first: Sequence[Answer], now: Sequence[Answer]) -> bool:
    """Whether reads of the same keys show the same values, as far as both could be read."""
    pairs = [pair for pair in zip(first, now, strict=False) if pair[0].has_value and pair[1].has_value]
    return all(same(before.value, after.value) for before, after in pairs)


def ask_all(watched: list[Ask]) -> Part[list[Answer]]:
    """The answers to some reads, one after the other."""
    answers: list[Answer] = []
    for ask in watched:
        answers.append((yield ask))  # noqa: PERF401  a generator cannot yield within a comprehension
    return answers
