"""Drafts a profile, or completes one, by asking a server: every key of each appliance once, then guesses that are marked as such.

What a person has declared stays as it is, comments included; only what is not there is added. What was not seen is never written as
if it were known: it stands as a comment that asks.
"""

from __future__ import annotations

import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import tomlkit
from tomlkit.exceptions import TOMLKitError

from catalog.maker import maker_of, with_maker
from conformance.cases import all_cases
from conformance.checks.enumerations import maker_is_doubtful, other_maker
from conformance.checks.seen import POWER_STATE
from conformance.checks.silence import silence_of
from conformance.derive import CATALOG
from conformance.harness.calibration import Calibration
from conformance.harness.decoding import find
from conformance.harness.members import Answered, guessed_members
from conformance.profiles.drafting import appliance_tables
from conformance.profiles.loader import Problem, ProfileError, build_profile
from conformance.profiles.model import AnswerShape
from conformance.profiles.writing import commented, dumped, write_profile
from conformance.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from catalog.model import Segment
    from conformance.checks.answer import Answer
    from conformance.checks.seen import Seen
    from conformance.harness.classes import Guess
    from conformance.profiles.model import Profile

_HEADING = """Drafted from what the server showed. Lines marked "guess" are no declarations yet: check each one against your own
documentation, then remove the mark. What the server did not serve today is neither claimed nor denied.
How it is written to no read can show: for --level write, add [write] by hand.
Everything else a profile can say: conformance/profiles/template.toml"""
_POWER_NAMES = ("On", "Off", "Standby")
_SAMPLE = '["Vendor.Common.Setting.PowerState"]'


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a profile and how many keys gave a value.

    `told` are lines for whoever asked for it; `asks` says that nothing was read because a choice is open, `is_of_another_maker` that all
    values name a maker under whose name nothing was asked.
    """

    text: str
    served: int
    told: tuple[str, ...]
    asks: bool
    is_of_another_maker: bool


def begun(text: bytes | None, words: Mapping[str, str], appliances: Sequence[str], source: str = "profile") -> Any:
    """The profile to complete, as a document that keeps its comments: `text`, a new one where that is None, and what is said of it.

    `words` are fields of the target. They and the appliances (HAID:KIND) are added where the text has none of them; `source` names it
    in errors.

    Raises:
        ProfileError: when the text is no TOML, or says otherwise.
    """
    heading = "".join(f"# {line}\n" for line in _HEADING.splitlines()) + "\n"
    try:
        document: Any = tomlkit.parse(heading if text is None else text.decode("utf-8-sig"))
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise ProfileError(source, [Problem("TOML", str(error))]) from error
    target: Any = _table(document, "target")
    for field, word in words.items():
        declared = target.setdefault(field, word)
        if field != "name" and declared != word:
            raise ProfileError(source, [Problem(f"target.{field}", f"is declared as {declared!r}, and said to be {word!r} here")])
    if "product" not in target.as_string():
        _remark(target, 'product = "Hub 3.2"', "a question: which product, which version is it? --certify needs it")
    if text is None:
        target.add(tomlkit.nl())
        _table(document, "answer")  # here, since a new file names the appliances last
    known = {table.get("ha_id"): table.get("kind") for table in document.get("appliance", [])}
    for table in appliance_tables(appliances):
        if known.setdefault(table["ha_id"], table["kind"]) != table["kind"]:
            raise ProfileError(source, [Problem(f"appliance {table['ha_id']}", f"is declared as a {known[table['ha_id']]}")])
        if table["ha_id"] not in [each.get("ha_id") for each in document.get("appliance", [])]:
            document.setdefault("appliance", tomlkit.aot()).append(tomlkit.item(table))
    return document


def ask(profile: Profile) -> tuple[list[Seen], str]:
    """What a server shows of each appliance of the profile, and what ended the asking early; it is only read."""
    with tempfile.TemporaryDirectory() as directory:
        path = write_profile(profile, Path(directory) / "profile.toml")
        session = Session(str(path), Path(directory))
        try:
            session.select(all_cases(session.profile))
            return list(session.views.values()), session.trouble
        finally:
            session.close()


def draft(document: Any, views: Sequence[Seen], trouble: str = "") -> Draft:
    """Completes `document`, which declares the target and perhaps more, by what was seen.

    Raises:
        ProfileError: when what was written would not be a profile that says what the document said before, and more.
    """
    before: dict[str, Any] = document.unwrap()
    is_apart = "answer" in before and not before["answer"]
    if is_apart:
        del before["answer"]
    answers = [answer for seen in views for answer in seen.reads.values()]
    served = [answer for answer in answers if answer.has_value]
    profile = views[0].profile
    guess = _guess(answers, profile)
    if "product" not in before["target"] and "# product" not in document["target"].as_string():
        _remark(
            document["target"], f'product = "{profile.target.name}"', "a question: which product, which version is it? --certify needs it"
        )
    asks = not served and bool(guess.candidates)
    if profile.answer.value is None and asks:
        _ask_for_the_place(document, guess)
    elif served:
        _add_pointers(document, views, profile, guess)
    for seen in views if not asks else ():
        _add_appliance(document, seen)
    if is_apart and document["answer"].as_string().strip():
        document["answer"].add(tomlkit.nl())
    elif is_apart:
        del document["answer"]
    text = dumped(document)
    _require_same(before, text)
    astray = bool(served) and all(_other_maker(seen) or not _served(seen) for seen in views)
    return Draft(text, len(served), tuple(_told(views, guess, trouble, before)), asks, astray)


def _guess(answers: Iterable[Answer], profile: Profile) -> Guess:
    """Where values seem to stand, whatever the profile declares."""
    undeclared = profile.model_copy(update={"answer": AnswerShape()})
    exchanges = sorted((answer.exchange for answer in answers), key=lambda exchange: exchange.n)
    return Calibration(undeclared, CATALOG).learn(exchanges).guess


def _add_pointers(document: Any, views: Sequence[Seen], profile: Profile, guess: Guess) -> None:
    """The pointers that are not declared: to the value, and to what stands beside it; apart for statuses where these differ."""
    tables: list[tuple[Segment | None, str | None]] = [(None, guess.value)]
    if profile.answer.status is not None:
        tables = [("settings", guess.value)]
    elif profile.answer.value is None and guess.status is not None:
        tables = [("settings", guess.value), ("status", guess.status)]
    for segment, place in tables:
        pointer = profile.answer.value if profile.answer.value is not None else place
        answers = list(_answered(views, segment))
        if pointer is None or not answers:
            continue
        found: dict[str, tuple[str, ...]] = {"value": (pointer,)}
        found |= cast("dict[str, tuple[str, ...]]", guessed_members(answers, pointer)) if pointer else {}
        table = _table(document, "answer")
        if segment == "status":
            table["status"] = tomlkit.table()
            table = table["status"]
        for field, places in found.items():
            if field not in table:
                others = f"; {' and '.join(map(repr, places[1:]))} fit as well" if places[1:] else ""
                _put(table, field, places[0], f"guess{others}")


def _answered(views: Iterable[Seen], segment: Segment | None) -> Iterator[Answered]:
    for seen in views:
        for (asked, key), answer in seen.reads.items():
            if answer.has_value and asked == (segment or asked):
                yield Answered(seen.catalog.entries[key], with_maker(key, seen.maker), answer.value, answer.body)


def _ask_for_the_place(document: Any, guess: Guess) -> None:
    table = _table(document, "answer")
    if "value" not in table.as_string():
        for place in guess.candidates:
            _remark(table, f"value = {tomlkit.item(place).as_string()}", "which one is the value? remove the # before it")


def _add_appliance(document: Any, seen: Seen) -> None:
    """What an appliance showed, into its own table."""
    ha_id = seen.appliance.ha_id
    tables: list[Any] = document["appliance"]
    table = next(each for each in tables if each["ha_id"] == ha_id)
    served = _served(seen)
    if not served:
        if "supports" not in table.as_string():
            table.add(tomlkit.comment(commented(f"No key gave a value: {silence_of(seen).sentence}")))
            _remark(table, f"supports = {_SAMPLE}", "a question: what does it have?")
        return
    if "supports" not in table:
        _put(table, "supports", served, "guess: these gave a value")
    if "power_states" not in table.as_string() and POWER_STATE in served:
        _add_power_states(document, table, seen)


def _add_power_states(document: Any, table: Any, seen: Seen) -> None:
    """The power states that the answer advertises; a question where it shows no list."""
    answer = seen.reads["settings", POWER_STATE]
    pointer = document.get("answer", {}).get("allowed")
    listed = find(answer.body, pointer) if isinstance(pointer, str) else None
    names = [text.rpartition(".")[2] for text in cast("list[object]", listed) if isinstance(text, str)] if isinstance(listed, list) else []
    known = [name for name in _POWER_NAMES if name in names]
    others = [name for name in dict.fromkeys(names) if name not in known]
    if known:
        more = f"; listed, too, but no power state of the document: {', '.join(others)}" if others else ""
        _put(table, "power_states", known, f"guess: as its answer lists them{more}")
        return
    now = str(answer.value).rpartition(".")[2]
    shown = [now] if now in _POWER_NAMES else ["On"]
    _remark(table, f"power_states = {tomlkit.item(shown).as_string()}", f"a question: which of {', '.join(_POWER_NAMES)} can it take?")


def _served(seen: Seen) -> list[str]:
    return list(dict.fromkeys(key for (_, key), answer in seen.reads.items() if answer.has_value))


def _other_maker(seen: Seen) -> str:
    """The maker that values name where no key under the declared name gave one; empty otherwise."""
    if not maker_is_doubtful(seen):
        return ""
    values = (answer.value for answer in seen.reads.values() if answer.has_value)
    return next((commented(str(maker_of(value))) for value in values if isinstance(value, str) and other_maker(seen, value)), "")


def _told(views: Sequence[Seen], guess: Guess, trouble: str, before: Mapping[str, Any]) -> Iterator[str]:
    """What whoever asked should know beside the file."""
    if trouble:
        yield trouble
    declared = views[0].profile.answer.value
    nothing = not any(_served(seen) for seen in views)
    if nothing and declared is not None and guess.value not in {None, declared}:
        yield f"answer.value is declared as {declared!r}, where nothing stands; values seem to stand at {guess.value!r}"
    for seen in views:
        served = _served(seen)
        if not served:
            yield f"{seen.appliance.ha_id}: no key gave a value: {silence_of(seen).sentence}"
        maker = _other_maker(seen)
        if maker:
            yield (
                f"{seen.appliance.ha_id}: no key that begins with {seen.maker}. gave a value, but values begin with {maker}.:"
                f" is that the maker's name (--vendor {maker})?"
            )
        unnamed = [key for key in served if seen.claim(key) == "unknown"]
        if unnamed and any("supports" in each and each.get("ha_id") == seen.appliance.ha_id for each in before.get("appliance", [])):
            yield f"{seen.appliance.ha_id}: gave a value, and stand neither under supports nor under lacks: {', '.join(unnamed)}"


def _table(document: Any, name: str) -> Any:
    if name not in document:
        document[name] = tomlkit.table()
    return document[name]


def _put(table: Any, field: str, value: object, comment: str) -> None:
    """A field with a comment at its end; a list longer than a few words takes a line for each."""
    item: Any = tomlkit.item(value)
    if isinstance(value, list) and len(cast("list[object]", value)) > len(_POWER_NAMES):
        item.multiline(multiline=True)
    item.comment(commented(comment))
    table[field] = item


def _remark(table: Any, line: str, comment: str) -> None:
    """A field that nobody has decided, as a comment."""
    table.add(tomlkit.comment(f"{commented(line)} # {commented(comment)}"))


def _require_same(before: Mapping[str, Any], text: str) -> None:
    """Raises unless `text` is a profile that says all that was said `before`.

    Raises:
        ProfileError: when it has mistakes.
        ValueError: when something was lost.
    """
    after = tomllib.loads(text)
    build_profile(after, CATALOG, source="the draft")
    if not _holds(after, before):
        raise ValueError("the file cannot be completed without changing what it says")


def _holds(after: object, before: object) -> bool:
    if isinstance(before, dict) and isinstance(after, dict):
        members, found = cast("dict[str, object]", before), cast("dict[str, object]", after)
        return all(name in found and _holds(found[name], value) for name, value in members.items())
    if isinstance(before, list) and isinstance(after, list):
        items, others = cast("list[object]", before), cast("list[object]", after)
        return len(items) <= len(others) and all(_holds(other, item) for item, other in zip(items, others, strict=False))
    return before == after
