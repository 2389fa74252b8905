"""How many tries a finding takes, and when a server error on a write is a refusal."""

import pytest
from msgspec.structs import replace

from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import Group
from conformance.checks.reads.tries import BY_CHANCE, LEAST_TRIES, note_of, noted, odds, tries_needed
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.settings import another_value
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    HA_ID,
    exchange,
    judged,
    profile_of,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import LOCK, attempt, procedure, read

KEY = "Refrigeration.Common.Setting.EcoMode"
WRITTEN, OTHER = Group.parse(f"set/{LOCK}"), Group.parse("repeat/x")


@pytest.mark.parametrize(
    ("error_rate", "tries"),
    [(0.001, 3), (0.009, 3), (0.011, 4), (0.05, 5), (0.09, 6), (0.3, 12), (0.32, 13), (0.6, 28)],
)
def test_tries_that_chance_does_not_explain(error_rate: float, tries: int) -> None:
    """So many errors in a row are a coincidence at most once in a million; one fewer are not."""
    assert tries_needed(error_rate) == tries
    assert error_rate**tries <= BY_CHANCE
    assert tries == LEAST_TRIES or error_rate ** (tries - 1) > BY_CHANCE


TRUE, FALSE = True, False  # as values, not as switches
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


def test_what_is_noted_is_read_again() -> None:
    """Judging again takes the odds of the ledger, and the last ones where tries ended twice."""
    seen = seen_of(profile_of(timing={"most_tries": 7}), value(ANCHOR, 5))
    ended = (
        Remark("tries", OTHER, HA_ID, KEY, {"needed": "many"}),
        Remark("tries", OTHER, HA_ID, KEY, note_of(odds(seen), 5)),
    )
    found = noted(replace(seen, remarks={OTHER: ended}), OTHER, KEY)
    assert found is not None
    assert (round(found.error_rate, 3), found.needed, found.budget) == (0.333, 13, 7)
    assert noted(replace(seen, remarks={OTHER: ended}), OTHER, ANCHOR) is None


@pytest.mark.parametrize(("times", "verdict"), [(3, "inconclusive"), (4, "fail")])
def test_server_error_on_a_write_is_a_refusal_where_it_comes_back(times: int, verdict: str) -> None:
    """A claimed setting whose write is answered 500 is convicted after the tries that the ledger names."""
    steps = [read(LOCK, shown=False), *attempt(LOCK, TRUE, FALSE, status=500) * times]
    seen = seen_of(
        profile_of(appliance={"writable": [LOCK]}), value(LOCK, shown=False), *procedure(WRITTEN, *steps)
    )
    note = Remark(
        "tries", WRITTEN, HA_ID, LOCK, {"tries": times, "error_rate": 0.02, "needed": 4, "budget": 12}
    )
    result = judged(
        judge_writes(another_value), "SET-WRITABLE", LOCK, replace(seen, remarks={WRITTEN: (note,)})
    )
    assert result.verdict == verdict, result.message
