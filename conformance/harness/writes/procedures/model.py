"""What a procedure that writes says of itself, in one place: the plan, the run and the selection read it."""

from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from msgspec import Struct, structs

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.model import Level
from conformance.checks.case import UNLISTED, Omission, below, reaches, why_not_written
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group, ProcedureKind, Purpose
from conformance.checks.view import View
from conformance.model.couplings import (
    controllers_of,
    is_coupled,
    is_light,
    siblings_of,
    unrelated_to,
    write_controllers_of,
)
from conformance.model.states import ExemptingState, exempting_state, hindering_states
from conformance.profiles.model import Profile

_MOST_ALIKE = 2


class Stage(Struct, frozen=True):
    """What a procedure is made with: its appliance, all appliances, and the seed of the run.

    `why_closed` says of a key why it is not written any more; empty where it may be.
    """

    seen: View
    views: Mapping[str, View]
    seed: str = ""
    why_closed: Callable[[str], str] = lambda _key: ""

    def others_with(self, key: str) -> list[View]:
        """The appliances that it is compared with and that serve the key: like ones, one of another kind."""
        serving = [self.views[ha_id] for ha_id in serving_beside(self.seen, key)]
        alike = [other for other in serving if other.appliance.kind == self.seen.appliance.kind][:_MOST_ALIKE]
        unlike = [other for other in serving if other.appliance.kind != self.seen.appliance.kind]
        return [*alike, *unlike[: max(1, _MOST_ALIKE - len(alike))]]


def serving_beside(seen: View, key: str) -> list[str]:
    """The appliances that one is compared with and that serve a key, by haId."""
    place = CATALOG.entries[key].segment, key
    return [ha_id for ha_id, reads in seen.beside.items() if place in reads and reads[place].has_value]


@dataclass(frozen=True, slots=True)
class WriteProcedure(ABC):
    """Writes that cases of one appliance rest on.

    Attributes:
        group: the name of its exchanges; its subject is the one key that most procedures write.
        purposes: what the selected cases that rest on it need of it; what none of them needs is not sent.
        kind: the kind of its group.
        turn: when it has its turn among the procedures of an appliance.
        level: the least level that makes it.
        is_by_itself: whether it is not made among the others of its appliance: it has a time of its own.
        is_patient: whether each of its writes is waited for, and it goes on whatever comes.
        is_made_as_found: whether it also shows something in a state that is ended for others.
    """

    group: Group
    purposes: frozenset[Purpose]

    kind: ClassVar[ProcedureKind]
    turn: ClassVar[int]
    level: ClassVar[Level] = "write"
    is_by_itself: ClassVar[bool] = False
    is_patient: ClassVar[bool] = False
    is_made_as_found: ClassVar[bool] = False

    @property
    def writes(self) -> tuple[str, ...]:
        """The entries that it writes; each setting of them has to be on the write list."""
        return (self.group.subject,)

    def moves(self, seen: View) -> set[str]:  # noqa: ARG002  of most procedures, the same on every appliance
        """All that it writes, also what it is not about."""
        return {*self.writes}

    def why_not(self, profile: Profile, level: Level) -> Omission | None:
        """Why a run of `level` must not make its writes; None where it may."""
        if not reaches(level, self.level):
            return below(self.level)
        for key in self.writes:
            omission = why_not_written(profile, level, key)
            if omission and omission == UNLISTED and len(self.writes) > 1:
                return Omission(f"{short_name(key)}: {omission.reason}", omission.field)
            if omission:
                return omission
        return None

    def is_served(self, seen: View) -> bool:
        """Whether the appliance serves what it is about."""
        return seen.value(self.writes[0]) is not None

    def touched_by(self, seen: View) -> tuple[ExemptingState, ...]:
        """The states now that may keep its writes from having an effect."""
        found = (state for key in self.writes for state in hindering_states(seen, key))
        return tuple(dict.fromkeys(found))

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:
        """Those of them in which it would show nothing, so that they are to be ended for it.

        So is what hides whether one holds, as an appliance that is off may hide whether a program is active.
        """
        found = self.touched_by(seen)
        unread = (state.controller for state in found if seen.value(state.controller) is None)
        return (*found, *filter(None, (exempting_state(seen, key) for key in unread)))

    def may_be_hidden(self, seen: View) -> bool:
        """Whether a state now may keep what it is about from being read."""
        return seen.claim(self.writes[0]) == "yes" and bool(self.hindered_by(seen))

    def is_to_be_ignored(self) -> bool:
        """Whether all that it writes must have no effect, so that it disturbs nothing."""
        return False

    def rests_on(self, seen: View) -> set[str]:  # noqa: ARG002  the same of every appliance
        """The entries that nobody else may move meanwhile: its own, what moves them, what may lock them.

        A light is moved by what the document says moves it, and moves nothing else (lines 61 to 70).
        """
        needed = set(self.writes)
        for key in self.writes:
            needed |= controllers_of(key) | write_controllers_of(key)
            if is_coupled(key) and not is_light(key):
                needed.update(one for one in CATALOG.entries if is_coupled(one) and not is_light(one))
        return needed

    def neighbours(self, seen: View) -> tuple[str, ...]:
        """The settings beside its own that must not move, where a selected clause is about them."""
        if Purpose.NEIGHBOURS not in self.purposes:
            return ()
        told = seen.learned.settings, self.group.subject
        return (*siblings_of(*told), *unrelated_to(*told))

    def disturbs(self, other: "WriteProcedure", seen: View) -> bool:
        """Whether what it writes may move what another procedure of the appliance rests on."""
        return not other.rests_on(seen).isdisjoint(self.moves(seen))

    def refused(self, ha_id: str, why: str) -> Remark:
        """That it was not made on an appliance, or that what came of it says nothing, and why."""
        return Remark("write", self.group, ha_id, "*", {"refused": why})

    def named(self, **differing: object) -> Self:
        """The same procedure under another name: made alone, as found, or in a state that locks."""
        return replace(self, group=structs.replace(self.group, **differing))
