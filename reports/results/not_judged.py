"""What stays open after a run: cases that a state left undecided, and what was not judged at all.

An appliance that is off, locked or operated by somebody cannot be asked everything it claims. Such a case is
listed with the state (X1 to X13); it does not prevent a certificate but makes it conditional. What a level
too low, an absent field of the profile or the write list excludes is not a case, and stands here with what
would change that.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.model import Level
from conformance.checks.case import reaches
from conformance.model.state_table import ANYTHING, STATE_ROWS, STATES, EndedAt, State, StateId
from conformance.profiles.model import PROTECTING, names
from conformance.records.results import CaseResult, NotJudged, Omitted, Results
from reports.texts import plural

MOST_FIELDS: Final = 6  # named in a line
_BUDGETS: Final = ("pace.", "timing.")
_Form = TypeVar("_Form")


class Lack(Struct, frozen=True):
    """A field or level that a run did not have, with the number and the clauses of the cases that need it."""

    field: str
    reason: str
    rows: tuple[NotJudged, ...]

    @property
    def number(self) -> int:
        """How many cases need it."""
        return sum(row.number for row in self.rows)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses of these cases."""
        return tuple(dict.fromkeys(row.clause for row in self.rows))


def group_omitted(omitted: Iterable[Omitted]) -> tuple[NotJudged, ...]:
    """The same in few rows: each key of a row was omitted on each appliance of the row."""
    places: dict[tuple[str, str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in omitted:
        places[one.clause, one.reason, one.field][one.key].append(one.ha_id)
    rows: list[NotJudged] = []
    for (clause, reason, field), by_key in places.items():
        alike: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for key, ha_ids in by_key.items():
            alike[tuple(ha_ids)].append(key)
        rows += [NotJudged(clause, tuple(keys), ha_ids, reason, field) for ha_ids, keys in alike.items()]
    return tuple(rows)


def lacks(results: Results) -> tuple[Lack, ...]:
    """What a run lacked: levels first, then what can be declared, then budgets; of each most cases first.

    Of what can be declared, keys that a glob only seems to allow come before all else. A budget keeps a case
    from being judged by chance; nothing has to be declared for it.
    """
    by_field: dict[str, list[NotJudged]] = defaultdict(list)
    for row in results.not_judged:
        by_field[row.field].append(row)
    found = [Lack(field, rows[0].reason, tuple(rows)) for field, rows in by_field.items()]
    return tuple(sorted(found, key=lambda lack: (_turn(lack.field), not _in_full(lack), -lack.number)))


def _turn(field: str) -> int:
    return 0 if field.startswith("--level") else 2 if field.startswith(_BUDGETS) else 1


def not_judged_in_a_line(results: Results) -> str:
    """How many of all cases were not judged, by what would change that; empty where every case was."""
    found = lacks(results)
    if not found:
        return ""
    said = [f"{lack.number:,} need {lack.field}{_in_full(lack)}" for lack in found[:MOST_FIELDS]]
    more = [f"and {plural(len(found) - MOST_FIELDS, 'further field')}"] if len(found) > MOST_FIELDS else []
    judged, left = len(results.cases), sum(lack.number for lack in found)
    of_all = f"of {judged + left:,} cases {judged:,} were judged, {left:,} not"
    return f"not judged: {of_all}; {', '.join([*said, *more])}"


def _in_full(lack: Lack) -> str:
    """The keys that `write.allow` does not name by a glob, where it lacks nothing else."""
    keys = dict.fromkeys(key for row in lack.rows for key in row.keys)
    if lack.field != "write.allow" or not keys.keys() <= PROTECTING:
        return ""
    return f" to name {_named(keys)} in full"


def _named(keys: Collection[str]) -> str:
    """Some keys by their short names, where each has one of its own."""
    short = Counter(map(short_name, keys))
    return " and ".join(key if short[short_name(key)] > 1 else short_name(key) for key in keys)


def silent_cases(results: Results) -> list[CaseResult]:
    """The cases that say of an appliance that it gave no value for any key (lines 142 to 147)."""
    return [case for case in results.of("inconclusive") if case.clause == "ADDR-BASE"]


def is_open(case: CaseResult) -> bool:
    """Whether a case is claimed and was not decided."""
    return case.claimed and case.verdict == "inconclusive" and not case.waived


def is_conditional(case: CaseResult) -> bool:
    """Whether a claimed case was left undecided by one of the exempting states."""
    return is_open(case) and case.exempt in STATES


def conditional_cases(cases: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """The cases a certificate depends on, in their order."""
    return tuple(case for case in cases if is_conditional(case))


def condition(results: Results) -> str:
    """The condition: `conditional: 3 claimed cases are inconclusive because the light is off (...)`."""
    depends = conditional_cases(results.cases)
    number = plural(len(depends), "claimed case is", "claimed cases are")
    why = "; ".join(f"{state.words} ({how})" for state, how in _ended(depends, results))
    return f"conditional: {number} inconclusive because {why}" if depends else ""


def legend(results: Results) -> list[str]:
    """A line for each state that left a case undecided: what it is, and what ends it."""
    return [f"{state.words}: {how}" for state, how in _ended(results.of("inconclusive"), results)]


def _ended(cases: Iterable[CaseResult], results: Results) -> Iterator[tuple[StateId, str]]:
    """The states that left some cases undecided, each with what ends it.

    That is an act on the appliance, or what a run lacks to do so itself: nothing that it had already.
    """
    held: dict[str, list[CaseResult]] = defaultdict(list)
    for case in cases:
        held[case.exempt].append(case)
    for name, state in STATES.items():
        if name in held:
            rows = [row for row in STATE_ROWS if row.id is state]
            by_others = any(row.acts for row in rows)
            lacking = _to_write_despite(results) if by_others else _to_end(rows, held[name], results)
            by_run = f", or let a run {'write all the same' if by_others else 'do so'}, with "
            yield state, f"{state.ended_by}{by_run if lacking else ''}{' and '.join(lacking)}"


def _to_write_despite(results: Results) -> list[str]:
    """What a run lacked to write while a person or a program acts."""
    return [] if _declared(results, "write.while_busy", bool) else ["write.while_busy = true"]


def _to_end(rows: Iterable[State], cases: Iterable[CaseResult], results: Results) -> list[str]:
    """What a run lacked to end a state; nothing where no write ends it. The rows are those of the state."""
    ending = [row for row in rows if row.ends]
    ending = [row for row in ending if any(_touches(row, case) for case in cases)] or ending
    if not ending:
        return []
    level: Level = "power" if ending[0].id.turn is EndedAt.POWER else "write"
    lacking = [] if reaches(results.run.level, level) else [f"--level {level}"]
    allow = _declared(results, "write.allow", list[str]) or []
    if left := [row.controller for row in ending if not names(allow, row.controller)]:
        lacking.append(f"{_named(left)} {'in full ' if PROTECTING.issuperset(left) else ''}under write.allow")
    if _declared(results, "write.prepare", bool) is False:
        lacking.append("write.prepare = true")
    return lacking


def _touches(row: State, case: CaseResult) -> bool:
    """Whether a state may have kept the key of a case, on an appliance of such a kind."""
    is_here = case.kind in CATALOG.entries[row.controller].kinds
    return is_here and bool({case.key, ANYTHING} & (row.hides | row.keeps | row.lifts | row.blurs))


def _declared(results: Results, field: str, form: type[_Form]) -> _Form | None:
    """What the profile said in a field; None where it did not, or a foreign file holds something else."""
    try:
        return msgspec.json.decode(results.run.answers.get(field, ""), type=form)
    except msgspec.DecodeError:
        return None
