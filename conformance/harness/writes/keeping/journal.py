"""The journal: what is about to be written, on disk before it is sent, so that a run that dies can be undone.

One JSON object a line, flushed as it is written. The first line holds the profile (secrets as `${NAME}`), so
that the file alone is enough for `restore`. An intent says what was there before; a `restored` line ends what
is owed.

A journal that owes something is never overwritten. The directory of a run may be deleted, so each appliance
has a second journal that lies elsewhere (`conformance.runs.admission.state`) and holds what concerns it.
"""

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from msgspec import to_builtins
from msgspec.structs import replace
from pydantic import JsonValue

from conformance.harness.clock import REAL
from conformance.harness.writes.keeping.owed import Debt, owed_in
from conformance.records.journal_lines import (
    SCHEMA,
    Intent,
    Joined,
    JournalEnd,
    JournalError,
    JournalLine,
    Settled,
    WriteAnswer,
    repaired,
)
from conformance.records.ledger_lines import append

_text = json.JSONEncoder(default=str).encode
"""A line as it is written, made by one encoder: `json.dumps` would make one for each."""
UNWRITTEN = -1
"""The number of what has no line: there is nothing to put back, or the disk is full."""


class JournalFile:
    """One file of journal lines; it begins to exist with the first line that is needed."""

    def __init__(
        self,
        path: Path,
        header: Mapping[str, Any],
        *,
        private: bool = False,
        earlier: Sequence[Mapping[str, Any]] = (),
        count: int = 0,
    ) -> None:
        """A file whose first line will hold the header, or one that has so many lines already (`continued`).

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
        self._count = count
        if not count and (owed := owed_in(path)):
            raise JournalError(f"{path}: {owed[0].ha_id} is still owed {owed[0].key}")

    @classmethod
    def continued(cls, path: Path) -> "JournalFile":
        """A file to be written on; a last line that was cut goes: nothing had been sent for it."""
        return cls(path, {}, count=repaired(path))

    @property
    def is_begun(self) -> bool:
        """Whether it has a line, or will have those of an earlier journal."""
        return self._count > 0 or bool(self._earlier)

    def add(self, line: JournalLine, *, must: bool = False) -> int:
        """Adds a line, with the first one before it where there is none yet; its number, or `UNWRITTEN`.

        The file gives it number and time.

        Raises:
            OSError: when it cannot be written, and `must` be.
        """
        told = to_builtins(line)
        lines = [told] if self._count else [self._header, *self._earlier, told]
        at = REAL.stamp()
        numbered = [
            {**members, "n": number, "at": members.get("at") or at}
            for number, members in enumerate(lines, start=self._count)
        ]
        try:
            if not self._count:
                self.path.unlink(missing_ok=True)  # one that somebody else could read would stay so
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
            number = os.open(self.path, flags, 0o600 if self._private else 0o666)
            with os.fdopen(number, "ab", buffering=0) as file:
                append(file, "".join(f"{_text(members)}\n" for members in numbered))
                if must and self._private:
                    os.fsync(file.fileno())
        except OSError:
            if must:
                raise
            return UNWRITTEN
        self._count += len(lines)
        return self._count - 1


class Journal:
    """Writes the journal of a run, and a copy for each appliance, which outlives the run's directory.

    Only an intent has to be in both files before anything is sent. What cannot be written afterwards is left
    out: the intent then says that something is owed which is back already, and putting it back once more does
        no harm.
    """

    def __init__(self, file: JournalFile, copies: Mapping[str, Sequence[JournalFile]] | None = None) -> None:
        """Writes to `file`, and what concerns an appliance also to its files among `copies`, by haId."""
        self._file = file
        self._copies = copies or {}
        self._copied: dict[int, list[tuple[JournalFile, int]]] = {}

    def intend(
        self,
        intent: Literal["write", "restore"],
        group: str,
        debt: Debt,
        value: JsonValue,
        beside: Mapping[str, JsonValue] = MappingProxyType({}),
    ) -> int:
        """A write that is about to be sent, with what is owed for it; the number of its line.

        `beside` are other settings that it may move, by key, each with what it was before.

        Raises:
            OSError: when it cannot be written, and no earlier intent says what is owed, as one does for a
                restore.
        """
        line = Intent(
            **_about(debt), intent=intent, group=group, value=value, locked=debt.locked, beside={**beside}
        )
        number = self._file.add(line, must=intent != "restore")
        self._copied[number] = self._copy(line, must=intent != "restore")
        return number

    def answered(self, intent: int, outcome: str, answer: str, evidence: int) -> None:
        """What the target answered to an intent, and the line of the ledger that shows it."""
        line = WriteAnswer(UNWRITTEN, intent, outcome, answer, evidence)
        self._file.add(line)
        for copy, number in self._copied.pop(intent, ()):
            copy.add(replace(line, of=number))

    def settled(self, debt: Debt, *, changed: bool = False) -> None:
        """Journals what is there after a procedure; `changed` is for a key that this run did not write."""
        line = Settled(
            **_about(debt),
            restored=debt.restored,
            after=debt.after,
            now=debt.now,
            tries=debt.tries,
            note=debt.note,
            changed=changed,
        )
        self._file.add(line)
        self._copy(line)

    def end(self, ha_id: str = "") -> None:
        """Writes the last line where anything was written: nothing is owed any more, or it was said so.

        That is of one appliance alone where it is named: nobody has looked at the others.
        """
        self._add_everywhere(JournalEnd(UNWRITTEN, end=True, ha_id=ha_id))

    def joined(self, journal: Path) -> None:
        """Names the journal that this one was joined into: what is put back is settled there, too."""
        self._add_everywhere(Joined(UNWRITTEN, str(journal)))

    def _add_everywhere(self, line: JournalLine) -> None:
        copies = {id(file): file for files in self._copies.values() for file in files}
        for file in (self._file, *copies.values()):
            if file.is_begun:
                file.add(line)

    def _copy(self, line: Intent | Settled, *, must: bool = False) -> list[tuple[JournalFile, int]]:
        """Adds a line to the files of its appliance; each with the number that the line has there."""
        return [(copy, copy.add(line, must=must)) for copy in self._copies.get(line.ha_id, ())]


def _about(debt: Debt) -> dict[str, Any]:
    """What a line says that is about the key of a debt."""
    names = ("ha_id", "key", "segment", "before", "prepared")
    return {"n": UNWRITTEN, **{name: getattr(debt, name) for name in names}}
