"""AMB and HOOD: when the brightness and the percent of a light can be set (lines 65, 66, 68)."""

from __future__ import annotations

from catalog.keys import AMBIENT_BRIGHTNESS, COLOR_PERCENT, COLOR_TEMPERATURE
from conformance.checks.case import Case
from conformance.checks.traces.evaluating import Evaluation
from conformance.checks.traces.trace import Attempt, Effect
from conformance.checks.verdict import Deviation
from conformance.checks.view import View
from conformance.checks.wording import quoted
from conformance.checks.writes.controlled import (
    GROUPS,
    evaluate_locked,
    is_custom,
    judged,
    require_lights,
    was_custom,
    with_held,
)
from conformance.checks.writes.effects import evaluate_effect
from conformance.checks.writes.requirements import require_settable

_DROPPED_OR_REFUSED = frozenset({Effect.DROPPED, Effect.REFUSED})
_DROPPED = frozenset({Effect.DROPPED})


def assert_brightness_locked(_case: Case, seen: View) -> str | None:
    """The brightness takes no value while the color is CustomColor (line 68)."""
    require_lights(seen, AMBIENT_BRIGHTNESS)
    said = 'brightness "cannot be set while the ambient light color is CustomColor"'
    return judged(seen, AMBIENT_BRIGHTNESS, evaluate_brightness_locked, wanted="CustomColor", document=said)


def evaluate_brightness_locked(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the brightness under CustomColor says."""
    concerned = attempt.key == AMBIENT_BRIGHTNESS and was_custom(seen, attempt) is True
    return evaluate_locked(seen, attempt) if concerned else None


def assert_brightness_free(_case: Case, seen: View) -> str | None:
    """The brightness takes a value while the color is a preset (line 68)."""
    require_lights(seen, AMBIENT_BRIGHTNESS)
    require_settable(seen, AMBIENT_BRIGHTNESS, *GROUPS[AMBIENT_BRIGHTNESS])
    said = "brightness cannot be set only while the ambient light color is CustomColor"
    return judged(seen, AMBIENT_BRIGHTNESS, evaluate_brightness_free, wanted="a preset", document=said)


def evaluate_brightness_free(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the brightness under a preset says."""
    concerned = attempt.key == AMBIENT_BRIGHTNESS and was_custom(seen, attempt) is False
    return (
        with_held(attempt, evaluate_effect(seen, attempt, against=_DROPPED_OR_REFUSED)) if concerned else None
    )


def assert_percent_usable_only_with_custom(case: Case, seen: View) -> str | None:
    """The percent takes no value while ColorTemperature is not custom (line 65; interpretation I-3)."""
    require_lights(seen, COLOR_PERCENT)
    said = 'percent is "usable only when the ColorTemperature setting, if supported, is set to custom"'
    try:
        return judged(
            seen, COLOR_PERCENT, evaluate_percent_usable, wanted="another than custom", document=said
        )
    except Deviation as deviation:
        if case.profile.interpretation.usable_means_settable:
            raise
        return f"{deviation.finding} (interpretation I-3 is switched off)"


def evaluate_percent_usable(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the percent setting says while ColorTemperature is served and not custom."""
    concerned = attempt.key == COLOR_PERCENT and was_custom(seen, attempt) is False
    return evaluate_locked(seen, attempt) if concerned else None


def assert_percent_applies(_case: Case, seen: View) -> str | None:
    """With custom, or without ColorTemperature, the percent takes a value and custom stays (line 66)."""
    require_settable(seen, COLOR_PERCENT, *GROUPS[COLOR_PERCENT])
    said = '"with custom the percent setting applies"'
    return judged(seen, COLOR_PERCENT, evaluate_percent_applies, wanted="custom", document=said)


def evaluate_percent_applies(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write of the percent says under custom, or where ColorTemperature is not served."""
    before = is_custom(seen, COLOR_TEMPERATURE, attempt.old(COLOR_TEMPERATURE))
    if attempt.key != COLOR_PERCENT or before is False:
        return None
    evaluation = with_held(attempt, evaluate_effect(seen, attempt, against=_DROPPED))
    if before is True and is_custom(seen, COLOR_TEMPERATURE, attempt.last(COLOR_TEMPERATURE)) is False:
        words = (
            f"wrote {quoted(attempt.value)}, {attempt.words}, and ColorTemperature left custom:"
            f" {quoted(attempt.last(COLOR_TEMPERATURE))}"
        )
        return Evaluation("contradicts", words, attempt, about=tuple(attempt.reads(COLOR_TEMPERATURE)[-1:]))
    return evaluation
