"""What a run that wrote leaves behind: what each key was and is, and whether it was put back."""

import re
from collections.abc import Iterable
from typing import Final

from catalog.keys import short_name
from conformance.records.faults import failed_restores
from conformance.records.results import Results
from reports.recorded.saved_journal import KeyState, SavedJournal, WriteCounts
from reports.texts import json_text, one_line, plural, short_value, visible

MOST_ALARMS: Final = 3  # values named in a line before the verdict; the rest stands in the table
_LONGEST_ALARM: Final = 120  # characters of one of them
_UNREADABLE: Final = "cannot be read"
_REFUSED: Final = f"{_UNREADABLE}, and each write was refused"
_ENUMERATED: Final = re.compile(r'"[\w.]+\.EnumType\.[\w.]+\.(\w{1,40})"')  # a value of an enumeration


def alarms(results: Results, journal: SavedJournal | None) -> tuple[str, ...]:
    """The first lines of every report: `NOT RESTORED: oven-1 PowerState was On, is Off`.

    Values share a line that are not restored for the same reason, so that the verdict stays on the first
    screen: those that are others now, those that cannot be read, and of these the ones whose writes were all
    refused. They come from the faults of the run; a failed restore that only the journal knows is added.
    """
    known = {(state.ha_id, state.key): state for state in journal.states} if journal else {}
    failed = [((one.ha_id, one.key), one.text) for one in failed_restores(results.faults)]
    told = {place for place, _ in failed}
    said = [(place, one_line(visible(_ENUMERATED.sub(r"\1", text)))) for place, text in failed]
    said += [(place, _sentence(one)) for place, one in known.items() if _is_failed(one) and place not in told]
    alike: dict[str, list[str]] = {"": [], _UNREADABLE: [], _REFUSED: []}
    for place, text in dict.fromkeys(said):
        is_refused = place in known and known[place].is_refused
        lost = _REFUSED if is_refused else _UNREADABLE
        alike[lost if text.endswith(f", {_UNREADABLE}") else ""].append(text)
    return tuple(_alarm(reason, texts) for reason, texts in alike.items() if texts)


def _alarm(reason: str, texts: list[str]) -> str:
    """One line for values that were not put back for the same reason."""
    if len(texts) == 1:
        return f"NOT RESTORED: {texts[0]}{reason.removeprefix(_UNREADABLE)}"
    named = [one_line(text.removesuffix(f", {_UNREADABLE}"), _LONGEST_ALARM) for text in texts[:MOST_ALARMS]]
    more = len(texts) - MOST_ALARMS
    named += [f"and {more} more (report.html, State before and after)"] if more > 0 else []
    return f"NOT RESTORED: {plural(len(texts), 'value')}{reason and f' {reason}'}: {'; '.join(named)}"


def state_rows(journal: SavedJournal) -> list[tuple[KeyState, str, bool]]:
    """Each key, whether it was put back in words, and whether it still has to be, which stands first."""
    return [
        (state, "; ".join(_words(state)), _rank(state) <= 1) for state in sorted(journal.states, key=_rank)
    ]


def sent_in_words(journal: SavedJournal, again: int) -> str:
    """How many writes were sent and what became of them: those of cases, and those that put back.

    The journal notes each once; so many were sent `again`.
    """
    more = f"; {again:,} sent again, as the target asked for patience or for a new token" if again else ""
    noted = f"{_counts_in_words(journal.writes)} for cases; {_counts_in_words(journal.restores)} to put back"
    return noted + more


def _counts_in_words(counts: WriteCounts) -> str:
    became = counts.outcomes.items()
    outcomes = ", ".join(f"{number:,} {one_line(visible(outcome), 60)}" for outcome, number in became)
    return f"{plural(counts.sent, 'write')} sent" + (f" ({outcomes})" if outcomes else "")


def _is_failed(state: KeyState) -> bool:
    """Whether the suite wrote a key and could not put it back."""
    return state.put_back is False and not (state.changed and not state.writes)


def _is_moved(state: KeyState) -> bool:
    """Whether the value put back at last is not the first one: a group began from another value."""
    known = None not in (state.before, state.now)
    return bool(state.put_back and state.writes and known and state.before != state.now)


def _rank(state: KeyState) -> int:
    if _is_failed(state):
        return 0
    if state.put_back is None:
        return 1
    return 2 if not state.put_back or state.failures or state.changed or _is_moved(state) else 3


def _words(state: KeyState) -> Iterable[str]:
    """Whether a key was put back, and what is unusual about it."""
    if state.changed and not state.writes:
        yield "changed without a write"
    if state.put_back is None:
        yield "not recorded: the journal does not say that it was put back"
    elif not state.put_back:
        yield "NOT put back" + (f", tried {plural(state.tries, 'time')}" if state.tries else "")
    elif state.tries == 0:
        yield "yes: nothing had to be put back"
    else:
        yield "yes" + (f", at try {state.tries}" if state.tries > 1 else "")
    if state.put_back is not False and state.failures:
        yield f"it had failed {plural(state.failures, 'time')} before"
    if state.prepared is not None:
        held = f"held at {json_text(state.prepared)} so that others could be written"
        yield held if state.prepared_at else f"{held}, {state.prepared_s:.1f} s in all"
    if _is_moved(state):
        yield "not its first value"
    if state.note:
        yield one_line(visible(state.note), 200)


def _sentence(state: KeyState) -> str:
    was = "was not known" if state.before is None else f"was {short_value(state.before)}"
    now = _UNREADABLE if state.now is None else f"is {short_value(state.now)}"
    return (
        f"{one_line(visible(state.ha_id), 80)} {one_line(visible(short_name(state.key)), 120)} {was}, {now}"
    )
