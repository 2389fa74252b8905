"""Where nothing is said, or two segments disagree, what is made of it."""

from typing import get_args

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.checks.exchange import Cut, Exchange, Failure, FailureKind
from conformance.checks.groups import NONCE_HA_ID
from conformance.checks.reads.paths import disagree
from conformance.checks.reads.silence import first_line, nature_of, silence_of
from conformance.checks.view import View
from conformance.harness.answers.classes import Classifier
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    JSON,
    exchange,
    profile_of,
    ruling,
    seen_of,
    value,
)

OTHER = "Vendor.Common.Setting.ChildLock"
CUT = exchange(ANCHOR, 200, b"[")
PAGE = b'\n<!DOCTYPE html>\n<form><input type="password"></form>'
HTML = (("Content-Type", "text/html"),)
ADVICE: dict[str, str] = {
    "refused": "nothing listens at 127.0.0.1:1",
    "name": "the host name 127.0.0.1 is not known",
    "timeout": "does not answer in time",
    "untrusted": "name its CA",
    "expired": "not valid today",
    "other name": "for another host",
    "not tls": "http:// rather than https://",
    "closed": "does it expect https://?",
}


def silent(answer: Exchange, *controls: Exchange) -> View:
    """An appliance that answers two keys alike."""
    return seen_of(profile_of(), answer, replace(answer, key=OTHER), *controls)


@pytest.mark.parametrize("kind", get_args(FailureKind))
def test_failure_to_connect_is_the_cause(kind: FailureKind) -> None:
    """Where no request was answered, the cause is the kind of the failure."""
    silence = silence_of(
        silent(replace(exchange(ANCHOR, None), failure=Failure(kind, "what the system said")))
    )
    assert silence.cause == kind
    assert ADVICE.get(kind, "what the system said") in silence.sentence
    assert "maker" not in silence.sentence


ANSWERS: dict[str, tuple[Exchange, str, str]] = {
    "nobody may read": (exchange(ANCHOR, 401), "access", "[auth]"),
    "patience": (exchange(ANCHOR, 429), "throttled", "pace.per_minute"),
    "a sign-in elsewhere": (
        exchange(ANCHOR, 302, headers=(("Location", "/sign-in"),)),
        "redirect",
        "to /sign-in",
    ),
    "a redirect to nowhere": (exchange(ANCHOR, 302, headers=()), "redirect", "(status 302, to nowhere)"),
    "an error of its own": (exchange(ANCHOR, 500, b"boom"), "server error", "boom"),
    "a sign-in page": (
        exchange(ANCHOR, 200, PAGE, headers=HTML),
        "foreign",
        "a sign-in page (HTML), no JSON; it begins: <!DOCTYPE html>",
    ),
    "XML": (exchange(ANCHOR, 200, b"<a/>", headers=HTML[:0]), "foreign", "XML, no JSON; it begins: <a/>"),
    "no member": (
        exchange(ANCHOR, 200, b"{}"),
        "no place",
        "there is no member at '/data/value': is answer.value right?",
    ),
    "too much": (
        replace(CUT, response=replace(CUT.response, cut=Cut.of(b"[", "members"))) if CUT.response else CUT,
        "too large",
        f"(status 200): http.limits.members sets the bound. GET {CUT.request.url} was asked",
    ),
    "nothing": (exchange(ANCHOR, 200), "no value", "the body is empty. First check the maker's name"),
    "refusals": (exchange(ANCHOR, 409, b"no such setting"), "refusal", "no such setting"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answer_without_a_value_is_the_cause(name: str) -> None:
    """Where requests were answered, the cause is what most answers are, told with what they say."""
    answer, cause, told = ANSWERS[name]
    silence = silence_of(silent(answer))
    assert silence.cause == cause
    assert told in silence.sentence


def test_body_in_which_nothing_looks_like_a_value_is_quoted() -> None:
    """With the maker's name to check, and the pointer to declare, where nothing says where the value is."""
    answers = [exchange(key, 200, b'{"a": {}}') for key in (ANCHOR, OTHER, *OWN)]
    for number, advice in ((2, "First check the maker's name"), (7, "Declare answer.value")):
        told = silence_of(seen_of(profile_of(answer={}), *answers[:number]))
        assert told.cause == "no place"
        assert advice in told.sentence
        assert ("then declare" in told.sentence) is (number == 2)


def test_appliance_of_which_nothing_was_asked_has_no_cause() -> None:
    """Nothing is to be shown, and nothing to be done."""
    silence = silence_of(seen_of(profile_of()))
    assert (silence.cause, silence.answer) == ("not asked", None)


HEADERS, COMMAND = {"headers": {"Authorization": "Bearer ${TOKEN}"}}, {"token_cmd": ["print-token"]}


@pytest.mark.parametrize(("auth", "advised"), [(HEADERS, True), (COMMAND, False)])
def test_refused_access_that_is_declared_asks_for_the_token(
    auth: dict[str, object], *, advised: bool
) -> None:
    """Whoever has declared [auth] is told to check the token, and how to get another one if nothing does."""
    told = silence_of(seen_of(profile_of(auth=auth), exchange(ANCHOR, 401))).sentence
    assert "check that the token of [auth] is right, has not expired" in told
    assert ("auth.oauth2 or auth.token_cmd" in told) == advised


@pytest.mark.parametrize("status", [404, 409])
def test_makers_name_is_the_first_thing_to_check(status: int) -> None:
    """Where every key is refused, the maker's name stands before the haId and the address."""
    answer = exchange(ANCHOR, status, b"absent")
    unknown = replace(answer, ha_id="zzz", groups=(NONCE_HA_ID,), purpose="control")
    silence = silence_of(silent(answer, unknown))
    assert silence.cause == "unknown appliance"
    assert silence.sentence.index("--vendor NAME") < silence.sentence.index("then the haId")
    assert "http://127.0.0.1:1/api/homeappliances/one/settings/" in silence.sentence


OFFLINE = (
    b'{\n  "error": {"key": "SDK.Error.HomeAppliance.Connection.Initialization.Failed",\n'
    b'  "description": "HomeAppliance is offline"}\n}'
)
OWN = [key for key in CATALOG.entries if key.startswith("Refrigeration.Common.Setting.")][:5]


def test_answer_is_quoted_to_its_end() -> None:
    """The word that matters may be the last one, on another line: JSON is quoted as one line."""
    answer = exchange(ANCHOR, 409, OFFLINE)
    assert "HomeAppliance is offline" in silence_of(silent(answer)).sentence


def test_makers_name_is_not_asked_for_where_it_shows_to_be_right() -> None:
    """Keys that begin otherwise are refused as well, or another appliance answers under that name."""
    answer = exchange(ANCHOR, 404, b"absent")
    unknown = replace(answer, ha_id="zzz", groups=(NONCE_HA_ID,), purpose="control")
    others = [replace(answer, key=key) for key in OWN]
    own = seen_of(profile_of(), answer, *others, unknown)
    beside = replace(silent(answer, unknown), answering=("two",))
    for seen in (own, beside):
        assert "--vendor" not in silence_of(seen).sentence
    assert "haId one: two answers, this one does not" in silence_of(beside).sentence


@pytest.mark.parametrize("added", ["/api", "/api/homeappliances"])
def test_address_that_has_what_the_suite_adds_is_named(added: str) -> None:
    """Whoever gives the whole path of an appliance is told what to leave out."""
    answer = exchange(ANCHOR, 404, b"absent")
    unknown = replace(answer, ha_id="zzz", groups=(NONCE_HA_ID,), purpose="control")
    profile = profile_of(target={"name": "hub", "base_url": f"http://127.0.0.1:8000{added}"})
    told = silence_of(seen_of(profile, answer, replace(answer, key=OTHER), unknown)).sentence
    assert f"base_url ends in {added}, which the suite adds: is it http://127.0.0.1:8000?" in told


def test_appliance_that_is_declared_offline_is_so() -> None:
    """What the profile declares to mean offline is no refusal of a key, and says nothing of one."""
    declared = {"status": 409, "pointer": "/error/description", "equals": "HomeAppliance is offline"}
    answer = exchange(ANCHOR, 409, OFFLINE, at="2026-01-01T10:49:32.000+00:00")
    silence = silence_of(
        seen_of(profile_of(http={"unreachable": [declared]}), answer, replace(answer, key=OTHER))
    )
    assert silence.cause == "unreachable"
    assert silence.sentence.startswith("one was offline from 10:49:32 (status 409")
    assert silence.answer is not None
    assert silence.answer.is_error


def test_most_reads_decide() -> None:
    """A stray error beside many refusals is not the cause."""
    refusals = [exchange(key, 404) for key in (OTHER, "Vendor.Common.Setting.PowerState")]
    assert silence_of(seen_of(profile_of(), exchange(ANCHOR, 200), *refusals)).cause == "no value"
    assert silence_of(seen_of(profile_of(), exchange(ANCHOR, 500), *refusals)).cause == "refusal"


def test_case_of_the_address_says_the_cause() -> None:
    """What a run says of a silent appliance is the same sentence."""
    seen = silent(replace(exchange(ANCHOR, None), failure=Failure("refused", "")))
    assert ruling("ADDR-BASE", "*", seen).message == silence_of(seen).sentence


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
    assert first_line(b"") == ""


def test_body_of_markup_is_named_in_a_case() -> None:
    """The reason of an answer that is a page names the page, whether or not its media type says JSON."""
    for headers in (HTML, JSON):
        seen = silent(exchange(ANCHOR, 200, PAGE, headers=headers))
        assert seen.reads["settings", ANCHOR].note == "the body is a sign-in page (HTML), no JSON"


# Two paths of one status: whether they agree, differ or move.
BATTERY = "Vendor.Common.Status.BatteryLevel"
# four values read in turn under status and settings, and the drift that is allowed -> agree, differ, move
SANDWICHES: dict[str, tuple[list[object], float, str]] = {
    "equal": ([True, True, True, True], 0, "agree"),
    "different and stable": ([True, False, True, False], 0, "differ"),
    "both move together": ([True, True, False, False], 0, "agree"),
    "one moves": ([True, False, False, False], 0, "move"),
    "numbers within the drift": ([50, 52, 50, 52], 2, "agree"),
    "numbers beyond the drift": ([50, 53, 50, 53], 2, "differ"),
    "numbers that drift together": ([50, 55, 60, 60], 2, "agree"),
    "numbers that move and differ": ([50, 80, 60, 80], 2, "move"),
    "whole and with a fraction": ([50, 50.0, 50, 50.0], 0, "agree"),
    "numbers that come near": ([50, 53, 52, 53], 2, "agree"),
    "no numbers": ([float("nan")] * 4, 2, "move"),
    "a text and a number": (["50", 50, "50", 50], 2, "differ"),
}


@pytest.mark.parametrize("name", SANDWICHES)
def test_two_paths_agree_or_differ(name: str) -> None:
    """Each path must be stable in itself before the two can be said to differ."""
    shown, drift, verdict = SANDWICHES[name]
    answers = tuple(Classifier(profile_of()).answer(value(BATTERY, each)) for each in shown)
    said = disagree(answers, drift)
    assert ("agree" if said is None else "differ" if said else "move") == verdict
