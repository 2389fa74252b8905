"""Every answer gets the class of its row, and teaches what it may teach."""

from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.checks.answer import Absence, Outcome
from conformance.checks.exchange import Cut, Exchange, Purpose
from conformance.checks.groups import NONCE_HA_ID, Group, ProcedureKind
from conformance.harness.answers.classes import Classifier
from conformance.harness.observing import Observations
from conformance.model.json_values import NOTHING
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    JSON,
    exchange,
    numbered,
    of,
    profile_of,
    refusal,
    seen_of,
    value,
)

NONCE = "Vendor.Common.Setting.Nonce"
OTHER = "Vendor.Common.Setting.ChildLock"
RETRY = (("Retry-After", "1"),)

CODES: dict[Outcome, tuple[int | None, ...]] = {
    Outcome.TRANSPORT: (None, 408, 425),
    Outcome.NOVALUE: (200, 204, 299),
    Outcome.REDIRECT: (300, 304, 399),
    Outcome.REFUSED: (400, 402, 404, 405, 409, 410, 499, 501),
    Outcome.AUTH: (401, 403, 406, 407),
    Outcome.THROTTLE: (429,),
    Outcome.SERVERERR: (500, 502, 503, 599),
}
STATUSES = {status: outcome for outcome, statuses in CODES.items() for status in statuses}


@pytest.mark.parametrize("status", STATUSES)
def test_status_gives_the_class(status: int | None) -> None:
    """An answer without a body has the class of its status."""
    assert Classifier(profile_of()).answer(exchange(ANCHOR, status)).outcome is STATUSES[status]


@pytest.mark.parametrize(
    ("status", "purpose", "words"),
    [
        (403, "write", "403 (writing refused)"),
        (401, "write", "401 (access refused)"),
        (403, "read", "403 (access refused)"),
    ],
)
def test_forbidden_write_is_not_called_access(status: int, purpose: Purpose, words: str) -> None:
    """Who may read and not write is told that of the write, not that access is refused."""
    assert Classifier(profile_of()).answer(exchange(ANCHOR, status, purpose=purpose)).words == words


ABSENCES: dict[str, tuple[bytes, str, Absence]] = {
    "empty": (b"", "application/json", Absence.EMPTY),
    "spaces": (b" \r\n", "application/json", Absence.EMPTY),
    "malformed": (b"{", "application/json", Absence.MALFORMED),
    "malformed, with a suffix": (b"{", "application/problem+json; charset=utf-8", Absence.MALFORMED),
    "HTML": (b"<html>", "text/html", Absence.FOREIGN),
    "without a media type": (b"{", "", Absence.FOREIGN),
    "no such member": (b'{"data": {}}', "text/plain", Absence.MISSING),
    "a list": (b"[]", "application/json", Absence.MISSING),
    "null": (b'{"data": {"value": null}}', "application/json", Absence.NULL),
}


@pytest.mark.parametrize("name", ABSENCES)
def test_success_without_a_value_says_why(name: str) -> None:
    """Each way to hold no value has its own name."""
    body, media, absence = ABSENCES[name]
    answer = Classifier(profile_of()).answer(exchange(ANCHOR, 200, body, headers=(("Content-Type", media),)))
    assert (answer.outcome, answer.absence, answer.value) == (Outcome.NOVALUE, absence, NOTHING)


def test_declared_success_counts() -> None:
    """The status codes that hold values are the profile's to say."""
    classifier = Classifier(profile_of(http={"success": "203"}))
    moved = replace(value(ANCHOR, 5), response=replace(value(ANCHOR, 5).response, status=203))  # pyright: ignore[reportArgumentType, reportCallIssue]  it has one
    assert classifier.answer(moved).has_value
    assert classifier.answer(value(ANCHOR, 5)).outcome is Outcome.REFUSED


MASKED: dict[str, tuple[str, str]] = {
    "the key": ("no Vendor.Common.Setting.NonceAb", "no Vendor.Common.Setting.NonceCd"),
    "the last segment": ("no NonceAb", "no NonceCd"),
    "a time": ("at 2026-01-01T00:00:00Z", "at 2027-11-21T13:59:59Z"),
    "a number": ("request 17 took 3 ms", "request 4 took 250 ms"),
    "an identifier": ("id 0c6a4c6e-3d2f-4a7b-9d57-000000000001", "id ffffffff-aaaa-bbbb-cccc-dddddddddddd"),
    "a hexadecimal word": ("trace deadbeef01", "trace 0123456789abcdef"),
}


@pytest.mark.parametrize("name", MASKED)
def test_answers_for_unknown_keys_are_alike(name: str) -> None:
    """Two answers that differ only in key, numbers and times have one signature."""
    one, other = MASKED[name]
    classifier = Classifier(profile_of())
    first = classifier.answer(exchange(f"{NONCE}Ab", 404, one.encode()))
    second = classifier.answer(exchange(f"{NONCE}Cd", 404, other.encode()))
    assert first.signature == second.signature


def test_short_ha_id_is_no_part_of_a_word() -> None:
    """A haId of one letter is masked where it stands alone, not in other words."""
    one, other = (
        Classifier(profile_of()).answer(
            exchange(f"{NONCE}Ab", 404, f"not found: {name}".encode(), ha_id=name)
        )
        for name in ("f", "other")
    )
    assert one.signature == other.signature


DIFFERENT: dict[str, tuple[int, bytes, str]] = {
    "status": (409, b"none", "application/json"),
    "body": (404, b"busy", "application/json"),
    "media type": (404, b"none", "text/html"),
    "class": (401, b"none", "application/json"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_different_errors_are_not_alike(name: str) -> None:
    """Status, body, media type and class each make another signature."""
    status, body, media = DIFFERENT[name]
    classifier = Classifier(profile_of())
    first = classifier.answer(exchange(f"{NONCE}Ab", 404, b"none"))
    assert (
        classifier.answer(exchange(f"{NONCE}Ab", status, body, headers=(("Content-Type", media),))).signature
        != first.signature
    )


@pytest.mark.parametrize("ha_id", ["a@b", "0123 / 4", "%2F", "fridge?x=1", "é"])
def test_unknown_appliance_belongs_to_its_own(ha_id: str) -> None:
    """The control with a haId that cannot exist is found again, whatever letters the real one is made of."""
    profile = profile_of(appliance={"ha_id": ha_id})
    unknown = replace(refusal(ANCHOR), ha_id="zzzz", groups=(NONCE_HA_ID,), lane=ha_id, purpose="control")
    seen = Observations(profile, CATALOG, numbered([unknown])).views()[ha_id]
    assert len(seen.group(NONCE_HA_ID)) == 1


def test_statuses_may_be_shaped_otherwise() -> None:
    """The pointers of [answer.status] count under status, those of [answer] elsewhere."""
    profile = profile_of(answer={"value": "/data/value", "status": {"value": "/state"}})
    door = exchange("Vendor.Common.Status.DoorState", 200, b'{"state": "x", "data": {"value": "y"}}')
    assert Classifier(profile).answer(door).value == "x"
    assert Classifier(profile).answer(replace(door, segment="settings")).value == "y"


def test_throttled_attempt_counts_only_as_the_last_one() -> None:
    """Of attempts made again at once, the last one is the answer, throttled if it never got through."""
    patient = exchange(ANCHOR, 503, headers=(*JSON, *RETRY))
    seen = seen_of(profile_of(), exchange(ANCHOR, 429), patient, value(ANCHOR, 5), exchange(OTHER, 429))
    assert seen.reads["settings", ANCHOR].value == 5
    assert seen.reads["settings", OTHER].outcome is Outcome.THROTTLE


def test_throttled_attempts_of_a_group_count_once() -> None:
    """The attempts of one repeat are one repeat."""
    attempts = exchange(ANCHOR, 429), value(ANCHOR, 5), value(ANCHOR, 6)
    seen = seen_of(profile_of(), *of(ProcedureKind.REPEAT, *attempts))
    group = Group(ProcedureKind.REPEAT, f"settings/{ANCHOR}")
    assert [answer.value for answer in seen.group(group)] == [5, 6]


DOOR = exchange("Vendor.Common.Status.DoorState", 200, b'{"state": "x", "data": {"value": "y"}}')
STATE = exchange(DOOR.key, 200, b'{"state": "x"}', segment="settings")
NAMED = exchange(ANCHOR, 404, b'{"error": "no Chillier, a-1, of /x/Freezing"}')


def responded(said: Exchange, **members: Any) -> Exchange:
    """The same with another response."""
    assert said.response
    return replace(said, response=replace(said.response, **members))


ALIKE: dict[str, tuple[Exchange, Exchange]] = {
    "status": (DOOR, responded(DOOR, status=404)),
    "headers": (exchange(ANCHOR, 503), exchange(ANCHOR, 503, headers=RETRY)),
    "body": (value(ANCHOR, 5), value(ANCHOR, 6)),
    "whether the body is whole": (value(ANCHOR, 5), responded(value(ANCHOR, 5), complete=False)),
    "what was cut": (DOOR, responded(DOOR, cut=Cut(99, "0" * 64, "body_bytes"))),
    "no response": (DOOR, exchange(DOOR.key, None)),
    "a list": (DOOR, replace(DOOR, purpose="list")),
    "segment": (DOOR, replace(DOOR, segment="settings")),
    "key": (STATE, replace(STATE, key=ANCHOR)),
    "a key that is named": (NAMED, replace(NAMED, key="Chillier")),
    "an appliance that is named": (NAMED, replace(NAMED, ha_id="a-1")),
    "an address that is named": (
        NAMED,
        replace(NAMED, request=replace(NAMED.request, url=f"{NAMED.request.url}/Freezing")),
    ),
}


@pytest.mark.parametrize("differing", ALIKE)
def test_answer_is_that_of_its_own_exchange(differing: str) -> None:
    """Those that say the same are classified once; none takes the class of one that differs in anything."""
    profile = profile_of(
        answer={"value": "/data/value", "status": {"value": "/state"}},
        list={"status": {"path": "/api/{ha_id}/status", "items": "/data"}},
    )
    both = numbered(ALIKE[differing])
    told = [Observations(profile, CATALOG, both).answer(one) for one in both]
    seen = Observations(profile, CATALOG, both)
    assert [seen.answer(one) for one in both] == told == [Classifier(profile).answer(one) for one in both]
    assert replace(told[0], exchange=both[1]) != told[1], "nothing tells them apart"
