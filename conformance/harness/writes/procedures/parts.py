"""Parts of what writes: reads of what may lock a key, and the reads until a value shows."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat, takewhile

from pydantic import JsonValue

from catalog.model import Entry
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import Group
from conformance.checks.reads.tries import LEAST_TRIES
from conformance.checks.traces.effects import reads_back
from conformance.checks.view import View
from conformance.harness.steps import Ask, reread, write
from conformance.harness.writes.asking import Lane
from conformance.model.couplings import locks, write_controllers_of
from conformance.model.state_table import SHOWING_WHO_ACTS

TRIES = 3
_LEAST_LOOKS = 4
_FIRST_POLL = 16
"""The first pause between two polls is so many times shorter than `timing.poll_s`."""


def locking_reads(seen: View, keys: Sequence[str], group: Group) -> tuple[Ask, ...]:
    """Reads of the served keys that may lock one of `keys`, or show that somebody else acts."""
    needed = {controller for key in keys for controller in write_controllers_of(seen.catalog, key)}
    return reads_of(seen, [key for key in seen.catalog.entries if key in needed.difference(keys)], group)


def acting_reads(seen: View, group: Group) -> tuple[Ask, ...]:
    """Reads of what shows whether somebody else, or a program, acts on the appliance now."""
    return reads_of(seen, SHOWING_WHO_ACTS, group)


def protecting_reads(seen: View, group: Group) -> tuple[Ask, ...]:
    """Reads of what shows whether the appliance is protected now."""
    return reads_of(seen, [key for key in seen.catalog.entries if key in locks(seen.catalog)], group)


def status_reads(seen: View, group: Group) -> list[Ask]:
    """Reads of every status, but of none that shows whether somebody acts."""
    found = [place for place, read in seen.reads.items() if ".Status." in place[1] and read.has_value]
    return [reread(seen, key, group, segment) for segment, key in found if key not in SHOWING_WHO_ACTS]


def reads_of(seen: View, keys: Iterable[str], group: Group) -> tuple[Ask, ...]:
    """Reads of some keys, those that give a value."""
    served = (key for key in keys if key in seen.tried and seen.value(key) is not None)
    return tuple(reread(seen, key, group) for key in served)


def read_controllers(lane: Lane, seen: View, keys: Sequence[str], group: Group) -> list[Answer]:
    """Reads what may lock one of `keys`; what met an error, which says nothing of the appliance, again."""
    asks: Sequence[Ask] = locking_reads(seen, keys, group)
    answers = last = lane.ask_all(asks)
    for _ in range(LEAST_TRIES - 1):
        asks = [ask for ask, answer in zip(asks, last, strict=True) if answer.is_error]
        if not asks:
            break
        lane.pause(seen.profile.retry_s)
        last = lane.ask_all(asks)
        answers = [*answers, *last]
    return answers


def answered(lane: Lane, ask: Ask, is_well: Callable[[Answer], bool]) -> Answer:
    """What is answered to a request, which is made again where that is not well."""
    answer = lane.ask(ask)
    for _ in range(TRIES - 1):
        answer = answer if is_well(answer) else lane.ask(ask)
    return answer


def write_until_shown(lane: Lane, seen: View, entry: Entry, value: JsonValue, group: Group) -> bool:
    """Writes a value once, and reads it until it shows; whether it did."""
    sent = lane.ask(write(seen, group, entry.key, value))
    ask = reread(seen, entry.key, group)
    first = lane.ask(ask)
    values = seen.values(entry.key, first)

    def took(answer: Answer) -> bool:
        return reads_back(values, value, answer, sent)

    if took(first) or sent.outcome is Outcome.REFUSED:
        return took(first)
    return took(read_until(lane, seen, ask, took))


def look_for_wrong(lane: Lane, seen: View, asks: Sequence[Ask]) -> list[Answer]:
    """Reads some keys once; a wrong value once more, when it is known to stay. Returns: the first reads."""
    shown = lane.ask_all(asks)
    wrong = [
        ask for ask, answer in zip(asks, shown, strict=True) if answer.has_value and not seen.admits(answer)
    ]
    if wrong:
        lane.pause(max(seen.profile.timing.settle_seconds(ask.key) for ask in wrong))
        lane.ask_all(wrong)
    return shown


def read_until(lane: Lane, seen: View, ask: Ask, reached: Callable[[Answer], bool]) -> Answer:
    """Reads a key until `reached`, ever more slowly, or until the settle time is over; the last read."""
    answer = first = lane.ask(ask)
    for looks, seconds in enumerate(poll_pauses(seen, ask.key, lane.slowest_s), start=1):
        if reached(answer) or is_over(seen, first, answer, looks):
            break
        lane.pause(seconds)
        answer = lane.ask(ask)
    return answer


def is_over(seen: View, first: Answer, now: Answer, looks: int) -> bool:
    """Whether a read is so much later than the first one of its key that the settle time is over.

    However long each of them takes, so few reads may all be answered by what was known before.
    """
    waited_s = now.began - first.began
    return looks >= _LEAST_LOOKS and waited_s >= seen.profile.timing.settle_seconds(now.exchange.key)


def poll_pauses(seen: View, key: str, slowest_s: float | None) -> Iterator[float]:
    """The pauses between the reads of a key until its settle time is over, where answers take no time.

    They grow, since most effects come at once. Where effects were seen to come late, in `slowest_s` at most,
    those up to that are even: one more than there would be, so that about as many reads find them sooner.
    """
    shortest_s, longest_s = first_poll_s(seen), seen.profile.timing.poll_s
    left_s, poll_s, even = seen.profile.timing.settle_seconds(key), shortest_s, 0
    late_s = min(slowest_s or 0.0, left_s)
    if late_s > shortest_s:
        growing = accumulate(_growing(shortest_s, longest_s))
        even = 2 + sum(1 for _ in takewhile(lambda end: end < late_s, growing))
        poll_s = late_s / even
    for pause_s in chain(repeat(poll_s, even), _growing(poll_s, longest_s)):
        if left_s <= 0:
            return
        yield min(pause_s, left_s + shortest_s)
        left_s -= pause_s


def _growing(first_s: float, longest_s: float) -> Iterator[float]:
    """Each twice as long as the one before, up to the longest."""
    while True:
        yield min(first_s, longest_s)
        first_s *= 2


def first_poll_s(seen: View) -> float:
    """The first of these pauses."""
    return seen.profile.timing.poll_s / _FIRST_POLL
