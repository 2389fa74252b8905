"""Two runs, made comparable: the old ledger, where there is one, is judged once more by the suite that is installed.

What that alone changes is the suite's doing. Where the new run has another profile, the old ledger is judged with that as well.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast

from conformance.harness.ledger import LedgerError, read_ledger
from conformance.profiles.loader import digest_dumped
from conformance.profiles.writing import toml_of
from conformance.runner import run_pytest
from conformance.runs.identity import judging_digest, suite_version
from conformance.session import EVIDENCE
from reports.changes.baseline import save_baseline
from reports.changes.comparison import compare
from reports.changes.records import Baseline
from reports.results import ResultsError, load_results
from reports.results_file import RESULTS_FILE

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from conformance.harness.ledger import Saved
    from reports.changes.records import Comparison
    from reports.results import Results

_NAMES = {"target.base_url", "target.name", "target.product"}


class NotComparableError(Exception):
    """The old run cannot be judged again; the text says why, and the comparison goes on without."""


def results_at(path: Path) -> Path:
    """The results.json that is meant: a file, or the one in a directory of a run."""
    return path / RESULTS_FILE if path.is_dir() else path


def compare_saved(old: Path, new: Path) -> Comparison:
    """What changed between two saved runs.

    Raises:
        ResultsError: when one of them is no results.json.
    """
    results = load_results(new)
    return compare(baseline_of(old, profile_beside(new, results)), results)


def baseline_of(path: Path, profile: Mapping[str, Any] | None) -> Baseline:
    """A saved run as a baseline: its ledger is judged again, with its own profile, and with that of the new run where it differs.

    Raises:
        ResultsError: when `path` is no results.json.
    """
    results = load_results(path)
    try:
        return _with_causes(results, path.parent / EVIDENCE, profile)
    except NotComparableError as problem:
        return Baseline(results, reason=str(problem))


@contextmanager
def kept_baseline(path: Path, profile: Mapping[str, Any] | None) -> Generator[Path]:
    """A directory with all of a saved run that a comparison needs: the run to come may write where the saved one lies.

    Raises:
        ResultsError: when `path` is neither a results.json nor a directory with one.
    """
    with TemporaryDirectory(prefix="appliance-conformance-") as kept:
        save_baseline(baseline_of(results_at(path), profile), Path(kept))
        yield Path(kept)


def profile_beside(path: Path, results: Results) -> dict[str, Any] | None:
    """The profile of a saved run as plain data, from the ledger beside its results; None where that holds none, or another one."""
    try:
        profile = _ledger_of(path.parent / EVIDENCE, results).header.profile
    except NotComparableError:
        return None
    return profile if digest_dumped(profile) == results.run.target.profile_sha256 else None


def _with_causes(results: Results, ledger: Path, profile: Mapping[str, Any] | None) -> Baseline:
    saved = _ledger_of(ledger, results)
    if profile is None:
        raise NotComparableError("the profile of the new run is not known: no ledger with it is beside its results")
    if digest_dumped(saved.header.profile) != results.run.target.profile_sha256:
        raise NotComparableError("the old run was judged with another profile than the one in its ledger")
    again = _judged_again(ledger, saved)
    places = changed_places(saved.header.profile, profile)
    reprofiled = _judged_again(ledger, saved, profile) if places else None
    return Baseline(results, again, reprofiled, profile_changes=places, installed=(suite_version(), judging_digest()))


def _ledger_of(ledger: Path, results: Results) -> Saved:
    """The ledger of a run, checked.

    Raises:
        NotComparableError: when it is not there, is altered or cut, or belongs to another run.
    """
    if not ledger.is_file():
        raise NotComparableError(f"there is no {EVIDENCE} beside the old results, which could be judged again")
    try:
        saved = read_ledger(ledger)
    except LedgerError as error:
        raise NotComparableError(f"the old {EVIDENCE} cannot be judged again: {str(error).removeprefix(f'{ledger}: ')}") from error
    if saved.header.started != results.run.started:
        raise NotComparableError(f"the {EVIDENCE} beside the old results is that of another run")
    if not saved.complete and not results.interrupted:
        raise NotComparableError(f"the end of the old {EVIDENCE} is cut off")
    return saved


def _judged_again(ledger: Path, saved: Saved, profile: Mapping[str, Any] | None = None) -> Results:
    """The results of a ledger in the judgement of the installed suite.

    Raises:
        NotComparableError: when it gives none.
        KeyboardInterrupt: when whoever started this interrupted it.
    """
    with TemporaryDirectory(prefix="appliance-conformance-") as kept:
        directory = Path(kept)
        words = [f"--evidence={ledger.resolve()}", "--no-renderings"]
        if profile is not None:
            other = directory / "profile.toml"
            other.write_text(toml_of(_at_the_same_address(profile, saved.header.profile)), encoding="utf-8")
            words.append(f"--profile={other}")
        run_pytest("saved", directory, extra=words, quiet=True)
        try:
            results = load_results(directory / RESULTS_FILE)
        except ResultsError as problem:
            with_it = " with the new profile" if profile else ""
            raise NotComparableError(f"the suite that is installed cannot judge the old {EVIDENCE}{with_it}") from problem
    return results


def _at_the_same_address(profile: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """A profile, for exchanges that were made at the address of the old one."""
    return {**profile, "target": {**profile["target"], "base_url": old["target"]["base_url"]}}


def changed_places(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """The places in which two profiles differ, as `pace.per_minute`, `appliance[oven-1].supports` or `appliance[oven-1]`.

    What a target is called and where it is are none: no verdict hangs on them.
    """
    then, now = _tables(old), _tables(new)
    places: list[str] = []
    for name in dict.fromkeys([*then, *now]):
        if name in then and name in now:
            fields = dict.fromkeys([*then[name], *now[name]])
            places += [f"{name}.{field}" for field in fields if then[name].get(field) != now[name].get(field)]
        else:
            places.append(name)
    return tuple(place for place in places if place not in _NAMES)


def _tables(profile: Mapping[str, Any]) -> dict[str, dict[str, object]]:
    """The tables of a profile by their names; a table that comes often has its haId or its case in the name, and its number if need be."""
    tables: dict[str, dict[str, object]] = {}
    for name, content in profile.items():
        if isinstance(content, list):
            rows = cast("list[dict[str, object]]", content)
            for number, row in enumerate(rows, start=1):
                place = f"{name}[{row.get('ha_id') or row.get('case') or number}]"
                tables[f"{place}[{number}]" if place in tables else place] = row
        else:
            tables[name] = content
    return tables
