"""Which servers are judged, what a run is told of each, and what it may do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import cast

from msgspec import Struct

from catalog.model import Level
from conformance.mutants.model import KNOWLEDGE, Mutant, SeenAt, Unearned, Variant
from conformance.mutants.registry import load_mutants, load_unearned, load_variants
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.service import Service

PREFIX = "/tried"
"""Where a server is that is judged: the same place for all, so that their requests are built once."""
_LEVEL: dict[SeenAt, Level] = {"L0": "read", "L1": "read", "L2": "read", "L3": "power", "L4": "attended"}
"""What a run must be allowed to do to see a mutant, by the least that has to be known of it."""

_GLANCE = 180
"""Requests of each state machine on a variant: it must not find anything, and hundreds of them have to be
judged.
"""


class Trial(Struct, frozen=True):
    """One server to be judged.

    Attributes:
        name: what it is called.
        server: the server.
        knowledge: what its profile says.
        level: what the run may do.
        generated: how many requests each state machine may make, unless the profile says that it needs more;
            None for what every run may.
    """

    name: str
    server: type[Service]
    knowledge: Knowledge
    level: Level
    generated: int | None = None

    def profile(self, service: Service, base_url: str) -> dict[str, object]:
        """What the run is told of `service`, which is under the prefix at `base_url`."""
        profile = truthful_profile(service, base_url + PREFIX, knowledge=self.knowledge)
        if self.generated is None:
            return profile
        pace = cast("dict[str, object]", profile["pace"])
        return {**profile, "pace": {"generated": self.generated, **pace}}


def is_among(name: str, only: Sequence[str]) -> bool:
    """Whether a name holds one of the texts `only`, or there are none."""
    return not only or any(text in name for text in only)


def trials_of(
    mutants: Iterable[Mutant],
    variants: Iterable[Variant],
    unearned: Iterable[Unearned] = (),
    *,
    reference: bool,
) -> Iterator[Trial]:
    """A trial of each mutant and unearned server, and of each variant with each knowledge.

    One of the reference, too, if it is wanted.
    """
    if reference:
        yield Trial("reference.full", Service, "full", "attended")
        yield Trial("reference.L0", Service, "L0", "read")
    for mutant in mutants:
        yield Trial(mutant.name, mutant.service, KNOWLEDGE[mutant.level], _LEVEL[mutant.level], 0)
    for variant in variants:
        for knowledge in variant.knowledges:
            level: Level = "attended" if knowledge == "full" else "read"
            yield Trial(f"{variant.name}.{knowledge}", variant.service, knowledge, level, _GLANCE)
    for server in unearned:
        yield Trial(unearned_trial(server), server.service, "full", server.level, 0)


def unearned_trial(server: Unearned) -> str:
    """What the trial of an unearned server is called."""
    return f"{server.name}.unearned"


@cache
def all_trials() -> Mapping[str, Trial]:
    """Every trial by its name; a process cannot hand a server to another."""
    trials = trials_of(load_mutants(), load_variants(), load_unearned(), reference=True)
    return {trial.name: trial for trial in trials}
