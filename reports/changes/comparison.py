"""Two runs compared: results in, a record of what changed out.

A change is laid at the door of whoever made it by judging the old ledger with the suite that is installed: what that alone turns is
the suite's doing, what the new profile turns in it is the profile's, and only the rest is the server's.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from reports.changes.causes import Causes, Judged
from reports.changes.differences import notes_on, trouble_of
from reports.changes.records import CaseChange, Comparison, KeyChange, Side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reports.changes.records import Baseline, Cause, Change, KeyWord
    from reports.records import Appliance, CaseResult, Results

_NONCE: Final = re.compile(r"\bNonce[A-Za-z]{8}\b")
_STATUS: Final = r"(?! without a value)(?! \((?!number|string|boolean|null|array|object))"  # not the 404 of `404 (refused)`
_NUMBER: Final = re.compile(rf"(?<![\w.])[-+]?\d++(?:\.\d++)?(?:[eE][-+]?\d++)?{_STATUS}")


def compare(baseline: Baseline, new: Results) -> Comparison:
    """What changed from the baseline to `new`."""
    old = baseline.results
    causes = Causes(baseline, new)
    before, after = Judged(old), Judged(new)
    of_new = [change for case in new.cases if (change := _case_change(before.cases.get(case.id), case, causes))]
    lost = [change for case in old.cases if case.id not in after.cases and (change := _case_change(case, None, causes))]
    both = [(before.cases[case.id], case) for case in new.cases if case.id in before.cases]
    moved = [f"{was.verdict} to {now.verdict}" for was, now in both if was.verdict != now.verdict]
    return Comparison(
        old=_side(old),
        new=_side(new),
        notes=notes_on(baseline, new),
        trouble=trouble_of(old, new),
        changes=(*of_new, *lost),
        keys=_key_changes(before, after, causes),
        came=_only_in(new, old),
        went=_only_in(old, new),
        common=len(both),
        only_new=_counted(causes.of_new_case(case) for case in new.cases if case.id not in before.cases),
        only_old=_counted(causes.of_lost_case(case) for case in old.cases if case.id not in after.cases),
        transitions=dict(Counter(moved).most_common()),
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
    """Whether two findings of a case tell of the same defect: alike but for numbers that were measured and words nobody uses.

    A thermometer that is out of its range is not another defect tonight because it shows another temperature. Status codes, types, units
    and texts count.
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


def _case_change(before: CaseResult | None, after: CaseResult | None, causes: Causes) -> CaseChange | None:
    case = after or before
    change = change_between(before, after)
    if case is None:
        return None
    if change is None and after and after.verdict == "fail" and causes.has_acquitted(case.id):
        change = "changed"  # it failed then by a mistake of the suite, and fails now by one of the server
    if change is None:
        return None
    if after is None:
        cause = causes.of_lost_case(case)
    elif change == "new_failure" and before and before.verdict == "fail":
        cause = "profile"  # its waivers
    else:
        cause = causes.of_case(case, change, lambda was: change_between(was, after))
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
    )


def _key_changes(before: Judged, after: Judged, causes: Causes) -> tuple[KeyChange, ...]:
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
        suite_version=run.suite_version,
        catalog_sha256=run.catalog_sha256,
        judging_sha256=run.judging_sha256,
        profile_sha256=run.target.profile_sha256,
        level=run.level,
        started=run.started,
        finished=run.finished,
        verdict=results.verdict,
        cases=len(results.cases),
        claims_nothing=results.claims_nothing,
    )


def _only_in(these: Results, those: Results) -> tuple[Appliance, ...]:
    known = {appliance.ha_id for appliance in those.run.appliances}
    return tuple(appliance for appliance in these.run.appliances if appliance.ha_id not in known)


def _counted(causes: Iterable[Cause]) -> dict[Cause, int]:
    return dict(Counter(causes).most_common())
