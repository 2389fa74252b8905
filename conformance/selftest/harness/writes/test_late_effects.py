"""When effects that come late are looked for, and how long what must not move is watched."""

import pytest

from catalog import keys
from conformance.harness.writes.procedures.parts import poll_pauses
from conformance.selftest.support.samples.handmade import profile_of, seen_of

SLOWEST_S = 4.5


@pytest.mark.parametrize(
    ("slowest_s", "pauses"),
    [
        (None, [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 1, 1]),
        (0.01, [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 1, 1]),
        (0.4, [0.1, 0.1, 0.1, 0.1, 0.1, 0.2, 0.4, 0.8, 1, 1]),
        (SLOWEST_S, [0.5] * 9),
        (100.0, [10 / 15] * 15),
    ],
    ids=["unknown", "at once", "soon", "late", "later than this key may take"],
)
def test_effects_are_looked_for_when_they_may_come(slowest_s: float | None, pauses: list[float]) -> None:
    """As often as before, but evenly up to the slowest that was seen, and ever more seldom after it."""
    seen = seen_of(profile_of(timing={"settle_s": 10, "poll_s": 1}))
    made = [*poll_pauses(seen, keys.CHILD_LOCK, slowest_s)]
    assert made[: len(pauses)] == pytest.approx(pauses)
    assert 10 <= sum(made) < 10 + pauses[0] + 1
