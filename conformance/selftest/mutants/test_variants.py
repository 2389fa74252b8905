"""Variants are odd and conform: the document allows what they show, and they have what profiles claim."""

import json
import re
from collections import defaultdict
from functools import cache
from typing import Any, cast
from urllib.parse import quote

import pytest
from jsonpointer import JsonPointerException, resolve_pointer

from catalog.keys import CHILD_LOCK, FRIDGE_SABBATH, ON, OVEN_SABBATH, POWER_STATE
from catalog.model import Entry, Segment
from conformance.cases import CATALOG
from conformance.mutants import document, model
from conformance.mutants.model import REGISTERED_VARIANTS, Allowed, Variant
from conformance.mutants.registry import load_variants
from conformance.profiles.validation import build_profile
from conformance.reference.appliance import Appliance
from conformance.reference.profile import Knowledge, truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.records import for_each

VARIANTS = load_variants()
URL = "http://127.0.0.1:1/variant"
NOTHING = object()

WRITTEN = [record for record in VARIANTS if record.knowledges == ("full",)]

each_variant, each_written = for_each(VARIANTS), for_each(WRITTEN)


def path_of(service: Service, appliance: Appliance, segment: str, key: str) -> str:
    """Where a key is asked for."""
    ha_id, spelled = quote(appliance.ha_id, safe=""), quote(service.spell(appliance, key), safe="")
    return f"/api/homeappliances/{ha_id}/{segment}/{spelled}"


def get(service: Service, path: str) -> Reply:
    """The answer to the second GET of a path, because some stumble over the first."""
    service.handle(Incoming("GET", path))
    return service.handle(Incoming("GET", path))


def value_in(service: Service, segment: Segment, reply: Reply) -> Any:
    """The value of an answer, found as the profile says, or NOTHING."""
    shape = cast("dict[str, Any]", dict(service.answer_pointers))
    pointer = shape.get(segment, shape)["value"]
    if reply.drop or not 200 <= reply.status < 300:
        return NOTHING
    try:
        return resolve_pointer(json.loads(reply.body.decode("utf-8-sig")), pointer)
    except (ValueError, JsonPointerException):
        return NOTHING


@cache
def found_in(odd: Variant) -> list[tuple[Appliance, Entry, Any]]:
    """What each key shows, under every segment the appliance has it under; null is nothing."""
    service = odd.service()
    found: list[tuple[Appliance, Entry, Any]] = []
    for appliance in service.appliances.values():
        for key in appliance.spec.values:
            entry = service.entries[key]
            for segment in appliance.spec.segments(entry):
                value = value_in(service, segment, get(service, path_of(service, appliance, segment, key)))
                found.append((appliance, entry, NOTHING if value is None else value))
    return found


def is_allowed(service: Service, appliance: Appliance, entry: Entry, value: Any) -> bool:
    """Whether the document allows the value: its type, its enumeration, its common range."""
    if not service.fits_type(entry, value):
        return False
    if entry.values is not None:
        return service.canonical(appliance, value) in entry.values
    return entry.range is None or entry.range.min <= value <= entry.range.max


def profile_of(odd: Variant, knowledge: Knowledge) -> dict[str, Any]:
    """What a suite is told of a variant."""
    return truthful_profile(odd.service(), URL, knowledge=knowledge)


def tables(odd: Variant, knowledge: Knowledge) -> list[dict[str, Any]]:
    """What the profile says of each appliance."""
    return cast("list[dict[str, Any]]", profile_of(odd, knowledge)["appliance"])


@each_variant
def test_a_variant_has_a_name_of_words(odd: Variant) -> None:
    """A name is made of lower-case words, and the service knows it."""
    assert re.fullmatch(r"[a-z]+[0-9]?(-[a-z0-9]+)*", odd.name)
    assert odd.service.name == odd.name


@each_variant
def test_a_variant_says_what_is_odd(odd: Variant) -> None:
    """What is odd is one sentence."""
    assert re.fullmatch(r"[A-Z].+\.", odd.what)


@each_variant
def test_appliances_of_a_variant_are_told_apart(odd: Variant) -> None:
    """No two appliances have one haId, and each has few keys."""
    ha_ids = [spec.ha_id for spec in odd.service.fleet]
    assert len(set(ha_ids)) == len(ha_ids)
    assert all(len(spec.values) <= 10 for spec in odd.service.fleet)


@each_variant
def test_what_a_variant_shows_is_allowed(odd: Variant) -> None:
    """Every value has the type of its entry, is one of its values and lies in its common range."""
    service = odd.service()
    wrong = [
        (entry.key, value)
        for appliance, entry, value in found_in(odd)
        if value is not NOTHING and not is_allowed(service, appliance, entry, value)
    ]
    assert wrong == []


@each_variant
def test_what_a_variant_lacks_is_not_there(odd: Variant) -> None:
    """A key that the profile says is lacking shows no value under either segment."""
    service = odd.service()
    for appliance, table in zip(service.appliances.values(), tables(odd, odd.knowledges[-1]), strict=True):
        for key in table["lacks"]:
            for segment in ("settings", "status"):
                value = value_in(service, segment, get(service, path_of(service, appliance, segment, key)))
                assert value is NOTHING or value is None


@each_variant
def test_an_appliance_that_is_not_on_is_not_said_to_be(odd: Variant) -> None:
    """A profile says online only of an appliance whose power state, if it has one, is On."""
    for spec, table in zip(odd.service.fleet, tables(odd, odd.knowledges[-1]), strict=True):
        assert spec.values.get(POWER_STATE, ON) == ON or "online" not in table


@each_written
def test_a_written_variant_is_small(odd: Variant) -> None:
    """Every key costs writes, so appliances have few, and a profile gives an effect less than a second."""
    profile = build_profile(profile_of(odd, "full"), CATALOG, environment={})
    assert profile.write is not None
    named = ("*", CHILD_LOCK, OVEN_SABBATH, FRIDGE_SABBATH)
    assert (profile.write.allow, bool(profile.write.status_path)) == (named, True)
    assert profile.timing.settle_s < 1
    assert 1 <= len(odd.service.fleet) <= 3
    assert all(1 <= len(spec.values) <= 6 for spec in odd.service.fleet)


def test_oddities_are_told_apart() -> None:
    """No two variants describe the same oddity, and none has the name of another."""
    assert (
        len({record.what for record in VARIANTS})
        == len({record.name for record in VARIANTS})
        == len(VARIANTS)
    )


def test_a_name_is_given_once() -> None:
    """A second variant of the same name is an error, and registers nothing."""
    known = dict(REGISTERED_VARIANTS)
    with pytest.raises(ValueError, match="chunked"):
        model.odd(Service, "chunked", "PROT-SHAPE", "Odd.", allowed=document.PAYLOADS)
    assert known == REGISTERED_VARIANTS


# What allows an oddity stands in the document: each quotation is the catalog's wording of its line.
NAMED = {name: value for name, value in vars(document).items() if isinstance(value, Allowed)}


def wordings() -> dict[int, list[str]]:
    """What the catalog holds of each line, word for word."""
    found: dict[int, list[str]] = defaultdict(list)
    for row in (*CATALOG.clauses.values(), *CATALOG.gaps, *CATALOG.rules):
        found[row.line].append(row.quote)
    for entry in CATALOG.entries.values():
        found[entry.line] += [entry.row, entry.says, entry.notes]
    for edge in CATALOG.power_edges:
        found[edge.line] += [edge.condition, edge.effects]
    return found


WORDINGS = wordings()


@pytest.mark.parametrize("name", NAMED)
def test_quotation_is_verbatim(name: str) -> None:
    """Its words stand in the line that it names."""
    allowed = NAMED[name]
    assert any(allowed.quote in text for text in WORDINGS[allowed.line]), WORDINGS[allowed.line]


def test_every_variant_stands_on_one_of_them() -> None:
    """No row makes up a sentence of its own, and none of them is left without a variant."""
    assert {id(record.allowed) for record in load_variants()} == {id(value) for value in NAMED.values()}


def test_a_silence_says_what_is_not_said() -> None:
    """A report shows the sentence, or what the line that could have said it does not say."""
    assert str(document.RATE) == 'line 177: "Rate limits and request size limits: not shown."'
    assert str(document.HA_ID).startswith("silent: no line says how a haId looks; line 8: ")
