"""A trial reads the ledger of its run: what that holds must be what was judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conformance.harness import ledger
from conformance.harness.ledger_lines import exchange_of
from conformance.profiles.toml import toml_of
from conformance.proof.trials import outcome_of
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from conformance.checks.exchange import Exchange


@pytest.fixture
def directory(tmp_path: Path) -> Generator[Path]:
    """The directory of a trial of a dishwasher."""
    service = type("One", (Service,), {"fleet": (DISHWASHER,)})()
    with serve({"": service}) as base_url:
        profile = toml_of(truthful_profile(service, base_url))
        (tmp_path / "profile.toml").write_text(profile, encoding="utf-8")
        yield tmp_path


def otherwise(line: dict[str, Any]) -> Exchange:
    """An exchange of a ledger, taken for one of another appliance."""
    return replace(exchange_of(line), ha_id="other")


def test_ledger_of_a_trial_holds_what_was_judged(directory: Path) -> None:
    """Nothing differs."""
    assert outcome_of(directory, "read", pytest=False).troubles == ()


def test_ledger_that_is_read_otherwise_is_a_trouble(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first exchange that differs is named."""
    monkeypatch.setattr(ledger, "exchange_of", otherwise)
    assert outcome_of(directory, "read", pytest=False).troubles == ("its ledger differs: exchange 0",)
