"""A trial reads the ledger of its run: what that holds must be what was judged."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Exchange
from conformance.harness import ledger
from conformance.proof.outcomes import outcome_of
from conformance.proof.trials import Trial
from conformance.records.ledger_lines import exchange_of
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.service import Service
from conformance.reference.wire import Json

TRIAL = Trial("one", type("One", (Service,), {"fleet": (DISHWASHER,)}), "full", "read")


def otherwise(line: dict[str, Any]) -> Exchange:
    """An exchange of a ledger, taken for one of another appliance."""
    return replace(exchange_of(line), ha_id="other")


def test_ledger_of_a_trial_holds_what_was_judged(tmp_path: Path) -> None:
    """Nothing differs."""
    assert outcome_of(TRIAL, tmp_path, pytest=False).troubles == ()


def test_ledger_that_is_read_otherwise_is_a_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first exchange that differs is named."""
    monkeypatch.setattr(ledger, "exchange_of", otherwise)
    assert outcome_of(TRIAL, tmp_path, pytest=False).troubles == ("its ledger differs: exchange 0",)


class Moved(Service):
    """Its run ends with another value in the store than the one that is shown."""

    fleet = (DISHWASHER.only(CHILD_LOCK),)

    def settings(self) -> dict[tuple[str, str], Json]:
        """The settings, and how often they were asked for."""
        self.asked = getattr(self, "asked", 0) + 1
        return {("dishwasher-1", CHILD_LOCK): self.asked}


def test_setting_that_is_left_otherwise_is_a_trouble(tmp_path: Path) -> None:
    """Where a run writes, each setting is afterwards what it was, or the run says that it is not."""
    outcome = outcome_of(Trial("moved", Moved, "full", "write", 0), tmp_path, pytest=False)
    said = f"dishwasher-1 {CHILD_LOCK} was 1, is 2, and the run says nothing of it"
    assert outcome.troubles == (said,)
