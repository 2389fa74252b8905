"""Where entries are found, by base address, haId and key; and why an appliance says nothing."""

import json
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from catalog.keys import OFF, ON
from catalog.loader import CATALOG
from conformance.checks.exchange import Cut, Exchange, Failure, FailureKind
from conformance.checks.groups import (
    LAST_LOOK,
    NONCE_HA_ID,
    NONCE_SETTINGS,
    NONCE_STATUS,
    PREPARE,
    VERSION,
    WALK,
    Group,
    ProcedureKind,
)
from conformance.checks.reads.addressing import has_version
from conformance.checks.reads.silence import silence_of
from conformance.checks.view import View
from conformance.selftest.support.handmade import (
    ANCHOR,
    ANY_KEY,
    JSON,
    Reads,
    exchange,
    profile_of,
    redirected,
    refusal,
    ruling,
    seen_of,
    value,
)

LOCK, POWER, UNIT = (
    f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState", "LiquidVolumeUnit")
)
CLAIMED = {"supports": ["*"], "online": True}
GUESSED = dict[str, str]()
SERVED = value(ANCHOR, 5)
NOBODY, NOBODYS = refusal(ANCHOR, group=NONCE_HA_ID), value(ANCHOR, 5, group=NONCE_HA_ID)
NO_KEY = (
    refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS),
    refusal("Vendor.Common.Status.Nonce", group=NONCE_STATUS),
)
NEIGHBOUR = "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces"


def body(key: str, text: str, **members: Any) -> Exchange:
    """An answer with this body."""
    return exchange(key, 200, text.encode(), **members)


def about(key: str, shown: object, named: str, **members: Any) -> Exchange:
    """An answer whose body names this key."""
    return body(key, json.dumps({"data": {"key": named, "value": shown}}), **members)


def later(group: Group, *answers: Exchange) -> tuple[Exchange, ...]:
    """Answers to reads that a procedure made."""
    return tuple(replace(answer, groups=(group,), purpose="repeat") for answer in answers)


AGAIN = Group(ProcedureKind.REPEAT, f"settings/{ANCHOR}")
AFTER = replace(SERVED, groups=(AGAIN,), purpose="repeat")
FORBIDDEN = exchange(ANCHOR, 403, group=NONCE_HA_ID)
SERVED_LOCK, MISNAMED = value(LOCK, shown=True), about(ANCHOR, 5, LOCK)

# fmt: off
ROWS = {
    ("ADDR-BASE", "*"): {
        "a key gives a value": ("pass (2) 1 2 ~0ec", Reads(refusal(LOCK), SERVED)),
        "nothing was asked": ("inconclusive nothing ~bc1", Reads(replace(NOBODY))),
        "only a versioned path serves": ("inconclusive 3 /api/homeappliances/one/settings/…ChildLock ~80f",
            Reads(refusal(ANCHOR), refusal(LOCK, group=VERSION), value(LOCK, True, group=VERSION))),
        "as an unknown appliance": ("fail 1 haId 404 ~0e5",
            Reads(refusal(ANCHOR), refusal(LOCK), NOBODY, appliance=CLAIMED)),
    },
    ("ADDR-UNVERSIONED", "*"): {
        "no version is needed": ("pass (2) ~269", Reads(refusal(LOCK), SERVED)),
        "no value at all": ("inconclusive ~5a2", Reads(refusal(ANCHOR))),
        "served with a version only": ("fail 2 /api/homeappliances/one/settings/…ChildLock ~c9b",
            Reads(refusal(ANCHOR), value(LOCK, True, group=VERSION), refusal(ANCHOR, group=VERSION))),
        "not asked again without a version": (
            "inconclusive 3 /api/homeappliances/one/settings/…ChildLock ~859",
            Reads(refusal(ANCHOR), refusal(ANCHOR, group=VERSION), value(LOCK, True, group=VERSION))),
        "redirected to a version": ("fail 1 /api/V1.2/homeappliances/one/settings/…AlarmClock ~517",
            Reads(redirected(SERVED, "/api/V1.2/homeappliances/one/settings/" + ANCHOR))),
    },
    ("ADDR-HAID", "*"): {
        "nobody's haId without an anchor": ("inconclusive (1) ~b0a", Reads(NOBODY)),
        "nobody's haId was not asked": ("inconclusive haId ~69c", Reads(SERVED)),
        "nobody's haId gives a value": ("fail 2 3 haId 5 ~075", Reads(SERVED, NOBODYS, NOBODYS)),
        "nobody's haId gives a value once": ("inconclusive 3 haId 5 ~b5b", Reads(SERVED, NOBODY, NOBODYS)),
        "nobody's haId gives texts": ("inconclusive 2 haId 200 ~fc1",
            Reads(SERVED, *[value(ANCHOR, "x", group=NONCE_HA_ID)] * 2)),
        "nobody's haId is forbidden, a key is read after it": ("pass (3) ~fb9",
            Reads(SERVED, FORBIDDEN, AFTER)),
        "nobody's haId is told in band": ("inconclusive 2 haId 200 '/data/value' nothing ~441",
            Reads(SERVED, body(ANCHOR, "{}", group=NONCE_HA_ID), AFTER)),
        "nobody's haId meets an error": ("inconclusive 3 haId 500 ~c81",
            Reads(SERVED, NOBODY, exchange(ANCHOR, 500, group=NONCE_HA_ID))),
    },
    ("ADDR-UNKNOWNKEY", "*"): {
        "no such key without an anchor": ("inconclusive (2) ~219", Reads(*NO_KEY)),
        "no such key is refused": ("pass (3) ~56c", Reads(SERVED, *NO_KEY)),
        "no such key gives a value": ("fail 2 3 1 ~dff", Reads(SERVED, *ANY_KEY)),
    },
    ("ADDR-KEY-LAST", ANCHOR): {
        "the body shows no key": ("inconclusive 1 ~849",
            Reads(body(LOCK, '{"data": {"value": true}}'), key=LOCK)),
        "where the key stands is not declared": ("not_applicable 1 ~833",
            Reads(SERVED, answer={"value": "/data/value"})),
        "another key, in the first value that is shown": ('fail 3 "…ChildLock" …AlarmClock ~e46',
            Reads(refusal(ANCHOR, 409), SERVED_LOCK, *later(LAST_LOOK, MISNAMED, MISNAMED))),
        "another key, once it was on": ('fail 4 "…AlarmClock" …ChildLock ~984',
            Reads(value(POWER, OFF), refusal(LOCK, 409), *later(PREPARE, value(POWER, ON), about(LOCK, True,
                ANCHOR)), key=LOCK, appliance={"supports": [LOCK]})),
        "another key, twice in a series on one connection": ("pass (1) ~93c",
            Reads(SERVED, *later(AGAIN, MISNAMED, MISNAMED))),
        "another key, twice at another address": ("pass (1) ~9cc",
            Reads(SERVED, *later(WALK, *(about(ANCHOR, 5, LOCK, segment="status"),) * 2))),
    },
    ("ADDR-SPECIFIC", LOCK): {
        "the specific entry": ("pass (1) ~9cc", Reads(SERVED, key=ANCHOR)),
        "a list": ("fail 2 2 A.Setting.A B.Status.B ~594",
            Reads(SERVED, body(LOCK,
                '{"a": [{"key": "A.Setting.A"}, {"key": "B.Status.B"}, {"key": "C"}, "D.Setting.D"]}'))),
        "a list of one": ("inconclusive 2 200 '/data/value' ~a70",
            Reads(SERVED, body(LOCK, '{"data": [{"key": "A.Setting.A"}]}'))),
        "a list, the pointer guessed": ("inconclusive 2 2 ~f29",
            Reads(SERVED, body(LOCK, '[{"key": "A.Setting.A"}, {"key": "B.Setting.B"}]'), answer=GUESSED)),
        "about a neighbour": ("fail 1 …AlarmClock …ChildLock ~916", Reads(about(LOCK, True, ANCHOR))),
        "about no entry at all": ("pass (1) ~04e", Reads(about(LOCK, True, "Foo"))),
        "about a neighbour, twice beside writes": ("fail 2 …AlarmClock …ChildLock ~916",
            Reads(SERVED_LOCK, *later(WALK, *(about(LOCK, True, ANCHOR),) * 2))),
        "a neighbour's value": ('fail 1 "…LiquidVolumeUnit.FluidOunces" …LiquidVolumeUnit ~61e',
            Reads(value(POWER, NEIGHBOUR), key=POWER)),
        "its own family's value": ("pass (1) ~187", Reads(value(UNIT, NEIGHBOUR), key=UNIT)),
        "a text like a neighbour's value": ("pass (1) ~7b8",
            Reads(value("ConsumerProducts.CleaningRobot.Setting.NameOfMap1", NEIGHBOUR),
                key="ConsumerProducts.CleaningRobot.Setting.NameOfMap1")),
    },
    ("ADDR-VENDOR", UNIT): {
        "the declared maker": ("pass (1) ~4b1",
            Reads(value(UNIT, NEIGHBOUR.replace("Vendor", "Maker")), appliance={"vendor": "Maker"})),
        "another maker": ('fail 1 "…LiquidVolumeUnit.FluidOunces" ~07f',
            Reads(value(UNIT, NEIGHBOUR), appliance={"vendor": "Maker"})),
        "no maker": ("inconclusive 1 5 ~15a", Reads(value(UNIT, 5))),
    },
}
# fmt: on

test_addressing = Reads.each_of(ROWS)


def test_version_of_a_redirect_was_not_asked_for() -> None:
    """A haId may look like one."""
    asked = "http://hub/api/homeappliances/v2/settings/x"
    assert has_version("/api/v1/homeappliances/v2/settings/x", asked)
    assert not has_version("/other/homeappliances/v2/settings/x", asked)


# Where nothing is said, what is made of it.
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
    return seen_of(profile_of(**tables), answer, replace(answer, key=LOCK), *controls)


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
NONE_SUCH, NONE_ODD = (
    replace(one, ha_id="zzz", groups=(NONCE_HA_ID,), purpose="control") for one in (ABSENT, ODD)
)
LARGE = replace(CUT, response=CUT.response and replace(CUT.response, cut=Cut.of(b"[", "members")))
EMPTY = [exchange(key, 200, b'{"a": {}}') for key in (ANCHOR, LOCK, *OWN)]
REFUSALS = [exchange(key, 404) for key in (LOCK, "Vendor.Common.Setting.PowerState")]
HEADERS, COMMAND = {"headers": {"Authorization": "Bearer ${TOKEN}"}}, {"token_cmd": ["print-token"]}
RIGHT, ANOTHER = "check that the token of [auth] is right, has not expired", "auth.oauth2 or auth.token_cmd"


def added(path: str) -> View:
    """An appliance at an address that ends in what the suite adds."""
    return silent(ABSENT, NONE_SUCH, target={"name": "hub", "base_url": f"http://127.0.0.1:8000{path}"})


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
    "as of an unknown appliance": (silent(ABSENT, NONE_SUCH), "unknown appliance",
        ("and so is a haId that does not exist", *MAKER_FIRST)),
    "as of an unknown appliance, otherwise": (silent(ODD, NONE_ODD), "unknown appliance",
        MAKER_FIRST),
    "keys that begin otherwise, too": (
        seen_of(profile_of(), ABSENT, *(replace(ABSENT, key=key) for key in OWN), NONE_SUCH),
        "unknown appliance", ("!--vendor",)),
    "another appliance answers": (replace(silent(ABSENT, NONE_SUCH), answering=("two",)), "unknown appliance",
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


def test_body_of_markup_is_named_in_a_case() -> None:
    """The reason of an answer that is a page names the page, whether or not its media type says JSON."""
    for headers in (HTML, JSON):
        seen = silent(exchange(ANCHOR, 200, PAGE, headers=headers))
        assert seen.reads["settings", ANCHOR].note == "the body is a sign-in page (HTML), no JSON"
