"""A real pytest over items that attach what a test of the suite attaches."""

import sys
from pathlib import Path

from conformance.records.results import Results
from conformance.selftest.support.commanding import finished
from conformance.selftest.support.ran import Ran
from reports.results.file import load_results

CONFTEST = """
import os, pathlib
from catalog.loader import load_catalog
from reports.results.collector import Collector
from conformance.records.faults import Fault
from reports.renderings import RENDERINGS
from conformance.records.run_facts import JudgedAppliance, RunFacts, JudgedTarget

HUB = JudgedTarget("hub", "http://127.0.0.1", "Vendor", "Hub 3.2", "")
APPLIANCES = (JudgedAppliance("fridge-1", "Refrigerator"),)
RUN = RunFacts("0.1.0", "", "", HUB, APPLIANCES, "read", "2026-11-21T09:00:00Z", "2026-11-21T09:04:11Z")


def burst(*_):
    raise LookupError("the renderer broke")


class Broken(Collector):
    renderings = {"report.html": burst, "summary.md": RENDERINGS["summary.md"]}


def no_room(*_):
    raise OSError("no room")


def finish(run):
    raise OSError("no clock")


def pytest_configure(config):
    kind = Broken if "BROKEN" in os.environ else Collector
    more = {"finish": finish} if "UNFINISHED" in os.environ else {}
    more |= {"leaks": lambda: ["badge.json holds ${TOKEN}"]} if "LEAKS" in os.environ else {}
    certify = "CERTIFY" in os.environ
    out = pathlib.Path(config.rootpath, "out")
    out.mkdir(exist_ok=True)
    (out / "evidence.ndjson").touch()
    collector = kind(RUN, out, load_catalog(), certify=certify, **more)
    collector.add_faults(Fault("not_restored", text) for text in os.environ.get("FAULTS", "").splitlines())
    config.pluginmanager.register(collector)
    if "NO_PAGE" in os.environ:
        from reports.formats.cases_page import CaseRows
        CaseRows.pytest_html_results_summary = no_room
"""
ITEMS = """
import pytest, unittest

from reports.results.attached import ATTACHED
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
PASSES = 'def test_a(attach): attach("TYPE-INTEGER", "pass")\n'


def run_pytest(directory: Path, items: str, *options: str, **environment: str) -> Ran:
    """Runs pytest in a directory of its own, with the plugins named and no others."""
    (directory / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    (directory / "test_items.py").write_text(ITEMS + items, encoding="utf-8")
    words = [*"-m pytest -p no:cacheprovider --tb=no --rootdir".split(), str(directory), *options]  # noqa: SIM905  words as in a shell
    return finished(
        [sys.executable, *words], directory, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment}
    )


def results_in(ran: Ran) -> Results:
    """The results that such a pytest wrote."""
    return load_results(ran.out / "results.json")


def verdicts_in(ran: Ran) -> list[str]:
    """The verdicts of its cases in their order."""
    return [case.verdict for case in results_in(ran).cases]
