"""The journal: what is about to be written, on disk before it is sent, so that a run that dies can be undone.

One JSON object a line, flushed as it is written. The first line holds the profile (secrets as `${NAME}`), so that
the file alone is enough for `restore`. An intent says what was there before; a `restored` line ends what is owed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from conformance.harness.lines import append

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import JsonValue

SCHEMA = "appliance-conformance/journal/1"
JOURNAL = "journal.ndjson"
UNWRITTEN = -1
"""The number of what has no line: there is nothing to put back, or the disk is full."""


class JournalError(Exception):
    """A journal that cannot be read: not one of ours, or altered."""


@dataclass(slots=True)
class Debt:
    """A value to be put back: where it was written, what was there `before`, what was read `after`, and what is there `now`.

    `tries` counts the writes that putting it back took, 0 where it was back by itself; `note` says why it is not.
    """

    ha_id: str
    segment: str
    key: str
    before: JsonValue
    after: object = None
    now: object = None
    restored: bool = False
    tries: int = 0
    note: str = ""

    @property
    def name(self) -> str:
        """The key without what it shares with its neighbours: `ChillerLeft.SetpointTemperature`."""
        return self.key.partition(".Setting.")[2] or self.key.partition(".Status.")[2]

    @property
    def words(self) -> str:
        """The debt as one line: `oven-1 PowerState was "Vendor.Common.EnumType.PowerState.On", is ...`."""
        now = "cannot be read" if self.now is None else f"is {json.dumps(self.now, ensure_ascii=False)}"
        return f"{self.ha_id} {self.name} was {json.dumps(self.before, ensure_ascii=False)}, {now}"


class Journal:
    """Writes a journal; the file begins to exist with the first line that is needed.

    Only an intent has to be on disk before anything is sent. What cannot be written afterwards is left out: the intent then says
    that something is owed which is back already, and putting it back once more does no harm.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        """Nothing is written before the first intent."""
        self._path = path
        self._header = header
        self._count = 0

    def intend(self, intent: str, group: str, debt: Debt, value: JsonValue) -> int:
        """A write that is about to be sent, with what is owed for it; the number of its line.

        Raises:
            OSError: when it cannot be written, and no earlier intent says what is owed, as one does for a restore.
        """
        what = {"ha_id": debt.ha_id, "key": debt.key, "segment": debt.segment, "value": value, "before": debt.before}
        return self._write({"intent": intent, "group": group, **what}, must=intent != "restore")

    def answered(self, intent: int, outcome: str, answer: str, evidence: int) -> None:
        """What the target answered to an intent, and the line of the ledger that shows it."""
        self._write({"of": intent, "outcome": outcome, "answer": answer, "evidence": evidence})

    def settled(self, debt: Debt, *, changed: bool = False) -> None:
        """What is there at the end of a procedure, or (`changed`) what was found changed at the end of the run though nobody wrote it."""
        where = {"ha_id": debt.ha_id, "key": debt.key, "segment": debt.segment, "before": debt.before}
        kind: dict[str, Any] = {"changed": True} if changed else {}
        result = {"after": debt.after, "now": debt.now, "tries": debt.tries, "note": debt.note}
        self._write({**kind, "restored": debt.restored, **where, **result})

    def end(self) -> None:
        """Writes the last line where anything was written: nothing is owed any more, or it was said so."""
        if self._count:
            self._write({"end": True})

    def _write(self, line: dict[str, Any], *, must: bool = False) -> int:
        """Adds a line, with the first one before it where there is none yet; its number, or `UNWRITTEN`."""
        lines = [line] if self._count else [{"schema": SCHEMA, **self._header}, line]
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        numbered = [{"n": number, **members, "at": at} for number, members in enumerate(lines, start=self._count)]
        try:
            with self._path.open("ab" if self._count else "wb", buffering=0) as file:
                append(file, "".join(f"{json.dumps(members, ensure_ascii=True, default=str)}\n" for members in numbered))
        except OSError:
            if must:
                raise
            return UNWRITTEN
        self._count += len(lines)
        return self._count - 1


class Unfinished(NamedTuple):
    """What a journal leaves to be done: its first line, and what is owed, the last write first."""

    header: dict[str, Any]
    owed: list[Debt]


def read_journal(path: Path) -> Unfinished:
    """What is left to be done by a journal.

    A last line that is cut is what a run leaves that was killed while writing it: nothing had been sent for it yet.

    Raises:
        JournalError: when the file is no journal, or another line cannot be read.
    """
    lines = _lines(path)
    if not lines or lines[0].get("schema") != SCHEMA:
        msg = f"{path}: not a journal of this suite"
        raise JournalError(msg)
    try:
        return Unfinished(lines[0], _owed(lines[1:])[::-1])
    except (LookupError, TypeError, AttributeError) as error:
        msg = f"{path}: a line lacks what this suite writes: {error}"
        raise JournalError(msg) from error


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        texts = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        msg = f"{path}: {error}"
        raise JournalError(msg) from error
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(texts, start=1):
        line = _line(text)
        if line is not None:
            lines.append(line)
        elif number < len(texts):
            msg = f"{path}: line {number} is cut or altered"
            raise JournalError(msg)
    return lines


def _line(text: str) -> dict[str, Any] | None:
    try:
        line: Any = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) else None  # pyright: ignore[reportUnknownVariableType]  members of JSON objects are anything


def _owed(lines: list[dict[str, Any]]) -> list[Debt]:
    owed: dict[tuple[str, str, str], Debt] = {}
    for line in lines:
        if "intent" not in line and "restored" not in line:
            continue
        place = (line["ha_id"], line["segment"], line["key"])
        if "intent" in line:
            owed.setdefault(place, Debt(*place, line["before"]))
        elif line["restored"]:
            owed.pop(place, None)
    return list(owed.values())
