"""Judges what others have recorded: each time somebody looked at an appliance, by itself.

What a run reads, it reads within minutes, while nothing is written. A capture lasts for hours, in which
people use the appliance. So it is cut into sightings: reads of one appliance that follow each other within a
minute, with no write between them and none of them twice. Each is judged as if it were all that was read.
A finding stands where two sightings show it: nobody can be asked again.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import OPERATION_STATE, POWER_STATE
from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.exchange import WRITES
from conformance.checks.premise import Check
from conformance.checks.reads.tries import LEAST_TRIES
from conformance.checks.view import View
from conformance.checks.writes.operation import ALTERNATING
from conformance.harness.observing import Observations
from conformance.model.couplings import may_move
from conformance.runs.judging import Judged, judge

_LASTS_S: Final = 60.0
_LEAST: Final = 2
_MOST_SIGHTINGS: Final = 200
_MOST_WRITES: Final = 32
"""That may all be on their way."""
_STATES: Final = (("settings", POWER_STATE), ("status", OPERATION_STATE))
_WITHOUT_VALUE: Final = frozenset({Outcome.NOVALUE, Outcome.REFUSED})
_Place = tuple[str, str]
_Content = tuple[int, bytes] | None
"""What a place answered: status and body; None where it was not read."""


class Sighting(Struct, frozen=True, eq=False):
    """Reads of one appliance at one time, as a view; `row` counts the sightings until somebody writes."""

    view: View
    row: int

    @property
    def began(self) -> float:
        """When the first of its reads was sent, in seconds."""
        return next(iter(self.view.reads.values())).began

    def content(self, place: _Place) -> _Content:
        """What it shows at a place."""
        answer = self.view.reads.get(place)
        response = answer.exchange.response if answer else None
        return (response.status, response.body) if response else None


class Sightings(Struct, frozen=True, eq=False):
    """The sightings at one appliance, in order; `at` has the numbers of those that looked at a place."""

    every: Sequence[Sighting]
    at: Mapping[_Place, Sequence[int]]

    def of(self, case: Case) -> Iterator[Sighting]:
        """Those that tell of a case: all of them, or those with a telling answer about its key."""
        own = _own(case)
        if not own:
            yield from self.every
        for number in sorted({number for place in own for number in self.at.get(place, ())}):
            reads = self.every[number].view.reads
            if any(_is_telling(reads.get(place), case) for place in own):
                yield self.every[number]


def sightings_of(observations: Observations) -> Mapping[str, Sightings]:
    """The sightings at each appliance."""
    views = {ha_id: replace(seen, reads={}, made={}) for ha_id, seen in observations.views().items()}
    found: dict[str, list[Sighting]] = {ha_id: [] for ha_id in views}
    now: dict[str, dict[_Place, Answer]] = {}
    rows = dict.fromkeys(views, 0)
    written: defaultdict[str, deque[Answer]] = defaultdict(lambda: deque(maxlen=_MOST_WRITES))

    def end(ha_id: str) -> None:
        if reads := now.pop(ha_id, None):
            found[ha_id].append(Sighting(replace(views[ha_id], reads=reads), rows[ha_id]))

    for exchange in observations.exchanges:
        ha_id, place = exchange.ha_id, (exchange.segment, exchange.key)
        if exchange.purpose in WRITES:
            end(ha_id)
            rows[ha_id] += 1
            written[ha_id].append(observations.answer(exchange))
            continue
        answer = observations.answer(exchange)
        writes = written[ha_id]
        while writes and _is_settled(writes[0], answer, views[ha_id]):
            writes.popleft()  # exchanges come in the order of their times: so it is for all reads from now on
        if any(_may_be_on_its_way(write, answer, views[ha_id]) for write in writes):
            continue
        reads = now.get(ha_id)
        if reads and (place in reads or answer.began - next(iter(reads.values())).began > _LASTS_S):
            end(ha_id)
        now.setdefault(ha_id, {})[place] = answer
    for ha_id in views:
        end(ha_id)
    return {ha_id: _indexed(_with_what_followed(sightings)) for ha_id, sightings in found.items()}


def _indexed(sightings: Sequence[Sighting]) -> Sightings:
    """Sightings, by the places that they looked at."""
    at: dict[_Place, list[int]] = {}
    for number, sighting in enumerate(sightings):
        for place in sighting.view.reads:
            at.setdefault(place, []).append(number)
    return Sightings(sightings, at)


def _may_be_on_its_way(write: Answer, read: Answer, seen: View) -> bool:
    """Whether a read may show a value that is on its way to another one, through a write just before."""
    return not _is_settled(write, read, seen) and may_move(write.key, read.key)


def _is_settled(write: Answer, read: Answer, seen: View) -> bool:
    """Whether the settle time of a write was over when something was read."""
    return read.began - write.ended >= seen.profile.timing.settle_seconds(write.key)


def judge_sightings(case: Case, check: Check, sightings: Sightings) -> Judged:
    """The verdict on a case of all sightings at its appliance together.

    Two that contradict the document are a finding, one is a doubt. A key that nobody looked at is not judged.
    """
    told: dict[str, list[Judged]] = {}
    for judged in _of_each(case, check, sightings):
        told.setdefault(judged.verdict, []).append(judged)
    if fails := told.get("fail"):
        if max(map(len, _showing(fails).values()), default=0) < _LEAST:
            return _in_doubt(fails[0], "seen once")
        if why := _not_seen_beside(fails) or _why_absent(case, fails, sightings.every):
            return _in_doubt(fails[0], why)
        rests_on = {answer.n: answer for one in reversed(fails) for answer in one.rests_on}
        return replace(fails[0], rests_on=tuple(rests_on.values()))
    for verdict in ("error", "pass", "observed", "inconclusive", "not_applicable", "not_judged"):
        if verdict in told:
            return told[verdict][0]
    return Judged(case, "not_judged", "no answer of success was seen", field="--level read")


def _in_doubt(judged: Judged, why: str) -> Judged:
    return replace(judged, verdict="inconclusive", message=f"{judged.message}; {why}")


def _not_seen_beside(fails: Sequence[Judged]) -> str:
    """The keys that may show a state which explains a finding, and that nobody has looked at.

    It may hide a value at any time; that it moved one is ruled out where all were seen beside it once. No
    state garbles a body.
    """
    shown = fails[0].shown
    is_shown_once = shown is not None and shown.has_value and not all(one.missed for one in fails)
    if is_shown_once or (shown is not None and shown.absence is Absence.MALFORMED):
        return ""
    missed = {key: None for one in fails for key in one.missed}
    return f"not seen beside it: {', '.join(missed)}" if missed else ""


def _why_absent(case: Case, fails: Sequence[Judged], sightings: Sequence[Sighting]) -> str:
    """What else may explain that a key shows no value, empty where nothing does.

    How the appliance answers for a key that it does not have, nobody has asked: only where it refuses others,
    it says so in that way.
    """
    shown = fails[0].shown
    if shown is None or shown.has_value:
        return ""
    reads = [answer for sighting in sightings for answer in sighting.view.reads.values()]
    own = [read for read in reads if read.key == case.key]
    is_known = case.claim == "yes" or any(read.has_value for read in own)
    refuses = any(read.outcome is Outcome.REFUSED for read in reads if read.key != case.key)
    return "" if is_known or refuses else "nobody claims it, and it gave no value at any time"


def _showing(fails: Sequence[Judged]) -> Mapping[_Place, set[int]]:
    """The exchanges that show a finding, by their place: those like the one that a sighting shows it with."""
    found: dict[_Place, set[int]] = {}
    for judged in fails:
        for answer in judged.rests_on:
            if judged.shown and _sort(answer) == _sort(judged.shown):
                found.setdefault(answer.place, set()).add(answer.n)
    return found


def _sort(answer: Answer) -> tuple[object, ...]:
    return *answer.place, answer.outcome, answer.absence


def _of_each(case: Case, check: Check, sightings: Sightings) -> Iterator[Judged]:
    """What each sighting says of a case.

    Sightings that show the same where it rests are judged once; where it rests on what followed, too, only
    those that nothing followed. What a case looks at as read again is none of that: nothing recorded is a
    read that a run made again.
    """
    own = _own(case)
    known: dict[tuple[_Place, ...], dict[tuple[_Content, ...], Judged]] = {}
    for sighting in sightings.of(case):
        is_followed = bool(sighting.view.made)
        alike = (by_content.get(tuple(map(sighting.content, places))) for places, by_content in known.items())
        if before := next(
            (one for one in alike if one and not (is_followed and one.groups != frozenset())), None
        ):
            yield _as_seen(before, sighting)
            continue
        judged = judge(check, case, sighting.view)
        if own and not (is_followed and judged.groups != frozenset()):
            places = tuple(dict.fromkeys([*own, *(one.place for one in judged.rests_on), *_missed(judged)]))
            known.setdefault(places, {})[tuple(map(sighting.content, places))] = judged
        yield judged


def _own(case: Case) -> list[_Place]:
    """The places of the key of a case, if it is about one."""
    return [(segment, case.entry.key) for segment in ("settings", "status")] if case.entry else []


def _as_seen(before: Judged, sighting: Sighting) -> Judged:
    """What was judged before, of another sighting that shows the same."""
    reads = sighting.view.reads
    rests_on = tuple(reads[one.place] for one in before.rests_on)
    answer = reads[before.answer.place] if before.answer else None
    beside = tuple(reads[one.place] for one in before.beside)
    return replace(before, answer=answer, beside=beside, rests_on=rests_on, seen=sighting.view)


def _is_telling(answer: Answer | None, case: Case) -> bool:
    """Whether an answer is a success, with a value or without; a refusal tells of a claimed key alone."""
    if answer is None:
        return False
    told = {Outcome.VALUE, Outcome.NOVALUE}
    return answer.outcome in ({*told, Outcome.REFUSED} if case.claim == "yes" else told)


def _missed(judged: Judged) -> Iterator[_Place]:
    yield from ((segment, key) for key in judged.missed for segment in ("settings", "status"))


def _with_what_followed(sightings: Sequence[Sighting]) -> list[Sighting]:
    """Sightings with what the next ones of their row show, in place of what a run would have read again."""
    served: dict[int, set[_Place]] = {}
    for sighting in sightings:
        valued = (place for place, answer in sighting.view.reads.items() if answer.has_value)
        served.setdefault(sighting.row, set()).update(valued)
    followed: list[Sighting] = []
    for number, sighting in enumerate(sightings):
        row = [one for one in islice(sightings, number, number + _MOST_SIGHTINGS) if one.row == sighting.row]
        made = {
            answer.again: again
            for answer in sighting.view.reads.values()
            if answer.outcome in _WITHOUT_VALUE and (again := _tries(row, answer, served[sighting.row]))
        }
        if states := _states(row):
            made[ALTERNATING] = states
        followed.append(replace(sighting, view=replace(sighting.view, made=made)) if made else sighting)
    return followed


def _tries(row: Sequence[Sighting], first: Answer, served: Collection[_Place]) -> tuple[Answer, ...]:
    """The next reads of a place that shows no value, each between reads of places that do at times."""
    found: list[Answer] = []
    place, tries = first.place, 1
    for sighting in row:
        for other, answer in sighting.view.reads.items():
            if answer.n > first.n and (other == place or other in served):
                found.append(answer)
                tries += other == place
                if tries >= LEAST_TRIES and other != place:
                    return tuple(found)
    return tuple(found) if tries > 1 else ()


def _states(row: Sequence[Sighting]) -> tuple[Answer, ...]:
    """PowerState and OperationState as they were seen beside each other, for as long as settling may take."""
    found: list[Answer] = []
    first = previous = row[0]
    for sighting in row:
        pair = [answer for place in _STATES if (answer := sighting.view.reads.get(place))]
        if len(pair) < len(_STATES):
            if sighting is first:
                return ()
            continue
        if sighting.began - previous.began > _LASTS_S:
            break
        found += pair
        if sighting.began - first.began > first.view.profile.timing.power_settle_s:
            break
        previous = sighting
    return tuple(found)
