"""What a run notes beside its exchanges, and what is read off that again."""

from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, ECO_MODE
from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import (
    WATCH,
    edge_group,
    guard_group,
    setting_group,
)
from conformance.checks.remarks import (
    LOSS,
    NOWHERE,
    Loss,
    groups_of,
    is_misfit,
    known,
    losses_of,
    lost,
    lost_appliances,
    moved_by_others,
    note_of,
    of_campaign,
    others_in,
    read_of,
    renumbered,
    with_known,
)
from conformance.harness.observing import Observations
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    exchange,
    numbered,
    profile_of,
    refusal,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import LOCKS, write

EXPIRED = "from request 1,200 on (401, since 10:49:32 UTC): the token of [auth] may have expired"
AT = "2026-01-01T10:49:32.000+00:00"
UNREACHABLE = {"http": {"unreachable": [{"status": 409}]}}
NOW, NEXT, LATER = setting_group(CHILD_LOCK), guard_group(ECO_MODE), edge_group(CHILD_LOCK)


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
    found = lost_appliances([own, Remark("known", NOW, HA_ID, CHILD_LOCK, {}), gone, other, third], ledger)
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


def test_loss_before_the_first_write_is_of_reading() -> None:
    """With the write, or after it, it is one of writing."""
    ledger = numbered([value(CHILD_LOCK, shown=False), write(CHILD_LOCK, wanted=True), *LOCKS])
    now = next(iter(seen_of(profile_of(), refusal(CHILD_LOCK, 409)).reads.values()))
    for number, while_reading in ((0, True), (1, False), (2, False)):
        found = lost_appliances([lost(HA_ID, ledger[number], now, of_target=False)], ledger)
        assert found[HA_ID].while_reading is while_reading


def test_read_that_was_known_is_of_each_procedure() -> None:
    """It stands among what they made themselves, in the order of the run."""
    early, own, late = numbered([value(CHILD_LOCK, shown=shown) for shown in (1, 2, 3)])
    found = Observations(profile_of(), CATALOG, [early, own, late], [])
    answers = {one.n: found.answer(one) for one in (early, own, late)}
    made = known((NOW, NEXT, LATER), HA_ID, early)
    assert (made.key, made.ha_id, read_of(made)) == (CHILD_LOCK, HA_ID, 1)
    assert groups_of(made) == (NOW, NEXT, LATER)
    remarks = [made, replace(made, purpose="others"), renumbered(made, {2: 9})]
    assert [read_of(renumbered(made, numbers)) for numbers in ({1: 3}, {})] == [3, NOWHERE]
    heard = Remark("event", NOW, HA_ID, CHILD_LOCK, {"heard": 1})
    assert renumbered(heard, {1: 3}) == heard
    whole = with_known({NOW: [answers[2], answers[3]]}, remarks, answers.get)
    shown = {group: [one.n for one in read] for group, read in whole.items()}
    assert shown == {NOW: [1, 2, 3], NEXT: [1], LATER: [1]}


def test_somebody_else_who_writes_is_named() -> None:
    """With what moved, from which value to which, and when."""
    read = replace(value(CHILD_LOCK, shown=True), at=AT)
    now = next(iter(seen_of(profile_of(), read).reads.values()))
    noted = moved_by_others(False, now)
    assert (noted.purpose, noted.group, noted.ha_id, noted.key) == ("others", WATCH, HA_ID, CHILD_LOCK)
    other = Remark("operator", WATCH, HA_ID, "*", {"said": "yes"})
    seen = seen_of(profile_of(), read, remarks=[other, noted])
    assert others_in(seen.remarks).startswith(
        "ChildLock of one went from false to true, which this run did not do (10:49:32 UTC): somebody else"
    )
    assert others_in(seen_of(profile_of(), read, remarks=[other]).remarks) == ""
    assert others_in(seen_of(profile_of(), read).remarks) == ""
