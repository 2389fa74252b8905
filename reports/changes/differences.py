"""How two runs differ before a single case is compared, in sentences: whether they can be compared at all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from reports.changes.model import Baseline
from reports.phrases import some_of
from reports.results.faults import failed_restores, own_faults
from reports.results.model import Results
from reports.results.run_facts import RunFacts
from reports.texts import one_line, plural

_MOST_PLACES: Final = 12  # of a profile, named in a sentence
_SELECTING: Final = ("-k", "-m", "--deselect", "--maxfail")
_STOPPING: Final = ("-x", "--exitfirst")


def notes_on(baseline: Baseline, new: Results) -> tuple[str, ...]:
    """How the runs differ, and why a cause cannot be told or is not exact."""
    old = baseline.results
    return (
        *_of_targets(old.run, new.run),
        *_of_suites(old.run, new.run),
        *_of_profiles(baseline, new),
        *_of_extent(old, new),
        *_of_judging(baseline, new),
    )


def trouble_of(old: Results, new: Results) -> tuple[str, ...]:
    """What keeps the new run from being a whole one, without what the old run could not put back either."""
    left_before = {fault.text for fault in failed_restores(old.faults)}
    left = [fault.text for fault in failed_restores(new.faults) if fault.text not in left_before]
    faults = [one_line(f"fault of the suite: {fault}") for fault in own_faults(new.faults)]
    return (
        *(one_line(f"not put back: {text}") for text in left),
        *faults,
        *(["the new run was interrupted"] if new.interrupted else []),
    )


def _of_targets(old: RunFacts, new: RunFacts) -> Iterator[str]:
    if old.target.base_url != new.target.base_url:
        yield f"another address: {old.target.base_url} then, {new.target.base_url} now"
    for what in ("name", "product", "vendor"):
        then, now = getattr(old.target, what), getattr(new.target, what)
        if then != now:
            yield f"another {what} of the target: {then or 'none'} then, {now or 'none'} now"


def _of_suites(old: RunFacts, new: RunFacts) -> Iterator[str]:
    if old.suite_version != new.suite_version:
        yield f"another suite: {old.suite_version} then, {new.suite_version} now"
    if old.catalog_sha256 != new.catalog_sha256:
        yield f"another catalog: {old.catalog_sha256[:12]} then, {new.catalog_sha256[:12]} now"
    elif old.judging_sha256 != new.judging_sha256:
        yield f"another judging: {old.judging_sha256[:12]} then, {new.judging_sha256[:12]} now"


def _of_profiles(baseline: Baseline, new: Results) -> Iterator[str]:
    places = baseline.profile_changes
    if places:
        yield f"another profile: it differs in {some_of(places, _MOST_PLACES)}"
    elif not baseline.again and baseline.results.run.target.profile_sha256 != new.run.target.profile_sha256:
        yield "another profile: its digest differs, perhaps by the address alone"


def _of_extent(old: Results, new: Results) -> Iterator[str]:
    if old.run.level != new.run.level:
        yield f"another level: {old.run.level} then, {new.run.level} now"
    then, now = _selection(old), _selection(new)
    if then != now:
        yield f"another selection: {then} then, {now} now"
    if old.interrupted:
        yield "the old run was interrupted: cases that it had not reached are no changes"


def _of_judging(baseline: Baseline, new: Results) -> Iterator[str]:
    if baseline.reason:
        yield f"causes cannot be told: {baseline.reason}"
    again = baseline.again
    if again is None:
        return
    if baseline.installed != (new.run.suite_version, new.run.judging_sha256):
        installed = ", judging ".join(word[:12] for word in baseline.installed)
        yield (
            f"the new run was not made by the installed suite ({installed}), which judged the old ledger"
            " again: causes are not exact"
        )
    before = {case.id: (case.verdict, case.message) for case in baseline.results.cases}
    now = {case.id: (case.verdict, case.message) for case in again.cases}
    turned = sum(before.get(case, ended) != ended for case, ended in now.items())
    if turned:
        cases = plural(turned, "case")
        yield f"judged again by the installed suite, {cases} of the old run end differently"


def _selection(results: Results) -> str:
    """What selected the cases of a run, as it was typed."""
    picked: list[str] = []
    words = iter(results.run.argv)
    for word in words:
        if word in _SELECTING:
            picked += [word, next(words, "")]
        elif word.startswith(_SELECTING) or word in _STOPPING or "::" in word:
            picked.append(word)
    return " ".join(picked) or ("some cases" if results.partial and not results.interrupted else "every case")
