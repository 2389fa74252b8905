"""SET-ONLY-TARGET and ADDR-HAID-ISOLATION: a write changes only its key and appliance (lines 7, 8)."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from catalog.keys import COOLING_MODES, short_name
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import isolation_group, setting_group
from conformance.checks.traces.evaluating import (
    Evaluation,
    interference,
    undecided_while_others_act,
    verdict_on,
)
from conformance.checks.traces.trace import (
    Attempt,
    Effect,
    attempts,
    effect_of,
    values_around,
)
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.requirements import require_settable, unwritten
from conformance.model.couplings import siblings_of, unrelated_to
from conformance.model.json_values import NOTHING, quoted, same
from conformance.profiles.model import PROTECTING

_OWN_KEY = "each setting has a key of its own"
_PER_APPLIANCE = "a set of settings per home appliance"


def assert_only_target(case: Case, seen: View) -> str | None:
    """A write changes no unrelated setting, and no sibling takes the written value.

    Raises:
        Deviation: when one does, twice with different values, or with each of two writes and back.
        Inconclusive: when something changed, but not so often.
    """
    group = setting_group(case.key)
    require_settable(seen, case.key, group)
    watched = watched_with(seen, case.key)
    if not watched:
        raise NotApplicable(
            "the appliance serves no other setting that is known to be independent of this one"
        )
    tried = [attempt for attempt in attempts(seen, group) if attempt.key == case.key]
    if not tried:
        raise unwritten(seen, case.key, group)
    evaluations = [
        undecided_while_others_act(seen, found)
        for attempt in tried
        if (found := evaluate_only_target(seen, attempt))
    ]
    against = [one for one in evaluations if one.result == "contradicts"]
    against += _under_locks(case, seen)
    acting = interference(seen, group)
    if against and not acting:
        shown = reproduced(seen, [one.attempt for one in against], watched)
        if shown:
            raise Deviation(f"{shown.words}; document says {_OWN_KEY}", shown.shown)
        raise Inconclusive(
            f"{against[-1].words}, but not with each of two writes and back", against[-1].shown
        )
    return verdict_on(
        seen, evaluations, group, otherwise="no other setting was read before and after a write"
    )


def _under_locks(case: Case, seen: View) -> list[Evaluation]:
    """What contradicts of the writes of a key while another setting was on that may lock it."""
    groups = [setting_group(key) for key in seen.tried if key in {*PROTECTING, *COOLING_MODES} - {case.key}]
    tried = (one for group in groups if not interference(seen, group) for one in attempts(seen, group))
    found = (evaluate_only_target(seen, one) for one in tried if one.key == case.key)
    judged = (undecided_while_others_act(seen, one) for one in found if one)
    return [one for one in judged if one.result == "contradicts"]


def evaluate_only_target(seen: View, attempt: Attempt, *, needs_effect: bool = True) -> Evaluation | None:
    """What one attempt says of the settings beside the written one: they stay as they are.

    One without effect on its own key says nothing of them where it `needs_effect`.
    """
    wrote = f"wrote {quoted(attempt.value)} to {short_name(attempt.key)}, {attempt.words}"
    watched = [
        key
        for key in watched_with(seen, attempt.key)
        if attempt.old(key) is not NOTHING and attempt.reads(key)
    ]
    if not watched:
        return None
    for key in watched:
        if _took(seen, attempt, key):
            return Evaluation(
                "contradicts",
                f"{wrote}, and its sibling {short_name(key)} took it, too",
                attempt,
                about=_shown(attempt, key),
            )
        if _change(attempt, key):
            return Evaluation(
                "contradicts", f"{wrote}, and {_changed(attempt, key)}", attempt, about=_shown(attempt, key)
            )
    unread = next((key for key in watched if attempt.last(key) is NOTHING), None)
    if unread:
        return Evaluation(
            "undecided", f"{wrote}, and {short_name(unread)} could not be read afterwards", attempt
        )
    if needs_effect and not _had_effect(seen, attempt):
        return Evaluation("undecided", f"{wrote}, and it had no effect on its own key", attempt)
    return Evaluation("holds", f"{wrote}, and {len(watched)} others stayed", attempt)


def watched_with(seen: View, key: str) -> tuple[str, ...]:
    """The settings a write of `key` must leave alone: unrelated ones, and siblings not declared coupled."""
    told = seen.catalog, seen.learned.settings, key
    siblings = siblings_of(*told) if seen.profile.interpretation.siblings_independent else ()
    return (*siblings, *unrelated_to(*told))


def assert_isolated(case: Case, seen: View) -> str | None:
    """A write to one appliance leaves the same key of another appliance as it was.

    Raises:
        Deviation: when the other one takes the written value, twice with different values.
        Inconclusive: when it changed otherwise, or nothing was learned.
    """
    group = isolation_group(case.key)
    if not seen.companions:
        raise NotApplicable("no appliance is declared to compare it with (one that is no alias of this one)")
    require_settable(seen, case.key, group)
    tried = [attempt for attempt in attempts(seen, group) if attempt.key == case.key]
    made = [answer for answer in seen.group(group) if answer.exchange.group == group]
    if made and not any(answer.has_value and answer.exchange.ha_id in seen.companions for answer in made):
        raise NotApplicable(f"no appliance that it is compared with serves {short_name(case.key)}")
    if not tried:
        raise unwritten(seen, case.key, group)
    evaluations = [found for attempt in tried if (found := evaluate_isolated(seen, attempt))]
    against = [one for one in evaluations if one.result == "contradicts"]
    if against and not _differ(one.attempt.value for one in against):
        raise Inconclusive(f"{against[-1].words}, but not with two different values", against[-1].shown)
    return verdict_on(
        seen,
        evaluations,
        group,
        otherwise="the other appliance had the written value already",
        document=_PER_APPLIANCE,
    )


def evaluate_isolated(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt says of the same key on other appliances."""
    values, wrote = values_around(seen, attempt), f"wrote {quoted(attempt.value)}, {attempt.words}"
    read = [
        ha_id
        for ha_id in seen.companions
        if attempt.old(ha_id=ha_id) is not NOTHING and attempt.reads(ha_id=ha_id)
    ]
    telling = [ha_id for ha_id in read if not values.alike(attempt.value, attempt.old(ha_id=ha_id))]
    for ha_id in telling:
        old, last = attempt.old(ha_id=ha_id), attempt.last(ha_id=ha_id)
        if last is NOTHING:
            return Evaluation("undecided", f"{wrote}; then {ha_id} could not be read", attempt)
        if values.alike(attempt.value, last):
            shown = tuple(attempt.reads(ha_id=ha_id)[-1:])
            return Evaluation(
                "contradicts",
                f"{wrote}, and {ha_id} took it as well (was {quoted(old)})",
                attempt,
                about=shown,
            )
        if not same(old, last):
            return Evaluation(
                "undecided", f"{wrote}, and {ha_id} changed from {quoted(old)} to {quoted(last)}", attempt
            )
    if not telling:
        return None
    if not _had_effect(seen, attempt):
        return Evaluation("undecided", f"{wrote}, and it had no effect on its own appliance", attempt)
    return Evaluation("holds", f"{wrote}, and {', '.join(telling)} stayed", attempt)


def reproduced(seen: View, tried: Sequence[Attempt], watched: Iterable[str]) -> Evaluation | None:
    """Which setting followed or changed as often as a finding needs; None where none did."""
    for key in watched:
        followed = [attempt for attempt in tried if _took(seen, attempt, key)]
        if _differ(attempt.value for attempt in followed):
            last = followed[-1]
            wrote = f"wrote {quoted(last.value)} to {short_name(last.key)}, {last.words}"
            words = f"{wrote}, and its sibling {short_name(key)} took it, too"
            return Evaluation(
                "contradicts", f"{words}, twice with different values", last, about=_shown(last, key)
            )
        changed = [attempt for attempt in tried if _change(attempt, key)]
        # Written, back, and written again: three changes, the third like the first.
        for first, back, again in zip(changed, changed[1:], changed[2:], strict=False):
            if (
                _change(first, key) == _change(again, key)
                and same(first.value, again.value)
                and not same(first.value, back.value)
            ):
                wrote = f"wrote {quoted(again.value)} to {short_name(again.key)}, {again.words}"
                words = f"{wrote}, and {_changed(again, key)}; with each of two writes and back"
                return Evaluation("contradicts", words, again, about=_shown(again, key))
    return None


def _shown(attempt: Attempt, key: str) -> tuple[Answer, ...]:
    """The last read of another setting after a write."""
    return tuple(attempt.reads(key)[-1:])


def _took(seen: View, attempt: Attempt, key: str) -> bool:
    """Whether a sibling came to have the written value."""
    old, last = attempt.old(key), attempt.last(key)
    if (
        old is NOTHING
        or last is NOTHING
        or key not in siblings_of(seen.catalog, seen.learned.settings, attempt.key)
    ):
        return False
    values = seen.values(key, *attempt.reads(key))
    return values.alike(attempt.value, last) and not values.alike(attempt.value, old)


def _change(attempt: Attempt, key: str) -> tuple[str, str] | None:
    """The value of another setting before the write and after it, as JSON, where it changed."""
    old, last = attempt.old(key), attempt.last(key)
    if old is NOTHING or last is NOTHING or same(old, last):
        return None
    return quoted(old), quoted(last)


def _changed(attempt: Attempt, key: str) -> str:
    return f"{short_name(key)} changed from {quoted(attempt.old(key))} to {quoted(attempt.last(key))}"


def _had_effect(seen: View, attempt: Attempt) -> bool:
    return effect_of(seen, attempt) is Effect.TOOK


def _differ(values: Iterable[object]) -> bool:
    return any(not same(one, other) for one, other in combinations(list(values), 2))
