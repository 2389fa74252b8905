"""What a run came to, in a line: every rendering says it, and none makes another one.

The line says what was shown, not more: a run that wrote nothing conforms as far as reading shows, a waived
failure is named with who answers for it, and what ends with 3 or 4 says why.
"""

import shlex
from itertools import pairwise
from typing import Final

from catalog.maker import STAND_IN
from conformance.model.state_table import ANYTHING, STATE_ROWS, STATES
from conformance.records.faults import failed_restores
from conformance.records.results import Results, WaiverResult
from conformance.records.verdicts import RunVerdict
from reports.results.not_judged import conditional_cases, lacks, silent_cases
from reports.texts import one_line, plural, some_of, visible

INCONCLUSIVE: Final = "Inconclusive"
NOTHING_JUDGED: Final = "Nothing could be judged"
RESUMING: Final = "next: the same command with --resume sends what this run has not sent"
_SAID: Final[dict[RunVerdict, str]] = {
    "fail": "Does not conform",
    "error": "Not judged: the suite is at fault",
}
_READ_ONLY: Final = " as far as reading shows (nothing was written)"
_WHERE_TO_LOOK: Final = "are write.method, write.path and write.body right?"
_WHERE_NOTHING_SHOWS: Final = (
    "are write.method, write.path and write.body right, and is timing.settle_s long enough?"
)
_WHERE: Final = {
    frozenset({401, 403, 407, 428}): "does [auth] permit writes, and do they need one more header?",
    frozenset({415}): "is write.media_type right?",
    frozenset({502, 503, 504}): (
        "does a gateway before the target give up too early, and is timing.settle_s long enough?"
    ),
}
"""Where to look instead, if each write was refused, and with nothing but these."""
_WHY_NONE: Final = "the cases that are open say why"
_LEVELS: Final = ("--level write", "--level power")
_MOST_NAMED: Final = 3
_LONGEST: Final = 80  # characters of the reason of a waiver


def headline(results: Results) -> str:
    """The verdict of a run as a reader is told it."""
    conforms = results.verdict == "pass" and not results.interrupted
    told = _conforms if conforms else why_inconclusive
    said = _SAID.get(results.verdict) or told(results) or INCONCLUSIVE  # for a reason of another version
    is_4 = results.verdict in {"pass", "inconclusive"} and not results.faults
    return said + (_stale(results) if is_4 else "")


def said_of(headline: str, target: str) -> str:
    """A headline with the target that it is about: behind a colon, unless it has one already."""
    return f"{headline} ({target})" if ":" in headline else f"{headline}: {target}"


def certified_as(results: Results) -> str:
    """The verdict of a certificate of the run: conditional where a state or a waiver excuses a case."""
    excused = conditional_cases(results.cases) or any(waiver.waives for waiver in results.waivers)
    return "conforms conditionally" if excused else "conforms"


def is_conditional(results: Results) -> bool:
    """Whether the run gives a certificate, and that is conditional."""
    return results.is_certified and certified_as(results) != "conforms"


def next_step(results: Results) -> str:
    """What shows more of a target that nothing contradicts so far: `next: --level write judges 23 more ...`.

    A run that was interrupted may be resumed. Empty where something else has to be done first, and where only
    a person could show more; `try` says itself what comes next, with the variables to export.
    """
    is_resumable = results.run.argv[1:2] == ("run",) and results.run.level != "attended"
    if results.interrupted and is_resumable and "--failed" not in results.run.argv:
        return RESUMING
    if results.run.argv[1:2] == ("try",):
        return ""
    if results.verdict == "pass" and results.claims_nothing:
        return f"next: {_drafting(results)}"
    of_levels = [lack for lack in lacks(results) if lack.field in _LEVELS]
    if results.verdict != "pass" or not of_levels:
        return ""
    lack = min(of_levels, key=lambda lack: _LEVELS.index(lack.field))
    judged = {case.clause for case in results.cases}
    more = [clause for clause in lack.clauses if clause not in judged] or lack.clauses
    declares = any(field.startswith("write.") for field in results.run.answers)
    need = lack.field if declares else f"[write] in the profile, and {lack.field},"
    verb = "judges" if declares else "judge"
    return f"next: {need} {verb} {plural(len(more), 'more clause', 'more clauses')}"


def _drafting(results: Results) -> str:
    """The command that drafts a profile of the target, with the words that the run was started with."""
    run = results.run
    if not any(word.partition("=")[0] == "--base-url" for word in run.argv):
        return "appliance-conformance init -o FILE, with the profile as FILE, claims what it serves"
    words = ["appliance-conformance", "init", "--base-url", run.target.base_url]
    words += [word for one in run.appliances for word in ("--appliance", f"{one.ha_id}:{one.kind}")]
    words += ["--vendor", run.target.vendor] if run.target.vendor != STAND_IN else []
    words += [word for name, value in pairwise(run.argv) if name == "--header" for word in (name, value)]
    return visible(shlex.join([*words, "-o", "hub.toml"]))


def off_appliances(results: Results) -> tuple[str, ...]:
    """The appliances of which nothing could be judged because they were off all the time, with the state."""
    return tuple(f"{visible(one.ha_id)} (it was {one.off})" for one in results.run.appliances if one.off)


def no_effect(results: Results) -> str:
    """That no allowed value was written, or none had an effect, and what to look at.

    It is empty where one had, or where every appliance went away: that says why.
    """
    writing, gone = results.run.writing, {loss.ha_id for loss in results.run.lost}
    is_gone = "*" in gone or (gone and gone.issuperset(results.run.places))
    if writing is None or writing.effects or is_gone:
        return ""
    holding = {case.exempt for case in conditional_cases(results.cases)}
    keeping = {row.id for row in STATE_ROWS if ANYTHING in row.keeps}
    states = [state.words for name, state in STATES.items() if name in holding and state in keeping]
    statuses = {*writing.statuses} if writing.refused == writing.sent else set[int]()
    where = _WHERE_TO_LOOK if writing.refused == writing.sent else _WHERE_NOTHING_SHOWS
    found = (told for refused, told in _WHERE.items() if set() < statuses <= refused)
    look = f"perhaps because {' and '.join(states)}" if states else next(found, where)
    if not writing.sent:
        return f"No allowed value was written: {look if states else _WHY_NONE}"
    if writing.refused == writing.sent:
        answered = f", status {', '.join(map(str, writing.statuses))}" if writing.statuses else ""
        return f"No write was taken ({writing.refused:,} of {writing.sent:,} refused{answered}): {look}"
    taken = writing.sent - writing.refused
    return f"No write had an effect ({taken:,} of {writing.sent:,} were acknowledged): {look}"


def _conforms(results: Results) -> str:
    if results.run.level == "seen" and not results.claims_nothing:
        return f"{_uncontradicted(results)}; nothing but what was seen was judged"
    if results.claims_nothing or results.partial:
        why = "nothing was claimed" if results.claims_nothing else "only a part was judged"
        return f"{_uncontradicted(results)}; {why}"
    conditionally = " conditionally" if is_conditional(results) else ""
    how = "" if results.run.requests.writes else _READ_ONLY
    waived = f"{',' if how else ''}{_waived(results)}" if _waived(results) else ""
    return f"Conforms{conditionally}{how}{waived}{'; no certificate' if results.refused else ''}"


def _uncontradicted(results: Results) -> str:
    """What may be said where nothing but waived failures was found."""
    return f"Nothing contradicts the document{_waived(results)}"


def why_inconclusive(results: Results) -> str:
    """Why nothing is concluded: the first reason of those that apply; empty where none does."""
    run, still, off = results.run, results.open, off_appliances(results)
    left = len(failed_restores(results.faults))
    of_what = "cases of keys with a value" if results.claims_nothing else "claimed cases"
    is_over = still.cases > run.most_open * still.of and not results.partial
    lost = (one_line(loss.words) for loss in run.lost)
    rows = (
        (results.interrupted, INCONCLUSIVE),
        (run.lost, f"{INCONCLUSIVE}: {some_of(list(dict.fromkeys(lost)), _MOST_NAMED, '; ')}"),
        (
            run.campaign and not run.campaign.is_over,
            f"{INCONCLUSIVE}: the run goes on another night",
        ),
        (off and len(off) == len(run.appliances), f"{NOTHING_JUDGED} of {some_of(off, _MOST_NAMED)}"),
        (not results.counts.get("pass"), NOTHING_JUDGED),
        (left, f"{INCONCLUSIVE}: {plural(left, 'key was', 'keys were')} not put back"),
        (silent_cases(results), INCONCLUSIVE),
        (told := no_effect(results), told),
        (is_over, f"{_uncontradicted(results)}, but {still.cases:,} of {still.of:,} {of_what} are open"),
    )
    return next((said for applies, said in rows if applies), "")


def _waived(results: Results) -> str:
    """What is waived, and who answers: ` but for 1 waived failure (HUB-123, hub team, until 2026-11-08)`."""
    waived = sum(finding.waived for finding in results.findings)
    if not waived:
        return ""
    used = [waiver for waiver in results.waivers if waiver.waives]
    by = some_of([_answered_for(waiver) for waiver in used], 1, "; ")
    return f" but for {plural(waived, 'waived failure')}" + (f" ({by})" if by else "")


def _answered_for(waiver: WaiverResult) -> str:
    reason, owner = one_line(waiver.reason, _LONGEST), one_line(waiver.owner, _LONGEST)
    return f"{reason}, {owner}, until {waiver.expires}"


def _stale(results: Results) -> str:
    """Why a run without a failure ends with 4, and what ends that."""
    stale = [waiver for waiver in results.waivers if waiver.stale]
    if not stale:
        return ""
    if len(stale) > 1:
        return f"; {len(stale):,} waivers are stale (this ends with 4)"
    todo = {
        "passing": "delete it, its case passes",
        "expired": f"it expired on {stale[0].expires}",
        "unmatched": "it matches no case",
    }
    return f"; a waiver is stale (this ends with 4): {todo[stale[0].state]}"
