"""Which servers are judged, what a run is told of each, and what it may do."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from catalog.model import Level
from conformance.mutants.model import KNOWLEDGE, Mutant, SeenAt, Unearned, Variant
from conformance.mutants.registry import find_server, load_mutants, load_unearned, load_variants
from conformance.mutants.shapes.requests import ErringAtRandom
from conformance.mutants.variants.asleep import LineDeadOnceOff
from conformance.mutants.variants.power import OneOnAtATime
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.service import Service

PREFIX = "/v1"
"""Where a server is that is judged: the same place for all, so that their requests are built once. It is no
version of the path, though it looks like one, as the variant of this name says.
"""
_LEVEL: dict[SeenAt, Level] = {"L0": "read", "L1": "read", "L2": "read", "L3": "power", "L4": "attended"}
"""What a run must be allowed to do to see a mutant, by the least that has to be known of it."""

Budget: TypeAlias = Literal["loopback", "remote"]
"""How much a run generates: as of a target on this machine, or of any other."""

_UNSTEADY = (
    *(ErringAtRandom, LineDeadOnceOff, OneOnAtATime),
    *map(
        find_server,
        (
            "one-power-behind-silence",
            "type-enum-as-false",
            "reads-lag-behind-the-settle-time",
            "door-in-use",
            "door-in-use-now-and-then",
        ),
    ),
)
"""Servers of which a run may see more or less: which request meets an error depends on how many were made;
where one appliance ends the line of all, or switches another one, what the others had written by then depends
on how their requests mix; where every value of some appliances is false, nothing in their shard tells where
values stand; where a value shows just after the settle time, a busy machine may not see it put back; and what
moves by itself is seen to move, or not, by when it is read.
"""
_GLANCE = 180
"""Requests of each tour on a variant: it must not find anything, and hundreds of them have to be judged."""


class Trial(Struct, frozen=True):
    """One server to be judged.

    Attributes:
        name: what it is called.
        server: the server.
        knowledge: what its profile says.
        level: what the run may do.
        generated: how many requests each tour may make, unless the profile says that it needs more;
            None for what every run may.
        is_remote: whether the run may generate as many requests and values as of a target elsewhere, whatever
            the profile says.
    """

    name: str
    server: type[Service]
    knowledge: Knowledge
    level: Level
    generated: int | None = None
    is_remote: bool = False

    @property
    def remote(self) -> "Trial":
        """The same server, judged with the budgets of a target elsewhere."""
        return replace(self, name=f"{self.name}.remote", is_remote=True)

    @property
    def needs_more(self) -> bool:
        """Whether the run may generate more than of a target elsewhere; one that may not shows no more."""
        declared = cast("Mapping[str, int]", self.server.profile_extras.get("pace", {}))
        budgets = {"generated": self.generated or 0, **declared}
        return any(budgets.get(name, 0) > most for name, most in remote_budgets().items())

    @property
    def is_steady(self) -> bool:
        """Whether a run gets the same results of the server however requests mix, by whatever lanes."""
        return not issubclass(self.server, _UNSTEADY)

    def profile(self, service: Service, base_url: str | None = None) -> dict[str, object]:
        """What the run is told of `service`, which is under the prefix at `base_url`.

        By default it is in the process that judges it, whose time is its own: waits cost nothing there, and
        are those of a profile that says none, if it needs no others.
        """
        where = (base_url or BASE_URL) + PREFIX
        profile = truthful_profile(service, where, knowledge=self.knowledge)
        if base_url is None:
            profile["timing"] = service.profile_extras.get("timing", {})
        pace = cast("dict[str, object]", profile["pace"])
        if self.is_remote:
            return {**profile, "pace": {**pace, **remote_budgets()}}
        least = {} if self.generated is None else {"generated": self.generated}
        return {**profile, "pace": {**least, **pace}}


@cache
def remote_budgets() -> Mapping[str, int]:
    """How much is generated for an appliance of a target that is not on this machine, by field of [pace]."""
    elsewhere = truthful_profile(Service(), "http://192.0.2.1", knowledge="L0")
    profile = build_profile({**elsewhere, "pace": {}})
    return {name: getattr(profile, name) for name in ("generated", "generated_reads", "generated_writes")}


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
    yield from map(_trial_of, mutants)
    for variant in variants:
        for knowledge in variant.knowledges:
            level: Level = "attended" if knowledge == "full" else "read"
            yield Trial(f"{variant.name}.{knowledge}", variant.service, knowledge, level, _GLANCE)
    for server in unearned:
        yield Trial(unearned_trial(server), server.service, "full", server.level, 0)


def _trial_of(mutant: Mutant) -> Trial:
    return Trial(mutant.name, mutant.service, KNOWLEDGE[mutant.seen_at], _LEVEL[mutant.seen_at], 0)


def twin_of(mutant: Mutant) -> type[Service]:
    """The reference in the place of a mutant: its appliances, its maker, its profile, and no fault."""
    own = mutant.service
    place = {"fleet": own.fleet, "vendor": own.vendor, "profile_extras": own.profile_extras}
    return type("Twin", (Service,), {"name": "twin", **place})


@cache
def twins() -> Mapping[str, Trial]:
    """The trial of the twin of each mutant, by the name of the mutant.

    Mutants with the same appliances, profile, knowledge and level share it; it is called after the first.
    """
    found, known = dict[str, Trial](), list[tuple[object, Trial]]()
    for mutant in load_mutants():
        own, trial = mutant.service, _trial_of(mutant)
        place = own.fleet, own.vendor, own.profile_extras, trial.knowledge, trial.level
        twin = next((twin for other, twin in known if other == place), None)
        if twin is None:
            twin = replace(trial, name=f"{mutant.name}.twin", server=twin_of(mutant))
            known.append((place, twin))
        found[mutant.name] = twin
    return found


def unearned_trial(server: Unearned) -> str:
    """What the trial of an unearned server is called."""
    return f"{server.name}.unearned"


@cache
def usual_trials() -> Mapping[str, Trial]:
    """The trials of the reference, of every mutant and of every variant, by their names."""
    return {trial.name: trial for trial in trials_of(load_mutants(), load_variants(), reference=True)}


@cache
def all_trials() -> Mapping[str, Trial]:
    """Every trial by its name, with other budgets, too; a process cannot hand a server to another."""
    usual = usual_trials()
    unearned = {trial.name: trial for trial in trials_of((), (), load_unearned(), reference=False)}
    alike = {trial.name: trial for trial in twins().values()}
    remote = {trial.remote.name: trial.remote for trial in usual.values()}
    return {**usual, **unearned, **alike, **remote}
