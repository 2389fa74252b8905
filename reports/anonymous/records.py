"""The records of a run with stand-ins, from which its reports are made as from any other.

The ledger, the journal and the certificate prove something by their bytes, so none of them is made again.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct, convert, to_builtins

from catalog.model import Catalog
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from reports.anonymous.stand_ins import StandIns
from reports.changes.files import load_changes
from reports.changes.model import Comparison
from reports.recorded.event_counts import EventCount, load_events
from reports.recorded.exchanges import LEDGER, headers_of, load_exchanges, mapping_of, read_objects
from reports.recorded.saved_journal import SavedJournal, load_journal

_UNTOUCHED: Final = frozenset(
    {"quote", "document", "verdict", "clause", "clauses", "change", "cause", "level", "started", "finished"}
    | {"catalog_sha256", "judging_sha256", "profile_sha256", "suite_version", "expires", "at", "field"}
    | {"excluded"}
)
"""Members that hold nothing of a target or of its owner."""
_SAID: Final = frozenset(
    {"message", "message_before", "curl", "earlier", "refused", "text", "notes", "trouble", "note", "reason"}
)
"""Members in which a target may be quoted."""
_VALUES: Final = frozenset({"before", "written", "after", "now", "prepared", "values", "read"})
_OTHER_KIND: Final = "another kind"
_BY_NAME: Final = frozenset({"known", "listed", "answers"})
"""Mappings whose names may name something of the target."""
_OWNERS: Final = {"reason": "reason", "owner": "owner"}


class AnonymousRun(Struct, frozen=True):
    """All that reports are made of, with stand-ins."""

    results: Results
    exchanges: Mapping[int, dict[str, Any]]
    journal: SavedJournal | None
    events: tuple[EventCount, ...]
    changes: Comparison | None


def anonymous(results: Results, directory: Path, catalog: Catalog) -> AnonymousRun:
    """A run with stand-ins.

    Args:
        results: The judged run.
        directory: Where its ledger, its journal and its changes lie.
        catalog: Gives the words that may stay.
    """
    run, ledger = results.run, directory / LEDGER_FILE
    journal = load_journal(directory / JOURNAL_FILE, run)
    changes = load_changes(directory, run.started)
    others = changes.old.base_url if changes else ""
    stand_ins = StandIns(catalog, run.target.base_url, (one.ha_id for one in run.appliances))
    stand_ins.name(others, "https://target.example")
    _learn(stand_ins, results, ledger, changes)
    failed = [case for case in results.cases if case.verdict in {"fail", "error"}]
    exchanges = load_exchanges(ledger, {number for case in failed for number in case.evidence})
    hidden = _Walk(stand_ins, frozenset(kind.name for kind in catalog.kinds))
    return AnonymousRun(
        results=convert(_unsigned(hidden.record(results)), Results),
        exchanges={number: _exchange(line, stand_ins) for number, line in exchanges.items()},
        journal=convert(hidden.record(journal), SavedJournal) if journal else None,
        events=tuple(convert(hidden.record(one), EventCount) for one in load_events(ledger)),
        changes=convert(hidden.record(changes), Comparison) if changes else None,
    )


def _learn(stand_ins: StandIns, results: Results, ledger: Path, changes: Comparison | None) -> None:
    """Takes down what names the target and its owner, and every text that the target has sent."""
    run = results.run
    stand_ins.name(run.target.name, "the target")
    stand_ins.name(run.target.product, "the product")
    if changes:
        stand_ins.name(changes.old.target, "the target")
    for waiver in results.waivers:
        stand_ins.name(waiver.owner, "owner")
        stand_ins.name(waiver.reason, "reason")
    for line in read_objects(ledger, LEDGER):
        header = mapping_of(line.get("profile"))
        for appliance in cast("list[Any]", header.get("appliance") or []):
            samples = mapping_of(mapping_of(appliance).get("samples"))
            for name in cast("list[Any]", samples.get("map_name") or []):
                stand_ins.name(str(name), "name")
        for message in (mapping_of(line.get("response")), mapping_of(line.get("request"))):
            body = message.get("body")
            if isinstance(body, str) and body and not message.get("body_encoding"):
                stand_ins.learn(body)


class _Walk:
    """Goes through records member by member: what holds quoted texts is hidden, else only what is known."""

    def __init__(self, stand_ins: StandIns, kinds: frozenset[str]) -> None:
        """`kinds` are those of the document; another one is the owner's word."""
        self._stand_ins, self._kinds = stand_ins, kinds

    def record(self, record: Struct) -> Any:
        """The record as plain data, with stand-ins."""
        return self._shown(to_builtins(record), "")

    def _shown(self, value: object, member: str) -> Any:
        if isinstance(value, str):
            return self._text(value, member)
        if isinstance(value, list | tuple):
            return [self._shown(one, member) for one in cast("list[object]", value)]
        if isinstance(value, dict):
            named = cast("dict[object, object]", value)
            if "owner" in named:
                return self._waiver(cast("dict[str, Any]", named))
            if member in _BY_NAME:
                return {self._text(str(name), ""): self._shown(one, "") for name, one in named.items()}
            return {str(name): self._shown(one, str(name)) for name, one in named.items()}
        return value

    def _waiver(self, waiver: dict[str, Any]) -> dict[str, Any]:
        """A waiver without its owner; its glob may hold a part of a haId."""
        case, _, place = str(waiver["case"]).partition("@")
        waives = [self._stand_ins.replaced(name) for name in waiver["waives"]]
        return {**waiver, **_OWNERS, "case": f"{case}@*" if place else case, "waives": waives}

    def _text(self, text: str, member: str) -> object:
        if member in _UNTOUCHED:
            return text
        if member == "kind":
            return text if text in self._kinds or not text else _OTHER_KIND
        if member in _VALUES:
            return self._stand_ins.body(text) if text[:1] in '"{[' else self._stand_ins.value(text)
        return self._stand_ins.hide(text) if member in _SAID else self._stand_ins.replaced(text)


def _unsigned(results: dict[str, Any]) -> dict[str, Any]:
    """The results without what was typed, and without a certificate, which lies beside the run alone."""
    run: dict[str, Any] = {**results["run"], "argv": []}
    run["target"] = {**run["target"], "product": "the product" if run["target"]["product"] else ""}
    if run["sample"]:
        run["sample"] = {**run["sample"], "seed": "seed"}
    return {**results, "run": run, "certify": False}


def _exchange(line: Mapping[str, Any], stand_ins: StandIns) -> dict[str, Any]:
    """An exchange as a report shows it: no header but the media type, and bodies of JSON alone."""
    request, response = mapping_of(line.get("request")), mapping_of(line.get("response"))
    failure = mapping_of(line.get("failure"))
    kept = [pair for pair in headers_of(response.get("headers")) if pair[0].lower() == "content-type"]
    return {
        "n": line.get("n"),
        "request": {
            "method": request.get("method", ""),
            "url": stand_ins.replaced(str(request.get("url", ""))),
            "body": _body(request, stand_ins),
        },
        **(
            {
                "response": {
                    "status": response.get("status"),
                    "headers": [[name, stand_ins.hide(text)] for name, text in kept],
                    "body": _body(response, stand_ins),
                    "elapsed_ms": response.get("elapsed_ms"),
                }
            }
            if response
            else {}
        ),
        **({"failure": {"kind": failure.get("kind", ""), "text": ""}} if failure else {}),
    }


def _body(message: Mapping[str, Any], stand_ins: StandIns) -> str:
    body = message.get("body")
    if not body:
        return ""
    is_text = isinstance(body, str) and not message.get("body_encoding")
    return stand_ins.body(str(body)) if is_text else "(left out: no JSON)"
