"""An answer without a value: every cell of the table that tells an entry the appliance lacks from one that is
broken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from conformance.cases import CATALOG
from conformance.checks.groups import NONCE_SETTINGS, Group
from conformance.checks.reads.reading import assert_readable
from conformance.checks.reads.support import needs_again
from conformance.checks.remark import Remark
from conformance.selftest.support.handmade import (
    ANCHOR,
    HA_ID,
    exchange,
    judged,
    profile_of,
    refusal,
    seen_of,
    value,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import JsonValue

    from conformance.checks.exchange import Exchange
    from conformance.checks.view import View

KEY = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
POWER = "Vendor.Common.Setting.PowerState"
OFF, ON = (f"Vendor.Common.EnumType.PowerState.{name}" for name in ("Off", "On"))
GROUP = Group.parse(f"again/settings/{KEY}")
WORDS = {"P": "pass", "F": "fail", "N": "not_applicable", "I": "inconclusive"}
CLAIMS = ("yes", "unknown", "no")

IN_BAND = b'{"error": "unsupported"}'

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


def cells() -> list[tuple[str, str, bool, str]]:
    """Every cell: the row, what is claimed, whether a state exempts the key, and the verdict."""
    return [
        (row, claim, exempting, WORDS[letter])
        for row, (_, _, free, exempted) in ROWS.items()
        for exempting, letters in ((False, free), (True, exempted))
        for claim, letter in zip(CLAIMS, letters, strict=True)
    ]


def looked_at(row: str, claim: str, *, exempting: bool, answer: dict[str, str] | None = None) -> View:
    """The appliance after its shared reads, its controls, and three spaced tries
    around reads of the anchor.
    """
    taught, given, _, _ = ROWS[row]
    named = {"yes": {"supports": [KEY]}, "no": {"lacks": [KEY]}, "unknown": {}}[claim]
    profile = profile_of(appliance=named) if answer is None else profile_of(appliance=named, answer=answer)
    nonce = exchange("Vendor.Common.Setting.NonceAb", *taught, group=NONCE_SETTINGS, purpose="control")
    seen = seen_of(
        profile,
        value(POWER, OFF if exempting else ON),
        value(ANCHOR, 5),
        exchange(KEY, *given),
        nonce,
        *series(*given),
    )
    return replace(seen, remarks={GROUP: (ended(needed=3),)})


def ended(*, needed: int, budget: int = 12) -> Remark:
    """What the ledger says when the tries have ended: how many errors in a row show
    that the entry is broken.
    """
    note: dict[str, JsonValue] = {"tries": 3, "error_rate": 0.01, "needed": needed, "budget": budget}
    return Remark("tries", GROUP, HA_ID, KEY, note)


def series(*given: int | bytes | None) -> list[Exchange]:
    """Two more tries, the anchor before, between and after them."""
    anchor = value(ANCHOR, 5, group=GROUP)
    status, body = given
    again = exchange(KEY, status, body, group=GROUP)  # pyright: ignore[reportArgumentType]  a pair of the table
    return [anchor, again, anchor, again, anchor]


@pytest.mark.parametrize(("row", "claim", "exempting", "verdict"), cells())
def test_cell_of_the_table(row: str, claim: str, exempting: bool, verdict: str) -> None:
    """Each answer, by what the profile claims and whether a state exempts the key, gets the verdict of its
    cell.
    """
    result = judged(assert_readable, "READ-SETTING", KEY, looked_at(row, claim, exempting=exempting))
    assert result.verdict == verdict, result.message


@pytest.mark.parametrize("claim", ["yes", "unknown"])
def test_guessed_pointer_never_fails_a_wellformed_body(claim: str) -> None:
    """A member that is missing where the place was only guessed proves nothing."""
    seen = looked_at("NOVALUE, no such member", claim, exempting=False, answer={})
    assert judged(assert_readable, "READ-SETTING", KEY, seen).verdict == "inconclusive"


@pytest.mark.parametrize("row", ["REFUSED as an unknown key", "SERVERERR", "TRANSPORT", "NOVALUE, empty"])
def test_finding_needs_further_tries(row: str) -> None:
    """One bad answer to a claimed key asks for more tries, and says nothing yet."""
    taught, given, _, _ = ROWS[row]
    nonce = exchange("Vendor.Common.Setting.NonceAb", *taught, group=NONCE_SETTINGS)
    seen = seen_of(profile_of(appliance={"supports": [KEY]}), value(ANCHOR, 5), exchange(KEY, *given), nonce)
    answer = seen.reads["settings", KEY]
    assert needs_again(seen, CATALOG.entries[KEY], answer)
    assert judged(assert_readable, "READ-SETTING", KEY, seen).verdict == "inconclusive"


def test_a_state_excuses_a_refusal_beside_malformed_bodies() -> None:
    """Where the further tries of a malformed answer are refused while the appliance is off, nothing is
    garbled for sure.
    """
    tries = series(409, b"")
    seen = seen_of(
        profile_of(appliance={"supports": [KEY]}),
        value(POWER, OFF),
        value(ANCHOR, 5),
        exchange(KEY, 200, b'{"data": '),
        *tries,
    )
    assert judged(assert_readable, "READ-SETTING", KEY, seen).verdict == "inconclusive"


BREAKS: dict[str, Callable[[list[Exchange]], list[Exchange]]] = {
    "the anchor fails in between": lambda tries: [*tries[:2], refusal(ANCHOR, 500, group=GROUP), *tries[3:]],
    "the last try gives a value": lambda tries: [*tries[:3], value(KEY, 5, group=GROUP), tries[4]],
    "the last try is throttled": lambda tries: [*tries[:3], exchange(KEY, 429, group=GROUP), tries[4]],
    "only two tries": lambda tries: tries[:3],
}


@pytest.mark.parametrize("name", BREAKS)
def test_tries_that_do_not_prove(name: str) -> None:
    """Whatever breaks the row of three refusals beside a living anchor takes the finding back."""
    tries = BREAKS[name](series(404, b""))
    seen = seen_of(profile_of(appliance={"supports": [KEY]}), value(ANCHOR, 5), refusal(KEY), *tries)
    assert judged(assert_readable, "READ-SETTING", KEY, seen).verdict == "inconclusive"


@pytest.mark.parametrize(
    ("note", "says"),
    [
        ((), "3 of 3 tries met an error"),
        (
            (ended(needed=4),),
            "1% of the answers of this appliance are errors, so that a finding takes 4 tries",
        ),
        ((ended(needed=13),), "takes 13 tries; the most is 12 (timing.most_tries)"),
    ],
)
def test_errors_that_do_not_prove(note: tuple[Remark, ...], says: str) -> None:
    """Errors alone convict only where the ledger says that they are as many as chance does not explain."""
    seen = replace(looked_at("SERVERERR", "yes", exempting=False), remarks={GROUP: note})
    result = judged(assert_readable, "READ-SETTING", KEY, seen)
    assert (result.verdict, says in result.message) == ("inconclusive", True)


def test_three_answers_among_errors_prove() -> None:
    """Refusals of a claimed key are counted past the errors between them."""
    anchor, refused, failed = (
        value(ANCHOR, 5, group=GROUP),
        refusal(KEY, group=GROUP),
        exchange(KEY, 500, group=GROUP),
    )
    tries = [anchor, failed, anchor, refused, anchor, failed, anchor, refused, anchor]
    seen = seen_of(profile_of(appliance={"supports": [KEY]}), value(ANCHOR, 5), refusal(KEY), *tries)
    result = judged(assert_readable, "READ-SETTING", KEY, seen)
    assert (result.verdict, "404 (refused) on 3 tries" in result.message) == ("fail", True)


def test_without_an_anchor_nothing_is_broken() -> None:
    """Where no key gives a value, a refusal of a claimed key may be an appliance that is switched off."""
    tries = series(404, b"")
    seen = seen_of(
        profile_of(appliance={"supports": [KEY, ANCHOR]}), refusal(ANCHOR), refusal(KEY), *tries[1::2]
    )
    assert judged(assert_readable, "READ-SETTING", KEY, seen).verdict == "inconclusive"


def test_declared_refusal_is_like_an_unknown_key() -> None:
    """What the profile declares to mean "not supported" counts like what was learnt."""
    declared = {"not_supported": [{"status": 409, "pointer": "/error", "equals": "gone"}]}
    seen = seen_of(profile_of(http=declared), value(ANCHOR, 5), exchange(KEY, 409, b'{"error": "gone"}'))
    assert judged(assert_readable, "READ-SETTING", KEY, seen).verdict == "not_applicable"
    other = seen_of(profile_of(http=declared), value(ANCHOR, 5), exchange(KEY, 409, b'{"error": "later"}'))
    assert judged(assert_readable, "READ-SETTING", KEY, other).verdict == "inconclusive"
