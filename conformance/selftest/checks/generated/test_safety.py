"""What generated requests are, and what they show: values of entries and errors; settings stay."""

import importlib
import re
import unicodedata
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog.keys import SETPOINT, TEMPERATURE_UNIT
from catalog.loader import CATALOG
from conformance.checks.exchange import Exchange, Failure
from conformance.checks.generated.mutations import Mutation, RequestPart
from conformance.checks.groups import after_group, edge_group
from conformance.harness.generated.drawing import drawn_names, is_nobodys
from conformance.harness.generated.variations import (
    ALIASES,
    KEY_ALIASES,
    NAMELESS_HA_IDS,
    NAMELESS_KEYS,
    OF_NOTHING,
    OF_OTHER_KEYS,
    OF_OTHERS,
    Names,
)
from conformance.selftest.support.handmade import (
    ANCHOR,
    ANY_KEY,
    GENERATED,
    Reads,
    exchange,
    generated,
    refusal,
    value,
)
from conformance.selftest.support.handtraced import LOCK, SILENT, Steps, attempt, procedure, read, write

ECO = "Refrigeration.Common.Setting.EcoMode"
SERVED, LOCKED = value(ANCHOR, 5), value(LOCK, False)
HEADED, BROKEN = exchange(ANCHOR, 200), exchange(ANCHOR, 500)


def series(method: Mutation, *numbers: object, idle: tuple[object, ...] = ()) -> tuple[Exchange, ...]:
    """Reads of the alarm clock that show these, the method between each two; then others without it."""
    walk = [step for number in numbers for step in (read(ANCHOR, number), HEADED)][:-1]
    rest = [read(ANCHOR, number) for number in idle]
    return generated(method, *walk, *rest, part=RequestPart.WHOLE)


def after(*steps: Exchange, key: str = LOCK) -> tuple[Exchange, ...]:
    """What was read after all that only reads."""
    return tuple(procedure(after_group(key), *steps))


CELSIUS, LITRES = (
    f"Vendor.Common.EnumType.{name}" for name in ("TemperatureUnit.Celsius", "LiquidVolumeUnit.MilliLiter")
)
HALF, FIVE = value(ANCHOR, 5.5), value(ANCHOR, 5)
INTEGER = ("TYPE-INTEGER", GENERATED, (ANCHOR,))
MEMBER = ("ENUM-TEMPUNIT", GENERATED, (TEMPERATURE_UNIT,))
RANGE = ("RANGE-PERAPP-VALUE", GENERATED, (SETPOINT,))


def query(*answers: Exchange, **members: Any) -> tuple[Exchange, ...]:
    """A request with a query that names nothing."""
    return generated(Mutation.QUERY, *answers, **members)


def named(key: str, shown: object = 5.5) -> Exchange:
    """An answer about the alarm clock whose body shows a key."""
    return replace(value(key, shown, segment="settings"), key=ANCHOR)


def degrees(shown: int) -> Exchange:
    """A setpoint between 2 and 8."""
    return value(SETPOINT, shown, min=2, max=8)


BATTERY = "Vendor.Common.Status.BatteryLevel"
DRAINED = tuple(step for left in (80, 79, 79) for step in (read(BATTERY, left), exchange(BATTERY, 200)))

QUIET = series(Mutation.HEAD, 5, 5)
QUIET_STEPS = (read(ANCHOR, 5), HEADED, read(ANCHOR, 5))
ON, OFF = read(LOCK, True), read(LOCK, False)
NUMBER_AND_SWITCH = (value(SETPOINT, 5), value(ECO, False), *QUIET)
WARMER = after(read(SETPOINT, 6), key=SETPOINT)
TURNS = (False, True) * 4
"""Seven changes."""
(QUERY,) = generated(Mutation.QUERY, SERVED, sent="/query")
CAUSED = tuple(step for each in TURNS for step in (read(LOCK, each), QUERY))[:-1]
"""Reads of the child lock that show these, and a request between each two."""


def looked(*steps: Exchange) -> Reads:
    """The child lock was read, then others in every way, then the child lock again."""
    return Reads(LOCKED, *QUIET, *after(*steps))


# Errors that generated requests and values meet are told.
ANSWERED, DROPPED = value(ANCHOR, 5), exchange(ANCHOR, None)
LATE = replace(DROPPED, failure=Failure("timeout", "no answer within 30 s"))
asked = partial(generated, Mutation.OTHER_END)


def values(*steps: Exchange | Steps, alone: bool = False) -> tuple[Exchange, ...]:
    """A request that meets no error, and generated values of the child lock."""
    return *asked(ANSWERED), *procedure(replace(edge_group(LOCK), alone=alone), *steps)


def broken(wanted: Any, *shown: object) -> Steps:
    """A value that is met with an error, and reads after it."""
    return attempt(LOCK, wanted, *shown, status=500)


UNLOCKED, SICK = read(LOCK, False), replace(exchange(LOCK, 500), purpose="repeat")
# fmt: off
ROWS = {
    ("READ-SAFE",): {
        "neither method was sent": ("inconclusive ~857", Reads(SERVED)),
        "every key gives a value, and HEAD moves it": ("inconclusive nothing ~a54",
            Reads(*ANY_KEY, *series(Mutation.HEAD, *range(7),
                idle=(6,) * 6))),
        "HEAD moves it": ("fail 3 2 3 4 5 6 7 …AlarmClock 0 1 2 3 4 5 ~d45",
            Reads(SERVED, *series(Mutation.HEAD, *range(7), idle=(6,) * 6))),
        "OPTIONS moves it": ("fail 6 5 6 7 8 9 10 …AlarmClock 0 1 2 3 4 5 ~fcd",
            Reads(SERVED, *QUIET, *series(Mutation.OPTIONS, *range(7), idle=(6,) * 6))),
        "HEAD moves it, too seldom": ("inconclusive 18 …AlarmClock 0 1 2 3 4 5 ~356",
            Reads(SERVED, *series(Mutation.HEAD, *range(6), idle=(5,) * 6))),
        "HEAD moves it, and it moves without": ("inconclusive 20 …AlarmClock 0 1 2 3 4 5 ~b13",
            Reads(SERVED, *series(Mutation.HEAD, *range(7), idle=(6,) * 5 + (7,)))),
        "HEAD moves it, seldom seen without": ("inconclusive 19 …AlarmClock 0 1 2 3 4 5 ~ec3",
            Reads(SERVED, *series(Mutation.HEAD, *range(7), idle=(6,) * 5))),
        "HEAD moves it once": ("inconclusive 4 …AlarmClock 5 6 ~729",
            Reads(SERVED, *series(Mutation.HEAD, 5, 6))),
        "two requests are sent": ("not_judged pace.generated_reads ~254",
            Reads(SERVED, *query(FIVE), *query(FIVE, sent="/longer"))),
        "it meets an error after HEAD": ("inconclusive 3 …AlarmClock 500 ~9e7",
            Reads(SERVED, *series(Mutation.HEAD, 5), *generated(Mutation.HEAD, BROKEN,
                part=RequestPart.WHOLE))),
        "it meets an error after HEAD, and OPTIONS is fine": ("pass (6) 1 0 ~410",
            Reads(SERVED, *generated(Mutation.HEAD, read(ANCHOR, 5), BROKEN, part=RequestPart.WHOLE),
                *series(Mutation.OPTIONS, 5, 5))),
        "it is read in between": ("inconclusive 5 …AlarmClock ~09f",
            Reads(SERVED, *generated(Mutation.HEAD, read(ANCHOR, 5), HEADED, HEADED, read(ANCHOR, 6),
                part=RequestPart.WHOLE))),
        "it is silent after HEAD": ("inconclusive 4 …AlarmClock 409 ~78e",
            Reads(SERVED, *series(Mutation.HEAD, 5, SILENT, 6))),
        "each OPTIONS moves a status, seen too seldom": ("inconclusive 4 …BatteryLevel 80 79 ~5bf",
            Reads(value(BATTERY, 80), *generated(Mutation.OPTIONS, *DRAINED[:3], part=RequestPart.WHOLE))),
        "a status moves by itself": ("pass (7) 1 0 ~346",
            Reads(value(BATTERY, 80), *generated(Mutation.OPTIONS, *DRAINED, part=RequestPart.WHOLE))),
        "HEAD is never answered": ("pass (4) 1 0 ~571",
            Reads(SERVED, *generated(Mutation.HEAD, read(ANCHOR, 5), LATE, read(ANCHOR, 5),
                part=RequestPart.WHOLE))),
        "HEAD comes first": ("pass (5) 1 0 ~e2d",
            Reads(SERVED, *generated(Mutation.HEAD, HEADED, *QUIET_STEPS, part=RequestPart.WHOLE))),
        "a setting stays": ("pass (5) 1 1 ~80c", looked(OFF)),
        "a setting moved": ("inconclusive 5 ChildLock false true ~3a0", looked(ON)),
        "a setting moved, and HEAD moves another": ("fail 3 2 3 4 5 6 7 …AlarmClock 0 1 2 3 4 5 ~550",
            Reads(LOCKED, *series(Mutation.HEAD, *range(7), idle=(6,) * 6), *after(ON))),
        "two are looked at": ("inconclusive 6 SetpointTemperatureRefrigerator 5 6 ~df7",
            Reads(*NUMBER_AND_SWITCH, *WARMER, *after(read(ECO, False), key=ECO),
                pace={"generated_reads": 12})),
        "two stay": ("pass (6) 1 2 ~9e6",
            Reads(*NUMBER_AND_SWITCH, *after(read(SETPOINT, 5), key=SETPOINT), *after(read(ECO, False),
                key=ECO), pace={"generated_reads": 12})),
        "none is looked at": ("inconclusive (4) ~243", Reads(LOCKED, *QUIET)),
        "a setting is silent then": ("inconclusive 5 ChildLock 409 ~38c", looked(read(LOCK, SILENT))),
        "another appliance's setting differs": ("inconclusive (4) ~243",
            Reads(LOCKED, *QUIET, *generated(Mutation.QUERY, LOCKED, read(LOCK, True, ha_id="two")))),
        "a request moves it": ("fail 6 7 8 9 10 11 12 13 14 15 16 17 ChildLock false true ~029",
            looked(*CAUSED, *(ON,) * 6)),
        "a request moves it, too seldom": ("inconclusive 7 ChildLock false true ~992",
            looked(*CAUSED[4:], *(ON,) * 7)),
    },
    INTEGER: {
        "whole numbers with more around": ("pass (3) 2 ~681",
            Reads(SERVED, *query(FIVE), *query(FIVE, sent="/longer"))),
        "a fraction with more around": ("fail 2 3 /api 5.5 ~508", Reads(SERVED, *query(HALF, HALF))),
        "a fraction with more around, once": ("inconclusive 2 /api 5.5 ~b3f",
            Reads(SERVED, *query(HALF, FIVE))),
        "a fraction with more around, and plainly": ("pass (3) 1 ~fd3",
            Reads(SERVED, *query(HALF, read(ANCHOR, 5.5), HALF))),
        "a fraction with more around, a plain read between": ("fail 2 4 /api 5.5 ~709",
            Reads(SERVED, *query(HALF, read(ANCHOR, 5), HALF))),
        "a fraction under an alias, its key not shown": ("not_judged (1) pace.generated_reads ~105",
            Reads(SERVED, *generated(Mutation.UPPER_CASE, *[named("Foo")] * 2))),
        "a fraction under an alias": ("fail 2 3 /api 5.5 ~e2d",
            Reads(SERVED, *generated(Mutation.UPPER_CASE, *[named(ANCHOR)] * 2))),
        "a fraction under nobody's name": ("not_judged (1) pace.generated_reads ~105",
            Reads(SERVED, *generated(Mutation.OTHER_END, *[named(ANCHOR)] * 2))),
        "no number with more around": ("not_judged (1) pace.generated_reads ~105",
            Reads(SERVED, *query(refusal(ANCHOR)))),
        "a fraction, nothing is served": ("not_applicable ~a2e", Reads(*query(HALF, HALF))),
        "a fraction, every key gives a value": ("inconclusive nothing ~3a2",
            Reads(SERVED, *ANY_KEY, *query(HALF, HALF))),
    },
    MEMBER: {
        "another list's member with more around": ('fail 2 3 /api "…LiquidVolumeUnit.MilliLiter" ~5db',
            Reads(value(TEMPERATURE_UNIT, CELSIUS), *query(*[value(TEMPERATURE_UNIT, LITRES)] * 2))),
    },
    RANGE: {
        "beyond its range with more around": ("fail 2 3 /api 9 2 8 ~7dc",
            Reads(degrees(4), *query(degrees(9), degrees(9)))),
        "beyond its range with more around, once": ("inconclusive 2 /api 9 2 8 ~92e",
            Reads(degrees(4), *query(degrees(9), degrees(8)))),
    },
    ("PROT-ERRORS",): {
        "a request meets no response": ("observed (1) 2 3 1 /api nothing ~58c",
            Reads(*asked(DROPPED), *asked(BROKEN, sent="/longer"), *asked(ANSWERED, sent="/x"))),
        "an answer in an unknown coding": ("observed 1 ~a61",
            Reads(*asked(replace(DROPPED, failure=Failure("undecodable", "zstd"))))),
        "a value meets an error, nothing read before": ("observed 1 1 ~a39",
            Reads(*values(broken("yes", False)))),
        "reads are broken after a value": ('observed (4) 1 1 1 "yes" ChildLock 204 500 ~fe6',
            Reads(*values(UNLOCKED, write(LOCK, "yes"), SICK))),
        "nothing is read after a value": ("observed 1 1 ~a39", Reads(*values(UNLOCKED, write(LOCK, "yes")))),
        "two values meet an error": ('observed (5) 1 2 2 "no" ChildLock 500 500 ~6ed',
            Reads(*values(UNLOCKED, broken("yes", False), broken("no", False)))),
    },
}
# fmt: on

test_safety = Reads.each_of(ROWS)


# What is generated: names near a name, and values at the edges of their types.
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


def test_additions_only_read() -> None:
    """Whatever is added, it is a GET without a body, and overrides no method."""
    for add in {**OF_OTHERS, **OF_OTHER_KEYS, **OF_NOTHING}.values():
        wanted = add(Names("fridge-1", "settings", "Vendor.A", "oven-1", "Vendor.B", WORD))
        assert (wanted.method, wanted.body) == ("GET", None)
        assert not re.search("method|value", f"{wanted.path} {wanted.headers}", re.IGNORECASE)


def test_drawn_names_are_the_same_for_the_same_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Schemathesis draws the same names again, whatever the modules of a process hold, others for another
    seed, and none that anything has; it leaves no files where the suite is run.
    """
    (tmp_path / "numbers_of_others.py").write_text(f"NUMBERS = {[*range(2, 900)]}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)  # pyright: ignore[reportUnknownMemberType]
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    first = drawn_names(PATHS, ("fridge-1", "oven-1"), "5", 15)
    importlib.import_module("numbers_of_others")
    drawn_names.cache_clear()
    assert first == drawn_names(PATHS, ("fridge-1", "oven-1"), "5", 15)
    assert first != drawn_names(PATHS, ("fridge-1", "oven-1"), "6", 15)
    assert len(first) == 15
    assert all(is_nobodys(name) for drawn in first for name in (drawn.ha_id, drawn.key) if name is not None)
    assert not list(Path().iterdir())


@pytest.mark.parametrize("name", ["0", "fridge-2", "a%2Fb", "%2E%2E", "Vendor.X", "%20", "%EF%BC%91"])
def test_what_may_be_a_name_is_not_drawn(name: str) -> None:
    """A short word may be another appliance, and dots and slashes another path."""
    assert not is_nobodys(name)
