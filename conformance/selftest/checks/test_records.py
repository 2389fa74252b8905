"""What the records of the judge say of themselves: groups, cases, answers, views, remarks."""

import hashlib
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, DOSING_1, ECO_MODE, INACTIVE, LIQUID_UNIT, OPERATION_STATE
from conformance.cases import check_of
from conformance.checks.exchange import Cut, Exchange, Remark, Response
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind, guard_group
from conformance.checks.learned import Trail
from conformance.checks.remarks import (
    LOSS,
    Loss,
    is_misfit,
    losses_of,
    lost,
    lost_appliances,
    note_of,
    of_campaign,
    renumbered,
)
from conformance.checks.verdict import Inconclusive
from conformance.checks.view import View, with_reads
from conformance.runs.judging import judge
from conformance.selftest.support.handmade import (
    ANCHOR,
    GENERATED,
    HA_ID,
    case_of,
    exchange,
    numbered,
    profile_of,
    refusal,
    ruling,
    seen_of,
    tried,
    value,
)
from conformance.selftest.support.handtraced import LOCKS, read

GUARD = guard_group(CHILD_LOCK)
EXPIRED = "from request 1,200 on (401, since 10:49:32 UTC): the token of [auth] may have expired"
AT = "2026-01-01T10:49:32.000+00:00"
UNREACHABLE = {"http": {"unreachable": [{"status": 409}]}}


@pytest.mark.parametrize(
    ("group", "text"),
    [
        (Group(ProcedureKind.WALK), "walk"),
        (GUARD, f"guard/{CHILD_LOCK}"),
        (replace(GUARD, alone=True), f"guard/{CHILD_LOCK}/alone"),
        (replace(GUARD, locked=True, as_found=True), f"guard/{CHILD_LOCK}/as-found/locked"),
        (Group(ProcedureKind.AGAIN, f"status/{CHILD_LOCK}"), f"again/status/{CHILD_LOCK}"),
    ],
)
def test_group_is_read_off_its_text(group: Group, text: str) -> None:
    """Its kind, its subject, and how it was made."""
    assert (str(group), Group.parse(text)) == (text, group)
    assert group.plain == Group(group.kind, group.subject)


def test_cases_of_silent_keys_look_at_what_is_theirs() -> None:
    """Whichever is judged first: what is worked out once for all of a key, each has looked at."""

    def anew() -> View:
        return seen_of(profile_of(), *tried(refusal(CHILD_LOCK)), refusal(ECO_MODE))

    seen = anew()
    for name in ("ADDR-KEY-LAST", "READ-VALUE", "ADDR-SPECIFIC", "TYPE-BOOLEAN", "TYPE-NOTNULL"):
        for key in (CHILD_LOCK, ECO_MODE):
            case = case_of(name, key, seen)
            one, alone = (judge(check_of(case), case, its) for its in (seen, anew()))
            assert [answer.key for answer in one.rests_on] == [key]
            assert replace(one, seen=None) == replace(alone, seen=None)


def test_case_is_named() -> None:
    """By its clause, its key or what it is about otherwise, and the appliance."""
    case = case_of("TYPE-BOOLEAN", CHILD_LOCK, seen_of(profile_of()))
    assert (case.id, case.subject.key) == (f"TYPE-BOOLEAN::{CHILD_LOCK}@{HA_ID}", CHILD_LOCK)
    whole, absent = replace(case, entry=None), replace(case, ha_id="no-Refrigerator")
    assert (whole.key, absent.is_of_absent_kind, case.is_of_absent_kind) == ("*", True, False)
    assert replace(case, generated=True).key == GENERATED
    with pytest.raises(LookupError):
        _ = whole.subject


def test_response_says_how_it_is_to_be_read() -> None:
    """Headers in any case, the media type without parameters, the character set, and whether it is whole."""
    sent = Response(
        200, (("content-TYPE", 'Text/HTML; Charset="ISO-8859-1"'), ("Content-Length", "1")), b"", 1
    )
    assert (sent.media_type, sent.charset, sent.may_be_cut) == ("text/html", "iso-8859-1", False)
    assert (replace(sent, headers=()).media_type, replace(sent, headers=()).charset) == ("", "utf-8")
    assert [replace(sent, headers=()).may_be_cut, replace(sent, complete=False).may_be_cut] == [True, True]
    assert not replace(sent, headers=(("Transfer-Encoding", "chunked"),)).may_be_cut
    assert Cut.of(b"[]", "members") == Cut(2, hashlib.sha256(b"[]").hexdigest(), "members")


@pytest.mark.parametrize(("purpose", "reason"), [("write", "why"), ("operator", "")])
def test_remark_of_a_write_says_why_none_was_made(purpose: Any, reason: str) -> None:
    """Another one says nothing of that."""
    assert Remark(purpose, GUARD, HA_ID, CHILD_LOCK, {"refused": "why"}).refusal == reason


CLOSED = exchange(CHILD_LOCK, 403)
CLOSED_TO_ALL = replace(CLOSED, groups=(NONCE_SETTINGS,))


def test_each_case_has_looked_at_what_is_worked_out_for_all() -> None:
    """Also where that raises: a finding that rests on it is read again."""

    def work(seen: View) -> None:
        assert seen.read(CHILD_LOCK)
        seen.want(GUARD)
        raise Inconclusive("nothing came")

    shared, trails = seen_of(profile_of(), *LOCKS), (Trail(), Trail())
    for trail in trails:
        with pytest.raises(Inconclusive):
            shared.along(trail).once("it", work)
    assert [(len(trail.answers), *trail.wanted) for trail in trails] == [(1, GUARD)] * 2


def test_what_is_worked_out_of_another_time_knows_what_was_served_before() -> None:
    """A light that was dark then has a switch, as the shared reads show."""
    shared, refused = (seen_of(profile_of(), one) for one in (value(CHILD_LOCK, shown=True), CLOSED))
    then = with_reads(shared.along(Trail()), refused.reads.values())
    assert then.once("it", lambda its: its.was_served(CHILD_LOCK))


@pytest.mark.parametrize(
    ("told", "claimed", "word"),
    [
        ([], False, ""),
        ([value(CHILD_LOCK, shown=True)], False, ""),
        ([refusal(CHILD_LOCK, 409)], False, ""),
        ([exchange(CHILD_LOCK, 200, b"[")], False, "malformed"),
        ([exchange(CHILD_LOCK, 503)], False, "503"),
        ([exchange(CHILD_LOCK, None)], False, "no response"),
        ([exchange(CHILD_LOCK, 429)], False, "429"),
        ([CLOSED], False, "403"),
        (
            [CLOSED, CLOSED_TO_ALL],
            False,
            "",
        ),
        (
            [CLOSED, CLOSED_TO_ALL],
            True,
            "403",
        ),
        ([exchange(CHILD_LOCK, 503), *tried(refusal(CHILD_LOCK, 409))[1:]], False, ""),
        ([*tried(exchange(CHILD_LOCK, 503))], False, "503"),
    ],
)
def test_answer_that_says_nothing_is_told_in_a_word(
    *, told: list[Exchange], claimed: bool, word: str
) -> None:
    """An error, refused access, a request for patience; neither a value nor a refusal of the key."""
    appliance = {"supports": [CHILD_LOCK]} if claimed else {}
    assert seen_of(profile_of(appliance=appliance), *told).why_unanswered(CHILD_LOCK) == word


@pytest.mark.parametrize(
    ("later", "is_confirmed", "wants"),
    [
        ([], False, True),
        ([read(CHILD_LOCK, shown=True)], True, False),
        ([read(CHILD_LOCK, shown=False)], False, True),
        ([*tried(value(CHILD_LOCK, shown=False))[1:]], False, False),
    ],
)
def test_value_is_confirmed_by_a_second_read(
    *, later: list[Exchange], is_confirmed: bool, wants: bool
) -> None:
    """One is wanted where none was made for that; what has no value needs none."""
    told = [one if one.groups else replace(one, groups=(GUARD,)) for one in later]
    seen = seen_of(profile_of(), value(CHILD_LOCK, shown=True), *told)
    result = ruling(
        "SET-WRITABLE", CHILD_LOCK, seen, check=lambda _, looking: str(looking.is_confirmed(CHILD_LOCK))
    )
    assert (result.message, result.wanted) == (str(is_confirmed), (1,) if wants else ())
    assert seen_of(profile_of(), refusal(CHILD_LOCK)).is_confirmed(CHILD_LOCK)


# What a run notes beside its exchanges is read off that again.
@pytest.mark.parametrize(
    ("who", "is_access", "is_offline", "misfit", "words"),
    [
        ("one", False, False, "", "since 10:49:32 UTC one answers 401 (auth)"),
        ("*", False, False, "", "since 10:49:32 UTC the target answers 401 (auth)"),
        ("one", True, False, "", "since 10:49:32 UTC one answers 401 (auth)"),
        (
            "*",
            True,
            False,
            "",
            f"access was refused {EXPIRED}",
        ),
        ("one", False, True, "", "one was offline from 10:49:32 UTC on"),
        ("*", False, True, "HTML", "no answer fits the profile: HTML"),
    ],
)
def test_words_of_a_loss(*, who: str, is_access: bool, is_offline: bool, misfit: str, words: str) -> None:
    """Who it is about, since when, and why."""
    assert Loss(who, 1200, AT, "401 (auth)", is_access, is_offline, misfit).words == words


@pytest.mark.parametrize(
    ("answer", "told", "marks", "tables"),
    [
        (refusal(CHILD_LOCK, 409), "409 (refused)", (False, False), {}),
        (refusal(CHILD_LOCK, 401), "401 (access refused)", (True, False), {}),
        (refusal(CHILD_LOCK, 409), "409 (offline)", (False, True), UNREACHABLE),
        (exchange(CHILD_LOCK, None), "nothing (timeout)", (False, False), {}),
    ],
)
def test_loss_is_read_off_its_remark(
    *, answer: Exchange, told: str, marks: tuple[bool, bool], tables: dict[str, Any]
) -> None:
    """What came instead, since which exchange, and what that means; in the order of the run."""
    seen = seen_of(profile_of(**tables), answer)
    now = next(iter(seen.reads.values()))
    ledger = [replace(one, at=AT, n=10 * one.n) for one in numbered([*LOCKS, answer, *LOCKS])]
    own = lost(HA_ID, ledger[2], now, of_target=False)
    other = lost("other", ledger[1], now, of_target=True, misfit="HTML")
    third = lost("third", ledger[1], now, of_target=True, misfit="HTML")
    gone = lost("gone", replace(answer, n=5), now, of_target=False)
    found = lost_appliances([own, Remark("known", GUARD, HA_ID, CHILD_LOCK, {}), gone, other, third], ledger)
    is_access, is_offline = marks
    first = Loss("*", 2, AT, told, is_access, is_offline, "HTML")
    assert losses_of(found) == (first, Loss(HA_ID, 3, AT, told, is_access, is_offline))
    assert [(who, one.since, one.while_reading) for who, one in found.items()] == [
        (HA_ID, 30, False),
        ("other", 20, True),
        ("third", 20, True),
    ]
    assert [is_misfit(one) for one in (own, other, replace(other, purpose="known"))] == [False, True, False]
    assert [note_of(renumbered(own, numbers)).since for numbers in ({30: 7}, {20: 7})] == [7, 30]
    assert lost_appliances([], ledger) == {}
    assert (own.group, own.key) == (LOSS, "*")


def test_loss_covers_what_was_asked_in_its_night() -> None:
    """What earlier nights had asked stands, before and after what is still asked of the appliance."""
    now = next(iter(seen_of(profile_of(), LOCKS[0]).reads.values()))
    by_night, by_day = "2026-11-23T01:00:00.000+00:00", "2026-11-23T12:00:00.000+00:00"
    times = (by_night, by_day, by_night, by_day, by_night)
    ledger = [replace(one, at=at) for one, at in zip(numbered([LOCKS[0]] * len(times)), times, strict=True)]
    gone = lost(HA_ID, ledger[1], now, of_target=False, began=by_day)
    loss = lost_appliances([gone], ledger)[HA_ID]
    assert [loss.covers(one) for one in ledger] == [False, True, False, True, False]


def test_campaign_of_which_nothing_fits_says_so_of_the_target() -> None:
    """Each of its shards knows of its own appliances alone; where one of them fits, the others are named."""
    now = next(iter(seen_of(profile_of(), LOCKS[0]).reads.values()))
    ledger = numbered([*LOCKS])
    one, other = (
        lost(ha_id, since, now, of_target=False, misfit=why)
        for ha_id, since, why in (("one", ledger[0], "HTML"), ("other", ledger[1], "a sign-in page (HTML)"))
    )
    gone = lost("other", ledger[1], now, of_target=False)
    assert of_campaign([one, other], ["other", "one"]) == [
        lost(ha_id, ledger[0], now, of_target=True, misfit="HTML") for ha_id in ("one", "other")
    ]
    for some in ([one], [one, gone], [gone], []):
        assert of_campaign(some, ["one", "other"]) == some


# Which sentence a verdict rests on, and how long its message may be.
PROFILE = profile_of()
READ = value(ANCHOR, 5)


@pytest.mark.parametrize(
    ("clause", "key", "document"),
    [
        (
            "RANGE-COMMON-ADVERTISED",
            ALARM_CLOCK,
            f"line 41: {ALARM_CLOCK} | Integer | 0 to 38340 seconds | Se",
        ),
        (
            "RANGE-WRITE-OUT",
            DOSING_1,
            "line 23: possible values | enumeration keys, true/false, or a numeric",
        ),
        (
            "TYPE-BOOLEAN",
            CHILD_LOCK,
            f"line 40: {CHILD_LOCK} | Boolean | true if enabled, false otherwise | Ch",
        ),
        ("OPT-UNITS", LIQUID_UNIT, "line 39: Not supported by all appliances."),
        ("OPS-INACTIVE", OPERATION_STATE, f"line 113: Inactive | {INACTIVE} | Switched off or in standby"),
    ],
)
def test_sentence_stands_on_the_line_that_is_named(clause: str, key: str, document: str) -> None:
    """The row of the key, where its words decide; else the line of the clause."""
    seen = seen_of(PROFILE, READ)
    assert judge(lambda _case, _seen: None, case_of(clause, key, seen), seen).document.startswith(document)


def test_long_message_is_cut() -> None:
    """A finding that quotes a megabyte of a body does not fill every report with it."""
    seen = seen_of(profile_of(), value(ANCHOR, 5))
    found = ruling("READ-SETTING", ANCHOR, seen, check=lambda _case, _seen: "x" * 1_000_000)
    assert found.message == f"{'x' * 10_000}..."
