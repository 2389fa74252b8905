"""Joins the journals of the shards of a campaign into one, from which all that is owed can be put back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.harness.writes.keeping.journal import JOURNAL
from conformance.harness.writes.keeping.owed import journal_lines

_OF_FILE = ("n", "run", "journal")


def join_journals(
    parts: Sequence[tuple[Path, Mapping[int, int]]], profile: Mapping[str, Any], out: Path
) -> None:
    """Writes the journal of a campaign into `out`; nothing where no shard has one.

    Its first line names the runs, since each appliance has a copy that names its own.

    Args:
        parts: the directory of each shard, and the new number of each line of its ledger.
        profile: that of the campaign, as plain data.
        out: the directory of the merged run.

    Raises:
        JournalError: when one of them cannot be read.
    """
    read = [(journal_lines(place / JOURNAL), numbers) for place, numbers in parts if _is_there(place)]
    if not read:
        return
    headers = [lines[0] for lines, _ in read]
    first = {name: value for name, value in headers[0].items() if name not in _OF_FILE}
    runs = {"runs": [header["run"] for header in headers], "at": min(header["at"] for header in headers)}
    joined: list[dict[str, Any]] = [{"n": 0, **first, "profile": profile, **runs}]
    for lines, numbers in read:
        new = {line["n"]: len(joined) + place for place, line in enumerate(lines[1:])}
        for line in (line for line in lines[1:] if "end" not in line):
            refers = {"of": new[line["of"]]} if "of" in line else {}
            refers |= {"evidence": numbers[line["evidence"]]} if "evidence" in line else {}
            joined.append({**line, **refers, "n": new[line["n"]]})
    if all("end" in lines[-1] for lines, _ in read):
        joined.append({"n": len(joined), "end": True, "at": max(lines[-1]["at"] for lines, _ in read)})
    text = "".join(f"{json.dumps(line, ensure_ascii=True)}\n" for line in joined)
    (out / JOURNAL).write_text(text, encoding="utf-8")


def _is_there(directory: Path) -> bool:
    return (directory / JOURNAL).is_file()
