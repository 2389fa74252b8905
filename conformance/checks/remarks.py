"""What a run takes down beside its exchanges, and what is read off that again.

What went away while it lasted, or never fitted its profile, is not judged from then on: a target whose token
has expired, or an appliance that was unplugged, answers nothing any more that it had given a value for. What
it answers instead says nothing of the document, and what was not seen does not pass.

A procedure need not read what was read after one write and is there before the next: the ledger notes of each
such read that it is of the later procedure as well, which then looks as if it had made it.

Somebody else may write to an appliance while a run does: what follows a write is then no effect of it.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import short_name
from conformance.checks.answer import Answer, Outcome, in_order
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import WATCH, Group, ProcedureKind
from conformance.model.json_values import quoted

LOSS: Final = Group(ProcedureKind.PACE)
"""The group of the reads that make sure of it."""


class Loss(Struct, frozen=True):
    """That an appliance, or the whole target (`*`), answered nothing more that it had given a value for.

    `request` is the first request that showed it, counted from 1, and `at` its time (RFC 3339); `answer` is
    what came instead: `409 (refused)`. `is_access` says that access was refused, `is_offline` that this
    answer is declared to mean so (http.unreachable). `misfit` says why no answer fitted the profile from the
    beginning, so that the run ended; it is empty where something had given a value.
    """

    ha_id: str
    request: int
    at: str
    answer: str
    is_access: bool = False
    is_offline: bool = False
    misfit: str = ""

    @property
    def since(self) -> str:
        """The time of the day from which on it was so."""
        return f"{self.at[11:19]} UTC"

    @property
    def words(self) -> str:
        """The loss as a clause: `since 10:49:32 UTC washer-1 answers 409 (refused)`."""
        if self.misfit:
            return f"no answer fits the profile: {self.misfit}"
        if self.is_access and self.ha_id == "*":
            where = f"from request {self.request:,} on ({self.answer.split()[0]}, since {self.since})"
            return f"access was refused {where}: the token of [auth] may have expired"
        who = "the target" if self.ha_id == "*" else self.ha_id
        if self.is_offline:
            return f"{who} was offline from {self.since} on"
        return f"since {self.since} {who} answers {self.answer}"


class Interruption(Struct, frozen=True):
    """That a run was interrupted after one time and went on at another (RFC 3339), with nothing asked."""

    after: str
    until: str


class LostAppliance(Struct, frozen=True):
    """The loss of one appliance as the ledger has it.

    `since` is the number of the first exchange that is not judged. `while_reading` says that nothing had been
    written to it by then. What was asked before the night `began` stands, wherever a run that goes on has put
    it: an earlier one had asked it, before the loss.
    """

    since: int
    loss: Loss
    while_reading: bool
    began: str = ""

    def covers(self, exchange: Exchange) -> bool:
        """Whether an exchange came after the loss, and says nothing of the appliance."""
        return self.since <= exchange.n and self.began <= exchange.at


class LossNote(Struct, frozen=True):
    """What the ledger notes of an appliance that is lost, beside its haId.

    `since` and `began`, a time as exchanges have it, are as in `LostAppliance`.
    """

    since: int
    answer: str
    access: bool
    target: bool
    offline: bool = False
    misfit: str = ""
    began: str = ""


def lost(  # noqa: PLR0913  what the note of a loss says
    ha_id: str, since: Exchange, now: Answer, *, of_target: bool, misfit: str = "", began: str = ""
) -> Remark:
    """What is noted of an appliance that answers since an exchange as it does `now`.

    `misfit` says why, where no answer fits the profile; `began` is when this run did.
    """
    answer = now.words if now.limit else now.sort  # a bound of the profile is named
    is_access, is_offline = (now.outcome is outcome for outcome in (Outcome.AUTH, Outcome.UNREACHABLE))
    note = LossNote(since.n, answer, is_access, of_target, is_offline, misfit, began)
    return Remark("lost", LOSS, ha_id, "*", to_builtins(note))


def note_of(remark: Remark) -> LossNote:
    """What a remark of a loss says.

    Raises:
        ValueError: when a member is missing or of a wrong type (msgspec's ValidationError is one).
    """
    return convert(remark.note, LossNote)


def is_misfit(remark: Remark) -> bool:
    """Whether a remark says that no answer fits the profile: with another profile it does not hold."""
    return remark.purpose == "lost" and bool(note_of(remark).misfit)


def of_campaign(remarks: Sequence[Remark], ha_ids: Collection[str]) -> Sequence[Remark]:
    """The remarks of all shards of a campaign, with these appliances, as of one run.

    A shard knows of its own appliances alone. Where no answer of any fits the profile, none of the target
    does: that is noted of all with the words of the first.
    """
    misfits = {one.ha_id: note_of(one) for one in remarks if is_misfit(one)}
    if not misfits or misfits.keys() != set(ha_ids):
        return remarks
    first = replace(next(iter(misfits.values())), target=True)
    return [replace(one, note=to_builtins(first)) if is_misfit(one) else one for one in remarks]


def lost_appliances(remarks: Iterable[Remark], exchanges: Sequence[Exchange]) -> Mapping[str, LostAppliance]:
    """What went away, by haId, as it was noted in a run with these exchanges."""
    noted = [remark for remark in remarks if remark.purpose == "lost"]
    if not noted:
        return {}
    places = {exchange.n: place for place, exchange in enumerate(exchanges)}
    written = {exchange.ha_id: exchange.n for exchange in reversed(exchanges) if exchange.purpose == "write"}
    found: dict[str, LostAppliance] = {}
    for remark in noted:
        note = note_of(remark)
        place = places.get(note.since)
        if place is None:
            continue
        who = "*" if note.target else remark.ha_id
        loss = Loss(who, place + 1, exchanges[place].at, note.answer, note.access, note.offline, note.misfit)
        while_reading = note.since < written.get(remark.ha_id, note.since + 1)
        found[remark.ha_id] = LostAppliance(note.since, loss, while_reading, note.began)
    return found


def losses_of(appliances: Mapping[str, LostAppliance]) -> tuple[Loss, ...]:
    """What went away, the whole target once, in the order of the run."""
    losses = sorted((one.loss for one in appliances.values()), key=lambda loss: loss.request)
    return tuple(dict.fromkeys(losses))


NOWHERE: Final = 0
"""The number of no exchange."""


class _Note(Struct, frozen=True, omit_defaults=True):
    """What the ledger notes of such a read: its number, and the further procedures that it is for."""

    read: int
    also: list[str] = []


def known(groups: tuple[Group, ...], ha_id: str, read: Exchange) -> Remark:
    """That a read is what some procedures of an appliance begin with."""
    first, *others = groups
    note = _Note(read.n, [*map(str, others)])
    return Remark("known", first, ha_id, read.key, to_builtins(note))


def read_of(remark: Remark) -> int:
    """The number of the exchange that a remark is about.

    Raises:
        ValueError: when a member is missing or of a wrong type (msgspec's ValidationError is one).
    """
    return convert(remark.note, _Note).read


def groups_of(remark: Remark) -> tuple[Group, ...]:
    """The procedures that its read is for.

    Raises:
        ValueError: when one is none, or a member is missing or of a wrong type.
    """
    return remark.group, *map(Group.parse, convert(remark.note, _Note).also)


def renumbered(remark: Remark, numbers: Mapping[int, int]) -> Remark:
    """A remark for a ledger in which exchanges have other numbers, by those that they had.

    What was known is then of no exchange where that ledger lacks it.
    """
    if remark.purpose == "lost":
        since = note_of(remark).since
        return replace(remark, note={**remark.note, "since": numbers.get(since, since)})
    if remark.purpose == "known":
        return replace(remark, note={**remark.note, "read": numbers.get(read_of(remark), NOWHERE)})
    return remark


def with_known(
    made: Mapping[Group, list[Answer]], remarks: Iterable[Remark], read_by: Callable[[int], Answer | None]
) -> dict[Group, tuple[Answer, ...]]:
    """The answers of each procedure in their order, with those that it did not have to ask for.

    `read_by` finds the answer to an exchange of that number.
    """
    added: dict[Group, list[Answer]] = {}
    for remark in remarks:
        if remark.purpose == "known" and (read := read_by(read_of(remark))):
            for group in groups_of(remark):
                added.setdefault(group, [*made.get(group, ())]).append(read)
    whole = {group: tuple(own) for group, own in made.items()}
    return whole | {group: tuple(in_order(own)) for group, own in added.items()}


def moved_by_others(before: object, now: Answer) -> Remark:
    """What is noted where a setting moved, and not by what the run wrote."""
    at = now.exchange.at[11:19]
    note: dict[str, JsonValue] = {"from": quoted(before), "to": quoted(now.value), "at": f"{at} UTC"}
    return Remark("others", WATCH, now.ha_id, now.key, note)


def words_of(remark: Remark) -> str:
    """What such a note means, as a sentence."""
    note, what = remark.note, f"{short_name(remark.key)} of {remark.ha_id}"
    moved = f"{what} went from {note['from']} to {note['to']}, which this run did not do"
    why = "somebody else writes to it, perhaps another run, or effects take longer than timing.settle_s"
    return f"{moved} ({note['at']}): {why}; nothing more is written"


def others_in(remarks: Mapping[Group, Iterable[Remark]]) -> str:
    """Who else wrote to an appliance in this run, as that was noted; empty where nobody was seen to."""
    return next((words_of(one) for one in remarks.get(WATCH, ()) if one.purpose == "others"), "")
