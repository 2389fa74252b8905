"""Joins the ledgers and journals of the shards of a campaign: as if one process had made all of it."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import astuple, replace

from conformance.checks.exchange import WRITES, Remark
from conformance.checks.remarks import of_campaign, renumbered
from conformance.harness.errors import LedgerError
from conformance.harness.ledger import Ledger, LedgerContents, read_ledger
from conformance.harness.writes.keeping.owed import owed_in
from conformance.profiles.places import Places
from conformance.profiles.sections import Shard
from conformance.profiles.validation import build_profile
from conformance.records.journal_lines import JOURNAL_FILE, JournalError, journal_lines
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.admission.state import continued_journal
from conformance.runs.saved.comparing import changed_places
from conformance.runs.saved.saved_run import SavedRun
from reports.phrases import some_of

_OF_FILE = ("n", "run", "journal")


def join_journals(
    parts: Sequence[tuple[Path, Mapping[int, int]]], profile: Mapping[str, Any], out: Path
) -> None:
    """Writes the journal of a campaign into `out`; nothing where no shard has one.

    Its first line names the runs and their journals, and the journals of shards that owe anything name it:
    what is put back from one is settled in the others as well, and in the copies of the appliances.

    Args:
        parts: the directory of each shard, and the new number of each line of its ledger.
        profile: that of the campaign, as plain data.
        out: the directory of the merged run.

    Raises:
        JournalError: when one of them cannot be read.
    """
    there = [((place / JOURNAL_FILE).absolute(), numbers) for place, numbers in parts]
    there = [(place, numbers) for place, numbers in there if place.is_file()]
    read = [
        ([line for line in journal_lines(place) if "joined" not in line], numbers) for place, numbers in there
    ]
    if not read:
        return
    headers = [lines[0] for lines, _ in read]
    first = {name: value for name, value in headers[0].items() if name not in _OF_FILE}
    runs = {
        "runs": [header["run"] for header in headers],
        "journals": [str(place) for place, _ in there],
        "at": min(header["at"] for header in headers),
    }
    joined: list[dict[str, Any]] = [{"n": 0, **first, "profile": profile, **runs}]
    for lines, numbers in read:
        own = [line for line in lines[1:] if "end" not in line]
        new = {line["n"]: len(joined) + place for place, line in enumerate(own)}
        for line in own:
            refers = {"of": new[line["of"]]} if "of" in line else {}
            refers |= {"evidence": numbers[line["evidence"]]} if "evidence" in line else {}
            joined.append({**line, **refers, "n": new[line["n"]]})
    if all("end" in lines[-1] for lines, _ in read):
        joined.append({"n": len(joined), "end": True, "at": max(lines[-1]["at"] for lines, _ in read)})
    text = "".join(f"{json.dumps(line, ensure_ascii=True)}\n" for line in joined)
    (out / JOURNAL_FILE).write_text(text, encoding="utf-8")
    for place in (place for place, _ in there if owed_in(place)):
        continued_journal(place).joined((out / JOURNAL_FILE).resolve())


_MOST_PLACES = 6
_OF_TARGET = {"base_url": "address", "name": "name of the target", "product": "product"}
_SAME = {
    "suite": "version of the suite",
    "catalog_sha256": "catalog",
    "judging_sha256": "state of the suite (judging_sha256)",
    "level": "level",
    **_OF_TARGET,
    "seed": "profile, or --seed",
}
"""The fields that must not differ; a seed that nobody gave follows from the whole profile."""


class MergeError(Exception):
    """Runs that are not the shards of one campaign; the text says which one does not fit, and why."""


def merge(directories: Sequence[Path], out: Path, *, certify: bool = False) -> SavedRun:
    """The runs in `directories`, one of each shard, as one ledger and journal in `out`, which can be judged.

    Raises:
        LedgerError: when one of their ledgers cannot be read.
        MergeError: when they are not all shards of one campaign, each of them once and whole, or cannot be
            certified though `certify` says so.
    """
    parts = {directory: read_ledger(directory / LEDGER_FILE) for directory in directories}
    first, *others = parts
    for directory in others:
        _require_same(first, parts[first], directory, parts[directory])
    shards = {directory: _shard_of(directory, contents) for directory, contents in parts.items()}
    _require_each_once(shards)
    places = sorted(parts, key=lambda one: shards[one].index)
    in_turn = [parts[directory] for directory in places]
    header = replace(
        in_turn[0].header,
        profile=_whole(in_turn, shards[first]),
        at=min(contents.header.at for contents in in_turn),
        places=_where([contents.header.places for contents in in_turn]),
        interruptions=tuple(
            sorted({one for contents in in_turn for one in contents.header.interruptions}, key=astuple)
        ),
    )
    source = "the merged run"
    profile = build_profile(header.profile, source=source, environment={}, offline=True)
    timing = profile.timing
    if certify and header.level != "read" and timing.quiet_s != timing.settle_s:
        told = "a certificate does not rest on how long effects took so far"
        raise MergeError(f"{told}: set timing.quiet_s to {timing.settle_s:g}, and run the shards again")
    out.mkdir(parents=True, exist_ok=True)
    ledger = Ledger(out / LEDGER_FILE, header)
    numbers: list[dict[int, int]] = []
    remarks: list[Remark] = []
    connections = 0
    for contents in in_turn:
        numbers.append(_add(ledger, contents, connections))
        connections += max((one.response.connection for one in contents.exchanges if one.response), default=0)
        remarks += [renumbered(remark, numbers[-1]) for remark in contents.remarks]
    for remark in of_campaign(remarks, shards[first].order):
        ledger.remark(remark)
    troubles = dict.fromkeys(contents.trouble for contents in in_turn if contents.trouble)
    left = [one for contents in in_turn for one in contents.not_restored]
    goes_on = any(contents.planned for contents in in_turn)
    planned = sum(contents.planned or len(contents.exchanges) for contents in in_turn) if goes_on else 0
    ended = max(contents.ended for contents in in_turn)
    ledger.end("; ".join(troubles), left, planned=planned, at=ended)
    if ledger.lost:
        raise LedgerError(ledger.lost)
    try:
        join_journals(list(zip(places, numbers, strict=True)), header.profile, out)
    except (JournalError, LookupError) as error:
        raise MergeError(f"a journal of the shards cannot be read: {error}") from error
    return SavedRun(out / LEDGER_FILE)


def _add(ledger: Ledger, contents: LedgerContents, connections: int) -> dict[int, int]:
    """Adds what a shard has sent to the ledger of the campaign; the new number of each exchange.

    `connections` is the highest number of a connection so far: each shard begins anew.
    """
    numbers: dict[int, int] = {}
    for exchange in contents.exchanges:
        numbers[exchange.n] = ledger.count + 1
        response = exchange.response
        if response and response.connection:
            response = replace(response, connection=connections + response.connection)
        ledger.add(replace(exchange, n=numbers[exchange.n], response=response))
    return numbers


def _require_same(first: Path, one: LedgerContents, directory: Path, other: LedgerContents) -> None:
    """Raises unless two runs are of one campaign.

    Raises:
        MergeError: when they are not.
    """
    places = changed_places(_without_shard(one.header.profile), _without_shard(other.header.profile))
    if places:
        raise MergeError(
            f"{directory}: another profile than in {first}: it differs in {some_of(places, _MOST_PLACES)}"
        )
    for field, words in _SAME.items():
        then, now = (_said_in(contents, field) for contents in (one, other))
        if then != now:
            raise MergeError(f"{directory}: another {words} than in {first}: {now}, not {then}")


def _said_in(contents: LedgerContents, field: str) -> str:
    """A field of the target, or else of the first line."""
    target = contents.header.profile["target"]
    return str(target.get(field) if field in _OF_TARGET else getattr(contents.header, field))


def _where(parts: Sequence[Places]) -> Places:
    """Where the profile of the campaign stands: what its shards say of their appliances, together."""
    return replace(
        parts[0], appliances={name: place for one in parts for name, place in one.appliances.items()}
    )


def _shard_of(directory: Path, contents: LedgerContents) -> Shard:
    """Which shard a run is.

    Raises:
        MergeError: when it is none, or has not come to its end.
    """
    shard = contents.header.profile.get("fleet", {}).get("shard")
    if shard is None:
        raise MergeError(f"{directory}: is no shard: it was run without --shard")
    if any(one.purpose in WRITES for one in contents.exchanges) and not (directory / JOURNAL_FILE).is_file():
        raise MergeError(f"{directory}: it has written, and its {JOURNAL_FILE} is missing")
    if not contents.complete:
        raise MergeError(f"{directory}: was cut off before its end; run that shard again")
    return Shard.model_validate(shard)


def _require_each_once(shards: Mapping[Path, Shard]) -> None:
    """Raises unless each shard of a campaign is there once.

    Raises:
        MergeError: when one is missing, or there twice.
    """
    found: dict[int, Path] = {}
    first = next(iter(shards.values()))
    for directory, shard in shards.items():
        if (shard.count, shard.order) != (first.count, first.order):
            raise MergeError(f"{directory}: is a shard of another campaign: {shard.index}/{shard.count}")
        if shard.index in found:
            raise MergeError(f"{directory}: shard {shard.index}/{shard.count} is also {found[shard.index]}")
        found[shard.index] = directory
    missing = [str(number) for number in range(1, first.count + 1) if number not in found]
    if missing:
        raise MergeError(f"of {first.count} shards, {some_of(missing, _MOST_PLACES)} is missing")


def _without_shard(profile: Mapping[str, Any]) -> dict[str, Any]:
    """A profile without what the shards of a campaign differ in."""
    fleet = {name: value for name, value in profile.get("fleet", {}).items() if name != "shard"}
    rest = {name: value for name, value in profile.items() if name not in {"fleet", "appliance"}}
    return {**rest, **({"fleet": fleet} if fleet else {})}


def _whole(parts: Sequence[LedgerContents], shard: Shard) -> dict[str, Any]:
    """The profile of the campaign: every appliance, in the order in which it was declared.

    Raises:
        MergeError: when an appliance is missing, or there twice.
    """
    tables: list[dict[str, Any]] = [table for part in parts for table in part.header.profile["appliance"]]
    known = {table["ha_id"]: table for table in tables}
    if len(known) < len(tables) or known.keys() != set(shard.order):
        raise MergeError("the appliances of these shards are not those of the campaign, each of them once")
    profile = _without_shard(parts[0].header.profile)
    return {**profile, "appliance": [known[ha_id] for ha_id in shard.order]}
