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

from conformance.checks.answer import NOTHING
from conformance.checks.effects import (
    doubted,
    offered,
    reads_around,
    require_served,
    require_settable,
    watched_for,
    weigh_effect,
    without_echoes,
)
from conformance.checks.enumerations import allowed
from conformance.checks.exempting import StateId
from conformance.checks.states import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_CUSTOM,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    write_exempting_state,
)
from conformance.checks.trace import (
    AMBIENT,
    AMBIENT_ORDERS,
    HOOD,
    HOOD_ORDERS,
    Effect,
    alike,
    attempts,
    known_step,
    reads_back,
    same,
    settle_seconds,
)
from conformance.checks.value_types import fits
from conformance.checks.verdict import Deviation, NotApplicable
from conformance.checks.weighing import Weighed, settle_weighed
from conformance.checks.wording import quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.checks.case import Case
    from conformance.checks.seen import Seen
    from conformance.checks.trace import Attempt

_CUSTOM = {AMBIENT_COLOR: "CustomColor", COLOR_TEMPERATURE: "custom"}
_LOCKS = {AMBIENT_BRIGHTNESS: StateId.X1, AMBIENT_CUSTOM: StateId.X2, COLOR_PERCENT: StateId.X3}
_CONTROLLERS = {AMBIENT_BRIGHTNESS: AMBIENT_COLOR, AMBIENT_CUSTOM: AMBIENT_COLOR, COLOR_PERCENT: COLOR_TEMPERATURE}
_GROUPS = {AMBIENT_BRIGHTNESS: (AMBIENT, AMBIENT_ORDERS), AMBIENT_CUSTOM: (AMBIENT, AMBIENT_ORDERS), COLOR_PERCENT: (HOOD, HOOD_ORDERS)}
_DROPPED_OR_REFUSED = frozenset({Effect.DROPPED, Effect.REFUSED})
_DROPPED = frozenset({Effect.DROPPED})


def assert_brightness_locked(_case: Case, seen: Seen) -> str | None:
    """The brightness takes no value while the color is CustomColor (line 68)."""
    _require(seen, AMBIENT_BRIGHTNESS)
    said = 'brightness "cannot be set while the ambient light color is CustomColor"'
    return _settle(seen, _weigh(seen, AMBIENT_BRIGHTNESS, weigh_brightness_locked), AMBIENT_BRIGHTNESS, wanted="CustomColor", document=said)


def weigh_brightness_locked(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write the brightness under CustomColor says."""
    concerned = attempt.key == AMBIENT_BRIGHTNESS and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is True
    return _weigh_locked(seen, attempt) if concerned else None


def assert_brightness_free(_case: Case, seen: Seen) -> str | None:
    """The brightness takes a value while the color is a preset (line 68)."""
    _require(seen, AMBIENT_BRIGHTNESS)
    require_settable(seen, AMBIENT_BRIGHTNESS, *_GROUPS[AMBIENT_BRIGHTNESS])
    said = "brightness cannot be set only while the ambient light color is CustomColor"
    return _settle(seen, _weigh(seen, AMBIENT_BRIGHTNESS, weigh_brightness_free), AMBIENT_BRIGHTNESS, wanted="a preset", document=said)


def weigh_brightness_free(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write the brightness under a preset says."""
    concerned = attempt.key == AMBIENT_BRIGHTNESS and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is False
    return _under(attempt, weigh_effect(seen, attempt, against=_DROPPED_OR_REFUSED)) if concerned else None


def assert_custom_only(_case: Case, seen: Seen) -> str | None:
    """The custom color takes no value while the color is a preset, not even for later (line 70)."""
    _require(seen, AMBIENT_CUSTOM)
    said = 'the custom color "can be set only while the ambient light color is CustomColor"'
    weighed = _weigh(seen, AMBIENT_CUSTOM, weigh_custom_only)
    stored = [found for group in _GROUPS[AMBIENT_CUSTOM] for found in weigh_custom_stored(seen, attempts(seen, group))]
    if not any(one.weight == "holds" for one in stored):
        reason = "CustomColor was not chosen again to see whether it was kept for later"
        weighed = [doubted(one, reason) if one.weight == "holds" else one for one in weighed]
    # A written text that turns up where it must not is no chance and no rounding: once is enough.
    groups, otherwise = _GROUPS[AMBIENT_CUSTOM], _unwritten(AMBIENT_CUSTOM, "a preset")
    return settle_weighed(seen, [*weighed, *stored], *groups, times=1, otherwise=otherwise, document=said)


def weigh_custom_only(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write the custom color under a preset says by itself; `weigh_custom_stored` sees what it left behind."""
    concerned = attempt.key == AMBIENT_CUSTOM and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is False
    return _weigh_locked(seen, attempt) if concerned else None


def weigh_custom_stored(seen: Seen, tried: Sequence[Attempt]) -> list[Weighed]:
    """What choosing CustomColor again shows of the custom colors that were written under a preset before, in the order of the attempts."""
    weighed: list[Weighed] = []
    kept: object = NOTHING
    pending: list[Attempt] = []
    for attempt in tried:
        before, after = (_is_custom(seen, AMBIENT_COLOR, value) for value in (attempt.old(AMBIENT_COLOR), attempt.last(AMBIENT_COLOR)))
        if before is True and attempt.old(AMBIENT_CUSTOM) is not NOTHING:
            kept = attempt.old(AMBIENT_CUSTOM)
        if attempt.key == AMBIENT_COLOR and after is True:
            weighed += _stored(seen, attempt, pending, kept)
        if before is True or after is True:
            pending = []  # what is written under CustomColor, or by a server that chooses it by itself, may be kept
        elif (direct := weigh_custom_only(seen, attempt)) and direct.weight != "contradicts":
            pending.append(attempt)
    return weighed


def assert_custom_settable(_case: Case, seen: Seen) -> str | None:
    """The custom color takes a value while the color is CustomColor (line 70)."""
    _require(seen, AMBIENT_CUSTOM)
    require_settable(seen, AMBIENT_CUSTOM, *_GROUPS[AMBIENT_CUSTOM])
    said = 'the custom color "can be set" while the ambient light color is CustomColor'
    weighed = _in_a_known_format(_weigh(seen, AMBIENT_CUSTOM, weigh_custom_settable))
    return _settle(seen, weighed, AMBIENT_CUSTOM, wanted="CustomColor", document=said)


def weigh_custom_settable(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write the custom color under CustomColor says; a refusal may be about the format, which is not shown."""
    concerned = attempt.key == AMBIENT_CUSTOM and _is_custom(seen, AMBIENT_COLOR, attempt.old(AMBIENT_COLOR)) is True
    return _under(attempt, weigh_effect(seen, attempt, against=_DROPPED)) if concerned else None


def assert_percent_usable_only_with_custom(case: Case, seen: Seen) -> str | None:
    """The percent setting takes no value while ColorTemperature is not custom (line 65; interpretation I-3)."""
    _require(seen, COLOR_PERCENT)
    said = 'percent is "usable only when the ColorTemperature setting, if supported, is set to custom"'
    try:
        return _settle(seen, _weigh(seen, COLOR_PERCENT, weigh_percent_usable), COLOR_PERCENT, wanted="another than custom", document=said)
    except Deviation as deviation:
        if case.profile.interpretation.usable_means_settable:
            raise
        return f"{deviation.finding} (interpretation I-3 is switched off)"


def weigh_percent_usable(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write the percent setting says while ColorTemperature is served and not custom."""
    concerned = attempt.key == COLOR_PERCENT and _is_custom(seen, COLOR_TEMPERATURE, attempt.old(COLOR_TEMPERATURE)) is False
    return _weigh_locked(seen, attempt) if concerned else None


def assert_percent_applies(_case: Case, seen: Seen) -> str | None:
    """With custom, or without ColorTemperature, the percent setting takes a value, and custom stays chosen (line 66)."""
    require_settable(seen, COLOR_PERCENT, *_GROUPS[COLOR_PERCENT])
    said = '"with custom the percent setting applies"'
    return _settle(seen, _weigh(seen, COLOR_PERCENT, weigh_percent_applies), COLOR_PERCENT, wanted="custom", document=said)


def weigh_percent_applies(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What one attempt to write the percent setting says under custom, or where ColorTemperature is not served."""
    before = _is_custom(seen, COLOR_TEMPERATURE, attempt.old(COLOR_TEMPERATURE))
    if attempt.key != COLOR_PERCENT or before is False:
        return None
    weighed = _under(attempt, weigh_effect(seen, attempt, against=_DROPPED))
    if before is True and _is_custom(seen, COLOR_TEMPERATURE, attempt.last(COLOR_TEMPERATURE)) is False:
        words = (
            f"wrote {quoted(attempt.value)}, {attempt.words}, and ColorTemperature left custom: {quoted(attempt.last(COLOR_TEMPERATURE))}"
        )
        return Weighed("contradicts", words, attempt, about=tuple(attempt.reads(COLOR_TEMPERATURE)[-1:]))
    return weighed


def _weigh_locked(seen: Seen, attempt: Attempt) -> Weighed | None:
    """What an attempt says that must have no effect, by what is read afterwards; None where the key had the value already."""
    entry, controller = seen.catalog.entries[attempt.key], _CONTROLLERS[attempt.key]
    step, old = known_step(seen, entry, *reads_around(attempt)), attempt.old()
    if not fits(entry, attempt.value) or (old is not NOTHING and alike(entry, attempt.value, old, step)):
        return None
    held = attempt.old(controller)
    wrote = f"wrote {quoted(attempt.value)} while {_name(controller)} was {quoted(held)}, {attempt.words}"
    if not attempt.reads():
        return Weighed("doubtful", f"{wrote}; it was not read again", attempt)
    after = attempt.last(controller)
    if after is NOTHING or _is_custom(seen, controller, after) is not _is_custom(seen, controller, held):
        words = "could not be read afterwards" if after is NOTHING else f"became {quoted(after)}"
        return Weighed("doubtful", f"{wrote}, and {_name(controller)} {words}", attempt)
    last = attempt.reads()[-1]
    words = f"{wrote}, then {quoted(last.value) if last.has_value else last.words}"
    state = write_exempting_state(attempt.seen_before(seen), attempt.key, attempt.value, about=_LOCKS[attempt.key])
    taken = [read.has_value and reads_back(entry, attempt.value, read, attempt.answer, step) for read in attempt.reads()]
    if taken[-1]:
        return Weighed("contradicts", words, attempt)
    moved = last.has_value and old is not NOTHING and not same(last.value, old)
    settled = attempt.is_settled(settle_seconds(seen, attempt.key))
    if state or any(taken) or moved or not settled:
        reason = f" while {state}" if state else "" if settled else f", watched for {watched_for(attempt)} only"
        return Weighed("doubtful", words + reason, attempt, state)
    return Weighed("holds", words, attempt)


def _stored(seen: Seen, attempt: Attempt, pending: Sequence[Attempt], kept: object) -> list[Weighed]:
    """What is read after CustomColor was chosen again, against what was written under a preset; `kept` is what it was before."""
    entry, read = seen.catalog.entries[AMBIENT_CUSTOM], attempt.last_read(AMBIENT_CUSTOM)
    if not pending:
        return []
    if read is None:
        return [Weighed("doubtful", "the custom color could not be read after CustomColor was chosen again", attempt)]
    wrote = f"wrote {quoted(pending[-1].value)} under a preset, {pending[-1].words}"
    found = next((one for one in reversed(pending) if alike(entry, one.value, read.value, None)), None)
    if found is None:
        return [Weighed("holds", f"{wrote}, and {quoted(read.value)} when CustomColor was chosen again", attempt)]
    wrote = f"wrote {quoted(found.value)} under a preset, {found.words}, and it appeared when CustomColor was chosen again"
    was = found.old() if kept is NOTHING else kept
    if was is NOTHING:
        return [Weighed("doubtful", f"{wrote}, but what it was before is not known", attempt)]
    return [] if alike(entry, was, read.value, None) else [Weighed("contradicts", wrote, attempt, about=(found.answer, read))]


def _weigh(seen: Seen, key: str, weigh: Callable[[Seen, Attempt], Weighed | None]) -> list[Weighed]:
    tried = attempts(seen, *_GROUPS[key])
    return without_echoes(tried, [found for attempt in tried if (found := weigh(seen, attempt))])


def _settle(seen: Seen, weighed: Sequence[Weighed], key: str, *, wanted: str, document: str) -> str | None:
    return settle_weighed(seen, weighed, *_GROUPS[key], otherwise=_unwritten(key, wanted), document=document)


def _unwritten(key: str, wanted: str) -> str:
    return f"{_name(key)} was not written while {_name(_CONTROLLERS[key])} was {wanted}"


def _in_a_known_format(weighed: list[Weighed]) -> list[Weighed]:
    """One sample that is dropped may be in a wrong format: it takes a second one, or one that was taken at another time."""
    against = [one for one in weighed if one.weight == "contradicts"]
    taken = [one.attempt.value for one in weighed if one.weight == "holds"]
    two = any(not same(one.attempt.value, other.attempt.value) for one, other in combinations(against, 2))
    if two or any(same(one.attempt.value, value) for one in against for value in taken):
        return weighed
    reason = "no second sample was dropped, and its format is not shown"
    return [doubted(one, reason) if one in against else one for one in weighed]


def _require(seen: Seen, key: str) -> None:
    """Goes on only where key and controller are served, and CustomColor (or custom) is not known to be missing on this appliance."""
    controller = _CONTROLLERS[key]
    chosen = require_served(seen, controller, *_GROUPS[key])
    require_served(seen, key, *_GROUPS[key])
    subset = offered(seen, seen.catalog.entries[controller], chosen)
    if subset is not None and not any(_is_custom(seen, controller, value) for value in subset):
        raise NotApplicable(f"{_CUSTOM[controller]} is no value of this appliance's {_name(controller)}")


def _is_custom(seen: Seen, controller: str, value: object) -> bool | None:
    """Whether a value of a controlling setting is its custom one; None where it is no value of it, or not known."""
    if not isinstance(value, str) or value not in allowed(seen.catalog.entries[controller], seen.maker):
        return None
    return value.rpartition(".")[2] == _CUSTOM[controller]


def _under(attempt: Attempt, weighed: Weighed | None) -> Weighed | None:
    """The same with the value of the controlling setting in its words."""
    controller = _CONTROLLERS[attempt.key]
    held = attempt.old(controller)
    if weighed is None or held is NOTHING:
        return weighed
    return replace(weighed, words=f"{weighed.words}, {_name(controller)} being {quoted(held)}")


def _name(key: str) -> str:
    return key.rpartition(".")[2]
