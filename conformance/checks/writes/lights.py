"""AMB and HOOD: when brightness, custom color and percent of a light can be set (lines 65 to 70).

    AmbientLightColor  CustomColor   brightness cannot be set, the custom color can
                       a preset      brightness can be set, the custom color cannot
    ColorTemperature   custom        the percent setting applies
                       another one   the percent setting is not usable

What cannot be set is judged by what is read afterwards, with the controlling setting read before and after.
"""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from catalog.keys import AMBIENT_BRIGHTNESS, COLOR_PERCENT, CUSTOM_COLOR, short_name
from catalog.loader import CATALOG
from catalog.maker import with_maker
from conformance.checks.case import Case
from conformance.checks.groups import AMBIENT, AMBIENT_ORDERS, HOOD, HOOD_ORDERS
from conformance.checks.traces.effects import lost_tries
from conformance.checks.traces.expecting import Evaluation, Expecting, evaluations_of
from conformance.checks.traces.trace import Attempt, attempts, opening
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.checks.writes.expected import locked_keys
from conformance.checks.writes.judging import TIMES, Sentence, differ, judge_writes, times, where
from conformance.checks.writes.requirements import require_served, require_settable, require_working_write
from conformance.model.json_values import quoted, same
from conformance.model.state_table import STATED
from conformance.model.states import closing_state

_GROUPS = {
    AMBIENT_BRIGHTNESS: (AMBIENT, AMBIENT_ORDERS),
    CUSTOM_COLOR: (AMBIENT, AMBIENT_ORDERS),
    COLOR_PERCENT: (HOOD, HOOD_ORDERS),
}


def brightness_locked(case: Case, seen: View) -> Sentence:
    """The brightness takes no value while the color is CustomColor (line 68)."""
    _require_lights(seen, case.key)
    said = 'brightness "cannot be set while the ambient light color is CustomColor"'
    return _while_locked(case, seen, locked_keys.taken_while_free, "CustomColor", said)


def brightness_free(case: Case, seen: View) -> Sentence:
    """The brightness takes a value while the color is a preset (line 68)."""
    _require_lights(seen, case.key)
    require_settable(seen, case.key, *_GROUPS[case.key])
    said = 'brightness can be set unless "the ambient light color is CustomColor"'
    return _while_free(case, seen, locked_keys.taken_while_free, "a preset", said)


def percent_unusable(case: Case, seen: View) -> Sentence:
    """The percent takes no value while ColorTemperature is not custom (line 65)."""
    _require_lights(seen, case.key)
    said = 'percent is "usable only when the ColorTemperature setting, if supported, is set to custom"'
    return _while_locked(case, seen, locked_keys.applied, "another than custom", said)


def assert_percent_usable_only_with_custom(case: Case, seen: View) -> str | None:
    """The same, judged where interpretation I-3 says that usable means settable."""
    try:
        return judge_writes(percent_unusable)(case, seen)
    except Deviation as deviation:
        if case.profile.interpretation.usable_means_settable:
            raise
        return f"{deviation.finding} (interpretation I-3 is switched off)"


def percent_applies(case: Case, seen: View) -> Sentence:
    """With custom, or without ColorTemperature, the percent takes a value and custom stays (line 66)."""
    require_settable(seen, case.key, *_GROUPS[case.key])
    return _while_free(case, seen, locked_keys.applied, "custom", '"with custom the percent setting applies"')


def custom_only(case: Case, seen: View) -> Sentence:
    """The custom color takes no value while the color is a preset, not even for later (line 70)."""
    _require_lights(seen, case.key)
    said = 'the custom color "can be set only while the ambient light color is CustomColor"'
    of_color = _of_light(case, seen, partial(locked_keys.kept_out, case.key), "a preset", said)
    made = attempts(seen, AMBIENT)
    return replace(
        of_color,
        tried=[*of_color.tried, *(one for one in made if one.key != case.key)],
        against=attempts(seen, AMBIENT_ORDERS),
        # A written text that turns up where it must not is no chance and no rounding: once is enough.
        enough=times(1),
        beside=partial(_require_chosen_again, seen, made),
    )


def _require_chosen_again(seen: View, tried: Sequence[Attempt]) -> None:
    """Requires that choosing CustomColor showed that nothing was kept for later, and that it can be set."""
    found = evaluations_of(seen, partial(locked_keys.not_stored, CUSTOM_COLOR), tried)
    if not any(one.result == "holds" for one in found):
        own = [one for one in tried if one.key == CUSTOM_COLOR]
        last = evaluations_of(seen, locked_keys.not_while_locked, own)[-1]
        reason = "CustomColor was not chosen again to see whether it was kept for later"
        raise Inconclusive(f"{last.words}; {reason}", last.shown)
    require_working_write(seen, CUSTOM_COLOR, locked_keys.taken_in_a_format)


def custom_settable(case: Case, seen: View) -> Sentence:
    """The custom color takes a value while the color is CustomColor (line 70)."""
    _require_lights(seen, case.key)
    require_settable(seen, case.key, *_GROUPS[case.key])
    said = 'the custom color "can be set" while the ambient light color is CustomColor'
    of_color = _while_free(case, seen, locked_keys.taken_in_a_format, "CustomColor", said)
    return replace(of_color, enough=_TWO_SAMPLES)


def _is_of_known_format(against: Sequence[Evaluation], held: Sequence[Evaluation]) -> bool:
    """Whether two samples were dropped, or, twice, one that was taken before."""
    was_taken = any(same(one.attempt.value, other.attempt.value) for one in against for other in held)
    return bool(times(TIMES).of(against, held)) and (differ(against) or was_taken)


_TWO_SAMPLES = where(_is_of_known_format, "but no second sample was dropped, and its format is not shown")


def _of_light(case: Case, seen: View, expects: Expecting, wanted: str, document: str) -> Sentence:
    """A sentence about a key while its controller is `wanted`.

    What was made again of a tour counts only against it: it is made to show what contradicts.
    """
    made, orders = _GROUPS[case.key]
    tried = attempts(seen, made)
    return Sentence(
        expects=expects,
        tried=[_once_freed(tried, number) for number, one in enumerate(tried) if one.key == case.key],
        groups=(made, orders),
        document=document,
        nothing=partial(_unwritten, seen, case.key, wanted),
        against=attempts(seen, orders, key=case.key),
    )


def _while_locked(case: Case, seen: View, freed: Expecting, wanted: str, document: str) -> Sentence:
    """The same of a number that its controller locks: nor is it kept for later.

    It may be what comes with the controller by chance: two numbers have to come. `freed` says which writes
    show that it can be set once it is free.
    """
    of_light = _of_light(case, seen, partial(locked_keys.kept_out, case.key), wanted, document)
    made = [one for one in attempts(seen, *of_light.groups) if one.key != case.key]
    stored = evaluations_of(seen, partial(locked_keys.not_stored, case.key), made)
    came = [one for one in stored if one.result == "contradicts"]
    against = (
        [one.attempt for one in came]
        if len({quoted(one.about[0].exchange.value) for one in came}) > 1
        else []
    )
    return replace(
        of_light,
        against=(*of_light.against, *against),
        beside=partial(require_working_write, seen, case.key, freed),
    )


def _while_free(case: Case, seen: View, expects: Expecting, wanted: str, document: str) -> Sentence:
    """The same of a key that its controller frees: what does not go back counts against it as well."""
    of_light = _of_light(case, seen, expects, wanted, document)
    kinds = {group.kind for group in of_light.groups}
    lost = lost_tries(seen, case.key, (*of_light.tried, *of_light.against), kinds)
    return replace(of_light, against=(*of_light.against, *lost))


def _unwritten(seen: View, key: str, wanted: str) -> Inconclusive:
    """Why a key was not written while its controller was `wanted`: it may be that nothing was."""
    state = closing_state(with_reads(seen, opening(seen, _GROUPS[key][0])))
    missed = f"{STATED[key].name} was {wanted}"
    return Inconclusive(f"{short_name(key)} was not written while {state or missed}", state=state)


def _once_freed(tried: Sequence[Attempt], number: int) -> Attempt:
    """An attempt, with the first read once another setting has freed what could not be read."""
    attempt = tried[number]
    if not attempt.reads() or attempt.reads()[-1].has_value:
        return attempt
    for later in tried[number + 1 :]:
        if later.key == attempt.key and not same(later.value, attempt.value):
            break
        read = later.last_read(attempt.key) if later.key != attempt.key else None
        if read:
            return replace(attempt, after=(*attempt.after, read))
    return attempt


def _require_lights(seen: View, key: str) -> None:
    """Requires key and controller to be served, and the value that the rule names not known to be missing."""
    rule = next(rule for rule in CATALOG.rules if rule.may_lock and key in rule.subjects)
    chosen = require_served(seen, rule.controller, *_GROUPS[key])
    require_served(seen, key, *_GROUPS[key])
    subset = seen.values(rule.controller, chosen).offered
    named = {with_maker(str(value), seen.maker) for value in rule.values}
    if subset is not None and named.isdisjoint(subset):
        name = short_name(rule.values[0])
        raise NotApplicable(f"{name} is no value of this appliance's {short_name(rule.controller)}")
