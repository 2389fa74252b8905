"""AMB and HOOD: which light settings can be set while another has which value (lines 65, 66, 68, 70).

    AmbientLightColor  CustomColor   brightness cannot be set, the custom color can
                       a preset      brightness can be set, the custom color cannot
    ColorTemperature   custom        the percent setting applies
                       another one   the percent setting is not usable

What cannot be set is judged by what is read afterwards, with the controlling setting read before and after.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from catalog.keys import AMBIENT_BRIGHTNESS, AMBIENT_COLOR, COLOR_PERCENT, COLOR_TEMPERATURE, CUSTOM_COLOR
from conformance.checks.answer import NOTHING
from conformance.checks.exempting import StateId
from conformance.checks.groups import AMBIENT, AMBIENT_ORDERS, HOOD, HOOD_ORDERS
from conformance.checks.reads.enumerations import allowed
from conformance.checks.reads.states import write_exempting_state
from conformance.checks.reads.value_types import fits
from conformance.checks.traces.evaluating import Evaluation, verdict_on
from conformance.checks.traces.quiet import quiet_seconds
from conformance.checks.traces.trace import (
    Effect,
    alike,
    attempts,
    known_step,
    reads_back,
    same,
)
from conformance.checks.verdict import Deviation, NotApplicable
from conformance.checks.wording import quoted
from conformance.checks.writes.effects import (
    evaluate_effect,
    offered,
    reads_around,
    undecided,
    watched_for,
    without_echoes,
)
from conformance.checks.writes.requirements import require_served, require_settable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.checks.case import Case
    from conformance.checks.view import View
from conformance.checks.traces.trace import Attempt

_CUSTOM = {AMBIENT_COLOR: "CustomColor", COLOR_TEMPERATURE: "custom"}
_LOCKS = {AMBIENT_BRIGHTNESS: StateId.X1, CUSTOM_COLOR: StateId.X2, COLOR_PERCENT: StateId.X3}
_CONTROLLERS = {
    AMBIENT_BRIGHTNESS: AMBIENT_COLOR,
    CUSTOM_COLOR: AMBIENT_COLOR,
    COLOR_PERCENT: COLOR_TEMPERATURE,
}
_GROUPS = {
    AMBIENT_BRIGHTNESS: (AMBIENT, AMBIENT_ORDERS),
    CUSTOM_COLOR: (AMBIENT, AMBIENT_ORDERS),
    COLOR_PERCENT: (HOOD, HOOD_ORDERS),
}
_DROPPED_OR_REFUSED = frozenset({Effect.DROPPED, Effect.REFUSED})
_DROPPED = frozenset({Effect.DROPPED})


def assert_brightness_locked(_case: Case, seen: View) -> str | None:
    """The brightness takes no value while the color is CustomColor (line 68)."""
    _require(seen, AMBIENT_BRIGHTNESS)
    said = 'brightness "cannot be set while the ambient light color is CustomColor"'
    return _verdict(
        seen,
        _evaluate(seen, AMBIENT_BRIGHTNESS, evaluate_brightness_locked),
        AMBIENT_BRIGHTNESS,
        wanted="CustomColor",
        document=said,
    )


def evaluate_brightness_locked(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the brightness under CustomColor says."""
    concerned = (
        attempt.key == AMBIENT_BRIGHTNESS
        and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is True
    )
    return _evaluate_locked(seen, attempt) if concerned else None


def assert_brightness_free(_case: Case, seen: View) -> str | None:
    """The brightness takes a value while the color is a preset (line 68)."""
    _require(seen, AMBIENT_BRIGHTNESS)
    require_settable(seen, AMBIENT_BRIGHTNESS, *_GROUPS[AMBIENT_BRIGHTNESS])
    said = "brightness cannot be set only while the ambient light color is CustomColor"
    return _verdict(
        seen,
        _evaluate(seen, AMBIENT_BRIGHTNESS, evaluate_brightness_free),
        AMBIENT_BRIGHTNESS,
        wanted="a preset",
        document=said,
    )


def evaluate_brightness_free(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the brightness under a preset says."""
    concerned = (
        attempt.key == AMBIENT_BRIGHTNESS
        and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is False
    )
    return _under(attempt, evaluate_effect(seen, attempt, against=_DROPPED_OR_REFUSED)) if concerned else None


def assert_custom_only(_case: Case, seen: View) -> str | None:
    """The custom color takes no value while the color is a preset, not even for later (line 70)."""
    _require(seen, CUSTOM_COLOR)
    said = 'the custom color "can be set only while the ambient light color is CustomColor"'
    evaluations = _evaluate(seen, CUSTOM_COLOR, evaluate_custom_only)
    stored = [
        found
        for group in _GROUPS[CUSTOM_COLOR]
        for found in evaluate_custom_stored(seen, attempts(seen, group))
    ]
    if not any(one.result == "holds" for one in stored):
        reason = "CustomColor was not chosen again to see whether it was kept for later"
        evaluations = [undecided(one, reason) if one.result == "holds" else one for one in evaluations]
    # A written text that turns up where it must not is no chance and no rounding: once is enough.
    groups, otherwise = _GROUPS[CUSTOM_COLOR], _unwritten(CUSTOM_COLOR, "a preset")
    return verdict_on(seen, [*evaluations, *stored], *groups, times=1, otherwise=otherwise, document=said)


def evaluate_custom_only(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write of the custom color under a preset says; `evaluate_custom_stored` sees later effects."""
    concerned = (
        attempt.key == CUSTOM_COLOR and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is False
    )
    return _evaluate_locked(seen, attempt) if concerned else None


def evaluate_custom_stored(seen: View, tried: Sequence[Attempt]) -> list[Evaluation]:
    """What choosing CustomColor shows of custom colors written under a preset, in the order of attempts."""
    evaluations: list[Evaluation] = []
    kept: object = NOTHING
    pending: list[Attempt] = []
    for attempt in tried:
        before, after = (
            _is_custom(seen, AMBIENT_COLOR, value)
            for value in (attempt.old(AMBIENT_COLOR), attempt.last(AMBIENT_COLOR))
        )
        if before is True and attempt.old(CUSTOM_COLOR) is not NOTHING:
            kept = attempt.old(CUSTOM_COLOR)
        if attempt.key == AMBIENT_COLOR and after is True:
            evaluations += _stored(seen, attempt, pending, kept)
        if before is True or after is True:
            # what is written under CustomColor, or by a server that chooses it by itself, may be kept
            pending = []
        elif (direct := evaluate_custom_only(seen, attempt)) and direct.result != "contradicts":
            pending.append(attempt)
    return evaluations


def assert_custom_settable(_case: Case, seen: View) -> str | None:
    """The custom color takes a value while the color is CustomColor (line 70)."""
    _require(seen, CUSTOM_COLOR)
    require_settable(seen, CUSTOM_COLOR, *_GROUPS[CUSTOM_COLOR])
    said = 'the custom color "can be set" while the ambient light color is CustomColor'
    evaluations = _in_a_known_format(_evaluate(seen, CUSTOM_COLOR, evaluate_custom_settable))
    return _verdict(seen, evaluations, CUSTOM_COLOR, wanted="CustomColor", document=said)


def evaluate_custom_settable(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write of the custom color under CustomColor says; a refusal may be about its format."""
    concerned = (
        attempt.key == CUSTOM_COLOR and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is True
    )
    return _under(attempt, evaluate_effect(seen, attempt, against=_DROPPED)) if concerned else None


def assert_percent_usable_only_with_custom(case: Case, seen: View) -> str | None:
    """The percent takes no value while ColorTemperature is not custom (line 65; interpretation I-3)."""
    _require(seen, COLOR_PERCENT)
    said = 'percent is "usable only when the ColorTemperature setting, if supported, is set to custom"'
    try:
        return _verdict(
            seen,
            _evaluate(seen, COLOR_PERCENT, evaluate_percent_usable),
            COLOR_PERCENT,
            wanted="another than custom",
            document=said,
        )
    except Deviation as deviation:
        if case.profile.interpretation.usable_means_settable:
            raise
        return f"{deviation.finding} (interpretation I-3 is switched off)"


def evaluate_percent_usable(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one attempt to write the percent setting says while ColorTemperature is served and not custom."""
    concerned = (
        attempt.key == COLOR_PERCENT
        and _is_custom(seen, COLOR_TEMPERATURE, attempt.old(COLOR_TEMPERATURE)) is False
    )
    return _evaluate_locked(seen, attempt) if concerned else None


def assert_percent_applies(_case: Case, seen: View) -> str | None:
    """With custom, or without ColorTemperature, the percent takes a value and custom stays (line 66)."""
    require_settable(seen, COLOR_PERCENT, *_GROUPS[COLOR_PERCENT])
    said = '"with custom the percent setting applies"'
    return _verdict(
        seen,
        _evaluate(seen, COLOR_PERCENT, evaluate_percent_applies),
        COLOR_PERCENT,
        wanted="custom",
        document=said,
    )


def evaluate_percent_applies(seen: View, attempt: Attempt) -> Evaluation | None:
    """What one write of the percent says under custom, or where ColorTemperature is not served."""
    before = _is_custom(seen, COLOR_TEMPERATURE, attempt.old(COLOR_TEMPERATURE))
    if attempt.key != COLOR_PERCENT or before is False:
        return None
    evaluation = _under(attempt, evaluate_effect(seen, attempt, against=_DROPPED))
    if before is True and _is_custom(seen, COLOR_TEMPERATURE, attempt.last(COLOR_TEMPERATURE)) is False:
        words = (
            f"wrote {quoted(attempt.value)}, {attempt.words}, and ColorTemperature left custom:"
            f" {quoted(attempt.last(COLOR_TEMPERATURE))}"
        )
        return Evaluation("contradicts", words, attempt, about=tuple(attempt.reads(COLOR_TEMPERATURE)[-1:]))
    return evaluation


def _evaluate_locked(seen: View, attempt: Attempt) -> Evaluation | None:
    """What a write that must have no effect says by what is read later; None if it wrote the old value."""
    entry, controller = seen.catalog.entries[attempt.key], _CONTROLLERS[attempt.key]
    step, old = known_step(seen, entry, *reads_around(attempt)), attempt.old()
    if not fits(entry, attempt.value) or (old is not NOTHING and alike(entry, attempt.value, old, step)):
        return None
    held = attempt.old(controller)
    wrote = f"wrote {quoted(attempt.value)} while {_name(controller)} was {quoted(held)}, {attempt.words}"
    if not attempt.reads():
        return Evaluation("undecided", f"{wrote}; it was not read again", attempt)
    after = attempt.last(controller)
    if after is NOTHING or _is_custom(seen, controller, after) is not _is_custom(seen, controller, held):
        words = "could not be read afterwards" if after is NOTHING else f"became {quoted(after)}"
        return Evaluation("undecided", f"{wrote}, and {_name(controller)} {words}", attempt)
    last = attempt.reads()[-1]
    words = f"{wrote}, then {quoted(last.value) if last.has_value else last.words}"
    state = write_exempting_state(
        attempt.seen_before(seen), attempt.key, attempt.value, about=_LOCKS[attempt.key]
    )
    taken = [
        read.has_value and reads_back(entry, attempt.value, read, attempt.answer, step)
        for read in attempt.reads()
    ]
    if taken[-1]:
        return Evaluation("contradicts", words, attempt)
    moved = last.has_value and old is not NOTHING and not same(last.value, old)
    settled = attempt.is_settled(quiet_seconds(seen, attempt))
    if state or any(taken) or moved or not settled:
        reason = (
            f" while {state}" if state else "" if settled else f", watched for {watched_for(attempt)} only"
        )
        return Evaluation("undecided", words + reason, attempt, state)
    return Evaluation("holds", words, attempt)


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
    found = next((one for one in reversed(pending) if alike(entry, one.value, read.value, None)), None)
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
        if alike(entry, was, read.value, None)
        else [Evaluation("contradicts", wrote, attempt, about=(found.answer, read))]
    )


def _evaluate(
    seen: View, key: str, evaluate: Callable[[View, Attempt], Evaluation | None]
) -> list[Evaluation]:
    tried = attempts(seen, *_GROUPS[key])
    return without_echoes(tried, [found for attempt in tried if (found := evaluate(seen, attempt))])


def _verdict(
    seen: View, evaluations: Sequence[Evaluation], key: str, *, wanted: str, document: str
) -> str | None:
    return verdict_on(seen, evaluations, *_GROUPS[key], otherwise=_unwritten(key, wanted), document=document)


def _unwritten(key: str, wanted: str) -> str:
    return f"{_name(key)} was not written while {_name(_CONTROLLERS[key])} was {wanted}"


def _in_a_known_format(evaluations: list[Evaluation]) -> list[Evaluation]:
    """The evaluations, undecided unless two samples were dropped, or one that was taken before."""
    against = [one for one in evaluations if one.result == "contradicts"]
    taken = [one.attempt.value for one in evaluations if one.result == "holds"]
    two = any(not same(one.attempt.value, other.attempt.value) for one, other in combinations(against, 2))
    if two or any(same(one.attempt.value, value) for one in against for value in taken):
        return evaluations
    reason = "no second sample was dropped, and its format is not shown"
    return [undecided(one, reason) if one in against else one for one in evaluations]


def _require(seen: View, key: str) -> None:
    """Requires key and controller to be served, and CustomColor (or custom) not known to be missing."""
    controller = _CONTROLLERS[key]
    chosen = require_served(seen, controller, *_GROUPS[key])
    require_served(seen, key, *_GROUPS[key])
    subset = offered(seen, seen.catalog.entries[controller], chosen)
    if subset is not None and not any(_is_custom(seen, controller, value) for value in subset):
        raise NotApplicable(f"{_CUSTOM[controller]} is no value of this appliance's {_name(controller)}")


def _is_custom(seen: View, controller: str, value: object) -> bool | None:
    """Whether a value of a controlling setting is its custom one; None if that is not known."""
    if not isinstance(value, str) or value not in allowed(seen.catalog.entries[controller], seen.maker):
        return None
    return value.rpartition(".")[2] == _CUSTOM[controller]


def _under(attempt: Attempt, evaluation: Evaluation | None) -> Evaluation | None:
    """The evaluation with the value of the controlling setting in its words."""
    controller = _CONTROLLERS[attempt.key]
    held = attempt.old(controller)
    if evaluation is None or held is NOTHING:
        return evaluation
    return replace(evaluation, words=f"{evaluation.words}, {_name(controller)} being {quoted(held)}")


def _name(key: str) -> str:
    return key.rpartition(".")[2]
