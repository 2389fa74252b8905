"""Judges one case: what a check returns or raises becomes a verdict, with all that the reports show of it."""

from functools import cached_property
from sys import intern
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from catalog.loader import CATALOG
from catalog.model import Clause, Entry
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.generated.answered_values import of_generated
from conformance.checks.groups import Group
from conformance.checks.hints import hint_of
from conformance.checks.learned import Trail
from conformance.checks.premise import Check
from conformance.checks.verdict import (
    Deviation,
    Inconclusive,
    Judgement,
    Manner,
    NotApplicable,
    NotTried,
    Verdict,
)
from conformance.checks.view import View, segment_of
from conformance.checks.writes.requirements import tried_to_end
from conformance.model.json_values import type_word
from conformance.model.values import fits
from conformance.records.results import CaseResult, DecidingExchange, Omitted
from conformance.runs.good_answers import OF_ONE_ANSWER, good_answer, good_members
from conformance.runs.scripts import proof_of, script_of

_CaseVerdict: TypeAlias = Verdict | Literal["not_judged"]
"""What a case comes to; named here, since Python would make the union anew for each case that is judged."""
_MOST_EVIDENCE = 240
_LONGEST_MESSAGE = 10_000


class Judged(Struct, frozen=True, dict=True):
    """A judged case.

    `rests_on` are the answers the check looked at, in that order, `missed` the keys it wanted to see that the
    run has not asked, and `wanted` what would tell more, as a `Trail` has it.
    `answer` is the one a finding rests on, `beside` are those without which it does not show it, `manner` is
    the way it does of several; `crash` is what escaped a check, the suite's own fault. Of a case that was not
    judged, `field` is the field of the profile, or the level, that would change it; empty for every other.
    `groups` are the procedures the check asked for, None where it may have looked at any; `named` are those
    that it asked for by name.
    """

    case: Case
    verdict: _CaseVerdict
    message: str
    seen: View | None = None
    rests_on: tuple[Answer, ...] = ()
    missed: tuple[str, ...] = ()
    wanted: tuple[Group | int, ...] = ()
    answer: Answer | None = None
    crash: Exception | None = None
    exempt: str = ""
    beside: tuple[Answer, ...] = ()
    manner: Manner | None = None
    field: str = ""
    groups: frozenset[Group] | None = None
    named: frozenset[Group] = frozenset()

    @property
    def shown(self) -> Answer | None:
        """The exchange to show with a finding: the one it rests on, else the last one looked at."""
        return self.answer or (self.rests_on[-1] if self.rests_on else None)

    @property
    def sights(self) -> tuple[DecidingExchange, ...]:
        """The exchanges that decide a finding, the one that shows it last."""
        if self.verdict != "fail" or self.seen is None or self.shown is None:
            return ()
        deciding = {answer.n: answer for answer in (*self.beside, self.shown)}
        return tuple(_sight(answer) for answer in deciding.values())

    @property
    def document(self) -> str:
        """The line and the sentence of the document: of the row of the key, where that row decides."""
        clause, entry = self.case.clause, self.case.entry
        own = entry and _own_words(clause, entry)
        return f"line {entry.line}: {own}" if entry and own else f"line {clause.line}: {clause.quote}"

    @cached_property
    def proof(self) -> tuple[Answer, ...]:
        """The exchanges that prove the finding."""
        return proof_of(self.seen, self.shown, self.beside) if self.seen and self.shown else ()

    @property
    def script(self) -> str:
        """What proves the finding in a shell, and nothing else."""
        return script_of(self.seen, self.proof) if self.seen and self.proof else ""

    @property
    def evidence(self) -> list[int]:
        """The lines of the ledger that the case rests on; those of what it says come first."""
        if not self._is_telling:
            return self._looked_at[:_MOST_EVIDENCE]
        steps = [answer.n for answer in self.proof]
        return sorted(list(dict.fromkeys([*steps, *self._looked_at]))[:_MOST_EVIDENCE])

    @property
    def _is_telling(self) -> bool:
        """Whether the reports show what it rests on."""
        return self.verdict in {"fail", "inconclusive", "error"}

    @property
    def _looked_at(self) -> list[int]:
        return sorted({answer.n for answer in self.rests_on})

    @property
    def result(self) -> CaseResult | Omitted:
        """What the reports say of it."""
        case = self.case
        message = next(iter(self.message.strip().splitlines()), "").rstrip()
        if self.verdict == "not_judged":
            return Omitted(case.clause.id, case.key, case.ha_id, message, self.field)
        # many cases say the same: half a million of them hold each text once
        return CaseResult(
            id=case.id,
            clause=case.clause.id,
            key=case.key,
            kind=intern(case.kind),
            ha_id=case.ha_id,
            verdict=self.verdict,
            message=intern(message),
            document=intern(self.document),
            evidence=tuple(self.evidence),
            claimed=case.claim == "yes",
            exempt=self.exempt,
            **(self._shown_beside if self._is_telling else {}),
        )

    @property
    def _shown_beside(self) -> dict[str, Any]:
        """What the reports show of a case beside what it says, by member of its result."""
        return {
            "sights": self.sights,
            "manner": self.manner.value if self.manner else "",
            "proof": tuple(answer.n for answer in self.proof),
            "curl": intern(self.script),
            "hint": self._hint,
            "good": self._good,
            "traces": tuple(filter(None, (answer.exchange.request.trace_id for answer in self.proof))),
        }

    @property
    def _good(self) -> str:
        """What a conforming server answers to the read that shows a finding; empty for every other case.

        A value is good by itself only where the clause is about one answer, and not about states or writes,
        nor about what another key shows at that moment, or what the run has written before.
        """
        seen, shown, clause = self.seen, self.shown, self.case.clause
        if self.verdict != "fail" or seen is None or shown is None or clause.section not in OF_ONE_ANSWER:
            return ""
        asked, entry = shown.exchange, CATALOG.entries.get(shown.key)
        is_own = entry is not None and asked.segment in entry.segments
        depends = (
            any(group.subject != asked.key for group in self.case.groups),
            any(step.is_write for step in self.proof),
        )
        if not is_own or asked.ha_id != seen.appliance.ha_id or self.case.generated or any(depends):
            return ""
        declared = dict(seen.pointers(segment_of(shown)))
        places = {**declared, "value": declared.get("value") or shown.pointer or seen.value_pointer}
        known = {field: place for field, place in places.items() if isinstance(place, str)}
        members = good_members(seen.appliance.kind, asked.key, asked.segment, seen.maker)
        return good_answer(clause, members, known)

    @property
    def _hint(self) -> str:
        """What the value that a finding shows may mean; empty for every other case.

        What a forbidden write put there is the run's own, and means nothing.
        """
        if self.verdict != "fail" or not (self.seen and self.shown):
            return ""
        entry = CATALOG.entries.get(self.shown.key)
        return hint_of(entry, self.shown) if entry and not self.shown.is_forbidden else ""


def _own_words(clause: Clause, entry: Entry) -> str:
    """The row of a key, where that says what the clause judges; empty where another line says it.

    Where a sentence of its notes does, it is that alone.
    """
    if clause.section == "RANGE" and entry.range:
        return entry.row
    if entry.line not in clause.lines:
        return ""
    is_sentence = clause.quote.endswith(".")
    return clause.quote if is_sentence and clause.quote in entry.notes else "" if is_sentence else entry.row


def _sight(answer: Answer) -> DecidingExchange:
    exchange, entry = answer.exchange, CATALOG.entries.get(answer.key)
    is_odd = answer.has_value and entry is not None and not fits(entry, answer.value)
    return DecidingExchange(
        exchange=exchange.n,
        ha_id=exchange.ha_id,
        key=exchange.key,
        outcome=answer.absence.value if answer.absence else answer.outcome.value,
        status=None if answer.has_value else answer.status,
        type=type_word(answer.value) if is_odd else "",
    )


def as_far_as_seen(judged: Judged, seen: View) -> Judged:
    """A case of which the end was not seen, as an appliance was lost, is inconclusive, and says since when.

    A finding stands that rests on shared reads before that, and so does what a confirmed state explains.
    """
    case, lost = judged.case, seen.lost
    if not (lost or seen.cut) or judged.verdict in {"error", "observed", "not_judged"} or judged.exempt:
        return judged
    if judged.verdict == "fail" and judged.shown and judged.shown.exchange.group is None:
        return judged
    looked_in = {group.plain for group in (*judged.named, *case.groups)}
    loss = next((seen.cut[group] for group in seen.cut if group in looked_in), None)
    is_unseen = bool(judged.missed) or any(group not in seen.made for group in case.groups)
    if lost and (is_unseen or (case.generated and (case.groups or lost.while_reading))):
        loss = loss or lost.loss
    is_all_seen = seen.anchor is not None and looked_in <= {group.plain for group in seen.made}
    if lost and judged.verdict == "inconclusive" and not is_all_seen:
        loss = loss or lost.loss
    return replace(judged, verdict="inconclusive", message=loss.words) if loss else judged


def judge(check: Check, case: Case, seen: View) -> Judged:
    """The verdict of `check` on a case; any other error of the check is a verdict, too: error."""
    trail = Trail()
    looking = seen.along(trail)
    if case.about and not case.groups:
        check = of_generated(check)

    def told(verdict: _CaseVerdict, message: str, **more: Any) -> Judged:
        # it may quote a megabyte of a body
        short = message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}..."
        named = frozenset(trail.groups)
        return Judged(
            case,
            verdict,
            short,
            seen,
            tuple(trail.answers.values()),
            tuple(trail.missed),
            tuple(trail.wanted),
            groups=None if trail.is_of_all else named,
            named=named.union(trail.silent),
            **more,
        )

    try:
        note = check(case, looking)
    except Deviation as deviation:
        deviation.__traceback__ = None  # its frames hold it: only the garbage collector would free them
        finding = {"answer": deviation.answer, "beside": deviation.beside, "manner": deviation.manner}
        return told("fail", deviation.finding, **finding)
    except NotTried as omitted:
        omission = omitted.omission
        return told("not_judged", omission.reason, answer=omitted.answer, field=omission.field)
    except Judgement as judgement:
        judgement.__traceback__ = None
        verdict: Verdict = "not_applicable" if isinstance(judgement, NotApplicable) else "inconclusive"
        state = judgement.state if isinstance(judgement, Inconclusive) else None
        exempt = state.id.name if state and state.is_shown else ""
        tried = tried_to_end(looking, state) if state else ""
        words = f"{judgement.finding}; {tried}" if tried else judgement.finding
        return told(verdict, words, answer=judgement.answer, exempt=exempt)
    except Exception as error:  # noqa: BLE001  the other cases are still judged
        return told("error", f"{type(error).__name__}: {error}", crash=error)
    return told("pass" if case.clause.can_fail else "observed", note or "")
