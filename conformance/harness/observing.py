"""From the exchanges of a run to what was seen of each appliance, live and from a saved ledger alike."""

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from msgspec.structs import replace

from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import JUDGED, WRITES, Exchange, Remark
from conformance.checks.groups import UNKNOWN_ENTRIES, Group
from conformance.checks.remarks import Loss, LostAppliance, lost_appliances, with_known
from conformance.checks.view import View, segment_of
from conformance.harness.answers.calibration import Calibration
from conformance.harness.answers.classes import Classifier, Guess
from conformance.harness.pace import is_throttled
from conformance.model.json_values import NOTHING
from conformance.profiles.fleet.companions import companions_of
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Profile

_UNAUTHORIZED, _FORBIDDEN = 401, 403


@dataclass
class Observations:
    """The exchanges of a run, growing while it lasts, and the views of the appliances they amount to."""

    profile: Profile
    exchanges: list[Exchange] = field(default_factory=list["Exchange"])
    remarks: list[Remark] = field(default_factory=list["Remark"])
    _calibration: Calibration | None = None
    _calibrated: int = 0
    _answers: dict[int, Answer] = field(default_factory=dict[int, Answer])
    _known: dict[object, Answer] = field(default_factory=dict[object, Answer])
    _pointed: set[str] = field(default_factory=set[str])
    _viewed: tuple[tuple[int, int], dict[str, View]] | None = None
    _lanes: dict[str, list[Exchange]] = field(default_factory=dict[str, "list[Exchange]"])
    _last: Exchange | None = None
    _sorted: int = 0
    _writes: list[Exchange] = field(default_factory=list["Exchange"])
    _remarked: dict[str, list[Remark]] = field(default_factory=dict[str, "list[Remark]"])
    _noted: int = 0
    _gone: Mapping[str, LostAppliance] = field(default_factory=dict[str, LostAppliance])

    @cached_property
    def _companions(self) -> Mapping[str, tuple[str, ...]]:
        return companions_of(self.profile)

    @property
    def guess(self) -> Guess:
        """Where values seem to be; nowhere if that is declared, or nothing has shown it."""
        return (
            self._calibration.classifier.guess
            if self._calibration and self.profile.answer.value is None
            else Guess()
        )

    def answer(self, exchange: Exchange) -> Answer:
        """The answer `exchange` amounts to, worked out once, as it is for others that say the same.

        Where the value is gets fixed for the run as soon as the shared reads show it.
        """
        classifier = self._learnt()
        if (answer := self._answers.get(exchange.n)) is None:
            said = _said_by(exchange)
            if (alike := self._known.get(said)) is None:
                alike = self._known[said] = classifier.answer(exchange)
                segment, shown = segment_of(alike), alike.shown
                self._pointed.update(
                    f"{segment}.{name}"
                    for name, bound in (("min", shown.min), ("max", shown.max))
                    if bound is not NOTHING
                )
            self._answers[exchange.n] = answer = replace(alike, exchange=exchange)
        return answer

    def _answer_by(self, number: int) -> Answer | None:
        """The answer to the exchange of a number; None where it has none."""
        place = bisect_left(self.exchanges, number, key=lambda exchange: exchange.n)
        found = self.exchanges[place : place + 1]
        return self.answer(found[0]) if found and found[0].n == number else None

    def _learnt(self) -> Classifier:
        """What the exchanges so far teach; drops earlier answers if that is anything new.

        Where no shared read gave anything, a probe of another address may still show where values are.
        """
        if self._calibration is None:
            self._calibration = Calibration(self.profile)
        known = self._calibration.classifier
        if self._calibration.is_settled or len(self.exchanges) == self._calibrated:
            return known
        learnt = self._calibration.learn(_judged(self.exchanges[self._calibrated :]))
        self._calibrated = len(self.exchanges)
        if learnt != known:
            self._answers.clear()
            self._known.clear()
        return learnt

    def views(self) -> dict[str, View]:
        """What was seen of each appliance of the profile so far; the same views where nothing came since."""
        so_far = len(self.exchanges), len(self.remarks)
        if self._viewed is None or self._viewed[0] != so_far:
            self._viewed = so_far, self._views()
        return self._viewed[1].copy()

    def _views(self) -> dict[str, View]:
        # what one appliance shows tells of the pointers that hold for all: all answers come before any view
        told = {lane: self._told_in(lane) for lane in self._sorted_lanes()}
        views = {own.ha_id: self._view(own, told.get(own.ha_id, ())) for own in self.profile.appliance}
        views = {
            ha_id: replace(seen, beside={other: views[other].reads for other in seen.companions})
            for ha_id, seen in views.items()
        }
        answering = [(ha_id, seen.maker) for ha_id, seen in views.items() if seen.anchor]
        return {
            ha_id: seen
            if seen.anchor
            else replace(seen, answering=tuple(other for other, maker in answering if maker == seen.maker))
            for ha_id, seen in views.items()
        }

    def view(self, ha_id: str) -> View:
        """What was seen of one appliance of the profile so far."""
        own = next(appliance for appliance in self.profile.appliance if appliance.ha_id == ha_id)
        seen = self._view(own, self._told_in(ha_id))
        beside = {
            other: {answer.place: answer for answer in self._told_in(other) if not answer.exchange.groups}
            for other in seen.companions
        }
        return replace(seen, beside=beside)

    def _told_in(self, lane: str) -> list[Answer]:
        """The answers of a lane that cases may rest on, but for those of attempts that were made again."""
        asked = self._sorted_lanes().get(lane, ())
        self._learnt()  # which may drop what is known of them
        return [self._answers.get(exchange.n) or self.answer(exchange) for exchange in asked]

    def _sorted_lanes(self) -> Mapping[str, list[Exchange]]:
        """The exchanges of each lane: to see one appliance, nobody has to go through those of all.

        A procedure may ask another appliance, or one that cannot exist: its lane says for whom.
        """
        for exchange in self.exchanges[self._sorted :]:
            self._sorted += 1  # first: where Ctrl-C strikes here, none is sorted twice
            if exchange.purpose not in JUDGED:
                continue
            if self._last and _is_made_again(self._last, exchange, self.profile):
                self._lanes[self._last.lane].pop()
            self._lanes.setdefault(exchange.lane, []).append(exchange)
            self._last = exchange
            if exchange.purpose in WRITES:
                self._writes.append(exchange)
        return self._lanes

    def _remarks_of(self, ha_id: str) -> Sequence[Remark]:
        """What is known beside the exchanges of an appliance; takes down first what went away by then."""
        new = self.remarks[self._noted :]
        if any(remark.purpose == "lost" for remark in new):
            self._gone = lost_appliances(self.remarks, self.exchanges)
        for remark in new:
            self._noted += 1  # as in `_sorted_lanes`
            self._remarked.setdefault(remark.ha_id, []).append(remark)
        return self._remarked.get(ha_id, ())

    def _view(self, appliance: Appliance, answers: Iterable[Answer]) -> View:
        noted: dict[Group, list[Remark]] = {}
        for remark in self._remarks_of(appliance.ha_id):
            noted.setdefault(remark.group, []).append(remark)
        gone = self._gone
        reads: dict[tuple[str, str], Answer] = {}
        made: dict[Group, list[Answer]] = {}
        cut: dict[Group, Loss] = {}
        for answer in answers:
            exchange = answer.exchange
            if gone and (loss := _loss_before(exchange, gone)):
                cut |= {group.plain: loss for group in exchange.groups}
                continue
            if not exchange.groups:
                reads[exchange.segment, exchange.key] = answer
            for group in exchange.groups:
                made.setdefault(group, []).append(answer)
        groups = with_known(made, itertools.chain.from_iterable(noted.values()), self._answer_by)
        tried = claimed_keys(appliance)
        beside = self._companions[appliance.ha_id]
        seen = View(
            self.profile,
            appliance,
            tried,
            reads,
            groups,
            {group: tuple(own) for group, own in noted.items()},
            companions=beside,
            lost=gone.get(appliance.ha_id),
            cut=cut,
            pointed=frozenset(self._pointed),
            all_writes=self._writes,
        )
        return _with_forbidden_as_refused(seen) if _forbids_unknown_keys(seen) else seen


def _loss_before(exchange: Exchange, gone: Mapping[str, LostAppliance]) -> Loss | None:
    """What was lost before an exchange, of which it then tells nothing; None where nothing was."""
    of = (gone[name] for name in (exchange.ha_id, exchange.lane) if name in gone)
    return next((lost.loss for lost in of if lost.covers(exchange)), None)


def _said_by(exchange: Exchange) -> object:
    """All of an exchange that its answer is worked out from."""
    came, is_list = exchange.response, exchange.purpose == "list"
    shown = came and (came.status, came.headers, came.body, came.complete, came.cut)
    return shown, is_list, exchange.segment, exchange.key, exchange.ha_id, exchange.request.url


def _judged(exchanges: list[Exchange]) -> list[Exchange]:
    """Those that cases may rest on."""
    return [exchange for exchange in exchanges if exchange.purpose in JUDGED]


def _forbids_unknown_keys(seen: View) -> bool:
    """Whether the target answers 403 for keys that do not exist, so that 403 tells nothing of access."""
    teaching = [answer for group in UNKNOWN_ENTRIES for answer in seen.groups.get(group, ())]
    return seen.anchor is not None and any(answer.status == _FORBIDDEN for answer in teaching)


def _with_forbidden_as_refused(seen: View) -> View:
    reads = {place: _refused(answer) for place, answer in seen.reads.items()}
    groups = {group: tuple(_refused(answer) for answer in answers) for group, answers in seen.groups.items()}
    return replace(seen, reads=reads, made=groups)


def _refused(answer: Answer) -> Answer:
    if answer.outcome is not Outcome.AUTH or answer.status != _FORBIDDEN:
        return answer
    return replace(
        answer, outcome=Outcome.REFUSED, signature=replace(answer.signature, outcome=Outcome.REFUSED)
    )


def made_again(exchanges: list[Exchange], profile: Profile) -> set[int]:
    """The attempts that were made again at once: after throttling, a closed connection, an outdated token."""
    return {one.n for one, other in itertools.pairwise(exchanges) if _is_made_again(one, other, profile)}


def _is_made_again(one: Exchange, other: Exchange, profile: Profile) -> bool:
    """Whether the attempt that came next is the same one made again."""

    def asked(of: Exchange) -> tuple[object, ...]:
        return of.purpose, of.group, of.lane, of.ha_id, of.key, of.request.url

    is_closed = one.failure is not None and one.failure.kind == "closed"
    is_outdated = one.response is not None and one.response.status in {_UNAUTHORIZED, _FORBIDDEN}
    is_void = is_closed or is_throttled(one.response) or (is_outdated and profile.auth.is_renewable)
    return is_void and asked(one) == asked(other)
