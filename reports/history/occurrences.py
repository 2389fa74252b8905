"""Follows each case from night to night: when its finding came, when it was fixed, and whether it is flaky.

A case that is inconclusive one night, or is not judged then, is as it was when it was last decided: a failure
that nobody could look at is not fixed.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from reports.changes.model import Cause
from reports.history.model import FlakyCase, History, Night, Nights, Occurrence

_LEAST_FLIPS: Final = 3
"""A failure that came, and was fixed, has two flips: somebody may have done that."""


class _CaseTurn(NamedTuple):
    """A case on the first night it failed, or the first on which it was decided and failed no more.

    `before` is the night on which it was decided last, None where it never was.
    """

    night: int
    case: str
    fails: bool
    before: int | None


def history_of(nights: Nights) -> History:
    """What the nights tell together."""
    ever_failed = dict.fromkeys(case for night in nights.nights for case in night.failed)
    turns = {case: list(_turns(nights.nights, case)) for case in ever_failed}
    return History(nights, tuple(_occurrences(nights.nights, turns)), tuple(_flaky(nights.nights, turns)))


def _turns(nights: Sequence[Night], case: str) -> Iterator[_CaseTurn]:
    """Every turn of a case, night after night."""
    fails, before = False, None
    for number, night in enumerate(nights):
        now = night.has_failed(case)
        if now is not None:
            if now != fails:
                yield _CaseTurn(number, case, now, before)
            fails, before = now, number


def _occurrences(nights: Sequence[Night], turns: Mapping[str, list[_CaseTurn]]) -> list[Occurrence]:
    """The findings, by the night they came; cases of one finding that come and go together are one."""
    together: dict[tuple[int, str, int | None], list[tuple[_CaseTurn, _CaseTurn | None]]] = defaultdict(list)
    for of_case in turns.values():
        for come, go in zip(of_case[::2], [*of_case[1::2], None], strict=False):
            lead = nights[come.night].failed[come.case].finding
            together[come.night, lead, go.night if go else None].append((come, go))
    occurrences: list[Occurrence] = []
    for (first, _, fixed), pairs in sorted(together.items(), key=lambda item: item[0][0]):
        come, go = pairs[0]
        until = len(nights) if fixed is None else fixed
        last = next(number for number in range(until - 1, -1, -1) if come.case in nights[number].failed)
        occurrences.append(
            Occurrence(
                cases=tuple(come.case for come, _ in pairs),
                clause=come.case.partition("::")[0],
                message=nights[last].failed[come.case].message,
                first=first,
                last=last,
                fixed=fixed,
                came=cause_of(nights, come) if first else None,
                went=cause_of(nights, go) if go else None,
                waived=nights[last].failed[come.case].waived,
            )
        )
    return occurrences


def cause_of(nights: Sequence[Night], turn: _CaseTurn) -> Cause:
    """Who caused a turn: as the comparison of that night says, else by what both nights were judged with.

    Where suite and profile are the same, judging the old exchanges again would give the old verdict again.
    """
    night = nights[turn.night]
    told = night.causes.get(turn.case)
    if told:
        return told
    before = nights[turn.night - 1 if turn.before is None else turn.before]
    if night.software[1:] != before.software[1:]:
        return "unknown"
    if turn.before is not None:
        return "server"
    return "extent" if night.level != before.level or before.partial else "unknown"


def _flaky(nights: Sequence[Night], turns: Mapping[str, list[_CaseTurn]]) -> list[FlakyCase]:
    """The cases that turned while nothing was changed, those that turned most often first."""
    found: list[FlakyCase] = []
    for case, of_case in turns.items():
        flips = sum(
            turn.before is not None and nights[turn.night].software == nights[turn.before].software
            for turn in of_case
        )
        if flips >= _LEAST_FLIPS:
            decided = [fails for night in nights if (fails := night.has_failed(case)) is not None]
            said = [night.failed[case].message for night in nights if case in night.failed]
            found.append(FlakyCase(case, flips, sum(decided), len(decided), decided[-1], said[-1]))
    return sorted(found, key=lambda one: (-one.flips, one.id))
