"""The process that draws names gives those that this process would draw, and leaves nothing behind."""

import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.loader import load_catalog
from conformance.harness.generated import drawing_process
from conformance.harness.generated.drawing import drawn_names
from conformance.harness.generated.drawing_process import Drawing, Wish, wished
from conformance.profiles.validation import build_profile

CATALOG = load_catalog()
PROFILE = build_profile(
    {
        "target": {"name": "drawn", "base_url": "http://127.0.0.1:9", "vendor": "Maker"},
        "appliance": [{"ha_id": "fridge-1", "kind": "Refrigerator"}],
        "pace": {"generated_reads": 120},
    },
    CATALOG,
)
WISH = wished(PROFILE, CATALOG, "Maker", "monday") or Wish((), (), 0, 0)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The processes that are forked; to whoever asks, no other thread runs."""
    made: list[int] = []
    fork = os.fork
    monkeypatch.setattr(threading, "active_count", lambda: 1)
    monkeypatch.setattr(os, "fork", lambda: made.append(fork()) or made[-1])
    return made


def elsewhere(act: Callable[[], object]) -> Callable[..., object]:
    """Draws names in this process; in any other one, does `act` instead."""
    own = os.getpid()

    def draw(*wish: Any) -> object:
        return drawn_names(*wish) if os.getpid() == own else act()

    return draw


def broken(*_: object) -> None:
    """Draws nothing."""
    raise ZeroDivisionError


def test_small_budget_draws_nothing() -> None:
    """For so few requests, schemathesis is not loaded."""
    pace = PROFILE.pace.model_copy(update={"generated_reads": 119})
    few = PROFILE.model_copy(update={"pace": pace})
    assert wished(few, CATALOG, "Maker", "monday") is None
    assert WISH[1:] == (("fridge-1",), WISH[2], 30)


def test_drawing_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the suite finds no directory of Hypothesis where they work."""
    monkeypatch.chdir(tmp_path)
    assert drawn_names(*WISH[:2], 7, 2)
    assert not list(tmp_path.iterdir())


def test_process_draws_what_this_one_would(forked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The names come from the process, also a second time; other ones are drawn here."""
    expected, others = drawn_names(*WISH), WISH._replace(seed=WISH.seed + 1)
    with Drawing() as drawing:
        drawing.begin(WISH)
        monkeypatch.setattr(drawing_process, "drawn_names", broken)
        with pytest.raises(ZeroDivisionError):
            drawing.names(others)
        assert drawing.names(WISH) == drawing.names(WISH) == expected
    assert len(forked) == 1


@pytest.mark.parametrize("act", [lambda: os.kill(os.getpid(), signal.SIGKILL), broken])
def test_process_that_ends_early_changes_nothing(
    act: Callable[[], object], forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the process was killed or broke, the same names are drawn here."""
    monkeypatch.setattr(drawing_process, "drawn_names", elsewhere(act))
    with Drawing() as drawing:
        drawing.begin(WISH)
        assert drawing.names(WISH) == drawn_names(*WISH)
    assert len(forked) == 1


@pytest.mark.usefixtures("forked")
def test_error_is_one_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """What breaks there breaks here, too, and is raised to whoever wants the names."""
    monkeypatch.setattr(drawing_process, "drawn_names", broken)
    with Drawing() as drawing:
        drawing.begin(WISH)
        with pytest.raises(ZeroDivisionError):
            drawing.names(WISH)


def test_process_ends_with_its_context(forked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that still draws when nobody wants the names any more is ended, and waited for."""
    monkeypatch.setattr(drawing_process, "drawn_names", elsewhere(signal.pause))
    with Drawing() as drawing:
        drawing.begin(WISH)
    with pytest.raises(ProcessLookupError):
        os.kill(forked[0], 0)


def test_nothing_is_forked_beside_a_thread(forked: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another thread runs, the names are drawn here."""
    monkeypatch.setattr(threading, "active_count", lambda: 2)
    with Drawing() as drawing:
        drawing.begin(WISH)
        assert drawing.names(WISH) == drawn_names(*WISH)
    assert forked == []


def test_nothing_is_forked_where_there_may_be_no_more_processes(
    forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names are drawn here, and signals come as before."""
    monkeypatch.setattr(os, "fork", lambda: os.kill(0x7FFFFFFF, 0))  # raises an OSError
    with Drawing() as drawing:
        drawing.begin(WISH)
        assert (drawing.names(WISH), forked) == (drawn_names(*WISH), [])
    assert signal.SIGTERM not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
