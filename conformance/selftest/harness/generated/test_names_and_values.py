"""What is generated: names near a name, and values at the edges of their types."""

import importlib
import re
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog import keys
from conformance.cases import CATALOG
from conformance.harness.answers.classes import Classifier
from conformance.harness.generated.additions import OF_NOTHING, OF_OTHER_KEYS, OF_OTHERS, Names
from conformance.harness.generated.drawing import drawn_names, is_nobodys
from conformance.harness.generated.edge_values import edge_values
from conformance.harness.generated.misspellings import (
    ALIASES,
    KEY_ALIASES,
    NAMELESS_HA_IDS,
    NAMELESS_KEYS,
    NEIGHBOURS,
)
from conformance.mutants.fleets import OVEN_ALARM, ROBOT_MAPS
from conformance.reference.service import Service
from conformance.selftest.support.judged_runs import STILL, Run, run_of
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value

WORD = "qzvkwxyj"
KEYS = st.sampled_from(sorted(CATALOG.entries))
HA_IDS = st.sampled_from(["fridge-1", "401020304050607081", "MAKER-SN65-0068A40B1C2D", "Küche 7"])
PATHS = tuple(f"/api/homeappliances/{{haId}}/settings/{key}" for key in CATALOG.entries)


def plain(segment: str) -> str:
    """What is left of a path segment when everything is undone that a server may undo."""
    text = unicodedata.normalize("NFKC", unquote(unquote(re.sub(";.*", "", segment))))
    return text.removesuffix(".json").removeprefix("./").strip(" ./").casefold()


@given(KEYS, HA_IDS)
def test_aliases_lead_back_to_the_name(key: str, ha_id: str) -> None:
    """Case, encoding, normal form and what stands at the ends is all that an alias differs in."""
    found = {spelled for spell in KEY_ALIASES.values() if (spelled := spell(key, WORD)) is not None}
    assert {plain(spelled) for spelled in found} == {key.casefold()}
    others = {spelled for spell in ALIASES.values() if (spelled := spell(ha_id, WORD)) is not None}
    assert {plain(spelled) for spelled in others} == {unicodedata.normalize("NFKC", ha_id).casefold()}


@given(KEYS, HA_IDS)
def test_nameless_names_lead_nowhere(key: str, ha_id: str) -> None:
    """No name that nothing has is another spelling of a key, or of the haId it was made from."""
    known = {name.casefold() for name in CATALOG.entries}
    made = [spell(key, WORD) for spell in NAMELESS_KEYS.values()]
    assert not known & {plain(spelled) for spelled in made if spelled is not None}
    others = [spell(ha_id, WORD) for spell in NAMELESS_HA_IDS.values()]
    assert ha_id.casefold() not in {plain(spelled) for spelled in others if spelled is not None}


@given(KEYS)
def test_neighbours_are_dotted_words(key: str) -> None:
    """A neighbour is made of the segments of the key alone, and may be an entry of a server's own."""
    for spell in NEIGHBOURS.values():
        spelled = spell(key, WORD)
        assert spelled
        assert re.fullmatch(r"[A-Za-z0-9]+(\.[A-Za-z0-9]+)*", spelled)


def test_additions_only_read() -> None:
    """Whatever is added, it is a GET without a body, and overrides no method."""
    for add in {**OF_OTHERS, **OF_OTHER_KEYS, **OF_NOTHING}.values():
        wanted = add(Names("fridge-1", "settings", "Vendor.A", "oven-1", "Vendor.B", WORD))
        assert (wanted.method, wanted.body) == ("GET", None)
        assert not re.search("method|value", f"{wanted.path} {wanted.headers}", re.IGNORECASE)


def test_drawn_names_are_the_same_for_the_same_seed() -> None:
    """Schemathesis draws the same names again, others for another seed, and none that anything has."""
    first = drawn_names(PATHS, ("fridge-1", "oven-1"), "5", 8)
    drawn_names.cache_clear()
    assert first == drawn_names(PATHS, ("fridge-1", "oven-1"), "5", 8)
    assert first != drawn_names(PATHS, ("fridge-1", "oven-1"), "6", 8)
    assert len(first) == 8
    assert all(is_nobodys(name) for drawn in first for name in (drawn.ha_id, drawn.key) if name is not None)


def test_drawn_names_do_not_depend_on_what_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the modules of a process hold, each run with the same seed sends the same."""
    first = drawn_names(PATHS, ("fridge-1", "oven-1"), "0", 15)
    (tmp_path / "numbers_of_others.py").write_text(f"NUMBERS = {[*range(2, 900)]}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)  # pyright: ignore[reportUnknownMemberType]
    importlib.import_module("numbers_of_others")
    drawn_names.cache_clear()
    assert drawn_names(PATHS, ("fridge-1", "oven-1"), "0", 15) == first


def test_drawing_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the suite finds no directory of Hypothesis where they work."""
    monkeypatch.chdir(tmp_path)
    drawn_names.cache_clear()
    assert drawn_names(PATHS, ("fridge-1",), "7", 2)
    assert not list(tmp_path.iterdir())


# The generated values that a run writes: which, how many, and that nothing of them is left behind.


class Sound(Service):
    """An oven and a robot that do nothing wrong."""

    fleet = (OVEN_ALARM, ROBOT_MAPS)


def pace(number: int) -> dict[str, Any]:
    """The tables of a profile with so many generated values."""
    return {"pace": STILL | {"generated_writes": number}}


def texts(key: str, present: Any, seed: str = "", **members: Any) -> list[str]:
    """The values that are chosen for a setting, as JSON texts."""
    profile = profile_of("Refrigerator")
    exchange = value(key, present, **members)
    read, entry = Classifier(profile).answer(exchange), CATALOG.entries[key]
    return [edge.text for edge in edge_values(seen_of(profile, exchange), entry, read, seed)]


def values_written(run: Run) -> list[tuple[str, Any]]:
    """The generated values of a run, by appliance."""
    return [(line["ha_id"], line["value"]) for line in run.requests("edge/") if line["purpose"] == "write"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that writes ten values to each appliance."""
    return run_of(
        Sound(),
        tmp_path_factory.mktemp("sound"),
        "write",
        pace(10),
        clauses={"SET-TYPEGUARD", "RANGE-WRITE-OUT"},
    )


@pytest.mark.parametrize(
    ("key", "present", "expected"),
    [
        (keys.ALARM_CLOCK, 60, {"9007199254740993", "38340.0", "-0.0", "1e308", "1e400", "5e-324", "[60]"}),
        (keys.INTERNAL_BRIGHTNESS, 60, {"9007199254740993", "5e-324", '"NaN"', '{"value": 60}', "-0.0"}),
        (keys.CHILD_LOCK, True, {'"true"', "[true]", '"\\ud800"'}),
        (keys.MAP_NAME_1, "Attic", {'"\\ud800"', '""', '["Attic"]', f'"{"a" * 10_000}"'}),
    ],
)
def test_values_are_near_type_and_range(key: str, present: Any, expected: set[str]) -> None:
    """Each type has the values at the edges of its parsers."""
    assert expected <= set(texts(key, present))


def test_another_seed_takes_another_order() -> None:
    """The same values come in an order that the seed decides."""
    one, other = (texts(keys.CHILD_LOCK, present=True, seed=seed) for seed in ("monday", "tuesday"))
    assert one != other
    assert set(one) == set(other)


def test_budget_is_kept_for_each_appliance(sound: Run) -> None:
    """No appliance gets more values than the profile allows, and each gets as many."""
    made = [ha_id for ha_id, _ in values_written(sound)]
    assert {made.count(spec.ha_id) for spec in Sound.fleet} == {10}


def test_value_is_sent_as_it_is_spelled(tmp_path: Path) -> None:
    """The body of a request holds the text of the value, and the ledger what a parser makes of it."""
    run = run_of(Sound(), tmp_path, "write", pace(120), clauses={"SET-TYPEGUARD"})
    bodies = "\n".join(
        line["request"]["body"] for line in run.requests("edge/") if line["purpose"] == "write"
    )
    assert all(f'"value": {text}}}' in bodies for text in ("1e400", '"\\ud800"', "-0.0", "38340.0"))
    assert ("oven-1", float("inf")) in values_written(run)
