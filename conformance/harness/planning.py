"""What a run sends, and what that costs, before anything is sent: requests, minutes, and nights."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from catalog.keys import OPERATION_STATE, POWER_STATE
from catalog.loader import CATALOG
from catalog.model import Level
from conformance.checks.case import Case
from conformance.checks.groups import ProcedureKind
from conformance.checks.reads.reading import LONG_SERIES, SERIES, walks
from conformance.harness.known_answers import read_again
from conformance.harness.writes.rehearsal import Rehearsed, rehearse, seconds_in_all
from conformance.model.couplings import controllers_of, moves_by_itself
from conformance.model.state_table import SHOWING_A_STATE
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Profile

CONTROLS = 5
"""Controls of an appliance that answers as it should: two unknown keys, an unknown haId, two keys of other
kinds.
"""
Look: TypeAlias = Literal["whole", "draft", "glance"]
"""How much is asked: what a run needs; each key once, for a draft; or a few keys of each kind."""


class Plan(Struct, frozen=True):
    """The shared reads of a run, as (ha_id, segment, key) in their order, and the cases that they are for.

    `generated` are the haIds of the appliances that generated requests are made of. Only a run that has a
    `whole` look reads anything again.
    """

    profile: Profile
    reads: tuple[tuple[str, str, str], ...]
    generated: frozenset[str] = frozenset()
    look: Look = "whole"
    cases: Sequence[Case] = ()
    level: Level = "read"

    @property
    def appliances(self) -> tuple[Appliance, ...]:
        """The appliances that are asked anything."""
        asked = {ha_id for ha_id, _, _ in self.reads}
        return tuple(appliance for appliance in self.profile.appliance if appliance.ha_id in asked)

    @property
    def controls(self) -> int:
        """Control requests where everything answers as it should."""
        return CONTROLS * len(self.appliances)

    @property
    def served(self) -> list[tuple[str, str, str]]:
        """The shared reads that give a value: of an appliance that claims any key, those that it claims."""
        told = {own.ha_id: {"yes"} if own.supports else {"yes", "unknown"} for own in self.appliances}
        claims = {own.ha_id: own.claim for own in self.appliances}
        return [one for one in self.reads if claims[one[0]](one[2]) in told[one[0]]]

    @property
    def most_repeats(self) -> int:
        """Reads made again at most: the series, and the comparisons of power and of contested keys."""
        repeats = 0
        if self.look != "whole":
            return repeats
        sample = self.profile.repeat_sample
        served: defaultdict[str, list[str]] = defaultdict(list)
        for ha_id, _, key in self.served:
            served[ha_id].append(key)
        for keys in served.values():
            entries = [CATALOG.entries[key] for key in keys]
            again = sorted(((LONG_SERIES if walks(entry) else SERIES) - 1 for entry in entries), reverse=True)
            contested = {key for key in keys if CATALOG.entries[key].contested}
            compared = {POWER_STATE, OPERATION_STATE}.issubset(keys)
            repeats += sum(again[:sample]) + 4 * compared + 4 * len(contested)
        return repeats

    @property
    def most_generated(self) -> int:
        """Generated requests at most, in all."""
        return self.profile.generated_reads * len(self.generated)

    @property
    def lists(self) -> int:
        """Requests for the lists that the profile declares."""
        return sum(one is not None for _, one in self.profile.list) * len(self.appliances)

    @property
    def most_requests(self) -> int:
        """The most that reading sends; where keys are not served, fewer are needed."""
        return len(self.reads) + self.controls + self.lists + self.most_repeats + self.most_generated


def plan_run(profile: Profile, cases: Sequence[Case], level: Level = "read", look: Look = "whole") -> Plan:
    """The plan of a run of `level` for `cases`: the keys they are about, and those needed to judge them.

    A case about an appliance as a whole needs all of that appliance's keys. So does one that is written for:
    who writes has seen each setting before, and looks at each at last.
    """
    wanted: dict[str, set[str]] = {appliance.ha_id: set() for appliance in profile.appliance}
    tried = {appliance.ha_id: claimed_keys(appliance) for appliance in profile.appliance}
    isolated = set[str]()
    for case in cases:
        if case.ha_id not in tried:
            continue
        is_written_for = level != "read" and bool(case.groups or case.besides)
        if case.entry is None or is_written_for:
            wanted[case.ha_id].update(tried[case.ha_id])
        else:
            wanted[case.ha_id].update((case.key,), controllers_of(case.key))
        if any(group.kind is ProcedureKind.ISOLATION for group in case.groups):
            isolated.add(case.key)
    for appliance in profile.appliance:
        own = isolated.intersection(tried[appliance.ha_id])
        wanted[appliance.ha_id].update(key for key in own if appliance.claim(key) != "no")
    reads = [
        (ha_id, segment, key)
        for ha_id, keys in tried.items()
        for key in keys
        if key in wanted[ha_id]
        for segment in CATALOG.entries[key].segments
    ]
    asking = (case.ha_id for case in cases if case.generated and not case.groups and look == "whole")
    return Plan(profile, tuple(reads), frozenset(asking), look, cases, level)


class Forecast(Struct, frozen=True):
    """What a run takes.

    Attributes:
        requests: about how many it makes in one go.
        going_on: how many each further night begins with, to see what has changed meanwhile: a few of each
            appliance, and the settings of the one that it goes on with.
        waiting_s: how long it waits where effects come at once, in seconds.
        late_s: the same where each effect takes as long as it may.
        per_minute, per_day: as many requests the profile allows; None for any number.
        left: how many are left today; None for any number.
        costs: what writing costs, by haId.
    """

    requests: int
    going_on: int
    waiting_s: float
    late_s: float
    per_minute: int | None
    per_day: int | None
    left: int | None
    costs: dict[str, Rehearsed]

    @property
    def minutes(self) -> float:
        """How long the requests take by the pace; 0 without one."""
        return max(0, self.in_all - self.per_minute) / self.per_minute if self.per_minute else 0.0

    @property
    def nights(self) -> int:
        """On how many days it asks, by what is left today and on each further one; 0 where it never ends."""
        if self.left is None or self.per_day is None or self.requests <= self.left:
            return 1
        each = self.per_day - self.going_on
        return 1 + math.ceil((self.requests - self.left) / each) if each > 0 else 0

    @property
    def in_all(self) -> int:
        """About how many requests it makes in all its nights."""
        return self.requests + self.going_on * max(0, self.nights - 1)

    @property
    def binding(self) -> str:
        """The line of the profile that makes a run last as long as it does, with its value."""
        if self.nights != 1:
            return f"pace.per_day = {self.per_day}"
        if self.per_minute and self.minutes * 60 >= self.waiting_s:
            return f"pace.per_minute = {self.per_minute}"
        return "timing.settle_s, and how late effects come" if self.costs else "how fast the target answers"


def forecast(plan: Plan, left: int | None = None) -> Forecast:
    """What a run takes, where so many requests are `left` today."""
    profile, cases, level = plan.profile, plan.cases, plan.level
    costs = rehearse(cases, profile, level) if level != "read" else {}
    late = rehearse(cases, profile, level, is_late=True) if costs else {}
    served = [(ha_id, key) for ha_id, segment, key in plan.served if segment == "settings"]
    settings = Counter(ha_id for ha_id, key in served if ".Setting." in key)
    moving = Counter(ha_id for ha_id, _, key in plan.served if moves_by_itself(key))
    looks = sum(settings[ha_id] * cost.looks + moving[ha_id] for ha_id, cost in costs.items())
    asked = len(plan.appliances)
    again = sum(key in SHOWING_A_STATE for _, _, key in plan.reads) + read_again(asked) * asked
    return Forecast(
        requests=plan.most_requests + sum(cost.requests for cost in costs.values()) + looks,
        going_on=again + math.ceil(settings.total() / max(1, len(costs))) * bool(costs),
        waiting_s=seconds_in_all(costs.values()),
        late_s=seconds_in_all(late.values()),
        per_minute=profile.per_minute,
        per_day=profile.per_day,
        left=left,
        costs=costs,
    )
