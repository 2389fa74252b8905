"""Follows each case from night to night: when its finding came, when it was fixed, and whether it is flaky.

A case that is inconclusive one night, or is not judged then, is as it was when it was last decided: a failure
that nobody could look at is not fixed.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, NamedTuple

from conformance.records.verdicts import VERDICTS
from reports.changes.model import Cause
from reports.history.kept_results import BYTE
from reports.history.model import FlakyCase, History, Night, Nights, Occurrence

_FAIL: Final = BYTE["fail"]
_DECIDED: Final = frozenset(BYTE[verdict] for verdict in ("pass", "fail", "observed", "not_applicable"))
_LEAST_FLIPS: Final = 3
"""A failure that came, and was fixed, has two flips: somebody may have done that."""


class _CaseTurn(NamedTuple):
    """A case on the first night it failed, or the first on which it was decided and failed no more.

    `before` is the night on which it was decided last, None where it never was.
    """

    night: int
    case: int
    fails: bool
    before: int | None


def history_of(nights: Nights) -> History:
    """What the nights tell together."""
    turns: dict[int, list[_CaseTurn]] = defaultdict(list)
    for turn in _turns(nights):
        turns[turn.case].append(turn)
    return History(nights, tuple(_occurrences(nights, turns)), tuple(_flaky(nights, turns)))


def _turns(nights: Nights) -> Iterator[_CaseTurn]:
    """Every turn of every case, night after night; a case that never failed has none."""
    failing: set[int] = set()
    before = b""
    for night, facts in enumerate(nights.nights):
        verdicts = facts.verdicts
        for case, (was, verdict) in enumerate(
            zip(before.ljust(len(verdicts), b"\0"), verdicts, strict=False)
        ):
            if was != verdict and verdict in _DECIDED and (verdict == _FAIL) != (case in failing):
                failing ^= {case}
                yield _CaseTurn(night, case, verdict == _FAIL, _last_decided(nights, case, night))
        before = verdicts


def _last_decided(nights: Nights, case: int, night: int) -> int | None:
    """The last night before `night` on which a case was decided."""
    earlier = range(night - 1, -1, -1)
    return next((number for number in earlier if _verdict(nights.nights[number], case) in _DECIDED), None)


def _verdict(night: Night, case: int) -> int:
    """The byte of a case; 0 also where it was not known yet."""
    return night.verdicts[case] if case < len(night.verdicts) else 0


def _occurrences(nights: Nights, turns: dict[int, list[_CaseTurn]]) -> list[Occurrence]:
    """The findings, by the night they came; cases of one finding that come and go together are one."""
    together: dict[tuple[int, int, int | None], list[int]] = defaultdict(list)
    ends: dict[tuple[int, int], _CaseTurn | None] = {}
    starts: dict[tuple[int, int], _CaseTurn] = {}
    for case, of_case in turns.items():
        for come, go in zip(of_case[::2], [*of_case[1::2], None], strict=False):
            starts[case, come.night], ends[case, come.night] = come, go
            lead = nights.nights[come.night].findings[case]
            together[come.night, lead, go.night if go else None].append(case)
    occurrences: list[Occurrence] = []
    for (first, _, fixed), cases in sorted(together.items(), key=lambda item: (item[0][0], item[1])):
        case = cases[0]
        until = len(nights.nights) if fixed is None else fixed
        last = next(n for n in range(until - 1, -1, -1) if _verdict(nights.nights[n], case) == _FAIL)
        go = ends[case, first]
        occurrences.append(
            Occurrence(
                cases=tuple(nights.ids[one] for one in cases),
                clause=nights.clauses[case],
                message=nights.nights[last].messages[case],
                first=first,
                last=last,
                fixed=fixed,
                came=cause_of(nights, starts[case, first]) if first else None,
                went=cause_of(nights, go) if go else None,
                waived=case in nights.nights[last].waived,
            )
        )
    return occurrences


def cause_of(nights: Nights, turn: _CaseTurn) -> Cause:
    """Who caused a turn: as the comparison of that night says, else by what both nights were judged with.

    Where suite and profile are the same, judging the old exchanges again would give the old verdict again.
    """
    night = nights.nights[turn.night]
    told = night.causes.get(nights.ids[turn.case])
    if told:
        return told
    before = nights.nights[turn.night - 1 if turn.before is None else turn.before]
    if night.software[1:] != before.software[1:]:
        return "unknown"
    if turn.before is not None:
        return "server"
    return "extent" if night.level != before.level or before.partial else "unknown"


def _flaky(nights: Nights, turns: dict[int, list[_CaseTurn]]) -> Iterator[FlakyCase]:
    """The cases that turned while nothing was changed, those that turned most often first."""
    found: list[FlakyCase] = []
    for case, of_case in turns.items():
        unexplained = [
            turn
            for turn in of_case
            if turn.before is not None
            and nights.nights[turn.night].software == nights.nights[turn.before].software
        ]
        if len(unexplained) >= _LEAST_FLIPS:
            found.append(_flaky_case(nights, case, len(unexplained)))
    yield from sorted(found, key=lambda one: (-one.flips, one.id))


def _flaky_case(nights: Nights, case: int, flips: int) -> FlakyCase:
    verdicts = [_verdict(night, case) for night in nights.nights]
    last_failure = max(number for number, verdict in enumerate(verdicts) if verdict == _FAIL)
    return FlakyCase(
        id=nights.ids[case],
        flips=flips,
        failed=verdicts.count(_FAIL),
        decided=sum(verdict in _DECIDED for verdict in verdicts),
        now=VERDICTS[next(verdict for verdict in reversed(verdicts) if verdict) - 1],
        message=nights.nights[last_failure].messages[case],
    )
