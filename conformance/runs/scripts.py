"""A finding as a script: what proves it, in the order in which it was made.

The proof is as short as it can be: the read that shows the wrong value, and where something was written, the
write that led to it. A write that made the state for that one is part of it, and so is a whole order of
writes where nothing less shows the fault.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from catalog.keys import short_name
from conformance.checks.answer import Answer, in_order
from conformance.checks.groups import PREPARE, ProcedureKind
from conformance.checks.view import View
from conformance.harness.curl import curl_of
from conformance.harness.wire.tokens.access import ACCESS_TOKEN
from conformance.model.couplings import of_one_light
from conformance.model.json_values import quoted, same
from conformance.profiles.model import Profile


def proof_of(seen: View, shown: Answer, beside: Iterable[Answer] = ()) -> tuple[Answer, ...]:
    """What proves a finding: the exchange that decides, and those without which it does not show it."""
    deciding = in_order([*beside, shown])
    cause = _write_to_its_light(seen, shown)
    group = (cause or shown).exchange.group
    own = seen.groups.get(group, ()) if group else ()
    causes = [cause] if cause else []  # what others wrote, as a capture shows it, is of no procedure
    made = [answer for answer in in_order([*own, *causes, shown]) if answer.n <= deciding[-1].n]
    made = made[_began_anew([answer for answer in made if cause is None or answer.n <= cause.n]) :]
    writes = [answer for answer in made if answer.is_write]
    prepared = _prepared(seen, deciding[0]) if group != PREPARE else []
    if not writes:
        return (*prepared, *deciding)
    last = cause or writes[-1]
    shortest = group is not None and group.kind is ProcedureKind.ORDERS
    needed = writes if shortest or _is_of_the_past(made, last, shown) else _needed(made, [*deciding, last])
    places = {_place(answer) for answer in deciding}
    later = [answer for answer in made if answer.n > last.n and _place(answer) in places]
    moves = list(_moves(later))
    came_and_went = {place for place, times in Counter(map(_place, moves)).items() if times > 1}
    before = {_place(answer): answer for answer in made if answer.n < last.n and not answer.is_write}
    found = (before[place] for place in came_and_went if place in before)
    return tuple(in_order([*prepared, *needed, *moves, *deciding, *found]))


def _write_to_its_light(seen: View, shown: Answer) -> Answer | None:
    """The last write taken by the light whose value is shown, where no other value was read after it.

    It may be of another procedure than the read: they are made side by side.
    """
    beside = of_one_light(shown.key)
    if not beside:
        return None
    light = {shown.key, *beside}
    about = in_order(
        answer
        for answers in seen.groups.values()
        for answer in answers
        if answer.ha_id == shown.ha_id and answer.key in light and answer.n < shown.n
    )
    for answer in reversed(about):
        if answer.is_write and answer.is_acknowledged:
            return answer
        if _is_read(answer, shown) and not same(answer.value, shown.value):
            return None
    return None


def _began_anew(made: Sequence[Answer]) -> int:
    """Where a procedure began anew: after what put back the values before its last write.

    What puts a value back after that write may be what shows the fault.
    """
    purposes = [answer.exchange.purpose for answer in made]
    written = max((index for index, purpose in enumerate(purposes) if purpose == "write"), default=0)
    return max((index + 1 for index in range(written) if purposes[index] == "restore"), default=0)


def _prepared(seen: View, first: Answer) -> list[Answer]:
    """The writes that made the state in which an exchange was made: those that were not put back by then."""
    held: dict[tuple[str, str], Answer] = {}
    for answer in seen.groups.get(PREPARE, ()):
        if answer.n > first.n:
            break
        if answer.exchange.purpose == "restore":
            held.pop(_place(answer), None)
        elif answer.is_write:
            held[_place(answer)] = answer
    return [*held.values()]


def script_of(seen: View, steps: Sequence[Answer]) -> str:
    """Exchanges as numbered lines for a shell; comments say what came."""
    if len(steps) == 1:
        return "\n".join(_token(seen.profile, *_remarks(steps[0]), curl_of(steps[0].exchange, seen.profile)))
    lines: list[str] = []
    for number, answer in enumerate(steps, start=1):
        exchange, wrote = answer.exchange, answer.is_write
        name = short_name(answer.key)
        came = answer.words if wrote or not answer.has_value else quoted(answer.value)
        if wrote and answer.is_acknowledged:
            came = str(answer.status)
        told = f"{f'write {name} {quoted(exchange.value)}' if wrote else f'read {name}'} -> {came}"
        told += " (as the run prepared the appliance)" if exchange.group == PREPARE else ""
        # what a server says must not leave the comment
        lines.append(f"# {number}. {' '.join(told.splitlines())}")
        lines += [*_remarks(answer), curl_of(exchange, seen.profile)]
    return "\n".join(_token(seen.profile, *lines))


def _remarks(answer: Answer) -> Iterator[str]:
    """Where the request was redirected from."""
    exchange = answer.exchange
    came = exchange.response or exchange.failure
    if came and came.redirects:
        yield f"# redirected from {exchange.request.url}"


def _token(profile: Profile, *lines: str) -> Iterator[str]:
    """The lines, after a word on the access token where they need one."""
    if any(re.search(rf"\${ACCESS_TOKEN}\b|\${{{ACCESS_TOKEN}}}", line) for line in lines):
        source = "auth.token_cmd prints" if profile.auth.token_cmd else "auth.oauth2.token_url grants"
        yield f"# {ACCESS_TOKEN}: what {source}"
    yield from lines


def _place(answer: Answer) -> tuple[str, str]:
    return answer.ha_id, answer.key


def _needed(made: Sequence[Answer], deciding: Iterable[Answer]) -> list[Answer]:
    """The deciding writes, and the writes that made the states in which they were made."""
    found = [answer for answer in in_order(deciding) if answer.is_write]
    for write in tuple(found):
        before = [answer for answer in made if answer.n < write.n]
        for place in dict.fromkeys(_place(answer) for answer in before if answer.is_write):
            about = [answer for answer in before if _place(answer) == place]
            reads = [answer for answer in about if not answer.is_write]
            first_written = next(answer.n for answer in about if answer.is_write)
            as_found = next((read for read in reads if read.n < first_written), None)
            if reads and reads[-1].has_value and not (as_found and same(as_found.value, reads[-1].value)):
                writes = [answer for answer in reversed(about) if answer.is_write]
                came = [answer for answer in writes if same(answer.exchange.value, reads[-1].value)]
                found += (came or [answer for answer in writes if answer.is_acknowledged])[:1]
    return found


def _is_of_the_past(made: Sequence[Answer], write: Answer, shown: Answer) -> bool:
    """Whether the same write from the same value, all else written alike, showed something else before."""

    def around(of: Answer) -> tuple[object, object, dict[tuple[str, str], str]]:
        """What was read last before a write, and last after it; and what was written elsewhere before."""
        index = made.index(of)
        ended = next(
            (other for other in range(index + 1, len(made)) if made[other].is_write),
            len(made),
        )
        before = [answer.value for answer in made[:index] if _is_read(answer, of)]
        after = [answer.value for answer in made[index:ended] if _is_read(answer, shown)]
        elsewhere = {
            _place(answer): quoted(answer.exchange.value)
            for answer in made[:index]
            if answer.is_write and _place(answer) != _place(of)
        }
        return (before[-1] if before else None), (after[-1] if after else None), elsewhere

    old, led_to, beside = around(write)
    earlier = (one for one in made if one.is_write and one.n < write.n and one.ha_id == write.ha_id)
    there = (one for one in earlier if one.place == write.place)
    alike = (one for one in there if same(one.exchange.value, write.exchange.value))
    return any(
        same(was, old) and not same(then, led_to) and state == beside
        for was, then, state in map(around, alike)
    )


def _is_read(answer: Answer, of: Answer) -> bool:
    return not answer.is_write and _place(answer) == _place(of)


def _moves(reads: Sequence[Answer]) -> Iterator[Answer]:
    """Of the reads of each key in a row with one value, the last one."""
    pending: dict[tuple[str, str], Answer] = {}
    for answer in reads:
        before = pending.pop(_place(answer), answer)
        if not same(before.value, answer.value):
            yield before
        pending[_place(answer)] = answer
    yield from pending.values()
