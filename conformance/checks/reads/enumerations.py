"""ENUM: an enumeration value is one of the keys listed for this very entry, spelled exactly (line 28)."""

import re
from functools import lru_cache
from typing import cast

from catalog.keys import POWER_STATE, short_name
from catalog.loader import CATALOG
from catalog.maker import maker_of, on_the_wire, with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import LISTS
from conformance.checks.premise import of_each_read, of_each_value, of_every_value
from conformance.checks.verdict import Deviation, Inconclusive, Manner, NotApplicable
from conformance.checks.view import View, segment_of
from conformance.model.json_values import NOTHING, described, quoted

_FEW = 9


@of_every_value
def assert_member(case: Case, seen: View, answer: Answer) -> None:
    """The value is one of the entry's own values; membership is per key, not per family (lines 93 to 98)."""
    value = text_of(answer)
    if value in seen.values(case.key).members:
        return
    require_known_maker(seen, value)
    raise Deviation(f"value is {quoted(value)}, document says {listed(case.subject, seen.maker)}")


@of_every_value
def assert_key_form(case: Case, seen: View, answer: Answer) -> None:
    """The value is a whole dotted key: no short name, no label, no other case, no other separators."""
    value = text_of(answer)
    if families_of(seen, value):  # a whole key, of this entry or of another: which one, membership judges
        return
    require_known_maker(seen, value)
    meant = _other_form(case.subject, seen, value)
    if meant is None:
        raise Inconclusive(f"value is {quoted(value)}, and it is not clear which key is meant by that")
    raise Deviation(
        f"value is {quoted(value)}, document says the whole key {meant}", manner=_manner(value, meant)
    )


def assert_advertised(case: Case, seen: View) -> str | None:
    """A list of allowed values holds some of the entry's own, and the power state that is found (line 26)."""
    note = _holds_its_own(case, seen)
    if case.key == POWER_STATE and seen.appliance.power_states is None:  # else PWR-UNSUPPORTED judges it
        _holds_the_found(case, seen)
    return note


@of_each_value
def _holds_the_found(case: Case, seen: View, answer: Answer) -> None:
    """An appliance is in a state that its list of states has: it has no other (lines 130, 131)."""
    values = answer.shown.listed
    if values and answer.value not in values and answer.value in seen.values(case.key).members:
        raise Deviation(
            f"value is {quoted(answer.value)}, and the advertised list holds"
            f" {' and '.join(quoted(value) for value in values[:_FEW])} alone"
        )


@of_each_read
def _holds_its_own(case: Case, seen: View, answer: Answer) -> str | None:
    """Every entry of a list of allowed values is one of the entry's own; some may be missing."""
    if seen.pointers(segment_of(answer)).allowed is None:
        raise NotApplicable("not served under the segment whose bodies show a list of allowed values", answer)
    shown = answer.shown.allowed
    if shown is NOTHING:
        raise NotApplicable("the body shows no list of allowed values")
    if not isinstance(shown, list):
        raise Inconclusive(f"answer.allowed points at {described(shown)}, which is no list")
    values = cast("list[object]", shown)
    if any(isinstance(value, dict | list) for value in values):
        raise Inconclusive(
            "the entries of the advertised list are no strings but structures, whose shape is not shown"
        )
    own = seen.values(case.key).members
    foreign = [value for value in values if not isinstance(value, str) or value not in own]
    if foreign:
        if isinstance(foreign[0], str):
            require_known_maker(seen, foreign[0])
        raise Deviation(
            f"the advertised list holds {quoted(foreign[0])}, document says"
            f" {listed(case.subject, seen.maker)}"
        )
    return None if values else "the advertised list is empty"


def text_of(answer: Answer) -> str:
    """The value as text.

    Raises:
        Inconclusive: when it is no string, which TYPE-ENUM judges.
    """
    if not isinstance(answer.value, str):
        raise Inconclusive(f"value is {described(answer.value)}, no string (TYPE-ENUM judges it)")
    return answer.value


def listed(entry: Entry, maker: str) -> str:
    """The allowed values in words, spelled as a server of `maker` does, short where there are many."""
    values = [with_maker(value, maker) for value in entry.values or ()]
    if len(values) > _FEW:
        return f"one of {len(values)} values from {values[0]} to {values[-1]}"
    return " or ".join(values)


def other_maker(seen: View, value: str) -> bool:
    """Whether only the maker's name keeps `value` from being an enumeration value of the catalog."""
    first, _, rest = value.partition(".")
    return first.strip().casefold() != seen.maker.casefold() and bool(
        families_of(seen, f"{seen.maker}.{rest}")
    )


def require_known_maker(seen: View, value: str) -> None:
    """Requires that the maker's name in a value or a key, if that alone is wrong, is as the profile says.

    Raises:
        Inconclusive: when no key under the declared name gives a value, or when every value that names a
            maker spells it in other letters.
    """
    if other_maker(seen, value) and maker_is_doubtful(seen):
        raise Inconclusive(
            f"no key under {seen.maker}. gives a value, but {_other_maker_seen(maker_of(value))}"
        )
    if _names_maker(seen, value) and maker_of(value) != seen.maker:
        require_maker_as_spelled(seen)


def require_maker_as_spelled(seen: View, entry: Entry | None = None) -> None:
    """Requires that what the answers show does not spell the declared maker's name otherwise.

    Of an `entry` it does so where its key has the maker's name.

    Raises:
        Inconclusive: when every value or key that names a maker spells it so.
    """
    if entry is not None and not entry.is_vendor:
        return
    spelled = seen.once(_spelled, _spelled)
    if spelled and seen.maker not in spelled:
        raise Inconclusive(f"{_other_maker_seen(spelled[0])} Declared is {seen.maker}")


def _spelled(seen: View) -> list[str | None]:
    """The maker's names that answers show: the declared one in any letters, or any where that is doubtful."""
    shown = [text for answer in seen.reads.values() for text in (answer.value, answer.shown.key)]
    if maker_is_doubtful(seen):
        lists = (answer for group in LISTS for answer in seen.made_in(group))
        shown += [key for each in lists if each.ha_id == seen.appliance.ha_id for key in each.listed_keys]
    texts = (text for text in shown if isinstance(text, str) and _names_maker(seen, text))
    return list(dict.fromkeys(map(maker_of, texts)))


def _names_maker(seen: View, value: str) -> bool:
    """Whether a text is a value or a key of the catalog but for the letters of the declared maker's name.

    Where no key under that name gave a value, also one that begins with another name.
    """
    first, _, rest = value.partition(".")
    is_known = f"Vendor.{rest}" in CATALOG.entries or families_of(seen, f"{seen.maker}.{rest}")
    return bool(is_known) and (first.casefold() == seen.maker.casefold() or maker_is_doubtful(seen))


def maker_is_doubtful(seen: View) -> bool:
    """Whether no key under the declared maker's name gave a value, so that the profile is likely wrong."""
    return not any(key.startswith("Vendor.") for key in seen.learned.served)


def _other_maker_seen(maker: str | None) -> str:
    """The advice to declare the maker's name that the server itself uses."""
    return f"values or keys begin with {maker}.: is that the maker's name (--vendor, target.vendor)?"


@lru_cache(maxsize=8)
def _owners(maker: str) -> dict[str, frozenset[str]]:
    """Every enumeration value of the catalog as `maker` spells it, with the families of which it is one."""
    owners: dict[str, set[str]] = {}
    for family, enumeration in CATALOG.enumerations.items():
        for value in enumeration.values:
            owners.setdefault(with_maker(value.key, maker), set()).add(family)
    return {value: frozenset(families) for value, families in owners.items()}


def families_of(seen: View, value: str) -> frozenset[str]:
    """The enumeration families `value` is a member of; empty for a text that is in none."""
    return _owners(seen.maker).get(value, frozenset())


def names_entry(seen: View, answer: Answer) -> str | None:
    """The key of the catalog that the body shows as its own, as the maker spells it; None for no such."""
    shown = answer.shown.key
    known = on_the_wire(tuple(CATALOG.entries), seen.maker)
    return shown if isinstance(shown, str) and shown in known else None


def other_family(seen: View, entry: Entry, answer: Answer) -> str | None:
    """The enumeration of other entries that the value is a member of; None where it is of none.

    Any text is right for a String (line 60): a map may be called like an enumeration value.
    """
    if not isinstance(answer.value, str) or entry.type == "String":
        return None
    families = families_of(seen, answer.value)
    return min(families) if families and entry.family not in families else None


def _other_form(entry: Entry, seen: View, value: str) -> str | None:
    """The listed key that `value` is another form of: other case, separators or zeros, short name, label."""
    wanted = _plain(value)
    labels = {item.key: item.label for item in CATALOG.enumerations[entry.family or ""].values}
    for key in entry.values or ():
        name = short_name(key)
        label = labels.get(key) or name
        whole = with_maker(key, seen.maker)
        forms = {_plain(whole), _plain(name), _plain(label), _plain(whole.removesuffix(name) + label)}
        forms |= {_plain(".".join(key.split(".")[-count:])) for count in (2, 3)}
        if wanted in forms:
            return with_maker(key, seen.maker)
    return None


def _manner(value: str, meant: str) -> Manner:
    """How a text differs from the listed key that it is meant to be."""
    if value.casefold() == meant.casefold():
        return Manner.CASE
    if meant.endswith(f".{value}"):
        return Manner.SHORT
    if re.sub(r"[\W_]+", "", value) == re.sub(r"[\W_]+", "", meant):
        return Manner.SEPARATORS
    return Manner.DIGITS if _plain(value) == _plain(meant) else Manner.LABEL


def _plain(text: str) -> str:
    letters = re.sub(r"[\W_]+", "", text).casefold()
    return re.sub(r"(?<!\d)0+(?=\d)", "", letters)
