"""UNIT: a unit that is shown agrees with the unit the document gives (lines 38, 39, 41, 61 to 68, 99)."""

import re
import unicodedata
from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from catalog.keys import LIQUID_UNIT, TEMPERATURE_UNIT, short_name
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import Case
from conformance.checks.groups import PREPARE, setting_group
from conformance.checks.premise import merge, of_each_read
from conformance.checks.reads.support import is_unsupported_answer
from conformance.checks.traces.expecting import Stays
from conformance.checks.traces.trace import Attempt, attempts
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View, segment_of
from conformance.checks.writes.expected.own_key import wrote
from conformance.checks.writes.judging import Sentence, evaluated, verdict_of
from conformance.model.json_values import NOTHING, described, is_number, number, same
from conformance.model.states import exempting_state

_GROUPS: dict[str, tuple[str, ...]] = {
    "Celsius": ("°c", "c", "degc", "celsius", "degreecelsius", "degreescelsius"),
    "Fahrenheit": ("°f", "f", "degf", "fahrenheit", "degreefahrenheit", "degreesfahrenheit"),
    "kelvin": ("k", "kelvin"),
    "percent": ("%", "percent", "pct"),
    "second": ("s", "sec", "secs", "second", "seconds"),
    "millisecond": ("ms", "millisecond", "milliseconds"),
    "minute": ("min", "mins", "minute", "minutes"),
    "hour": ("h", "hour", "hours"),
    "millilitre": ("ml", "milliliter", "milliliters", "millilitre", "millilitres"),
    "fluid ounce": ("floz", "oz", "fluidounce", "fluidounces"),
    "other volume": ("l", "cl", "dl", "liter", "liters", "litre", "litres", "gal", "gallon", "gallons"),
    "count": ("cup", "cups", "pcs", "count"),
    "light": ("lux", "lx", "lm", "cd", "nit", "nits"),
    "permille": ("‰", "permille"),
}
_TEMPERATURES = ("Celsius", "Fahrenheit")
_GROUP_OF = {word: group for group, words in _GROUPS.items() for word in words}
_WARMEST_CELSIUS = 28
"""Every example range in °F that is not a freezer's begins here; no example in °C reaches it."""


def unit_group(text: str) -> str | None:
    """The group of a unit word, whatever its case, spaces, dots and underscores; None if it has none."""
    word = short_name(text) if ".EnumType." in text else text
    return _GROUP_OF.get(
        re.sub(r"[\s._]+", "", unicodedata.normalize("NFKC", word.replace("º", "°"))).casefold()
    )


@of_each_read
def assert_celsius_by_default(_case: Case, seen: View, answer: Answer) -> str | None:
    """Temperatures are in °C when TemperatureUnit is not returned."""
    _require_not_returned(seen, TEMPERATURE_UNIT)
    group, text = _shown_group(seen, answer)
    if group is None:
        value = answer.value
        if is_number(value) and number(value) >= _WARMEST_CELSIUS:
            raise Inconclusive(
                f"no unit in the body, TemperatureUnit is not returned, and {number(value):g} looks like °F"
            )
    said = " while TemperatureUnit is not returned, document says the unit is Celsius"
    return _require_group(group, text, "Celsius", "°C", said)


def assert_temperature_unit_applies(case: Case, seen: View) -> str | None:
    """A temperature's unit agrees with TemperatureUnit, as found and after TemperatureUnit was written."""
    group = setting_group(TEMPERATURE_UNIT)
    said = Sentence(
        expects=partial(unit_that_was_written, case.key),
        tried=attempts(seen, group),
        groups=(group,),
        document="TemperatureUnit is the unit of the temperatures",
    )
    found = evaluated(seen, said)
    written = [partial(verdict_of, seen, said, found)] if found else []
    return merge([partial(_applies_to_each, case, seen), *written])


def unit_that_was_written(key: str, seen: View, attempt: Attempt) -> Iterator[Stays]:
    """The unit shown with `key` is the one that TemperatureUnit was given; nothing where none is shown."""
    unit, shown = attempt.last_read(TEMPERATURE_UNIT), attempt.last_read(key)
    is_written = attempt.key == TEMPERATURE_UNIT and unit and same(unit.value, attempt.value)
    if not (is_written and unit and shown):
        return
    after, group = attempt.seen_after(seen), unit_group(_unit(shown))
    wanted = next((name for name in _TEMPERATURES if after.is_value(TEMPERATURE_UNIT, name)), None)
    if wanted and group:
        yield Stays(
            replace(attempt, was_read_twice=_is_read_twice(seen, attempt, key)),
            wrote(attempt),
            [shown],
            lambda _value: group != wanted,
            tells=lambda read: f"and the unit of {key.partition('.Setting.')[2]} is {_unit(read)}",
            beside=(unit,),
        )


def _is_read_twice(seen: View, attempt: Attempt, key: str) -> bool:
    """Whether two reads after the settle time show the same unit, which counts as much as two writes."""
    settle_s = seen.profile.timing.settle_seconds(attempt.key)
    settled = [read for read in attempt.reads(key) if read.began - attempt.answer.ended >= settle_s]
    return len(settled) > 1 and len(set(map(_unit, settled))) == 1


@of_each_read
def _applies_to_each(_case: Case, seen: View, answer: Answer) -> None:
    chosen = seen.read(TEMPERATURE_UNIT)
    if chosen is None or not chosen.has_value:
        raise NotApplicable("TemperatureUnit is not returned (UNIT-TEMP-DEFAULT applies)")
    wanted = next((name for name in _TEMPERATURES if seen.is_value(TEMPERATURE_UNIT, name)), None)
    if wanted is None:
        raise Inconclusive(f"TemperatureUnit is {described(chosen.value)} (ENUM-TEMPUNIT judges it)")
    group, text = _shown_group(seen, answer)
    if group is None:
        raise Inconclusive("no unit in the body: only numbers to judge by")
    if seen.reads.get(answer.place) is answer:
        if group != wanted:
            raise Deviation(f"unit is {text} while TemperatureUnit is {chosen.value}")
    elif group not in _TEMPERATURES:  # of the two, somebody may have chosen the other one since
        raise Deviation(f"unit is {text}, which no TemperatureUnit is")


@of_each_read
def assert_millilitre_by_default(_case: Case, seen: View, answer: Answer) -> str | None:
    """Volumes are in ml when LiquidVolumeUnit is not returned."""
    _require_not_returned(seen, LIQUID_UNIT)
    said = " while LiquidVolumeUnit is not returned, document says the unit is milliliter"
    return _require_group(*_shown_group(seen, answer), "millilitre", "ml", said)


@of_each_read
def assert_hot_water_in_ml(_case: Case, seen: View, answer: Answer) -> str | None:
    """The hot water counter is in ml; in fl.oz only while LiquidVolumeUnit says so, or was written."""
    group, text = _shown_group(seen, answer)
    if group == "fluid ounce":
        if seen.is_value(LIQUID_UNIT, "FluidOunces"):
            return f"unit is {text}, as LiquidVolumeUnit says"
        if any(one.key == LIQUID_UNIT and one.is_write and one.n < answer.n for one in seen.told):
            return f"unit is {text}, as LiquidVolumeUnit may say"
        chosen, is_claimed = seen.read(LIQUID_UNIT), seen.claim(LIQUID_UNIT) == "yes"
        if chosen and not chosen.has_value and (chosen.is_error or is_claimed):
            raise Inconclusive(f"unit is {text}, and LiquidVolumeUnit cannot be read now")
    return _require_group(group, text, "millilitre", "ml")


@of_each_read
def assert_percent(_case: Case, seen: View, answer: Answer) -> str | None:
    """A percentage is in %."""
    return _require_group(*_shown_group(seen, answer), "percent", "%")


@of_each_read
def assert_seconds(_case: Case, seen: View, answer: Answer) -> str | None:
    """The alarm clock is in seconds."""
    return _require_group(*_shown_group(seen, answer), "second", "seconds")


def _require_group(group: str | None, text: str, wanted: str, unit: str, said: str = "") -> str | None:
    """Requires the unit that is shown, if one is, to be the wanted one; `said` is what the document says."""
    if group is None:
        return f"no unit shown; nothing contradicts {unit}"
    if group != wanted:
        raise Deviation(f"unit is {text}{said or f', document says {unit}'}")
    return None


def _unit(answer: Answer) -> str:
    shown = answer.shown.unit
    return shown.strip() if isinstance(shown, str) else ""


def _shown_group(seen: View, answer: Answer) -> tuple[str | None, str]:
    """The group and the text of the unit shown; None and an empty text when none is."""
    if seen.pointers(segment_of(answer)).unit is None:
        raise NotApplicable("not served under the segment whose bodies show the unit", answer)
    shown = answer.shown.unit
    if shown is NOTHING or shown is None or shown == "":
        return None, ""
    if not isinstance(shown, str):
        raise Inconclusive(f"the unit is {described(shown)}, no string")
    group = unit_group(shown)
    if group is None:
        raise Inconclusive(f"the unit {described(shown)} is no word known here")
    return group, shown.strip()


def _require_not_returned(seen: View, unit_key: str) -> None:
    """Requires the unit setting to be refused as an unknown key, or declared lacking (I-2)."""
    name = short_name(unit_key)
    answer = seen.read(unit_key)
    once_on = [one for one in seen.made_in(PREPARE) if one.key == unit_key]
    if any(one is not None and one.has_value for one in (answer, *once_on)):
        raise NotApplicable(f"{name} is returned")
    if state := exempting_state(seen, unit_key):
        raise Inconclusive(f"{name} may be refused for the moment, while {state}", state=state)
    if answer is None:
        raise Inconclusive(f"{name} was not asked")
    is_lacking = answer.outcome is Outcome.REFUSED and seen.claim(unit_key) == "no"
    is_silent = answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE}
    if not (is_lacking or (is_silent and is_unsupported_answer(seen, answer))):
        raise Inconclusive(f"{name} answered {answer.words}, not as an unknown key")
