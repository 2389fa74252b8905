"""What a run costs, said before anything is sent: requests, minutes, nights, and which line binds."""

import math
from collections.abc import Sequence

from msgspec import Struct

from catalog.model import Level
from conformance.checks.case import Case
from conformance.harness.known_answers import read_again
from conformance.harness.planning import Plan
from conformance.harness.writes.rehearsal import Rehearsed, rehearse, seconds_in_all
from conformance.model.state_table import states_of


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


def forecast(plan: Plan, cases: Sequence[Case], level: Level, left: int | None = None) -> Forecast:
    """What a run of `level` takes for its cases, where so many requests are `left` today."""
    profile, catalog = plan.profile, plan.catalog
    costs = rehearse(cases, profile, catalog, level) if level != "read" else {}
    late = rehearse(cases, profile, catalog, level, is_late=True) if costs else {}
    states = {row.controller for row in states_of(catalog)}
    settings = sum(segment == "settings" and ".Setting." in key for _, segment, key in plan.served)
    asked = len(plan.appliances)
    again = sum(key in states for _, _, key in plan.served) + read_again(asked) * asked
    return Forecast(
        requests=plan.most_requests + sum(cost.requests for cost in costs.values()) + settings * bool(costs),
        going_on=again + math.ceil(settings / max(1, len(costs))) * bool(costs),
        waiting_s=seconds_in_all(costs.values()),
        late_s=seconds_in_all(late.values()),
        per_minute=profile.per_minute,
        per_day=profile.per_day,
        left=left,
        costs=costs,
    )
