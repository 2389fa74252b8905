"""The records of a run with stand-ins, from which its reports are made as from any other.

The ledger, the journal and the certificate prove something by their bytes, so none of them is made again.
"""

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct, ValidationError, convert, to_builtins
from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.exchange import Exchange, Response
from conformance.records.ledger_lines import LEDGER_FILE, Header, recorded_in
from conformance.records.results import Results
from conformance.records.verdicts import is_verdict
from reports.anonymous.stand_ins import BASE_URL, StandIns
from reports.changes.model import Comparison
from reports.recorded.saved_journal import SavedJournal
from reports.shown_run import ShownRun

_UNTOUCHED: Final = frozenset(
    {"quote", "document", "verdict", "clause", "clauses", "change", "cause", "level", "started", "finished"}
    | {"catalog_sha256", "judging_sha256", "profile_sha256", "suite_version", "expires", "at", "field"}
    | {"excluded"}
)
"""Members that hold nothing of a target or of its owner."""
_SAID: Final = frozenset(
    {"message", "message_before", "curl", "good", "refused", "text", "notes", "trouble", "note", "reason"}
)
"""Members in which a target may be quoted."""
_VALUES: Final = frozenset({"before", "written", "after", "now", "prepared"})
"""Members of a journal that hold what a key was; in a comparison two of them are verdicts."""
_OTHER_KIND: Final = "another kind"
_BY_NAME: Final = frozenset({"known", "listed", "answers"})
"""Mappings whose names may name something of the target."""
_OWNERS: Final = {"reason": "reason", "owner": "owner"}


class AnonymousRun(ShownRun):
    """A run with stand-ins in all that its reports show."""

    is_alone = True

    def __init__(self, run: ShownRun) -> None:
        """Reads all of the ledger: whatever the target has sent may tell whose it is."""
        results, changes = run.results, run.changes
        target, ha_ids = results.run.target, (one.ha_id for one in results.run.appliances)
        self._own, self._stand_ins = run, StandIns(target.base_url, ha_ids)
        self._stand_ins.name(changes.old.base_url if changes else "", BASE_URL)
        _learn(self._stand_ins, results, run.directory / LEDGER_FILE, changes)
        hidden = convert(_unsigned(self._hidden(results)), Results)
        super().__init__(hidden, run.directory)

    @cached_property
    def exchanges(self) -> Mapping[int, Exchange]:
        """What failed cases rest on."""
        return {number: _exchange(line, self._stand_ins) for number, line in self._own.exchanges.items()}

    @cached_property
    def journal(self) -> SavedJournal | None:
        """What was written and put back."""
        return convert(self._hidden(self._own.journal), SavedJournal) if self._own.journal else None

    @cached_property
    def changes(self) -> Comparison | None:
        """What changed since the baseline."""
        return convert(self._hidden(self._own.changes), Comparison) if self._own.changes else None

    def _hidden(self, record: Struct) -> Any:
        """The record as plain data: what holds quoted texts is hidden, of all else only what is known."""
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

    def _text(self, text: str, member: str) -> str:
        if member in _UNTOUCHED or not text or (member in _VALUES and is_verdict(text)):
            return text
        if member == "kind":
            return text if CATALOG.names_kind(text) else _OTHER_KIND
        if member in _VALUES:
            return self._stand_ins.body(text) if text[0] in '"{[' else self._stand_ins.value(text)
        return self._stand_ins.hide(text) if member in _SAID else self._stand_ins.replaced(text)


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
    for _, line in recorded_in(ledger):
        if isinstance(line, Header):
            for name in _map_names(line.profile):
                stand_ins.name(name, "name")
        elif isinstance(line, Exchange):
            for body in (line.response.body if line.response else b"", (line.request.body or "").encode()):
                with suppress(UnicodeDecodeError):
                    stand_ins.learn(body.decode())


class _Owned(Struct):
    samples: dict[str, list[Any]] = {}


def _map_names(profile: Mapping[str, Any]) -> list[str]:
    """The names that the owner has given to maps, as the profile has them."""
    with suppress(ValidationError):
        owned = convert(profile.get("appliance", ()), list[_Owned])
        return [str(name) for one in owned for name in one.samples.get("map_name", ())]
    return []


def _unsigned(results: dict[str, Any]) -> dict[str, Any]:
    """The results without what was typed, where the profile stood, and what a certificate is made of."""
    run: dict[str, Any] = {**results["run"], "argv": [], "profile": {}}
    run["target"] = {**run["target"], "product": "the product" if run["target"]["product"] else ""}
    if run["sample"]:
        run["sample"] = {**run["sample"], "seed": "seed"}
    cases: list[dict[str, Any]] = [{**case, "traces": []} for case in results["cases"]]  # known to its logs
    return {**results, "run": run, "certify": False, "cases": cases}


def _exchange(line: Exchange, stand_ins: StandIns) -> Exchange:
    """A line as a report shows it: no header but the media type, and bodies of JSON alone."""
    request, response, failure = line.request, line.response, line.failure
    kept = response.header("content-type") if response else None
    return replace(
        line,
        ha_id="",
        lane="",
        request=replace(
            request,
            url=stand_ins.replaced(request.url),
            headers=(),
            traceparent="",
            body=stand_ins.body(request.body) if request.body else None,
        ),
        response=response
        and replace(
            response,
            headers=(("content-type", stand_ins.hide(kept)),) if kept else (),
            body=_body(response, stand_ins).encode(),
        ),
        failure=failure and replace(failure, text=""),
    )


def _body(response: Response, stand_ins: StandIns) -> str:
    try:
        return stand_ins.body(response.body.decode())
    except UnicodeDecodeError:
        return "(left out: no JSON)"
