"""How a light setting is judged that another setting controls (lines 65, 66, 68, 70).

    AmbientLightColor  CustomColor   brightness cannot be set, the custom color can
                       a preset      brightness can be set, the custom color cannot
    ColorTemperature   custom        the percent setting applies
                       another one   the percent setting is not usable

What cannot be set is judged by what is read afterwards, with the controlling setting read before and after.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    COLOR_PERCENT,
    CUSTOM_COLOR,
    short_name,
)
from catalog.maker import with_maker
from conformance.checks.groups import AMBIENT, AMBIENT_ORDERS, HOOD, HOOD_ORDERS
from conformance.checks.traces.evaluating import Evaluation, verdict_on
from conformance.checks.traces.quiet import quiet_seconds
from conformance.checks.traces.trace import Attempt, attempts, reads_back, values_around
from conformance.checks.verdict import NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.effects import watched_for, without_echoes
from conformance.checks.writes.requirements import require_served
from conformance.model.json_values import NOTHING, quoted, same
from conformance.model.states import is_locked_by, stated_row, write_exempting_state
from conformance.model.values import fits

GROUPS = {
    AMBIENT_BRIGHTNESS: (AMBIENT, AMBIENT_ORDERS),
    CUSTOM_COLOR: (AMBIENT, AMBIENT_ORDERS),
    COLOR_PERCENT: (HOOD, HOOD_ORDERS),
}


def judged(
    seen: View,
    key: str,
    evaluate: Callable[[View, Attempt], Evaluation | None],
    *,
    wanted: str,
    document: str,
) -> str | None:
    """The verdict on every write of a key; `wanted` is the value of its controller that it is about."""
    return verdict_of(seen, evaluate_each(seen, key, evaluate), key, wanted=wanted, document=document)


def verdict_of(
    seen: View, evaluations: Sequence[Evaluation], key: str, *, wanted: str, document: str
) -> str | None:
    """The verdict that evaluations of writes of a key amount to."""
    otherwise = unwritten_while(seen, key, wanted)
    return verdict_on(seen, evaluations, *GROUPS[key], otherwise=otherwise, document=document)


def evaluate_locked(seen: View, attempt: Attempt) -> Evaluation | None:
    """What a write that must have no effect says by what is read later; None if it wrote the old value."""
    row, values, old = stated_row(seen.catalog, attempt.key), values_around(seen, attempt), attempt.old()
    controller = row.controller
    if not fits(values.entry, attempt.value) or (old is not NOTHING and values.alike(attempt.value, old)):
        return None
    held = attempt.old(controller)
    wrote = (
        f"wrote {quoted(attempt.value)} while {short_name(controller)} was {quoted(held)}, {attempt.words}"
    )
    if not attempt.reads():
        return Evaluation("undecided", f"{wrote}; it was not read again", attempt)
    after = attempt.last(controller)
    if is_locked_by(seen, attempt.key, after) is not is_locked_by(seen, attempt.key, held):
        words = "could not be read afterwards" if after is NOTHING else f"became {quoted(after)}"
        return Evaluation("undecided", f"{wrote}, and {short_name(controller)} {words}", attempt)
    last = attempt.reads()[-1]
    words = f"{wrote}, then {quoted(last.value) if last.has_value else last.words}"
    state = write_exempting_state(attempt.seen_before(seen), attempt.key, attempt.value, about=row.id)
    taken = [
        read.has_value and reads_back(values, attempt.value, read, attempt.answer) for read in attempt.reads()
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
    return Evaluation("holds" if last.has_value else "undecided", words, attempt, unseen=not last.has_value)


def _seen_once_freed(seen: View, tried: Sequence[Attempt], one: Evaluation) -> Evaluation:
    """An evaluation, by what shows when another setting has freed what could not be read under its lock."""
    attempt = one.attempt
    for later in tried[tried.index(attempt) + 1 :] if one.unseen else ():
        if later.key == attempt.key and (
            was_locked(seen, later) is not was_locked(seen, attempt) or not same(later.value, attempt.value)
        ):
            break
        read = later.last_read(attempt.key) if later.key != attempt.key else None
        if read:
            shows = reads_back(seen.values(attempt.key, read), attempt.value, read, attempt.answer)
            words = f"{one.words}; later {quoted(read.value)}"
            return replace(one, result="undecided" if shows else "holds", words=words, about=(read,))
    return one


def evaluate_each(
    seen: View, key: str, evaluate: Callable[[View, Attempt], Evaluation | None]
) -> list[Evaluation]:
    """What each write that concerns a clause says.

    Where one holds in the procedure of the clause, those made again of a tour count only against it:
    they are made to show what contradicts.
    """
    tried = attempts(seen, *GROUPS[key])
    made = [_seen_once_freed(seen, tried, one) for attempt in tried if (one := evaluate(seen, attempt))]
    found = without_echoes(tried, made)
    orders = GROUPS[key][1]
    telling = [
        one for one in found if one.result == "contradicts" or one.attempt.answer.exchange.group != orders
    ]
    return telling if any(one.result == "holds" for one in telling) else found


def unwritten_while(seen: View, key: str, wanted: str) -> str:
    """Why there is no verdict, where no write was made while the controller was `wanted`."""
    controller = stated_row(seen.catalog, key).controller
    return f"{short_name(key)} was not written while {short_name(controller)} was {wanted}"


def require_lights(seen: View, key: str) -> None:
    """Requires key and controller to be served, and the value that the rule names not known to be missing."""
    rule = next(rule for rule in seen.catalog.rules if rule.may_lock and key in rule.subjects)
    chosen = require_served(seen, rule.controller, *GROUPS[key])
    require_served(seen, key, *GROUPS[key])
    subset = seen.values(rule.controller, chosen).offered
    named = {with_maker(str(value), seen.maker) for value in rule.values}
    if subset is not None and named.isdisjoint(subset):
        name = short_name(rule.values[0])
        raise NotApplicable(f"{name} is no value of this appliance's {short_name(rule.controller)}")


def was_locked(seen: View, attempt: Attempt) -> bool | None:
    """Whether the rule locked what was written before the write; None if that is not known."""
    controller = stated_row(seen.catalog, attempt.key).controller
    return is_locked_by(seen, attempt.key, attempt.old(controller))


def with_held(seen: View, attempt: Attempt, evaluation: Evaluation | None) -> Evaluation | None:
    """The evaluation with the value of the controlling setting in its words."""
    controller = stated_row(seen.catalog, attempt.key).controller
    held = attempt.old(controller)
    if evaluation is None or held is NOTHING:
        return evaluation
    return replace(evaluation, words=f"{evaluation.words}, {short_name(controller)} being {quoted(held)}")
