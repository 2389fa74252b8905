"""An answer without a value: an entry that is lacking, or broken; and what is asked again."""

from unittest.mock import Mock

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import CAMERA_STATE
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind, setting_group
from conformance.checks.reads.support import is_unsettled
from conformance.checks.reads.tries import odds
from conformance.checks.view import View
from conformance.selftest.support.findings import said
from conformance.selftest.support.handmade import (
    ANCHOR,
    HA_ID,
    Reads,
    exchange,
    numbered,
    of,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.handtraced import LOCK, attempt, procedure, read

KEY = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
POWER = "Vendor.Common.Setting.PowerState"
OFF, ON = (f"Vendor.Common.EnumType.PowerState.{name}" for name in ("Off", "On"))
GROUP = Group.parse(f"again/settings/{KEY}")
WORDS = {"P": "pass", "F": "fail", "N": "not_applicable", "I": "inconclusive"}
CLAIMS = ("yes", "unknown", "no")

IN_BAND = b'{"error": "unsupported"}'

# fmt: off
# answer -> (teaching answer of the unknown key, answer of the key, verdict for yes, unknown, no, then the
# same in an exempting state)
ROWS: dict[str, tuple[tuple[int, bytes], tuple[int | None, bytes], str, str]] = {
    "VALUE": ((404, b""), (200, b'{"data": {"value": 5}}'), "PPP", "PPP"),
    "NOVALUE as an unknown key": ((200, IN_BAND), (200, IN_BAND), "FNN", "INN"),
    "NOVALUE, no such member": ((404, b""), (200, b'{"data": {}}'), "FFN", "IIN"),
    "NOVALUE, empty": ((404, b""), (200, b""), "FFN", "IIN"),
    "NOVALUE, malformed": ((404, b""), (200, b'{"data": '), "FFN", "FFN"),
    "NOVALUE, malformed as an unknown key": ((200, b'{"data": '), (200, b'{"data": '), "FNN", "INN"),
    "NOVALUE, 204": ((404, b""), (204, b""), "FIN", "IIN"),
    "NOVALUE, null (TYPE-NOTNULL judges it)": ((404, b""), (200, b'{"data": {"value": null}}'), "IIN", "IIN"),
    "NOVALUE, null as for an unknown key": (
        (200, b'{"data": {"value": null}}'),
        (200, b'{"data": {"value": null}}'),
        "INN",
        "INN",
    ),
    "REFUSED as an unknown key": ((404, b"none"), (404, b"none"), "FNN", "INN"),
    "REFUSED with another status": ((404, b"none"), (409, b"none"), "FIN", "IIN"),
    "REFUSED with another body": ((404, b"none"), (404, b"busy"), "FIN", "IIN"),
    "REFUSED, 501": ((404, b"none"), (501, b""), "FIN", "IIN"),
    "SERVERERR": ((404, b""), (500, b""), "FII", "III"),
    "SERVERERR as an unknown key": ((500, b""), (500, b""), "FII", "III"),
    "AUTH 401": ((404, b""), (401, b""), "III", "III"),
    "AUTH 403": ((404, b""), (403, b""), "III", "III"),
    "THROTTLE": ((404, b""), (429, b""), "III", "III"),
    "REDIRECT": ((404, b""), (302, b""), "III", "III"),
    "TRANSPORT": ((404, b""), (None, b""), "FII", "III"),
    "TRANSPORT, 408": ((404, b""), (408, b""), "FII", "III"),
}
# fmt: on


def cells() -> list[tuple[str, str, bool, str]]:
    """Every cell: the row, what is claimed, whether a state exempts the key, and the verdict."""
    return [
        (row, claim, exempting, WORDS[letter])
        for row, (_, _, free, exempted) in ROWS.items()
        for exempting, letters in ((False, free), (True, exempted))
        for claim, letter in zip(CLAIMS, letters, strict=True)
    ]


def looked_at(row: str, claim: str, *, exempting: bool) -> View:
    """The appliance after its shared reads, its controls, and three tries around reads of the anchor."""
    taught, given, _, _ = ROWS[row]
    named = {"yes": {"supports": [KEY]}, "no": {"lacks": [KEY]}, "unknown": {}}[claim]
    nonce = exchange("Vendor.Common.Setting.NonceAb", *taught, group=NONCE_SETTINGS, purpose="control")
    answer, power = exchange(KEY, *given), value(POWER, OFF if exempting else ON)
    confirmed = replace(power, purpose="repeat", groups=(Group.parse(f"again/settings/{POWER}"),))
    shown = (power, value(ANCHOR, 5), answer, nonce, *series(answer, answer), confirmed)
    seen = seen_of(profile_of(appliance=named), *shown)
    return replace(seen, remarks={GROUP: (outcome_of_tries(needed=3),)})


def outcome_of_tries(*, needed: int) -> Remark:
    """What the ledger says when the tries have ended: how many errors in a row show a broken entry."""
    note: dict[str, JsonValue] = {"tries": 3, "error_rate": 0.01, "needed": needed, "budget": 12}
    return Remark("tries", GROUP, HA_ID, KEY, note)


def series(*tries: Exchange) -> list[Exchange]:
    """Further tries, the anchor before, between and after them."""
    made = [value(ANCHOR, 5)]
    for one in tries:
        made += [one, value(ANCHOR, 5)]
    return [replace(each, groups=(GROUP,)) for each in made]


@pytest.mark.parametrize(("row", "claim", "exempting", "verdict"), cells())
def test_cell_of_the_table(row: str, claim: str, exempting: bool, verdict: str) -> None:
    """Each answer gets the verdict of its cell, by what is claimed and whether a state exempts the key."""
    result = ruling("READ-SETTING", KEY, looked_at(row, claim, exempting=exempting))
    assert said(result).startswith((f"{verdict} 3", f"{verdict} (3)")), result.message


CLAIMED, SERVED, REFUSED = {"supports": [KEY]}, value(ANCHOR, 5), refusal(KEY)
MISSING, FAILED = exchange(KEY, 200, b'{"data": {}}'), exchange(KEY, 500)
NONCE = refusal("Vendor.Common.Setting.NonceAb", group=NONCE_SETTINGS)
TRIES = series(REFUSED, REFUSED)
GONE = {"not_supported": [{"status": 409, "pointer": "/error", "equals": "gone"}]}


WRITTEN = Group.parse(f"set/{LOCK}")


def met_by_errors(times: int) -> Reads:
    """A claimed setting whose write is answered 500 so often, where a finding takes four of them."""
    steps = [read(LOCK, False), *attempt(LOCK, True, False, status=500) * times]
    note: dict[str, JsonValue] = {"tries": times, "error_rate": 0.02, "needed": 4, "budget": 12}
    noted = (Remark("tries", WRITTEN, HA_ID, LOCK, note),)
    return Reads(
        value(LOCK, False), *procedure(WRITTEN, *steps), remarks=noted, appliance={"writable": [LOCK]}
    )


CAMERA_ON = value(CAMERA_STATE, "Vendor.Common.EnumType.Video.CameraState.Enabled")
# fmt: off
TRIED = {
    # Three bad answers in a row beside a living anchor convict, and nothing else does.
    ("READ-SETTING", KEY): {
        "a member is missing where its place was guessed": (
            "inconclusive 2 200 '/data/value' answer.value ~8d6",
            Reads(SERVED, MISSING, *series(MISSING, MISSING), appliance=CLAIMED, answer=dict[str, str]())),
        "the anchor fails in between": ("inconclusive 2 404 ~c5f",
            Reads(SERVED, REFUSED, *TRIES[:2], refusal(ANCHOR, 500, group=GROUP), *TRIES[3:],
                appliance=CLAIMED)),
        "the last try gives a value": ("inconclusive 2 404 ~4bb",
            Reads(SERVED, REFUSED, *series(REFUSED, value(KEY, 5)), appliance=CLAIMED)),
        "the last try is throttled": ("inconclusive 2 404 429 ~3f2",
            Reads(SERVED, REFUSED, *series(REFUSED, exchange(KEY, 429)), appliance=CLAIMED)),
        "it was switched off meanwhile": ("inconclusive 3 404 PowerState …PowerState.Off ~625",
            Reads(value(POWER, ON), SERVED, REFUSED, *TRIES, value(POWER, OFF, group=GROUP),
                appliance=CLAIMED)),
        "three refusals among errors": ("fail 2 3 404 ~2f5",
            Reads(SERVED, REFUSED, *series(FAILED, REFUSED, FAILED, REFUSED), appliance=CLAIMED)),
        "no anchor": ("inconclusive 2 404 ~e7e",
            Reads(refusal(ANCHOR), REFUSED, *TRIES[1::2], appliance={"supports": [KEY, ANCHOR]})),
        "one odd answer of a key that it lacks": ("not_applicable 5 2 404 ~e37",
            Reads(NONCE, SERVED, MISSING, *series(REFUSED, REFUSED))),
        "two odd answers of three": ("inconclusive 3 200 '/data/value' 404 ~bca",
            Reads(NONCE, SERVED, MISSING, *series(REFUSED, MISSING))),
        "three odd answers": ("fail 3 3 200 '/data/value' ~c19",
            Reads(NONCE, SERVED, MISSING, *series(MISSING, MISSING))),
        "cut short, then refused as no unknown key is": ("inconclusive 5 409 ~122",
            Reads(NONCE, SERVED, exchange(KEY, 200, b"{"), *series(*[refusal(KEY, 409)] * 3))),
        "a declared refusal": ("not_applicable 2 409 ~2a0",
            Reads(SERVED, exchange(KEY, 409, b'{"error": "gone"}'), http=GONE)),
    },
    ("OPT-CAMERA", CAMERA_STATE): {
        "a camera, perhaps": ("inconclusive 2 appliance.streaming_camera ~f8d", Reads(SERVED, CAMERA_ON)),
        "a camera": ("pass (2) ~ec8", Reads(SERVED, CAMERA_ON, appliance={"streaming_camera": True})),
        "a camera that says nothing": ("inconclusive 2 404 ~b71",
            Reads(SERVED, refusal(CAMERA_STATE), appliance={"streaming_camera": True})),
        "no camera": ("pass (2) ~ec8",
            Reads(SERVED, refusal(CAMERA_STATE), appliance={"streaming_camera": False})),
        "no camera and no value": ("inconclusive 1 404 ~81e",
            Reads(refusal(CAMERA_STATE), appliance={"streaming_camera": False})),
        "no camera, a value twice": ('fail 2 "…Video.CameraState.Enabled" ~4ab',
            Reads(SERVED, CAMERA_ON, *of(ProcedureKind.AGAIN, CAMERA_ON),
                appliance={"streaming_camera": False})),
    },
    # A claimed setting whose write is answered 500 is convicted after the tries that the ledger names.
    ("SET-WRITABLE", LOCK): {
        "three writes meet an error": ("inconclusive 8 true 500 false 10 ~71b", met_by_errors(3)),
        "four writes meet an error": ("fail 4 REFUSED true 500 false 4 ~e0d", met_by_errors(4)),
    },
}
# fmt: on

test_tries = Reads.each_of(TRIED)


UNSETTLED: dict[str, tuple[bool, tuple[Exchange, ...], int]] = {
    "two refusals": (True, (REFUSED, *series(REFUSED)), 12),
    "three refusals": (False, (REFUSED, *TRIES), 12),
    "a refusal that says who may ask": (False, (REFUSED, *series(exchange(KEY, 401), REFUSED)), 12),
    "six errors": (True, (FAILED, *series(*[FAILED] * 5)), 12),
    "seven errors, which are enough": (False, (FAILED, *series(*[FAILED] * 6)), 12),
    "six errors, and no more tries than that": (False, (FAILED, *series(*[FAILED] * 5)), 6),
    "a refusal and six errors": (True, (REFUSED, *series(*[FAILED] * 6)), 12),
    "a refusal and six errors, and no more tries": (False, (REFUSED, *series(*[FAILED] * 6)), 7),
}


@pytest.mark.parametrize("name", UNSETTLED)
def test_tries_end_where_more_would_not_decide(name: str) -> None:
    """Three refusals decide, or as many errors as chance does not explain; or there may be no more tries."""
    unsettled, made, most = UNSETTLED[name]
    seen = seen_of(profile_of(appliance=CLAIMED, timing={"most_tries": most}), SERVED, *made)
    assert is_unsettled(seen, seen.reads["settings", KEY]) is unsettled


@pytest.mark.parametrize(
    ("note", "says"),
    [
        ((), "3 of 3 tries met an error"),
        (
            (outcome_of_tries(needed=4),),
            "1% of the answers of this appliance are errors, so that a finding takes 4 tries",
        ),
        ((outcome_of_tries(needed=13),), "takes 13 tries; the most is 12 (timing.most_tries)"),
    ],
)
def test_errors_that_do_not_prove(note: tuple[Remark, ...], says: str) -> None:
    """Errors alone convict only where the ledger says that they are as many as chance does not explain."""
    seen = replace(looked_at("SERVERERR", "yes", exempting=False), remarks={GROUP: note})
    result = ruling("READ-SETTING", KEY, seen)
    assert (result.verdict, says in result.message) == ("inconclusive", True)


# How many tries a finding takes.
OTHER = Group.parse("repeat/x")
# fmt: off
STORIES: dict[str, tuple[list[Exchange], float]] = {
    "nothing": ([], 1 / 2),
    "a value": ([value(ANCHOR, 5)], 1 / 3),
    "a value and an error": ([value(ANCHOR, 5), exchange(ANCHOR, 500, group=OTHER)], 2 / 4),
    "a value and no response": ([value(ANCHOR, 5), exchange(ANCHOR, None, group=OTHER)], 2 / 4),
    "a value and a body that may be cut": ([value(ANCHOR, 5), exchange(ANCHOR, 200, b"{", group=OTHER)],
        2 / 4),
    "a value and a refusal": ([value(ANCHOR, 5), exchange(ANCHOR, 404, group=OTHER)], 1 / 4),
    "a key that always fails": ([value(ANCHOR, 5), exchange(KEY, 500), exchange(KEY, 500, group=OTHER)],
        1 / 3),
    "a write that always fails": ([value(ANCHOR, 5), exchange(ANCHOR, 500, group=OTHER, purpose="write")],
        1 / 3),
    "a write that fails once": ([exchange(ANCHOR, 204, group=OTHER, purpose="write"), exchange(ANCHOR, 500,
        group=OTHER, purpose="write")], 2 / 4),
    "another appliance": ([value(ANCHOR, 5), exchange(ANCHOR, 500, ha_id="two", group=OTHER)], 1 / 3),
}
# fmt: on


@pytest.mark.parametrize("name", STORIES)
def test_error_rate(name: str) -> None:
    """The share of errors among answers about what succeeded at least once, one more of each."""
    exchanges, error_rate = STORIES[name]
    assert odds(seen_of(profile_of(), *exchanges)).error_rate == pytest.approx(error_rate)


# What is asked again on a connection of its own decides; without that, whether bytes were left over anywhere.
WRONG, RIGHT = value(LOCK, "yes"), value(LOCK, True)
FRESH = Group.parse(f"again/settings/{LOCK}")


def on(exchange: Exchange, connection: int, surplus_bytes: int = 0) -> Exchange:
    """An exchange on a connection, with bytes after its answer."""
    assert exchange.response
    response = replace(exchange.response, connection=connection, surplus_bytes=surplus_bytes)
    return replace(exchange, response=response)


def again(exchange: Exchange) -> Exchange:
    """The same on a connection of its own."""
    return on(replace(exchange, groups=(FRESH,), purpose="repeat"), 9)


# fmt: off
HELD = {
    ("TYPE-BOOLEAN", LOCK): {
        "said again": ('fail 1 "yes" ~64b', Reads(on(WRONG, 1), again(WRONG))),
        "not said again": ('inconclusive 1 "yes" true ~69f', Reads(on(WRONG, 1), again(RIGHT))),
        "not said again, after surplus bytes": ('inconclusive 1 "yes" true 1 2 ~5dc',
            Reads(on(WRONG, 1, 7), again(RIGHT))),
        "said again, after surplus bytes": ('fail 1 "yes" ~64b', Reads(on(WRONG, 1, 7), again(WRONG))),
        "not read again": ('fail 1 "yes" ~1d8', Reads(on(WRONG, 1))),
        "not read again, with surplus bytes": ('inconclusive 1 "yes" 1 1 ~215', Reads(on(WRONG, 1, 7))),
    },
}
# fmt: on

test_held = Reads.each_of(HELD)


def test_finding_that_came_again_needs_no_look_through_the_run() -> None:
    """A large fleet has a hundred thousand exchanges, and may have a thousand findings."""
    seen = seen_of(profile_of(), on(WRONG, 1), again(WRONG))
    assert ruling("TYPE-BOOLEAN", LOCK, seen, exchanges=Mock(spec=list)).verdict == "fail"


@pytest.mark.parametrize(
    ("earlier", "surplus", "verdict"),
    [(0, 0, "fail"), (0, 7, "fail"), (1, 0, "fail"), (1, 7, "inconclusive")],
)
def test_finding_of_a_write(earlier: int, surplus: int, verdict: str) -> None:
    """A read after a write shows nothing where bytes followed an earlier answer of its connection."""
    steps = [read(LOCK, False), *attempt(LOCK, True, False, False) * 2]
    made = numbered([value(LOCK, False), *procedure(setting_group(LOCK), *steps)])
    made = [on(one, 1 if earlier else one.n, surplus) for one in made]
    assert ruling("SET-WRITABLE", LOCK, seen_of(profile_of(), *made), exchanges=made).verdict == verdict
