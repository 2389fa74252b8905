"""Where nothing is said, or two segments disagree, what is made of it."""

from typing import Any, get_args

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
    "tls": "TLS fails at 127.0.0.1:1: what the system said",
    "closed": "does it expect https://?",
}


def silent(answer: Exchange, *controls: Exchange, **tables: Any) -> View:
    """An appliance that answers two keys alike."""
    return seen_of(profile_of(**tables), answer, replace(answer, key=OTHER), *controls)


SYSTEM = "what the system said"


def failed(kind: FailureKind) -> Exchange:
    """A request without a response."""
    return replace(exchange(ANCHOR, None), failure=Failure(kind, SYSTEM))


OFFLINE = (
    b'{\n  "error": {"key": "SDK.Error.HomeAppliance.Connection.Initialization.Failed",\n'
    b'  "description": "HomeAppliance is offline"}\n}'
)
IS_OFFLINE = {"status": 409, "pointer": "/error/description", "equals": "HomeAppliance is offline"}
SAYS_SO = exchange(ANCHOR, 409, OFFLINE, at="2026-01-01T10:49:32.000+00:00")
OWN = [key for key in CATALOG.entries if key.startswith("Refrigeration.Common.Setting.")][:5]
ABSENT, ODD = exchange(ANCHOR, 404, b"absent"), exchange(ANCHOR, 409, b"absent")
NOBODY, NOBODY_ODD = (
    replace(one, ha_id="zzz", groups=(NONCE_HA_ID,), purpose="control") for one in (ABSENT, ODD)
)
LARGE = replace(CUT, response=CUT.response and replace(CUT.response, cut=Cut.of(b"[", "members")))
EMPTY = [exchange(key, 200, b'{"a": {}}') for key in (ANCHOR, OTHER, *OWN)]
REFUSALS = [exchange(key, 404) for key in (OTHER, "Vendor.Common.Setting.PowerState")]
HEADERS, COMMAND = {"headers": {"Authorization": "Bearer ${TOKEN}"}}, {"token_cmd": ["print-token"]}
RIGHT, ANOTHER = "check that the token of [auth] is right, has not expired", "auth.oauth2 or auth.token_cmd"


def added(path: str) -> View:
    """An appliance at an address that ends in what the suite adds."""
    return silent(ABSENT, NOBODY, target={"name": "hub", "base_url": f"http://127.0.0.1:8000{path}"})


MAKER_FIRST = ("--vendor NAME", "then the haId", "http://127.0.0.1:1/api/homeappliances/one/settings/")
IS_IT = "which the suite adds: is it http://127.0.0.1:8000?"
# fmt: off
SILENCES: dict[str, tuple[View, str, tuple[str, ...]]] = {
    # Where no request was answered, the cause is the kind of the failure.
    **{
        f"no response: {kind}": (silent(failed(kind)), kind, (ADVICE.get(kind, SYSTEM), "!maker"))
        for kind in get_args(FailureKind)
    },
    "no response: at an address of IPv6": (
        silent(failed("refused"), target={"name": "hub", "base_url": "http://[::1]:8000"}), "refused",
        ("nothing listens at [::1]:8000 ",)),
    "nothing was asked": (seen_of(profile_of()), "not asked", ()),
    # Where requests were answered, it is what most answers are, told with what they say to the end.
    "nobody may read": (silent(exchange(ANCHOR, 401)), "access", ("[auth]",)),
    "nobody may read with the headers": (silent(exchange(ANCHOR, 401), auth=HEADERS), "access",
        (RIGHT, ANOTHER)),
    "nobody may read with a command": (silent(exchange(ANCHOR, 401), auth=COMMAND), "access",
        (RIGHT, f"!{ANOTHER}")),
    "no media type that is taken": (silent(exchange(ANCHOR, 406)), "access",
        ("(status 406): name the media type", "http.headers", "![auth]")),
    "patience": (silent(exchange(ANCHOR, 429)), "throttled", ("pace.per_minute",)),
    "a sign-in elsewhere": (silent(exchange(ANCHOR, 302, headers=(("Location", "/sign-in"),))), "redirect",
        ("to /sign-in",)),
    "a redirect to nowhere": (silent(exchange(ANCHOR, 302, headers=())), "redirect",
        ("(status 302, to nowhere)",)),
    "a redirect to a slash": (silent(exchange(ANCHOR, 308, headers=(("Location", f"./{ANCHOR}/"),))),
        "redirect", ("the same path with a slash behind it", "http.follow_redirects", "!base_url")),
    "an error of its own": (silent(exchange(ANCHOR, 500, b"boom")), "server error", ("boom",)),
    "a sign-in page": (silent(exchange(ANCHOR, 200, PAGE, headers=HTML)), "foreign",
        ("a sign-in page (HTML), no JSON; it begins: <!DOCTYPE html>",)),
    "XML": (silent(exchange(ANCHOR, 200, b"<a/>", headers=())), "foreign",
        ("XML, no JSON; it begins: <a/>",)),
    "no member": (silent(exchange(ANCHOR, 200, b"{}")), "no place",
        ("there is no member at '/data/value': is answer.value right?",)),
    "too much": (silent(LARGE), "too large",
        (f"(status 200): http.limits.members sets the bound. GET {CUT.request.url} was asked",)),
    "nothing": (silent(exchange(ANCHOR, 200)), "no value",
        ("the body is empty. First check the maker's name",)),
    "refusals": (silent(exchange(ANCHOR, 409, b"no such setting")), "refusal", ("no such setting",)),
    "refusals, and another appliance answers": (
        replace(silent(exchange(ANCHOR, 409, b"no such setting")), answering=("two",)), "refusal",
        ("!--vendor",)),
    "a refusal of several lines": (silent(exchange(ANCHOR, 409, OFFLINE)), "refusal",
        ("HomeAppliance is offline",)),
    "what is declared to mean offline": (silent(SAYS_SO, http={"unreachable": [IS_OFFLINE]}), "unreachable",
        ("one was offline from 10:49:32 (status 409",)),
    "a stray value among refusals": (seen_of(profile_of(), exchange(ANCHOR, 200), *REFUSALS), "no value", ()),
    "a stray error among refusals": (seen_of(profile_of(), exchange(ANCHOR, 500), *REFUSALS), "refusal", ()),
    # A body in which nothing looks like a value: the maker's name may be wrong, unless many keys were asked.
    "two bodies without a place": (seen_of(profile_of(answer={}), *EMPTY[:2]), "no place",
        ("First check the maker's name", "then declare")),
    "seven bodies without a place": (seen_of(profile_of(answer={}), *EMPTY), "no place",
        ("Declare answer.value", "!then declare")),
    # Where every key is refused, the maker's name stands before the haId, unless it shows to be right.
    "as of an unknown appliance": (silent(ABSENT, NOBODY), "unknown appliance",
        ("and so is a haId that does not exist", *MAKER_FIRST)),
    "as of an unknown appliance, otherwise": (silent(ODD, NOBODY_ODD), "unknown appliance",
        MAKER_FIRST),
    "keys that begin otherwise, too": (
        seen_of(profile_of(), ABSENT, *(replace(ABSENT, key=key) for key in OWN), NOBODY),
        "unknown appliance", ("!--vendor",)),
    "another appliance answers": (replace(silent(ABSENT, NOBODY), answering=("two",)), "unknown appliance",
        ("haId one: two answers, this one does not", "!--vendor")),
    "an address with what the suite adds": (added("/api"), "unknown appliance",
        (f"base_url ends in /api, {IS_IT}",)),
    "an address with more of that": (added("/api/homeappliances"), "unknown appliance",
        (f"base_url ends in /api/homeappliances, {IS_IT}",)),
}
# fmt: on
"""What was seen, the cause, and what is told in this order; after a `!`, what is not told."""
ERRORS = {*get_args(FailureKind), "server error", "too large", "unreachable"}
"""The causes that say nothing of the keys that were asked."""


@pytest.mark.parametrize("name", SILENCES)
def test_silence_has_a_cause_and_an_advice(name: str) -> None:
    """Of an appliance that gave no value: what most of its answers are, and what to check first."""
    seen, cause, words = SILENCES[name]
    silence = silence_of(seen)
    places = [silence.sentence.find(word) for word in words if not word.startswith("!")]
    assert (silence.cause, places) == (cause, sorted(places)), silence.sentence
    assert -1 not in places, silence.sentence
    assert [word for word in words if word[0] == "!" and word[1:] in silence.sentence] == []
    assert (silence.answer is None) is (cause == "not asked")
    assert silence.answer is None or silence.answer.is_error is (cause in ERRORS)


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
    assert [first_line(body) for body in (b"", b"\xef\xbb\xbfred")] == ["", "red"]


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
