"""What a run of the reference asks for, with the budgets of a target elsewhere, and how long it waits.

How fast the machine is does not count: each request is one, and time passes only while all wait.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from catalog.model import Level
from conformance.benchmarks.measuring import Figure
from conformance.harness.ledger import read_ledger
from conformance.mutants.variants.moments import LateUnevenly
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.own_time import OwnTime
from conformance.proof.trials import PREFIX, remote_budgets
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session

REMOTE = {**remote_budgets(), "max_refusals_in_a_row": 8, "concurrency": 1}
"""What a remote target gets by default, but for how fast."""
FRIDGE = "fridge-1"
_LEVELS: tuple[Level, ...] = ("read", "write", "power")


def measure(here: Path) -> Iterator[Figure]:
    """The requests of one appliance and of all, at each level, and what they are for."""
    every = [spec.ha_id for spec in Service.fleet]
    for level in _LEVELS:
        for ha_ids in ([FRIDGE], every):
            out = here / f"{level}-{len(ha_ids)}"
            asked = requests_of(server_of(ha_ids), level, out)
            name = f"requests, level {level}, {len(ha_ids)} of {len(every)} appliances"
            yield Figure(name, (asked.total(),), unit="")
            for purpose, number in asked.most_common():
                yield Figure(f"  {purpose}", (number,), unit="")


def waited(here: Path) -> Iterator[Figure]:
    """How long a run at level power waits for effects that come late: of eleven appliances, and of one."""
    for ha_ids, latest_s, settle_s in (
        ([spec.ha_id for spec in Service.fleet[:11]], 0.42, 1),
        ([FRIDGE], 10, 10),
    ):
        fleet = tuple(own for own in Service.fleet if own.ha_id in ha_ids)
        service = type(
            "Late", (LateUnevenly,), {"fleet": fleet, "settle_s": latest_s, "profile_extras": {}}
        )()
        truth = truthful_profile(service, BASE_URL + PREFIX)
        profile = build_profile(truth | {"pace": {}, "timing": {"settle_s": settle_s}})
        clock, out = OwnTime(), here / str(len(ha_ids))
        judged_in(Session(profile, out, "power", network=network_of({PREFIX: service}, clock)))
        effects = f"effects {0.05 * latest_s:.2g} to {0.9 * latest_s:.2g} s late"
        yield Figure(f"waits, {effects}, {len(ha_ids)} of 12 appliances", (clock.now(),), unit="s")


def server_of(ha_ids: Collection[str]) -> Service:
    """Some appliances of the reference."""
    fleet = tuple(own for own in Service.fleet if own.ha_id in ha_ids)
    return type("Some", (Service,), {"fleet": fleet})()


def remote(service: Service, more: Mapping[str, Mapping[str, object]] = MappingProxyType({})) -> Profile:
    """The truthful profile of a service with the defaults of a target elsewhere, and `more`.

    A table of `more` is laid over what is there; an empty one takes its place.
    """
    budgets = {"pace": REMOTE, "timing": {"repeat_sample": 3}}
    truth = laid_over(truthful_profile(service, BASE_URL + PREFIX), budgets)
    empty = {name: table for name, table in more.items() if not table}
    return build_profile(laid_over(truth, more) | empty)


def requests_of(service: Service, level: Level, out: Path) -> Counter[str]:
    """How many requests a run makes for each purpose: the kind of their procedure, or all cases."""
    session = Session(remote(service), out, level, network=network_of({PREFIX: service}))
    judged_in(session)
    exchanges = read_ledger(out / LEDGER_FILE).exchanges
    return Counter(one.group.kind.value if one.group else "shared reads" for one in exchanges)
