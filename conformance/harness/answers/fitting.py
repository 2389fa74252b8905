"""Whether any answer is one that the document knows, if it is read as the profile says.

A run with a wrong address, token or pointer learns from its hundredth answer what its twelfth has shown. What
is no answer of the document under any circumstances is told apart here from what a server may answer that is
wrong itself: access that is refused everywhere, a page where JSON belongs, a success that the profile takes
for a refusal, a place without a value where another place has one, and one refusal for all. Everything else
is judged, and may be the fault of the server.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from catalog.keys import short_name
from catalog.loader import CATALOG
from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.groups import VERSION
from conformance.checks.reads.silence import silence_of
from conformance.checks.view import View, segment_of
from conformance.harness.answers.calibration import guess_of
from conformance.harness.answers.decoding import find
from conformance.harness.answers.pointers import kind_of, suits
from conformance.model.json_values import quoted

_KINDS: Final = 2
"""Kinds of values that no constant member and no name takes (`kind_of`)."""
_FIRST_NO_SUCCESS: Final = 300


class Misfit(Struct, frozen=True):
    """Why no answer fits: a sentence that says what to look at, and an answer that shows it.

    `is_declared` says that a declaration is contradicted by what came back; else nothing was to be seen.
    """

    words: str
    answer: Answer
    is_declared: bool = False


_Read: TypeAlias = tuple[View, Answer]
_Row: TypeAlias = Callable[[Sequence[_Read]], Misfit | None]


def fits(answer: Answer) -> bool:
    """Whether an answer to a read has a value that suits its key: its type, family and range."""
    entry = CATALOG.entries[answer.exchange.key]
    return answer.has_value and suits(entry, answer.value) is True


def misfit_of(views: Iterable[View]) -> Misfit | None:
    """Why none of the shared reads fits; None where one does, or a server may be wrong that answers so."""
    read = [(seen, answer) for seen in views for answer in seen.reads.values()]
    if not read or any(fits(answer) for _, answer in read):
        return None
    return next(filter(None, (row(read) for row in _ROWS)), None)


def place_that_fits(views: Iterable[View], segment: str) -> str | None:
    """Where values of several kinds stand in the answers under a segment, whatever the profile declares."""
    shown = list(views)
    read = [answer for seen in shown for answer in seen.reads.values()]
    if not read:
        return None
    guess = guess_of((answer.exchange for answer in read), shown[0].profile)
    for place in guess.places(segment):
        kinds = {
            kind_of(entry)
            for answer in read
            if suits(entry := CATALOG.entries[answer.exchange.key], find(answer.body, place)) is True
        }
        if len(kinds) >= _KINDS:
            return place
    return None


def _no_access(read: Sequence[_Read]) -> Misfit | None:
    """Access is refused for every key."""
    return _silent(read) if all(answer.outcome is Outcome.AUTH for _, answer in read) else None


def _no_json(read: Sequence[_Read]) -> Misfit | None:
    """Every answer is a page, or text: there is another service, or a sign-in page."""
    return _silent(read) if all(answer.absence is Absence.FOREIGN for _, answer in read) else None


def _another_success(read: Sequence[_Read]) -> Misfit | None:
    """Answers with a status of success are none to the profile, and there are no others."""
    answers = [answer for _, answer in read]
    left_out = [one for one in answers if one.outcome is Outcome.REFUSED and _is_success(one)]
    if not left_out or any(answer.is_acknowledged for answer in answers):
        return None
    declared = read[0][0].profile.http.success
    told = f"http.success {declared!r} leaves out {left_out[0].status}, with which keys are answered"
    return Misfit(f"{told}: is it right?", left_out[0], is_declared=True)


def _is_success(answer: Answer) -> bool:
    return answer.status is not None and answer.status < _FIRST_NO_SUCCESS


def _another_place(read: Sequence[_Read]) -> Misfit | None:
    """Values stand at another place than the one that is declared, where nothing suits a key."""
    views = list({id(seen): seen for seen, _ in read}.values())
    for seen, answer in read:
        declared = seen.pointers(segment_of(answer)).value
        if declared is None or not answer.is_acknowledged or answer.absence is Absence.FOREIGN:
            continue
        place = place_that_fits(views, answer.exchange.segment)
        if place is None or place == declared:
            return None
        key = short_name(answer.exchange.key)
        found = f" ({key} is {quoted(answer.value)} there)" if answer.has_value else ""
        told = f"answer.value {declared!r} holds no value of its key in any answer{found}, and {place!r} does"
        return Misfit(f"{told}: is it right?", answer, is_declared=True)
    return None


def may_be_nowhere(views: Iterable[View]) -> bool:
    """Whether one refusal is all that every appliance answers, for keys that it is said to have.

    A server is wrong itself that answers so of an appliance which is said to be online (ADDR-BASE).
    """
    seen_of = list(views)
    refusals = {answer.signature for seen in seen_of for answer in seen.reads.values()}
    return len(refusals) == 1 and all(
        any(seen.claim(key) == "yes" for _, key in seen.reads)
        and all(answer.outcome is Outcome.REFUSED for answer in seen.reads.values())
        and not seen.appliance.online
        for seen in seen_of
    )


def _nothing_there(read: Sequence[_Read]) -> Misfit | None:
    """One refusal for every key, and no other way to ask gives a value."""
    views = list({id(seen): seen for seen, _ in read}.values())
    made = [one for seen in views for answers in seen.made.values() for one in answers]
    is_probed = any(VERSION in seen.made for seen in views) and not any(one.has_value for one in made)
    return _silent(read) if is_probed and may_be_nowhere(views) else None


def _silent(read: Sequence[_Read]) -> Misfit:
    silence = silence_of(read[0][0])
    return Misfit(silence.sentence, silence.answer or read[0][1])


_ROWS: tuple[_Row, ...] = (_no_access, _no_json, _another_success, _another_place, _nothing_there)
