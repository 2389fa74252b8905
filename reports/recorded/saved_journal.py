"""The journal of a run that wrote: what each key was, what it was set to, and whether it was put back.

`journal.ndjson` gets its line before each write is sent, so after a crash it is only shorter. It is read as
far as it goes.
"""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from conformance.records.journal_lines import (
    Intent,
    JournalEnd,
    JournalLine,
    Settled,
    WriteAnswer,
    legible_lines,
)
from conformance.records.run_facts import RunFacts, moment
from reports.texts import duration_s

NO_OUTCOME: Final = "no outcome recorded"
_REFUSED: Final = frozenset({"refused", "access refused"})  # outcomes of a write
_ROUNDING: Final = timedelta(seconds=1)  # times may be written without their fractions


class KeyState(Struct, frozen=True):
    """A key of an appliance that was written, or was found changed though nobody wrote it.

    `before` is the first value known, `written` the last one sent, `after` the last one read before it was
    put back, `now` the one read at the end; None where a value is not known (`written`, where `writes` is not
    0: null was sent). `put_back` is what the journal says last, None if it says nothing after a write;
    `tries` and `note` belong to it. `failures` counts how often putting back failed, `changed` is true if it
    was found changed without a write, `groups` are the groups of cases it was written for. `prepared` is the
    value that it was held at so that others could be written, None if it was not, and `prepared_s` for how
    many seconds in all; `prepared_at` is when that began, empty once it was brought back. `is_refused` says
    that each write for a case was.
    """

    ha_id: str
    key: str
    before: Any = None
    written: Any = None
    after: Any = None
    now: Any = None
    put_back: bool | None = None
    tries: int = 0
    failures: int = 0
    writes: int = 0
    changed: bool = False
    groups: tuple[str, ...] = ()
    note: str = ""
    prepared: Any = None
    prepared_s: float = 0.0
    prepared_at: str = ""
    is_refused: bool = False


class WriteCounts(Struct, frozen=True):
    """How many writes were sent and what became of them, the most frequent outcome first."""

    sent: int = 0
    outcomes: Mapping[str, int] = {}


class SavedJournal(Struct, frozen=True):
    """The keys in the order of their first write, and the writes of cases and of putting back.

    `complete` is true if the run ended the journal.
    """

    states: tuple[KeyState, ...] = ()
    writes: WriteCounts = WriteCounts()
    restores: WriteCounts = WriteCounts()
    complete: bool = False


def load_journal(path: Path, run: RunFacts) -> SavedJournal | None:
    """The journal of `run`; None when there is none, or when it was begun by another run."""
    reader: _Reader | None = None
    for members, line in legible_lines(path):
        if "schema" in members or reader is None:
            reader = _Reader(begun=members.get("at"))
        if line:
            reader.take(line)
    return reader.journal() if reader and _is_within(reader.begun, run) else None


class _Reader:
    """Takes the lines of a journal one by one."""

    def __init__(self, begun: object = None) -> None:
        self.begun = begun
        self._states: dict[tuple[str, str], KeyState] = {}
        self._sent: dict[int, str] = {}
        self._written: dict[tuple[str, str], list[int]] = {}
        self._outcomes: dict[int, str] = {}
        self._complete = False

    def take(self, line: JournalLine) -> None:
        match line:
            case JournalEnd():
                self._complete = line.end
            case WriteAnswer():
                self._outcomes[line.of] = line.outcome
            case Intent():
                self._sent[line.n] = line.intent
                if line.intent == "write":
                    self._written.setdefault((line.ha_id, line.key), []).append(line.n)
                self._states[line.ha_id, line.key] = _sent(self._state(line), line)
            case Settled():
                self._states[line.ha_id, line.key] = _settled(self._state(line), line)
            case _:
                pass

    def _state(self, line: Intent | Settled) -> KeyState:
        return self._states.get((line.ha_id, line.key), KeyState(line.ha_id, line.key))

    def journal(self) -> SavedJournal:
        states = tuple(
            replace(state, is_refused=self._are_refused(self._written.get(place, [])))
            for place, state in self._states.items()
        )
        return SavedJournal(states, self._counts("write"), self._counts("restore"), self._complete)

    def _are_refused(self, writes: list[int]) -> bool:
        return bool(writes) and all(self._outcomes.get(number) in _REFUSED for number in writes)

    def _counts(self, intent: str) -> WriteCounts:
        numbers = [number for number, sent in self._sent.items() if sent == intent]
        outcomes = Counter(self._outcomes.get(number, NO_OUTCOME) for number in numbers)
        return WriteCounts(len(numbers), dict(outcomes.most_common()))


def _sent(state: KeyState, line: Intent) -> KeyState:
    """The state once a write was sent: it has to be put back, unless that has already failed."""
    state = replace(state, put_back=None if state.put_back else state.put_back)
    if line.intent == "restore":
        return state
    if line.prepared:
        state = replace(state, prepared=line.value, prepared_at=state.prepared_at or line.at)
    return replace(
        state,
        before=_first(state.before, line.before),
        written=line.value,
        writes=state.writes + 1,
        groups=tuple(dict.fromkeys(filter(None, (*state.groups, line.group)))),
    )


def _settled(state: KeyState, line: Settled) -> KeyState:
    """The state at the end of a group, or at the end of the run for a key that changed by itself.

    What a group puts back while the key is held at another value than the first is no end of what is owed.
    What was put back stays so where somebody else has changed it since, which is left as it is.
    """
    if line.prepared:
        with suppress(ValueError, OverflowError):  # anybody may have altered the times
            held = duration_s(state.prepared_at, line.at)
            state = replace(state, prepared_s=state.prepared_s + held)
        state = replace(state, prepared_at="")
    if line.changed and state.put_back:
        line = replace(line, restored=True, tries=state.tries)
    return replace(
        state,
        before=_first(state.before, line.before),
        after=line.after,
        now=line.now,
        put_back=None if line.restored and state.prepared_at else line.restored,
        tries=line.tries,
        failures=state.failures + (not line.restored),
        changed=state.changed or line.changed,
        note=line.note,
    )


def _first(known: object, other: object) -> object:
    return other if known is None else known


def _is_within(begun: object, run: RunFacts) -> bool:
    """Whether the journal was begun within the run, and not by an earlier one that was killed."""
    try:
        return moment(run.started) - _ROUNDING <= moment(str(begun)) <= moment(run.finished) + _ROUNDING
    except ValueError:
        return True
