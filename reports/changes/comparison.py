"""Two runs compared: results in, a record of what changed out."""

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

from conformance.records.faults import failed_restores, own_faults
from conformance.records.results import CaseResult, Results
from conformance.records.run_facts import JudgedAppliance, RunFacts
from reports.changes.causes import Causes, IndexedResults, selection_of
from reports.changes.model import Baseline, CaseChange, Change, Comparison, KeyChange, KeyWord, Side
from reports.phrases import headline
from reports.texts import one_line, plural, some_of

_BY_CERTIFY: Final = "timing.quiet_s"
_MOST_PLACES: Final = 12  # of a profile, named in a sentence
_NAMES: Final = ("name", "product", "vendor")


def notes_on(baseline: Baseline, new: Results) -> tuple[str, ...]:
    """How the runs differ, and why a cause cannot be told or is not exact."""
    old = baseline.results
    extent = ("level", old.run.level, new.run.level), ("selection", selection_of(old), selection_of(new))
    cut = "the old run was interrupted: cases that it had not reached are no changes"
    return (
        *_of_targets_and_suites(old.run, new.run),
        *_of_profiles(baseline, new),
        *_others(extent),
        *([cut] if old.interrupted else []),
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


def _of_targets_and_suites(old: RunFacts, new: RunFacts) -> Iterator[str]:
    was, now = old.target, new.target
    yield from _others(
        (
            ("address", was.base_url, now.base_url),
            *((f"{what} of the target", getattr(was, what), getattr(now, what)) for what in _NAMES),
            ("suite", old.suite_version, new.suite_version),
            ("catalog", old.catalog_sha256[:12], new.catalog_sha256[:12]),
        )
    )
    if old.catalog_sha256 == new.catalog_sha256:  # another catalog makes another judging
        yield from _others([("judging", old.judging_sha256[:12], new.judging_sha256[:12])])


def _others(rows: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """What was another one then, by rows of what it is called, and of both: `another level: read then, …`."""
    for what, then, now in rows:
        if then != now:
            yield f"another {what}: {then or 'none'} then, {now or 'none'} now"


def _of_profiles(baseline: Baseline, new: Results) -> Iterator[str]:
    of_certifying = new.certify != baseline.results.certify
    places = [
        f"{place}, which --certify sets" if place == _BY_CERTIFY and of_certifying else place
        for place in baseline.profile_changes
    ]
    if places:
        yield f"another profile: it differs in {some_of(places, _MOST_PLACES)}"
    elif not baseline.again and baseline.results.run.target.profile_sha256 != new.run.target.profile_sha256:
        yield "another profile: its digest differs, perhaps by the address alone"


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


_NONCE: Final = re.compile(r"\bNonce[A-Za-z]{8}\b")
# not the 404 of `404 (refused)`
_STATUS: Final = r"(?! without a value)(?! \((?!number|string|boolean|null|array|object))"
_NUMBER: Final = re.compile(rf"(?<![\w.])[-+]?\d++(?:\.\d++)?(?:[eE][-+]?\d++)?{_STATUS}")


def compare(baseline: Baseline, new: Results) -> Comparison:
    """What changed from the baseline to `new`."""
    old = baseline.results
    causes = Causes(baseline, new)
    before, after = IndexedResults(old), IndexedResults(new)
    of_new = [_case_change(before, after, case.id, causes) for case in new.cases]
    lost = [case for case in old.cases if case.id not in after.cases]
    of_lost = [_case_change(before, after, case.id, causes) for case in lost]
    changes = tuple(change for change in (*of_new, *of_lost) if change)
    return Comparison(
        old=_side(old),
        new=_side(new),
        notes=notes_on(baseline, new),
        trouble=trouble_of(old, new),
        changes=changes,
        keys=_key_changes(before, after, causes),
        came=_only_in(new, old),
        went=_only_in(old, new),
        silent=_silent(old, new),
        known=_known(baseline, new),
        common=len(old.cases) - len(lost),
    )


def change_between(before: CaseResult | None, after: CaseResult | None) -> Change | None:
    """How a case changed; None where nothing is to be told.

    A failure whose waiver ended is a new one: the run that accepted it accepts it no longer.
    """
    was = before.verdict if before else None
    if after is None:
        return "unjudged" if was == "fail" else None
    if after.verdict == "fail":
        return _failure_between(before, after)
    if after.verdict == "error":
        return None if was == "error" else "error"
    if after.verdict == "inconclusive":
        return None if was in {None, "inconclusive", "error"} else "inconclusive"
    return "fixed" if was == "fail" else None


def same_finding(one: str, other: str) -> bool:
    """Whether two findings tell of the same defect: they differ in measured numbers and nonces alone.

    A temperature out of its range is the same defect when another temperature is shown. Status codes, types,
    units and texts count.
    """
    return one == other or _masked(one) == _masked(other)


def key_change_between(before: bool | None, after: bool | None) -> KeyWord | None:
    """Whether a key is newly served or vanished; None also where a run does not know."""
    if before is None or after is None or before == after:
        return None
    return "served" if after else "vanished"


def _failure_between(before: CaseResult | None, after: CaseResult) -> Change | None:
    if before is None or before.verdict != "fail":
        return "waived_failure" if after.waived else "new_failure"
    if before.waived and not after.waived:
        return "new_failure"
    return None if same_finding(before.message, after.message) else "changed"


def _masked(finding: str) -> str:
    return _NUMBER.sub("#", _NONCE.sub("Nonce", finding))


def _case_change(old: IndexedResults, new: IndexedResults, name: str, causes: Causes) -> CaseChange | None:
    before, after = old.cases.get(name), new.cases.get(name)
    case = after or before
    change = change_between(before, after)
    if change is None and after and after.verdict == "fail" and causes.fails_no_more(name):
        change = "changed"  # it failed then by a mistake of the suite, and fails now by one of the server
    if change is None or case is None:
        return None
    expired = ""
    if after is None:
        cause = causes.of_case_of_one(case)
    elif change == "new_failure" and before and before.verdict == "fail":
        expired = _expired(new.results, name)
        cause = "waiver" if expired else "profile"
    else:
        cause = causes.of_case(case, change, lambda was: change_between(was, after))
    if cause == "unknown" and before and after and after.claimed and not before.claimed:
        cause = "claim"
    return CaseChange(
        id=case.id,
        clause=case.clause,
        key=case.key,
        ha_id=case.ha_id,
        change=change,
        cause=cause,
        before=before.verdict if before else "",
        after=after.verdict if after else "",
        message_before=before.message if before else "",
        message=after.message if after else "",
        finding=new.leads.get(name) or old.leads.get(name, ""),
        expired=expired,
    )


def _expired(results: Results, case: str) -> str:
    """The last day of a waiver of the profile that covered a case and has expired; empty if none has."""
    ended = (waiver for waiver in results.waivers if waiver.state == "expired")
    return max((waiver.expires for waiver in ended if fnmatchcase(case, waiver.case)), default="")


def _silent(old: Results, new: Results) -> tuple[JudgedAppliance, ...]:
    """The appliances that have given a value to the old run, and give none to the new one."""

    def answering(results: Results, *verdicts: str) -> set[str]:
        bases = (case for case in results.cases if case.clause == "ADDR-BASE")
        return {case.ha_id for case in bases if case.verdict in verdicts}

    lost = answering(new, "inconclusive") & answering(old, "pass", "fail")
    return tuple(appliance for appliance in new.run.appliances if appliance.ha_id in lost)


def _known(baseline: Baseline, new: Results) -> Mapping[str, str]:
    """The findings of both runs that no waiver covers, and since when each is known to be there."""
    old = baseline.results
    since = {
        case: baseline.known.get(finding.case, old.run.started)
        for finding in old.findings
        if not finding.waived
        for case in finding.cases
    }
    found = {
        finding.case: min((since[case] for case in finding.cases if case in since), default="")
        for finding in new.findings
        if not finding.waived
    }
    return {case: started for case, started in found.items() if started}


def _key_changes(before: IndexedResults, after: IndexedResults, causes: Causes) -> tuple[KeyChange, ...]:
    changes: list[KeyChange] = []
    for place, now in after.served.items():
        word = key_change_between(before.served.get(place), now)
        if word:
            cause = causes.of_key(place, lambda was, now=now, word=word: key_change_between(was, now) == word)
            changes.append(KeyChange(*place, word, cause, after.readings[place].message))
    return tuple(changes)


def _side(results: Results) -> Side:
    run = results.run
    return Side(
        target=run.target.name,
        base_url=run.target.base_url,
        level=run.level,
        started=run.started,
        verdict=results.verdict,
        cases=len(results.cases),
        headline=headline(results),
    )


def _only_in(these: Results, those: Results) -> tuple[JudgedAppliance, ...]:
    return tuple(one for one in these.run.appliances if one.ha_id not in those.run.places)
