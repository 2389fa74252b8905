"""What the records of the judge say of themselves: groups, cases, answers, views."""

import hashlib
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, ECO_MODE
from conformance.cases import check_of
from conformance.checks.exchange import Cut, Exchange, Remark, Response
from conformance.checks.groups import (
    NONCE_SETTINGS,
    Group,
    ProcedureKind,
    guard_group,
)
from conformance.checks.learned import Trail
from conformance.checks.verdict import Inconclusive
from conformance.checks.view import View, with_reads
from conformance.runs.judging import judge
from conformance.selftest.support.samples.handmade import (
    GENERATED,
    HA_ID,
    case_of,
    exchange,
    profile_of,
    refusal,
    ruling,
    seen_of,
    tried,
    value,
)
from conformance.selftest.support.samples.handtraced import LOCKS, read

GUARD = guard_group(CHILD_LOCK)


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
