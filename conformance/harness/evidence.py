"""From the exchanges of a ledger to what was seen of each appliance: the same way, live and from a saved file."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import JUDGED
from conformance.checks.groups import TEACHING
from conformance.checks.seen import WORKED_OUT, Seen
from conformance.harness.calibration import Calibration
from conformance.harness.classes import Guess
from conformance.harness.patience import is_throttled
from conformance.profiles.loader import claimed_keys

if TYPE_CHECKING:
    from catalog.model import Catalog
    from conformance.checks.exchange import Exchange
    from conformance.checks.groups import Group
    from conformance.checks.remark import Remark
    from conformance.harness.classes import Classifier
    from conformance.profiles.model import Appliance, Profile

_FORBIDDEN = 403


@dataclass
class Evidence:
    """The exchanges of a run, growing while it lasts, and the views of the appliances they amount to."""

    profile: Profile
    catalog: Catalog
    exchanges: list[Exchange] = field(default_factory=list["Exchange"])
    remarks: list[Remark] = field(default_factory=list["Remark"])
    _calibration: Calibration | None = None
    _calibrated: int = 0
    _answers: dict[int, Answer] = field(default_factory=dict[int, Answer])

    @property
    def guess(self) -> Guess:
        """Where this run has guessed that values are: nowhere where that is declared, or nothing has shown it."""
        return self._calibration.classifier.guess if self._calibration and self.profile.answer.value is None else Guess()

    def answer(self, exchange: Exchange) -> Answer:
        """The answer `exchange` amounts to, worked out once.

        Where the value is gets fixed for the run as soon as the shared reads show it.
        """
        classifier = self._learnt()
        if exchange.n not in self._answers:
            self._answers[exchange.n] = classifier.answer(exchange)
        return self._answers[exchange.n]

    def _learnt(self) -> Classifier:
        """What the exchanges so far teach; answers that were worked out before are dropped where that is anything new.

        Where no shared read gave anything, a probe of another address may still show where values are.
        """
        if self._calibration is None:
            self._calibration = Calibration(self.profile, self.catalog)
        known = self._calibration.classifier
        if self._calibration.is_settled or len(self.exchanges) == self._calibrated:
            return known
        learnt = self._calibration.learn(_judged(self.exchanges[self._calibrated :]))
        self._calibrated = len(self.exchanges)
        if learnt != known:
            self._answers.clear()
        return learnt

    def views(self) -> dict[str, Seen]:
        """What was seen of each appliance of the profile so far."""
        judged = _judged(self.exchanges)
        superseded = _superseded(judged)
        kept: dict[str, list[Exchange]] = {appliance.ha_id: [] for appliance in self.profile.appliance}
        for exchange in judged:
            # A procedure may ask another appliance, or one that cannot exist: its lane says for whom.
            if exchange.lane in kept and exchange.n not in superseded:
                kept[exchange.lane].append(exchange)
        return {appliance.ha_id: self._view(appliance, kept[appliance.ha_id]) for appliance in self.profile.appliance}

    def grown(self, seen: Seen, since: int, remarked: int) -> Seen:
        """The view `seen` with the groups that the exchanges and remarks from these places on make; procedures leave no shared reads."""
        new = _judged(self.exchanges[since:])
        superseded = _superseded(new)
        later = self._view(seen.appliance, [exchange for exchange in new if exchange.n not in superseded], self.remarks[remarked:])
        forbids = _forbids_unknown_keys(seen)
        groups = _with_forbidden_as_refused(later).groups if forbids else later.groups
        # A procedure that is run again goes on where it was: its group holds what it did both times.
        joined = {group: (*seen.groups.get(group, ()), *answers) for group, answers in groups.items()}
        remarks = {group: (*seen.remarks.get(group, ()), *noted) for group, noted in later.remarks.items()}
        grown = replace(seen, groups={**seen.groups, **joined}, remarks={**seen.remarks, **remarks}, looked_at={})
        grown.__dict__.update({name: seen.__dict__[name] for name in WORKED_OUT if name in seen.__dict__})
        return grown

    def _view(self, appliance: Appliance, exchanges: list[Exchange], remarks: list[Remark] | None = None) -> Seen:
        reads: dict[tuple[str, str], Answer] = {}
        groups: dict[Group, tuple[Answer, ...]] = {}
        for exchange in exchanges:
            answer = self.answer(exchange)
            if exchange.group is None:
                reads[exchange.segment, exchange.key] = answer
            else:
                groups[exchange.group] = (*groups.get(exchange.group, ()), answer)
        noted: dict[Group, tuple[Remark, ...]] = {}
        for remark in self.remarks if remarks is None else remarks:
            if remark.ha_id == appliance.ha_id:
                noted[remark.group] = (*noted.get(remark.group, ()), remark)
        tried = claimed_keys(appliance, self.catalog)
        seen = Seen(self.catalog, self.profile, appliance, tried, reads, groups, noted)
        return _with_forbidden_as_refused(seen) if _forbids_unknown_keys(seen) else seen


def _judged(exchanges: list[Exchange]) -> list[Exchange]:
    """Those that cases may rest on."""
    return [exchange for exchange in exchanges if exchange.purpose in JUDGED]


def _forbids_unknown_keys(seen: Seen) -> bool:
    """Whether 403 is how this target answers for entries that do not exist, so that it says nothing about access."""
    teaching = [answer for group in TEACHING for answer in seen.groups.get(group, ())]
    return seen.anchor is not None and any(answer.status == _FORBIDDEN for answer in teaching)


def _with_forbidden_as_refused(seen: Seen) -> Seen:
    reads = {place: _refused(answer) for place, answer in seen.reads.items()}
    groups = {group: tuple(_refused(answer) for answer in answers) for group, answers in seen.groups.items()}
    return replace(seen, reads=reads, groups=groups)


def _refused(answer: Answer) -> Answer:
    if answer.outcome is not Outcome.AUTH or answer.status != _FORBIDDEN:
        return answer
    return replace(answer, outcome=Outcome.REFUSED, signature=replace(answer.signature, outcome=Outcome.REFUSED))


def _superseded(exchanges: list[Exchange]) -> set[int]:
    """The attempts that were made again at once, because the target asked for patience or closed the line: only the last one counts."""
    return {one.n for one, other in itertools.pairwise(exchanges) if _same(one, other) and _given_up(one)}


def _same(one: Exchange, other: Exchange) -> bool:
    return (one.purpose, one.group, one.lane, one.ha_id, one.key, one.request.url) == (
        other.purpose,
        other.group,
        other.lane,
        other.ha_id,
        other.key,
        other.request.url,
    )


def _given_up(exchange: Exchange) -> bool:
    closed = exchange.failure is not None and exchange.failure.kind == "closed"
    return closed or is_throttled(exchange.response)
