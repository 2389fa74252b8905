"""The same target gives the same verdicts, however often, by however many processes, and wherever it is judged."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.cases import all_cases
from conformance.checks.reading import assert_readable
from conformance.selftest.commanding import FILES, listening, write_profile
from conformance.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.selftest.commanding import Ran

OF_THIS_RUN = ("started", "finished", "argv", "target", "answers", "requests")
"""Members of results.json that hold times, paths, the port of the embedded server, or how often a written value was polled."""


def lasting(ran: Ran) -> dict[str, Any]:
    """The results without what differs from run to run: from the first write on, the number of reads hangs on how fast a value settles."""
    text = json.dumps(ran.results).replace(ran.results["target"]["base_url"], "http://reference")
    results = {name: value for name, value in json.loads(text).items() if name not in OF_THIS_RUN}
    first = next(line["n"] for line in ran.evidence if line["purpose"] == "write")
    later = {case["clause"] for case in results["cases"] if max(case["evidence"], default=0) >= first}
    for clause in results["clauses"]:
        clause.update({"exchanges": 0, "values": 0} if clause["id"] in later else {})
    for case in results["cases"]:
        case["evidence"] = [number for number in case["evidence"] if number < first]
    return results


def test_two_runs_give_the_same_results(reference_runs: dict[str, Ran]) -> None:
    """A second run, by two workers, changes no id, no order, no verdict, no finding, no count, and no evidence of reading."""
    assert reference_runs["spread"].code == 0
    assert lasting(reference_runs["spread"]) == lasting(reference_runs["plain"])


def test_two_runs_ask_the_same(reference_runs: dict[str, Ran]) -> None:
    """Shared reads are made once, in one order, also where workers judge."""
    assert reference_runs["spread"].reads == reference_runs["plain"].reads


def test_two_runs_leave_the_same_files(reference_runs: dict[str, Ran]) -> None:
    """Every run writes the same set of files."""
    assert [{path.name for path in ran.out.iterdir()} for ran in reference_runs.values()] == [FILES | {"certificate.json"}] * 2


def test_nothing_of_the_users_bends_a_run(stray_run: Ran, reference_run: Ran) -> None:
    """Options in variables and in stray files of pytest, a stray conftest.py and stray packages of our names are left alone."""
    assert stray_run.code == 0
    assert stray_run.verdicts == [found for found in reference_run.verdicts if "ChildLock" in found[0]] != []


def test_workers_judge_from_one_ledger(reference_runs: dict[str, Ran]) -> None:
    """With workers there is one ledger, complete, whose numbers the cases name."""
    lines = reference_runs["spread"].evidence
    assert lines[-1]["purpose"] == "end"
    assert {number for case in reference_runs["spread"].results["cases"] for number in case["evidence"]} <= {line["n"] for line in lines}


def test_workers_know_of_trouble(tmp_path: Path) -> None:
    """What went wrong on the way to the target is in the findings of every process: here, that the day's requests ran out."""
    with listening(404) as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url, more="[pace]\nper_day = 5\n")
        first = Session(str(profile), tmp_path)
        first.select(all_cases(first.profile))
        case = next(case for case in all_cases(first.profile) if case.id == "READ-SETTING::Vendor.Common.Setting.ChildLock@fridge-1")
        found = first.judge(case, assert_readable)
        first.finish()
        second = Session("", tmp_path, observed=first.share()).judge(case, assert_readable)
        first.close()
    assert "pace.per_day" in found.message
    assert (second.verdict, second.message) == (found.verdict, found.message)
    assert len(listener.asked) == 5
