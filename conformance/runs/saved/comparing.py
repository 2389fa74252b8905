"""Makes two runs comparable: the installed suite judges the old ledger again, if there is one.

What that alone changes is the suite's doing. Where the new run has another profile, the old ledger is judged
with that as well.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from msgspec.structs import replace

from conformance.harness.errors import LedgerError
from conformance.harness.ledger import LedgerContents, read_ledger
from conformance.profiles.fields import ProfileError
from conformance.profiles.validation import digest_dumped
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from conformance.runs.identity import judging_digest, suite_version
from conformance.runs.observed_run import ObservedRun
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from reports.changes.comparison import compare
from reports.changes.files import load_changes
from reports.changes.model import Baseline, Comparison
from reports.results.file import load_results

_NAMES = {"target.base_url", "target.name", "target.product"}


class NotComparableError(Exception):
    """The old run cannot be judged again; the text says why, and the comparison goes on without."""


def compare_saved(old: Path, new: Path) -> Comparison:
    """What changed between two saved runs.

    Raises:
        ResultsError: when one of them is no results.json.
    """
    results = load_results(new)
    return compare(baseline_of(old, profile_beside(new, results)), results)


def baseline_of(path: Path, profile: Mapping[str, Any] | None) -> Baseline:
    """A saved run as a baseline, judged again with its own profile and with the new one.

    Raises:
        ResultsError: when `path` is no results.json.
    """
    results = load_results(path)
    before = load_changes(path.parent, results.run.started)
    try:
        baseline = _with_causes(results, path.parent / LEDGER_FILE, profile)
    except NotComparableError as problem:
        baseline = Baseline(results, reason=str(problem))
    return replace(baseline, known=before.known if before else {})


def profile_beside(path: Path, results: Results) -> dict[str, Any] | None:
    """The profile in the ledger beside some results, as plain data; None if there is none that fits."""
    try:
        profile = _ledger_of(path.parent / LEDGER_FILE, results).header.profile
    except NotComparableError:
        return None
    return profile if digest_dumped(profile) == results.run.target.profile_sha256 else None


def _with_causes(results: Results, ledger: Path, profile: Mapping[str, Any] | None) -> Baseline:
    contents = _ledger_of(ledger, results)
    if profile is None:
        raise NotComparableError(
            "the profile of the new run is not known: no ledger with it is beside its results"
        )
    if digest_dumped(contents.header.profile) != results.run.target.profile_sha256:
        raise NotComparableError("the old run was judged with another profile than the one in its ledger")
    again = _judged_again(ledger, contents)
    places = changed_places(contents.header.profile, profile)
    reprofiled = _judged_again(ledger, contents, profile) if places else None
    return Baseline(
        results, again, reprofiled, profile_changes=places, installed=(suite_version(), judging_digest())
    )


def _ledger_of(ledger: Path, results: Results) -> LedgerContents:
    """The ledger of a run, checked.

    Raises:
        NotComparableError: when it is not there, is altered or cut, or belongs to another run.
    """
    if not ledger.is_file():
        raise NotComparableError(
            f"there is no {LEDGER_FILE} beside the old results, which could be judged again"
        )
    try:
        contents = read_ledger(ledger)
    except LedgerError as error:
        raise NotComparableError(
            f"the old {LEDGER_FILE} cannot be judged again: {str(error).removeprefix(f'{ledger}: ')}"
        ) from error
    if contents.header.at != results.run.started:
        raise NotComparableError(f"the {LEDGER_FILE} beside the old results is that of another run")
    if not contents.complete and not results.interrupted:
        raise NotComparableError(f"the end of the old {LEDGER_FILE} is cut off")
    return contents


def _judged_again(
    ledger: Path, contents: LedgerContents, profile: Mapping[str, Any] | None = None
) -> Results:
    """The results of a ledger in the judgement of the installed suite, perhaps with another profile.

    Raises:
        NotComparableError: when it gives none.
    """
    header = contents.header
    if profile is not None:  # its exchanges were made at the address of the old one
        target = {**profile["target"], "base_url": header.profile["target"]["base_url"]}
        header = replace(header, profile={**profile, "target": target})
    try:
        used = SavedRun(ledger).profile_for(header)
    except ProfileError as problem:
        with_it = " with the new profile" if profile else ""
        raise NotComparableError(
            f"the suite that is installed cannot judge the old {LEDGER_FILE}{with_it}"
        ) from problem
    return judged_in(ObservedRun(contents._replace(header=header), used))


def changed_places(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """The places where two profiles differ, as `pace.per_minute` or `appliance[oven-1].supports`.

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
    """The tables of a profile by name; a repeated one is named by its haId, its case or its number."""
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
