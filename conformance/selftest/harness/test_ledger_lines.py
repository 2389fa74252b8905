"""The lines of a ledger: what they name, where they are shown, and where they come into another ledger."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from pydantic import JsonValue

from conformance.checks.exchange import Noted, Remark
from conformance.checks.groups import NONCE_HA_ID, Group
from conformance.harness.ledger import Ledger, read_ledger
from conformance.records.ledger_lines import recorded_in, renumbered
from conformance.selftest.support.samples.handmade import ANCHOR, numbered, refusal, value
from conformance.selftest.support.samples.ledgers import EXCHANGES, HEADER


def test_report_passes_over_what_it_cannot_read(tmp_path: Path) -> None:
    """Of a ledger without a last line, with lines that are none, each other one comes with its number."""
    path = tmp_path / "ledger"
    noted = Remark("event", Group.parse("touch"), "one", ANCHOR, {"heard": 1})
    assert list(recorded_in(path)) == []
    with Ledger(path, HEADER) as ledger:
        ledger.add(EXCHANGES[0])
        ledger.remark(noted)
    whole = [(0, HEADER), (1, EXCHANGES[0]), (2, noted)]
    path.write_bytes(b'{"n": 0}\n' + b"[" * 9_999 + b"\n" + path.read_bytes())
    assert list(recorded_in(path)) == whole
    assert list(recorded_in(path, lambda text: b'"request"' in text)) == whole[1:2]


NUMBERED: dict[str, tuple[Noted, dict[str, JsonValue], dict[str, JsonValue]]] = {
    "a loss": ("lost", {"since": 3}, {"since": 9}),
    "what is known": ("known", {"read": 3}, {"read": 9}),
    "what was heard": ("event", {"heard": 3}, {"heard": 3}),
}


@pytest.mark.parametrize("name", NUMBERED)
def test_remark_follows_its_exchange(name: str) -> None:
    """Where an exchange has another number in another ledger, what is noted of it has that number, too."""
    purpose, *notes = NUMBERED[name]
    more = {"answer": "409", "access": False, "target": False} if purpose == "lost" else {}
    here, there = (Remark(purpose, Group.parse("touch"), "one", ANCHOR, note | more) for note in notes)
    assert renumbered(here, {3: 9}) == there


def test_remark_comes_back(tmp_path: Path) -> None:
    """What was noted beside exchanges is in the lane of its appliance, and comes back equal."""
    noted = Remark("event", Group.parse("touch"), "one", ANCHOR, {"heard": 1})
    with Ledger(tmp_path / "ledger", HEADER) as ledger:
        ledger.remark(noted)
    assert read_ledger(tmp_path / "ledger").remarks == [noted]
    assert json.loads((tmp_path / "ledger").read_text(encoding="utf-8").splitlines()[1])["lane"] == "one"


def test_line_names_procedures_and_lane(tmp_path: Path) -> None:
    """A line says which procedures an exchange was made for, and of which appliance they are."""
    unknown = replace(refusal(ANCHOR, group=NONCE_HA_ID), ha_id="nobody", lane="one")
    with Ledger(tmp_path / "ledger", HEADER) as ledger:
        for each in numbered([value(ANCHOR, 5), unknown]):
            ledger.add(each)
    lines = [json.loads(line) for line in (tmp_path / "ledger").read_text(encoding="utf-8").splitlines()[1:3]]
    assert [(line["groups"], line["lane"], line["ha_id"]) for line in lines] == [
        ([], "one", "one"),
        (["nonce/ha_id"], "one", "nobody"),
    ]
