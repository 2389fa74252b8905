"""Every answer gets the class of its row, and teaches what it may teach; and what a view of it costs."""

from collections.abc import Iterator
from typing import Any, SupportsIndex, overload

import pytest
from msgspec import to_builtins
from msgspec.structs import replace

from conformance.checks.answer import Absence, Outcome
from conformance.checks.exchange import Cut, Exchange, Remark, Response
from conformance.checks.groups import NONCE_HA_ID, Group, ProcedureKind
from conformance.checks.reads.silence import first_line, nature_of
from conformance.checks.remarks import LOSS, LossNote
from conformance.harness.answers.classes import Classifier
from conformance.harness.observing import Observations
from conformance.model.json_values import NOTHING
from conformance.profiles.validation import build_profile
from conformance.selftest.support.handmade import (
    ANCHOR,
    JSON,
    URL,
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


def responded(said: Exchange, **members: Any) -> Exchange:
    """The same with another response."""
    assert said.response
    return replace(said, response=replace(said.response, **members))


CODES: dict[Outcome, tuple[int | None, ...]] = {
    Outcome.TRANSPORT: (None, 408, 421, 425),
    Outcome.NOVALUE: (200, 204, 299),
    Outcome.REDIRECT: (300, 304, 399),
    Outcome.REFUSED: (400, 402, 404, 405, 409, 410, 499, 501),
    Outcome.AUTH: (401, 403, 406, 407),
    Outcome.THROTTLE: (429,),
    Outcome.SERVERERR: (500, 502, 503, 599),
}


def typed(body: bytes, media_type: str) -> Exchange:
    """A success of a media type."""
    return exchange(ANCHOR, 200, body, headers=(("Content-Type", media_type),))


def without_a_value(absence: Absence) -> tuple[Outcome, Absence, object]:
    """What a success is that holds no value."""
    return Outcome.NOVALUE, absence, NOTHING


# Who may read and not write is told that of the write, not that access is refused.
WRITE = exchange(ANCHOR, 403, purpose="write")
MOVED = replace(value(ANCHOR, 5), response=Response(203, JSON, b'{"data": {"value": 5}}', 1.0))
TWO_PLACES = {"value": "/data/value", "status": {"value": "/state"}}
DOOR = exchange("Vendor.Common.Status.DoorState", 200, b'{"state": "x", "data": {"value": "y"}}')
# an answer, what is declared, and what it is: its class, with why it holds no value or with that; or in words
# fmt: off
ANSWERS: dict[str, tuple[Exchange, dict[str, Any], object]] = {
    **{f"status {status}": (exchange(ANCHOR, status), {}, outcome)
        for outcome, statuses in CODES.items() for status in statuses},
    "a write is forbidden": (WRITE, {}, "403 (writing refused)"),
    "a write is refused access": (responded(WRITE, status=401), {}, "401 (access refused)"),
    "a read is forbidden": (exchange(ANCHOR, 403), {}, "403 (access refused)"),
    # Each way to hold no value has its own name.
    "empty": (typed(b"", "application/json"), {}, without_a_value(Absence.EMPTY)),
    "spaces": (typed(b" \r\n", "application/json"), {}, without_a_value(Absence.EMPTY)),
    "malformed": (typed(b"{", "application/json"), {}, without_a_value(Absence.MALFORMED)),
    "malformed, with a suffix": (typed(b"{", "application/problem+json; charset=utf-8"), {},
        without_a_value(Absence.MALFORMED)),
    "HTML": (typed(b"<html>", "text/html"), {}, without_a_value(Absence.FOREIGN)),
    "without a media type": (typed(b"{", ""), {}, without_a_value(Absence.FOREIGN)),
    "no such member": (typed(b'{"data": {}}', "text/plain"), {}, without_a_value(Absence.MISSING)),
    "a list": (typed(b"[]", "application/json"), {}, without_a_value(Absence.MISSING)),
    "null": (typed(b'{"data": {"value": null}}', "application/json"), {}, without_a_value(Absence.NULL)),
    # The status codes that hold values are the profile's to say, and where the value of a status stands.
    "a success that is declared": (MOVED, {"http": {"success": "203"}}, (Outcome.VALUE, None, 5)),
    "another success": (value(ANCHOR, 5), {"http": {"success": "203"}}, Outcome.REFUSED),
    "under status": (DOOR, {"answer": TWO_PLACES}, (Outcome.VALUE, None, "x")),
    "elsewhere": (replace(DOOR, segment="settings"), {"answer": TWO_PLACES}, (Outcome.VALUE, None, "y")),
}
# fmt: on


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_has_its_class(name: str) -> None:
    """By its status; a success by its body as well, as the profile says how that is read."""
    answered, tables, expected = ANSWERS[name]
    answer = Classifier(profile_of(**tables)).answer(answered)
    assert expected in (answer.outcome, (answer.outcome, answer.absence, answer.value), answer.words)


NONE = exchange(f"{NONCE}Ab", 404, b"none")


def errors(one: str, other: str) -> tuple[Exchange, Exchange]:
    """Two answers for two unknown keys."""
    return exchange(f"{NONCE}Ab", 404, one.encode()), exchange(f"{NONCE}Cd", 404, other.encode())


# two errors, and whether they are alike: all but keys, haIds, numbers and times counts
# fmt: off
ERRORS: dict[str, tuple[tuple[Exchange, Exchange], bool]] = {
    "the key": (errors("no Vendor.Common.Setting.NonceAb", "no Vendor.Common.Setting.NonceCd"), True),
    "the last segment": (errors("no NonceAb", "no NonceCd"), True),
    "a time": (errors("at 2026-01-01T00:00:00Z", "at 2027-11-21T13:59:59Z"), True),
    "a number": (errors("request 17 took 3 ms", "request 4 took 250 ms"), True),
    "an identifier": (errors("id 0c6a4c6e-3d2f-4a7b-9d57-000000000001",
        "id ffffffff-aaaa-bbbb-cccc-dddddddddddd"), True),
    "a hexadecimal word": (errors("trace deadbeef01", "trace 0123456789abcdef"), True),
    "a short haId, which is no part of a word": ((exchange(NONCE, 404, b"not found: f", ha_id="f"),
        exchange(NONCE, 404, b"not found: other", ha_id="other")), True),
    "the status": ((NONE, responded(NONE, status=409)), False),
    "the body": ((NONE, responded(NONE, body=b"busy")), False),
    "the media type": ((NONE, responded(NONE, headers=(("Content-Type", "text/html"),))), False),
    "the class": ((NONE, responded(NONE, status=401)), False),
}
# fmt: on


@pytest.mark.parametrize("differing", ERRORS)
def test_errors_that_say_the_same_are_alike(differing: str) -> None:
    """They have one signature."""
    both, are_alike = ERRORS[differing]
    one, other = map(Classifier(profile_of()).answer, both)
    assert (one.signature == other.signature) is are_alike


@pytest.mark.parametrize("ha_id", ["a@b", "0123 / 4", "%2F", "fridge?x=1", "é"])
def test_unknown_appliance_belongs_to_its_own(ha_id: str) -> None:
    """The control with a haId that cannot exist is found again, whatever letters the real one is made of."""
    profile = profile_of(appliance={"ha_id": ha_id})
    unknown = replace(refusal(ANCHOR), ha_id="zzzz", groups=(NONCE_HA_ID,), lane=ha_id, purpose="control")
    seen = Observations(profile, numbered([unknown])).views()[ha_id]
    assert len(seen.group(NONCE_HA_ID)) == 1


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


STATE = exchange(DOOR.key, 200, b'{"state": "x"}', segment="settings")
NAMED = exchange(ANCHOR, 404, b'{"error": "no Chillier, a-1, of /x/Freezing"}')


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
        answer=TWO_PLACES,
        list={"status": {"path": "/api/{ha_id}/status", "items": "/data"}},
    )
    both = numbered(ALIKE[differing])
    told = [Observations(profile, both).answer(one) for one in both]
    seen = Observations(profile, both)
    assert [seen.answer(one) for one in both] == told == [Classifier(profile).answer(one) for one in both]
    assert replace(told[0], exchange=both[1]) != told[1], "nothing tells them apart"


NOTED = Group(ProcedureKind.REPEAT, "on")
FLEET = [f"fridge-{number}" for number in range(40)]
"""The haIds of a fleet."""


class Counted(list[Remark]):
    """Remarks that count how often one of them is looked at."""

    looks = 0

    def __iter__(self) -> Iterator[Remark]:
        for remark in super().__iter__():
            self.looks += 1
            yield remark

    @overload
    def __getitem__(self, place: SupportsIndex) -> Remark: ...
    @overload
    def __getitem__(self, place: slice) -> list[Remark]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Remark | list[Remark]:
        found = super().__getitem__(place)
        self.looks += len(found) if isinstance(found, list) else 1
        return found


def observed(ha_ids: list[str], remarks: list[Remark]) -> Observations:
    """A fleet of which each appliance has refused one key."""
    appliances = [{"ha_id": ha_id, "kind": "Refrigerator"} for ha_id in ha_ids]
    profile = build_profile({"target": {"name": "fleet", "base_url": URL}, "appliance": appliances})
    return Observations(profile, numbered([exchange(ANCHOR, 409, ha_id=ha_id) for ha_id in ha_ids]), remarks)


def test_view_looks_at_each_remark_once() -> None:
    """Also where views are made while more is noted, as a run makes them; and it has all of its own."""
    remarks = Counted()
    seen = observed(FLEET, remarks)
    for ha_id in FLEET:
        remarks += [Remark("unfinished", NOTED, ha_id, ANCHOR, {}) for _ in range(2)]
        assert seen.view(ha_id).remarks == {NOTED: tuple(remarks[-2:])}
    seen.views()
    assert remarks.looks <= 3 * len(remarks)


def test_loss_shows_in_the_view_that_follows_it() -> None:
    """Of the appliance that went away, and of no other, whichever view is made first."""
    seen = observed(FLEET[:2], [])
    assert seen.view(FLEET[0]).lost is None
    note = LossNote(since=1, answer="409 (refused)", access=False, target=False)
    seen.remarks.append(Remark("lost", LOSS, FLEET[0], "*", to_builtins(note)))
    assert seen.view(FLEET[1]).lost is None
    gone = seen.view(FLEET[0]).lost
    assert gone is not None
    assert gone.since == 1


# What a body that is no JSON is called.
NATURES: dict[str, tuple[bytes, str, str]] = {
    "a document type": (b"\xef\xbb\xbf <!doctype HTML>", "", "HTML"),
    "only the media type": (b"hello", "text/html", "HTML"),
    "an XML declaration": (b'<?xml version="1.0"?><a/>', "", "XML"),
    "an XML media type": (b"", "application/vnd.x+xml", "XML"),
    "words": (b"OK", "", "text"),
    "bytes": (b"\x00\x01\xff", "", "no text"),
}


@pytest.mark.parametrize("name", NATURES)
def test_body_is_named(name: str) -> None:
    """A body that is no JSON is called what it is."""
    body, media_type, nature = NATURES[name]
    assert nature_of(body, media_type) == nature


def test_first_line_is_short_and_shows_what_steers_a_terminal() -> None:
    """Empty lines are passed over, control characters are spelled, and a line has an end."""
    assert first_line(b"\r\n\n  \x1b[31mred\x00\xff \nmore") == r"\x1b[31mred\x00\xff"
    assert len(first_line(b"x" * 5000)) < 250
    assert [first_line(body) for body in (b"", b"\xef\xbb\xbfred")] == ["", "red"]
