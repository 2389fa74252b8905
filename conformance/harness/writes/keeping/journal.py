"""The journal: what is about to be written, on disk before it is sent, so that a run that dies can be undone.

One JSON object a line, flushed as it is written. The first line holds the profile (secrets as `${NAME}`), so
that the file alone is enough for `restore`. An intent says what was there before; a `restored` line ends what
is owed.

A journal that owes something is never overwritten. The directory of a run may be deleted, so each appliance
has a second journal that lies elsewhere (`conformance.runs.admission.state`) and holds what concerns it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from conformance.harness.errors import JournalError
from conformance.harness.whole_lines import append

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pydantic import JsonValue

SCHEMA = "appliance-conformance/journal/1"
JOURNAL = "journal.ndjson"
UNWRITTEN = -1
"""The number of what has no line: there is nothing to put back, or the disk is full."""


@dataclass(slots=True)
class Debt:
    """A value to be put back: what was there before, after the write, and now.

    `tries` counts the writes that putting it back took, 0 where it was back by itself; `note` says why it is
    not. A `prepared` one is owed for a state that others are written in: what those owe meanwhile is the
    value of that state, and their putting back leaves this one open.
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
    prepared: bool = False

    @property
    def place(self) -> tuple[str, str]:
        """The haId and the key."""
        return self.ha_id, self.key

    @property
    def name(self) -> str:
        """The key without what it shares with its neighbours: `ChillerLeft.SetpointTemperature`."""
        return self.key.partition(".Setting.")[2] or self.key.partition(".Status.")[2]

    @property
    def words(self) -> str:
        """The debt as one line: `oven-1 PowerState was "Vendor.Common.EnumType.PowerState.On", is ...`."""
        now = "cannot be read" if self.now is None else f"is {json.dumps(self.now, ensure_ascii=False)}"
        return f"{self.ha_id} {self.name} was {json.dumps(self.before, ensure_ascii=False)}, {now}"


class JournalFile:
    """One file of journal lines; it begins to exist with the first line that is needed."""

    def __init__(
        self,
        path: Path,
        header: Mapping[str, Any],
        *,
        private: bool = False,
        earlier: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """A file whose first line will hold the header.

        After it stand the lines of an `earlier` journal, but for its first and last one, where a run goes on
        from another one. They name no line of the ledger, in which others have that number now.

        A `private` file can be read by its owner alone, and what has to be in it is on the disk before the
        writing returns, so that it survives the machine, too.

        Raises:
            JournalError: when the file is there and still owes something, or cannot be read.
        """
        self.path = path
        self._header: Mapping[str, Any] = {"schema": SCHEMA, **header}
        self._private = private
        self._earlier = [
            {name: value for name, value in line.items() if name != "evidence"}
            for line in earlier[1:]
            if "end" not in line
        ]
        self._count = 0
        owed = owed_in(path)
        if owed:
            msg = f"{path}: {owed[0].ha_id} is still owed {owed[0].key}"
            raise JournalError(msg)

    @classmethod
    def continued(cls, path: Path) -> JournalFile:
        """A file to be written on; a last line that was cut goes: nothing had been sent for it."""
        file = cls.__new__(cls)
        file.path, file._header, file._private = path, {}, False  # noqa: SLF001  of its own class
        file._earlier = []  # noqa: SLF001  of its own class
        file._count = _mended(path)  # noqa: SLF001  of its own class
        return file

    @property
    def is_begun(self) -> bool:
        """Whether it has a line, or will have those of an earlier journal."""
        return self._count > 0 or bool(self._earlier)

    def add(self, line: Mapping[str, Any], *, must: bool = False) -> int:
        """Adds a line, with the first one before it where there is none yet; its number, or `UNWRITTEN`.

        Raises:
            OSError: when it cannot be written, and `must` be.
        """
        lines = [line] if self._count else [self._header, *self._earlier, line]
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        numbered = [
            {"n": number, **members, "at": members.get("at", at)}
            for number, members in enumerate(lines, start=self._count)
        ]
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | (0 if self._count else os.O_TRUNC)
            number = os.open(self.path, flags, 0o600 if self._private else 0o666)
            with os.fdopen(number, "ab", buffering=0) as file:
                texts = (json.dumps(members, ensure_ascii=True, default=str) for members in numbered)
                append(file, "".join(f"{text}\n" for text in texts))
                if must and self._private:
                    os.fsync(file.fileno())
        except OSError:
            if must:
                raise
            return UNWRITTEN
        self._count += len(lines)
        return self._count - 1


@dataclass(frozen=True, slots=True)
class NotRestored:
    """What was not put back, in words; `ha_id` and `key` are empty where it is no key."""

    words: str
    ha_id: str = ""
    key: str = ""


class Journal:
    """Writes the journal of a run, and a copy for each appliance, which outlives the run's directory.

    Only an intent has to be in both files before anything is sent. What cannot be written afterwards is left
    out: the intent then says that something is owed which is back already, and putting it back once more does
        no harm.
    """

    def __init__(self, file: JournalFile, copies: Mapping[str, JournalFile] | None = None) -> None:
        """Writes to `file`, and what concerns an appliance also to its file among `copies`, by haId."""
        self._file = file
        self._copies = copies or {}

    def intend(self, intent: str, group: str, debt: Debt, value: JsonValue) -> int:
        """A write that is about to be sent, with what is owed for it; the number of its line.

        Raises:
            OSError: when it cannot be written, and no earlier intent says what is owed, as one does for a
                restore.
        """
        what = {
            "ha_id": debt.ha_id,
            "key": debt.key,
            "segment": debt.segment,
            "value": value,
            "before": debt.before,
            **_kind(debt),
        }
        return self._add(debt.ha_id, {"intent": intent, "group": group, **what}, must=intent != "restore")

    def answered(self, intent: int, outcome: str, answer: str, evidence: int) -> None:
        """What the target answered to an intent, and the line of the ledger that shows it."""
        self._file.add({"of": intent, "outcome": outcome, "answer": answer, "evidence": evidence})

    def settled(self, debt: Debt, *, changed: bool = False) -> None:
        """Journals what is there after a procedure; `changed` is for a key that this run did not write."""
        where = {"ha_id": debt.ha_id, "key": debt.key, "segment": debt.segment, "before": debt.before}
        kind: dict[str, Any] = {**({"changed": True} if changed else {}), **_kind(debt)}
        result = {"after": debt.after, "now": debt.now, "tries": debt.tries, "note": debt.note}
        self._add(debt.ha_id, {**kind, "restored": debt.restored, **where, **result})

    def end(self) -> None:
        """Writes the last line where anything was written: nothing is owed any more, or it was said so."""
        for file in (self._file, *self._copies.values()):
            if file.is_begun:
                file.add({"end": True})

    def _add(self, ha_id: str, line: Mapping[str, Any], *, must: bool = False) -> int:
        number = self._file.add(line, must=must)
        copy = self._copies.get(ha_id)
        if copy:
            copy.add(line, must=must)
        return number


class Unfinished(NamedTuple):
    """What a journal leaves to be done: its first line, and what is owed, the last write first."""

    header: dict[str, Any]
    owed: list[Debt]


def read_journal(path: Path) -> Unfinished:
    """What is left to be done by a journal.

    A last line that is cut is what a run leaves that was killed while writing it: nothing had been sent for
    it yet.

    Raises:
        JournalError: when the file is no journal, or another line cannot be read.
    """
    lines = journal_lines(path)
    if not lines or lines[0].get("schema") != SCHEMA:
        msg = f"{path}: not a journal of this suite"
        raise JournalError(msg)
    try:
        return Unfinished(lines[0], _owed(lines[1:])[::-1])
    except (LookupError, TypeError, AttributeError) as error:
        msg = f"{path}: a line lacks what this suite writes: {error}"
        raise JournalError(msg) from error


def owed_in(path: Path) -> list[Debt]:
    """What a journal still owes, the last write first.

    That is nothing where there is no file, or not one whole line in it; nor where the server was `embedded`:
    it ended with the run.

    Raises:
        JournalError: when it cannot be told.
    """
    try:
        if not path.is_file() or b"\n" not in path.read_bytes():
            return []
    except OSError as error:
        msg = f"{path}: {error.strerror}"
        raise JournalError(msg) from error
    unfinished = read_journal(path)
    return [] if unfinished.header.get("embedded") is True else unfinished.owed


def _kind(debt: Debt) -> dict[str, Any]:
    """The member of a line that tells the debt of a prepared state from that of a procedure."""
    return {"prepared": True} if debt.prepared else {}


def _mended(path: Path) -> int:
    """Takes a last line that was cut from a file, and ends one that is whole; how many lines there are."""
    with path.open("r+b") as file:
        whole, _, rest = file.read().rpartition(b"\n")
        lines = len(whole.splitlines())
        if rest and _line(rest.decode("utf-8", "replace")) is not None:
            lines += 1
            file.write(b"\n")
        elif rest:
            file.truncate(len(whole) + 1)
        return lines


def journal_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a journal, without a last one that was cut.

    Raises:
        JournalError: when the file cannot be read, or another line is no JSON object.
    """
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
    owed: dict[tuple[str, str, bool], Debt] = {}
    for line in lines:
        if "intent" not in line and "restored" not in line:
            continue
        # a restore may be tried under the other segment of a contested status (line 149)
        prepared = line.get("prepared") is True
        ha_id, key = line["ha_id"], line["key"]
        if "intent" in line:
            debt = owed.get((ha_id, key, prepared))
            if prepared and debt and line["intent"] == "write":
                del owed[ha_id, key, prepared]  # what took effect last is put back first
            debt = debt or Debt(ha_id, line["segment"], key, line["before"], prepared=prepared)
            owed.setdefault((ha_id, key, prepared), debt)
        elif line["restored"]:
            owed.pop((ha_id, key, False), None)
            if prepared:
                owed.pop((ha_id, key, True), None)
    return list(owed.values())
