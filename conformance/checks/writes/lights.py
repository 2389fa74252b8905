"""AMB and HOOD: when brightness, custom color and percent of a light can be set (lines 65 to 70)."""

from collections.abc import Sequence
from itertools import combinations

from catalog.keys import AMBIENT_BRIGHTNESS, AMBIENT_COLOR, COLOR_PERCENT, COLOR_TEMPERATURE, CUSTOM_COLOR
from conformance.checks.case import Case
from conformance.checks.traces.evaluating import Evaluation, verdict_on
from conformance.checks.traces.trace import Attempt, Effect, attempts
from conformance.checks.verdict import Deviation
from conformance.checks.view import View
from conformance.checks.writes.controlled import (
    GROUPS,
    evaluate_each,
    evaluate_locked,
    judged,
    require_lights,
    unwritten_while,
    verdict_of,
    was_locked,
    with_held,
)
from conformance.checks.writes.effects import evaluate_effect, undecided
from conformance.checks.writes.requirements import require_settable
from conformance.checks.writes.working import require_working_write
from conformance.model.json_values import NOTHING, quoted, same
from conformance.model.states import is_locked_by
from conformance.model.values import alike

_DROPPED_OR_REFUSED = frozenset({Effect.DROPPED, Effect.REFUSED})
_DROPPED = frozenset({Effect.DROPPED})


def assert_brightness_locked(_case: Case, seen: View) -> str | None:
    """The brightness takes no value while the color is CustomColor (line 68)."""
    require_lights(seen, AMBIENT_BRIGHTNESS)
    said = 'brightness "cannot be set while the ambient light color is CustomColor"'
    held = judged(seen, AMBIENT_BRIGHTNESS, evaluate_brightness_locked, wanted="CustomColor", document=said)
    require_working_write(seen, AMBIENT_BRIGHTNESS, evaluate_brightness_free)
    return held


def evaluate_brightness_locked(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the brightness under CustomColor says."""
    concerned = attempt.key == AMBIENT_BRIGHTNESS and was_locked(seen, attempt) is True
    return evaluate_locked(seen, attempt) if concerned else None


def assert_brightness_free(_case: Case, seen: View) -> str | None:
    """The brightness takes a value while the color is a preset (line 68)."""
    require_lights(seen, AMBIENT_BRIGHTNESS)
    require_settable(seen, AMBIENT_BRIGHTNESS, *GROUPS[AMBIENT_BRIGHTNESS])
    said = "brightness cannot be set only while the ambient light color is CustomColor"
    return judged(seen, AMBIENT_BRIGHTNESS, evaluate_brightness_free, wanted="a preset", document=said)


def evaluate_brightness_free(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the brightness under a preset says."""
    concerned = attempt.key == AMBIENT_BRIGHTNESS and was_locked(seen, attempt) is False
    return (
        with_held(seen, attempt, evaluate_effect(seen, attempt, against=_DROPPED_OR_REFUSED))
        if concerned
        else None
    )


def assert_percent_usable_only_with_custom(case: Case, seen: View) -> str | None:
    """The percent takes no value while ColorTemperature is not custom (line 65; interpretation I-3)."""
    require_lights(seen, COLOR_PERCENT)
    said = 'percent is "usable only when the ColorTemperature setting, if supported, is set to custom"'
    try:
        held = judged(
            seen, COLOR_PERCENT, evaluate_percent_usable, wanted="another than custom", document=said
        )
    except Deviation as deviation:
        if case.profile.interpretation.usable_means_settable:
            raise
        return f"{deviation.finding} (interpretation I-3 is switched off)"
    require_working_write(seen, COLOR_PERCENT, evaluate_percent_applies)
    return held


def evaluate_percent_usable(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the percent setting says while ColorTemperature is served and not custom."""
    concerned = attempt.key == COLOR_PERCENT and was_locked(seen, attempt) is True
    return evaluate_locked(seen, attempt) if concerned else None


def assert_percent_applies(_case: Case, seen: View) -> str | None:
    """With custom, or without ColorTemperature, the percent takes a value and custom stays (line 66)."""
    require_settable(seen, COLOR_PERCENT, *GROUPS[COLOR_PERCENT])
    said = '"with custom the percent setting applies"'
    return judged(seen, COLOR_PERCENT, evaluate_percent_applies, wanted="custom", document=said)


def evaluate_percent_applies(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write of the percent says under custom, or where ColorTemperature is not served."""
    before = is_locked_by(seen, COLOR_PERCENT, attempt.old(COLOR_TEMPERATURE))
    if attempt.key != COLOR_PERCENT or before is True:
        return None
    evaluation = with_held(seen, attempt, evaluate_effect(seen, attempt, against=_DROPPED))
    if before is False and is_locked_by(seen, COLOR_PERCENT, attempt.last(COLOR_TEMPERATURE)):
        words = (
            f"wrote {quoted(attempt.value)}, {attempt.words}, and ColorTemperature left custom:"
            f" {quoted(attempt.last(COLOR_TEMPERATURE))}"
        )
        return Evaluation("contradicts", words, attempt, about=tuple(attempt.reads(COLOR_TEMPERATURE)[-1:]))
    return evaluation


def assert_custom_only(_case: Case, seen: View) -> str | None:
    """The custom color takes no value while the color is a preset, not even for later (line 70)."""
    require_lights(seen, CUSTOM_COLOR)
    said = 'the custom color "can be set only while the ambient light color is CustomColor"'
    evaluations = evaluate_each(seen, CUSTOM_COLOR, evaluate_custom_only)
    stored = [
        found
        for group in GROUPS[CUSTOM_COLOR]
        for found in evaluate_custom_stored(seen, attempts(seen, group))
    ]
    if not any(one.result == "holds" for one in stored):
        reason = "CustomColor was not chosen again to see whether it was kept for later"
        evaluations = [undecided(one, reason) if one.result == "holds" else one for one in evaluations]
    # A written text that turns up where it must not is no chance and no rounding: once is enough.
    groups, otherwise = GROUPS[CUSTOM_COLOR], unwritten_while(seen, CUSTOM_COLOR, "a preset")
    held = verdict_on(seen, [*evaluations, *stored], *groups, times=1, otherwise=otherwise, document=said)
    require_working_write(seen, CUSTOM_COLOR, evaluate_custom_settable)
    return held


def evaluate_custom_only(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write of the custom color under a preset says; `evaluate_custom_stored` sees later effects."""
    concerned = attempt.key == CUSTOM_COLOR and was_locked(seen, attempt) is True
    return evaluate_locked(seen, attempt) if concerned else None


def evaluate_custom_stored(seen: View, tried: Sequence[Attempt]) -> list[Evaluation]:
    """What choosing CustomColor shows of custom colors written under a preset, in the order of attempts."""
    evaluations: list[Evaluation] = []
    kept: object = NOTHING
    pending: list[Attempt] = []
    for attempt in tried:
        before, after = (
            is_locked_by(seen, CUSTOM_COLOR, value)
            for value in (attempt.old(AMBIENT_COLOR), attempt.last(AMBIENT_COLOR))
        )
        if before is False and attempt.old(CUSTOM_COLOR) is not NOTHING:
            kept = attempt.old(CUSTOM_COLOR)
        if attempt.key == AMBIENT_COLOR and after is False:
            evaluations += _stored(seen, attempt, pending, kept)
        if before is False or after is False:
            # what is written under CustomColor, or by a server that chooses it by itself, may be kept
            pending = []
        elif (direct := evaluate_custom_only(seen, attempt)) and direct.result != "contradicts":
            pending.append(attempt)
    return evaluations


def assert_custom_settable(_case: Case, seen: View) -> str | None:
    """The custom color takes a value while the color is CustomColor (line 70)."""
    require_lights(seen, CUSTOM_COLOR)
    require_settable(seen, CUSTOM_COLOR, *GROUPS[CUSTOM_COLOR])
    said = 'the custom color "can be set" while the ambient light color is CustomColor'
    evaluations = _in_a_known_format(evaluate_each(seen, CUSTOM_COLOR, evaluate_custom_settable))
    return verdict_of(seen, evaluations, CUSTOM_COLOR, wanted="CustomColor", document=said)


def evaluate_custom_settable(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write of the custom color under CustomColor says; a refusal may be about its format."""
    concerned = attempt.key == CUSTOM_COLOR and was_locked(seen, attempt) is False
    return with_held(seen, attempt, evaluate_effect(seen, attempt, against=_DROPPED)) if concerned else None


def _stored(seen: View, attempt: Attempt, pending: Sequence[Attempt], kept: object) -> list[Evaluation]:
    """What CustomColor, chosen again, shows of the writes under a preset; `kept` is the color before them."""
    entry, read = seen.catalog.entries[CUSTOM_COLOR], attempt.last_read(CUSTOM_COLOR)
    if not pending:
        return []
    if read is None:
        return [
            Evaluation(
                "undecided", "the custom color could not be read after CustomColor was chosen again", attempt
            )
        ]
    wrote = f"wrote {quoted(pending[-1].value)} under a preset, {pending[-1].words}"
    found = next((one for one in reversed(pending) if alike(entry, one.value, read.value)), None)
    if found is None:
        return [
            Evaluation(
                "holds", f"{wrote}, and {quoted(read.value)} when CustomColor was chosen again", attempt
            )
        ]
    wrote = (
        f"wrote {quoted(found.value)} under a preset, {found.words}, and it appeared when CustomColor was"
        " chosen again"
    )
    was = found.old() if kept is NOTHING else kept
    if was is NOTHING:
        return [Evaluation("undecided", f"{wrote}, but what it was before is not known", attempt)]
    return (
        []
        if alike(entry, was, read.value)
        else [Evaluation("contradicts", wrote, attempt, about=(found.answer, read))]
    )


def _in_a_known_format(evaluations: list[Evaluation]) -> list[Evaluation]:
    """The evaluations, undecided unless two samples were dropped, or one that was taken before."""
    against = [one for one in evaluations if one.result == "contradicts"]
    taken = [one.attempt.value for one in evaluations if one.result == "holds"]
    two = any(not same(one.attempt.value, other.attempt.value) for one, other in combinations(against, 2))
    if two or any(same(one.attempt.value, value) for one in against for value in taken):
        return evaluations
    reason = "no second sample was dropped, and its format is not shown"
    return [undecided(one, reason) if one in against else one for one in evaluations]
