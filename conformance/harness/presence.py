"""Whether the target still answers: a run that asks on when its token has expired learns nothing more.

What gives a suspicion is cheap: some requests in a row for what had given a value, or many that access was
refused to. What makes certain of it are reads of several keys that gave values, with growing pauses between
them, of other appliances as well. As soon as one gives a value, nothing was lost.
"""

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from typing import Final

from catalog.keys import POWER_STATE
from conformance.checks.answer import Answer, Outcome
from conformance.checks.exchange import JUDGED, WRITES, Exchange, Purpose, Remark
from conformance.checks.remarks import LOSS, lost, lost_appliances
from conformance.harness.answers.fitting import Misfit
from conformance.harness.observing import Observations
from conformance.harness.steps import Ask

_FIRST_NO_SUCCESS, _FIRST_OF_SERVER = 300, 500
_ACCESS: Final = frozenset({401, 403, 407})
_PLAIN: Final[frozenset[Purpose]] = frozenset({"read", "control", "repeat"})
_MISSED: Final = 3
"""Answers in a row, without a value, for what had given one: then the appliance may be lost."""
_USELESS: Final = 6
"""Answers in a row that are errors or refuse access, to whatever it was: then the target may be lost."""
_SILENT: Final = 24
"""Answers in a row without a value, to whatever it was; an appliance may lack many keys in a row."""
_MOST_PROBES: Final = 3
_MOST_OTHERS: Final = 3
_CHANCE: Final = 1e-6
"""How probable it may be that a target that errs at random is taken for one that is lost."""
_PAUSES: Final = (1, 2, 4, 4)
_PAUSES_OF_ACCESS: Final = (1, 1)
"""How long is waited between two rounds of reads, in times of timing.retry_s: a restart takes longer."""
_LEAST_S: Final = 1.0
"""What counts for that at least, where there are pauses at all: a server on this machine restarts as well."""


@dataclass
class _Known:
    """What is known of one appliance.

    `asks` are the reads that gave a value, by path. Of the answers since the last of these, `missed` counts
    those for such a path, `useless` the last ones that are errors or refuse access, and `silent` all; as many
    as `patience` are nothing to wonder at. `answers` and `errors` count all answers for such paths, and the
    errors among them. `is_switched` where its power state was written.
    """

    asks: dict[str, tuple[Ask, Exchange]] = field(default_factory=dict[str, tuple[Ask, Exchange]])
    missed: int = 0
    useless: int = 0
    silent: int = 0
    patience: int = _SILENT
    answers: int = 0
    errors: int = 0
    is_switched: bool = False
    is_switched_off: bool = False

    def is_suspect(self, *, at_end: bool) -> bool:
        """Whether it may be lost; at the end fewer signs are enough. What the run switched off is not."""
        if self.is_switched_off:
            return False
        if at_end:
            return bool(self.missed or self.useless)
        return self.missed >= _MISSED or self.useless >= _USELESS or self.silent >= self.patience

    def begin_anew(self) -> None:
        """It has given a value."""
        self.missed = self.useless = self.silent = 0


class Presence:
    """What has answered so far, and what is lost: `lost` by haId, with words for it."""

    def __init__(
        self,
        observations: Observations,
        answer_to: Callable[[Ask], Answer | None],
        pause: Callable[[float], None],
        remark: Callable[[Remark], None],
        *,
        began: str,
    ) -> None:
        """Nothing has answered yet.

        Args:
            observations: what was sent and came back, growing.
            answer_to: makes a request; None where it could not be sent, or the run ends.
            pause: waits so many seconds, unless the run ends.
            remark: keeps what was lost.
            began: when the run did, as exchanges have it.
        """
        self._observations = observations
        self._answer_to = answer_to
        self._pause = pause
        self._remark = remark
        self._began = began
        self._known = {own.ha_id: _Known() for own in observations.profile.appliance}
        self._latest: Answer | None = None
        self._last_to_answer = ""
        self.lost: dict[str, str] = {}

    @property
    def is_all_lost(self) -> bool:
        """Whether no appliance is left that could be asked."""
        return len(self.lost) == len(self._known)

    def note(self, ask: Ask, exchange: Exchange) -> None:
        """Takes down what came of a request.

        Shared reads are not classified here: before they are over it may not be known where values stand.
        """
        known = self._known.get(ask.ha_id)
        if known is None:
            return
        status = exchange.response.status if exchange.response else None
        has_value = status is not None and status < _FIRST_NO_SUCCESS
        if ask.purpose in WRITES:
            if ask.key == POWER_STATE:
                known.is_switched = True
                known.is_switched_off = (
                    not str(ask.value).endswith(".On") if has_value else known.is_switched_off
                )
            return
        if has_value and ask.group is not None:
            has_value = self._observations.answer(exchange).has_value
        is_plain = ask.purpose in _PLAIN and ask.wanted.method == "GET" and not ask.wanted.body
        is_known = is_plain and (has_value or ask.wanted.path in known.asks)
        known.answers += is_known
        if has_value and is_plain:
            known.asks[ask.wanted.path] = (ask, exchange)
            self._last_to_answer = ask.ha_id
            known.begin_anew()
            return
        is_error = status is None or status >= _FIRST_OF_SERVER
        known.missed += is_known
        known.silent += 1
        known.errors += is_known and is_error
        known.useless = known.useless + 1 if is_error or status in _ACCESS else 0

    def look_for(self, ha_id: str, *, at_end: bool = False) -> None:
        """Asks an appliance that may be lost for what it gave; where it is lost, so may be the target.

        `at_end` fewer signs are enough: nothing else will show it.
        """
        known = self._known.get(ha_id)
        if known is None or ha_id in self.lost:
            return
        if at_end and self._latest and known.silent and not known.asks:
            self._look_for_unseen(ha_id, self._latest)
        elif known.is_suspect(at_end=at_end):
            # one that has given no value yet may be asked after the target was lost
            seen = ha_id if known.asks else self._last_to_answer
            if not known.asks and self._latest:
                self._look_for_unseen(ha_id, self._latest)
            elif seen and seen not in self.lost:
                self._make_sure(seen)
            if ha_id not in self.lost:
                known.begin_anew()
                known.patience *= 2

    def _make_sure(self, ha_id: str) -> None:
        """Asks an appliance for what it gave, several times, and others where it gives nothing any more."""
        known = self._known[ha_id]
        probes = self._probes(ha_id)[:_MOST_PROBES]
        now = self._missing(probes)
        for pause_s in self._pauses_s(known, now, len(probes)) if now else ():
            self._pause(pause_s)
            now = now and self._missing(probes, now)
        if now is None:
            return
        beside = (other for other, its in self._known.items() if other != ha_id and not its.is_switched_off)
        others = [probes[0] for other in beside if (probes := self._probes(other))]
        is_one_refusal = now.outcome in {Outcome.REFUSED, Outcome.NOVALUE, Outcome.UNREACHABLE}
        is_of_target = self._missing(others[:_MOST_OTHERS], now) if others else not is_one_refusal
        self._lose([*self._known] if is_of_target else [ha_id], now)

    def _look_for_unseen(self, ha_id: str, now: Answer) -> None:
        """Whether an appliance that was asked only when another one was lost answers as that one does."""
        own = [
            one
            for one in self._observations.exchanges
            if one.ha_id == ha_id and one.purpose in JUDGED - WRITES
        ]
        if all(are_alike(self._observations.answer(one), now) for one in own):
            others = [*self._known.keys() - self.lost.keys() - {ha_id}]
            self._lose([ha_id] if others else [*self._known], now)

    def _lose(self, gone: Collection[str], now: Answer) -> None:
        """Takes down that some appliances, or all, answer as it is now."""
        self._latest = now
        since = self._first_alike(gone, now)
        is_all = len(gone) == len(self._known) and (len(gone) > 1 or now.outcome is Outcome.AUTH)
        remarks = [lost(one, since, now, of_target=is_all, began=self._began) for one in gone]
        for one, absence in lost_appliances(remarks, self._observations.exchanges).items():
            self.lost[one] = absence.loss.words
        for remark in remarks:
            self._remark(remark)

    def end(self, misfit: Misfit) -> None:
        """Takes down that no answer fits the profile, so that nothing of the target is judged."""
        seen = self._observations
        first = next(one for one in seen.exchanges if one.purpose in JUDGED)
        is_all = seen.profile.shard is None  # other shards may see what fits
        for ha_id in self._known:
            self._remark(lost(ha_id, first, misfit.answer, of_target=is_all, misfit=misfit.words))
            self.lost[ha_id] = misfit.words

    def look_for_all(self) -> None:
        """Makes sure that each appliance is still there whose last answer was no value."""
        for ha_id in self._known:
            self.look_for(ha_id, at_end=True)

    def _probes(self, ha_id: str) -> list[Ask]:
        """Reads that gave a value, to be made again: of PowerState first, then the last ones."""
        asks = self._known[ha_id].asks.values()
        known = [ask for ask, exchange in asks if self._observations.answer(exchange).has_value]
        known.sort(key=lambda ask: ask.key != POWER_STATE)
        return [
            Ask("control", LOSS, ask.ha_id, ask.key, ask.segment, ask.wanted)
            for ask in (*known[:1], *known[:0:-1])
        ]

    def _pauses_s(self, known: _Known, first: Answer, probes: int) -> tuple[float, ...]:
        """How long to wait before each further round of reads, where the first one was answered so."""
        chance = max(0, known.errors - known.missed) / known.answers if known.answers else 0.0
        rounds = math.ceil(math.log(_CHANCE) / math.log(chance) / probes) if 0 < chance < 1 else 0
        pauses = _PAUSES_OF_ACCESS if first.outcome is Outcome.AUTH else _PAUSES
        profile = self._observations.profile
        unit_s = max(profile.retry_s, _LEAST_S) if profile.retry_s else 0.0
        if unit_s and any(its.is_switched for its in self._known.values()):  # it may restart the target
            left_s = profile.timing.power_settle_s - unit_s * sum(pauses)
            rounds = max(rounds, 1 + len(pauses) + math.ceil(left_s / (unit_s * pauses[-1])))
        more = pauses[-1:] * max(0, rounds - 1 - len(pauses))
        return tuple(one * unit_s for one in (*pauses, *more))

    def _missing(self, probes: Iterable[Ask], like: Answer | None = None) -> Answer | None:
        """What keeps all values of some reads back, in one and the same way; None where nothing does."""
        for probe in probes:
            answer = self._answer_to(probe)
            if answer is None or not are_alike(answer, like or answer):
                return None
            like = like or answer
        return like

    def _first_alike(self, ha_ids: Collection[str], now: Answer) -> Exchange:
        """The first of the last answers of some appliances that all were as it is now."""
        first = now.exchange
        for exchange in reversed(self._observations.exchanges):
            if exchange.ha_id in ha_ids and exchange.purpose in JUDGED - WRITES:
                if not are_alike(self._observations.answer(exchange), now):
                    break
                first = exchange
        return first


def are_alike(one: Answer, other: Answer) -> bool:
    """Whether two answers keep a value back in the same way: access, errors, or one refusal."""
    if one.has_value or other.has_value or Outcome.THROTTLE in {one.outcome, other.outcome}:
        return False
    if one.is_error or other.is_error:
        return one.is_error and other.is_error
    if Outcome.AUTH in {one.outcome, other.outcome}:
        return one.outcome is other.outcome
    return one.signature == other.signature
