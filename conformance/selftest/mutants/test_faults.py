"""Every mutant shows its fault, on reads or after the steps it names, and little else is wrong with it."""

import json
from collections.abc import Iterator
from contextlib import suppress

from catalog.keys import POWER_STATE
from conformance.harness.generated.additions import OF_NOTHING, OF_OTHER_KEYS, OF_OTHERS, Names
from conformance.harness.generated.misspellings import KEY_ALIASES, NAMELESS_HA_IDS, NAMELESS_KEYS, NEIGHBOURS
from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.support.records import for_each
from conformance.selftest.support.servers.bench import Bench, played, twin

READ_FAULTS = [record for record in load_mutants() if record.seen_at in {"L0", "L1", "L2"}]
WHOLE_SERVICE = {"ADDR-BASE", "ADDR-UNVERSIONED"}

each_read_fault = for_each(READ_FAULTS)


def stray_paths(service: Service) -> Iterator[str]:
    """Keys the appliance lacks, keys that nothing has, an appliance that is not there."""
    for appliance in service.appliances.values():
        root = f"/api/homeappliances/{appliance.ha_id}"
        yield f"{root}/settings/{service.spell(appliance, 'Vendor.Common.Setting.Nonce')}"
        yield f"{root}/status/{service.spell(appliance, 'Vendor.Common.Status.Nonce')}"
        yield f"{root}/status/{service.spell(appliance, 'Vendor.Common.Status.Video.CameraState')}"
        other = "x" * len(appliance.ha_id)
        yield f"/api/homeappliances/{other}/settings/{service.spell(appliance, POWER_STATE)}"


def near_requests(service: Service) -> Iterator[Incoming]:
    """What a run generates: names near those of the appliances, more around them, other methods."""
    root, word = "/api/homeappliances", "qzvkwxyj"
    entries = [(one, key) for one in service.appliances.values() for key in one.values]
    for own, key in entries:
        segment, others = service.entries[key].segment, [*service.appliances, own.ha_id]
        spelled = [spell(key, word) for spell in {**NAMELESS_KEYS, **NEIGHBOURS, **KEY_ALIASES}.values()]
        yield from (Incoming("GET", f"{root}/{own.ha_id}/{segment}/{near}") for near in spelled if near)
        named = [spell(own.ha_id, word) for spell in NAMELESS_HA_IDS.values()]
        named += [f"{own.ha_id}%2F..%2F{other}" for other in others]
        named += [f"{own.ha_id}%252F..%252F{other}" for other in others]
        yield from (Incoming("GET", f"{root}/{near}/{segment}/{key}") for near in named if near is not None)
        for add in {**OF_OTHERS, **OF_OTHER_KEYS, **OF_NOTHING}.values():
            wanted = add(Names(own.ha_id, segment, key, others[-2], next(iter(own.values)), word))
            path, _, query = wanted.path.partition("?")
            headers = {name.lower(): value for name, value in wanted.headers}
            yield Incoming("GET", path, query, headers)
        yield from (Incoming(method, f"{root}/{own.ha_id}/{segment}/{key}") for method in ("HEAD", "OPTIONS"))
        for each, read in entries * 2:  # what one of them has moved shows here, or by the second time
            yield Incoming("GET", f"{root}/{each.ha_id}/{service.entries[read].segment}/{read}")


def own_paths(broken: Mutant) -> list[str]:
    """Where the keys of each appliance belong."""
    return [path for path, _ in healthy_values(broken)]


def answers(service: Service, path: str) -> list[Reply]:
    """What two GETs of a path bring."""
    request = Incoming("GET", path, headers={"host": "localhost"})
    return [service.handle(request) for _ in range(2)]


def healthy_values(broken: Mutant) -> Iterator[tuple[str, Json]]:
    """What the appliances of a mutant have under their paths, as it should stand in an answer."""
    healthy = twin(broken)()
    for appliance in healthy.appliances.values():
        for key, value in appliance.values.items():
            entry = healthy.entries[key]
            for segment in appliance.spec.segments(entry):
                path = f"/api/homeappliances/{appliance.ha_id}/{segment}/{healthy.spell(appliance, key)}"
                yield path, healthy.spell_value(appliance, entry, value)


def is_healthy(broken: Mutant, path: str, value: Json) -> bool:
    """Whether two GETs of a path bring this value."""
    shown: list[Json] = []
    for reply in answers(broken.service(), path):
        with suppress(ValueError, LookupError, TypeError):
            shown.append(json.loads(reply.body)["data"]["value"])
    return shown == [value, value]


@each_read_fault
def test_the_fault_shows(broken: Mutant) -> None:
    """Some answer differs from that of a conforming server with the same appliances."""
    mutant, healthy = broken.service(), twin(broken)()
    paths = [*own_paths(broken), *stray_paths(healthy)]
    assert any(answers(mutant, path) != answers(healthy, path) for path in paths) or any(
        mutant.handle(request) != healthy.handle(request) for request in near_requests(healthy)
    )


@each_read_fault
def test_the_rest_is_healthy(broken: Mutant) -> None:
    """Unless a fault concerns the whole service, two GETs of some key bring the value it has."""
    assert (
        any(is_healthy(broken, path, value) for path, value in healthy_values(broken))
        or broken.clause in WHOLE_SERVICE
    )


def test_the_twin_shows_no_fault() -> None:
    """The comparison finds nothing between two conforming servers."""
    first, second = twin(READ_FAULTS[0])(), twin(READ_FAULTS[0])()
    assert all(answers(first, path) == answers(second, path) for path in own_paths(READ_FAULTS[0]))


WRITE_FAULTS = [record for record in load_mutants() if record.seen_at in {"L3", "L4"}]

UNLIKE_BEFORE = {
    "lock-silent-once-on",
    "lock-refused-in-turn-once-on",
    "lock-flips-once-on",
    "off-unlisted-and-refused",
    "door-ajar-once-on",
    "lock-as-text-once-on",
    "brightness-over-100-under-a-preset",
    "door-follows-once-on",
    "lock-dropped-behind-silence",
    "one-power-behind-silence",
}
"""Mutants that answer otherwise from the beginning, which is no fault."""

each_write_fault = for_each(WRITE_FAULTS)


@each_write_fault
def test_the_fault_shows_after_its_steps(broken: Mutant) -> None:
    """What is read then is wrong on the mutant, and right on the reference with the same appliances."""
    assert broken.shows is not None
    steps, shown, due, place = *broken.shows[:3], broken.shows.place
    assert repr(played(broken.service, steps).read(place)) == repr(shown)
    assert repr(played(twin(broken), steps).read(place)) == repr(due)
    assert repr(shown) != repr(due)


@each_write_fault
def test_the_fault_needs_its_steps(broken: Mutant) -> None:
    """Before anything is written or done, the mutant answers as the reference does."""
    alike = Bench(broken.service).everything() == Bench(twin(broken)).everything()
    assert alike == (broken.name not in UNLIKE_BEFORE)
