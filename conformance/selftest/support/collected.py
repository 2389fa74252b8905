"""A real pytest over items that attach what a test of the suite attaches."""

import sys
from collections.abc import Callable, Iterable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from conformance.records.faults import Fault
from conformance.records.results import Results
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.results import FRIDGE, RUN
from reports.results.collector import Collector
from reports.results.file import load_results

_ITEMS: Final = """
import pytest, unittest

from reports.results.collector import ATTACHED
from conformance.records.results import CaseResult, Omitted

KEY = "Vendor.Common.Setting.AlarmClock"


@pytest.fixture
def attach(request):
    def attach(clause, verdict, **more):
        parts = {"id": f"{clause}::{KEY}@fridge-1", "clause": clause, "key": KEY, "kind": "Refrigerator",
                 "ha_id": "fridge-1", "verdict": verdict, "evidence": (1,), "claimed": True, "curl": "curl x",
                 "message": f"about {clause}", "document": "line 41"}
        request.node.stash[ATTACHED] = CaseResult(**parts | more)
    return attach
"""
WITHIN_A_TEST: Final = ("--disable-plugin-autoload", "--capture=no", "-p", "no:unraisableexception")
"""Words of a pytest in the process of a test: at its end the last plugin would search ten times through all
that thousands of tests have left, and a run of the suite has none of it either.
"""
PASSES: Final = 'def test_a(attach): attach("TYPE-INTEGER", "pass")\n'


def run_pytest(
    directory: Path,
    items: str,
    *options: str,
    kind: Callable[..., Collector] = Collector,
    faults: Iterable[Fault] = (),
    **more: Any,
) -> Ran:
    """Runs pytest in a directory of its own, with the plugins named, a collector of a kind, and no others.

    `more` is what the collector is told beside the run, its directory and the catalog.
    """
    out = directory / "out"
    out.mkdir(exist_ok=True)
    (out / "evidence.ndjson").touch()
    (directory / "test_items.py").write_text(_ITEMS + items, encoding="utf-8")
    (directory / "pytest.ini").touch()
    collector = kind(replace(RUN, appliances=(FRIDGE,)), out, **more)
    collector.add_faults(faults)
    alone = ["-p", "no:cacheprovider", "-p", "no:faulthandler", "--tb=no"]
    place = ["--import-mode=importlib", "-c", str(directory / "pytest.ini"), "--rootdir", str(directory)]
    said = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(said):
        patch.chdir(directory)
        patch.delitem(sys.modules, "test_items", raising=False)  # of another directory
        code = pytest.main([*WITHIN_A_TEST, *alone, *place, *options], plugins=[collector])
    return Ran(int(code), said.getvalue().encode(), out)


def results_in(ran: Ran) -> Results:
    """The results that such a pytest wrote."""
    return load_results(ran.out / "results.json")
