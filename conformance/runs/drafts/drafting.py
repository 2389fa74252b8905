"""Drafts or completes a profile: every key of each appliance is read once, and guesses are marked.

What a person has declared stays as it is, comments included; only what is not there is added. What was not
seen is never written as if it were known: it stands as a comment that asks.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import tomlkit
from msgspec import Struct

from catalog.keys import POWER_STATE, short_name
from catalog.maker import maker_of
from catalog.model import Segment
from conformance.cases import all_cases
from conformance.checks.answer import Answer
from conformance.checks.reads.enumerations import maker_is_doubtful, other_maker
from conformance.checks.reads.silence import first_line, silence_of
from conformance.checks.view import View
from conformance.harness.answers.calibration import guess_of
from conformance.harness.answers.classes import Guess
from conformance.harness.answers.decoding import find
from conformance.harness.answers.members import Guessed, answered, guessed_members
from conformance.profiles.model import Profile
from conformance.profiles.sections import Auth
from conformance.profiles.toml import dumped
from conformance.runs.drafts.draft_document import (
    PRODUCT,
    ask_in_comment,
    commented,
    put,
    require_same,
    table_of,
    with_write_in_comments,
)
from conformance.runs.drafts.drafted_lists import USUAL, FoundList, asking_for_lists, found_list
from conformance.runs.notices import silences
from conformance.runs.processes.progress import Progress
from conformance.runs.session import Session
from reports.phrases import some_of
from reports.texts import plural

_MOST_NAMED = 8
_POWER_NAMES = ("On", "Off", "Standby")
_HERE = Path()
_TABLE_WRITE = re.compile(r"^#?\s*\[write\b", re.MULTILINE)
_SAMPLE = '["Vendor.Common.Setting.PowerState"]'


class Draft(Struct, frozen=True):
    """The text of a profile and how many keys gave a value, which is 0 where the draft is not to be used.

    So it is where all values name a maker under whose name nothing was asked. `told` are lines for whoever
    asked for it; `asks` says that nothing was read because a choice is open.
    """

    text: str
    served: int
    told: tuple[str, ...]
    asks: bool


def ask(
    profile: Profile, progress: Progress | None = None, state: Path | None = None
) -> tuple[list[View], str]:
    """What a server shows of each appliance of the profile, and what ended the reading early.

    A draft claims what plain reads show: nothing is read again, and no request is generated. Lists are asked
    for at the usual paths where the profile declares none. The requests of the day are kept in `state`.
    """
    asked = asking_for_lists(profile)
    with tempfile.TemporaryDirectory() as directory, closing(Session(asked, Path(directory))) as session:
        session.select(all_cases(asked), "draft")
        session.read(progress, state)
        return list(session.views.values()), session.trouble


def draft(document: Any, views: Sequence[View], trouble: str = "", directory: Path = _HERE) -> Draft:
    """Completes `document`, which declares the target and perhaps more, by what was seen.

    An appliance that stands in the fleet file, which is in `directory`, has no table: see `unclaimed`.

    Raises:
        ProfileError: when what was written would not be a profile that says what the document said before,
            and more.
    """
    before: dict[str, Any] = document.unwrap()
    is_apart = "answer" in before and not before["answer"]
    if is_apart:
        del before["answer"]
    answers = [answer for seen in views for answer in seen.reads.values()]
    served = [answer for answer in answers if answer.has_value]
    profile = views[0].profile
    guess = guess_of((answer.exchange for answer in answers), profile)
    if "product" not in before["target"] and "# product" not in document["target"].as_string():
        ask_in_comment(document["target"], f'product = "{profile.target.name}"', PRODUCT)
    asks = not served and bool(guess.candidates)
    if profile.answer.value is None and asks:
        _ask_for_the_place(document, guess)
    elif served:
        _add_pointers(document, views, profile, guess)
    found = {} if asks else _found_lists(views, before)
    for segment, one in found.items():
        _add_list(document, segment, one)
    for seen in views if not asks else ():
        _add_appliance(document, seen)
    if is_apart and document["answer"].as_string().strip():
        document["answer"].add(tomlkit.nl())
    elif is_apart:
        del document["answer"]
    text = dumped(document)
    if served and not _TABLE_WRITE.search(text):
        text = with_write_in_comments(text, document.get("answer", {}))
    require_same(before, text, directory)
    astray = all(_other_maker(seen) or not seen.learned.served for seen in views)
    told = (*_told(views, guess, trouble, before), *_undocumented(found.values()))
    return Draft(text, 0 if astray else len(served), told, asks)


def unclaimed(views: Iterable[View]) -> dict[str, list[str]]:
    """The keys that gave a value, by the haIds of those appliances that claim nothing yet."""
    return {
        seen.appliance.ha_id: [*seen.learned.served]
        for seen in views
        if seen.learned.served and not seen.appliance.supports
    }


def _add_pointers(document: Any, views: Sequence[View], profile: Profile, guess: Guess) -> None:
    """Adds the pointers that are not declared; apart for statuses where these differ."""
    tables: list[tuple[Segment | None, str | None]] = [(None, guess.value)]
    if profile.answer.status is not None:
        tables = [("settings", guess.value)]
    elif profile.answer.value is None and guess.status is not None:
        tables = [("settings", guess.value), ("status", guess.status)]
    for segment, place in tables:
        pointer = profile.answer.value if profile.answer.value is not None else place
        answers = list(answered(views, segment))
        if pointer is None or not answers:
            continue
        found: dict[str, Guessed] = {"value": Guessed((pointer,))}
        found |= cast("dict[str, Guessed]", guessed_members(answers, pointer)) if pointer else {}
        table = table_of(document, "answer")
        if segment == "status":
            table["status"] = tomlkit.table()
            table = table["status"]
        for field, (places, doubt) in found.items():
            if field not in table:
                others = f"; {' and '.join(map(repr, places[1:]))} fit as well" if places[1:] else ""
                put(table, field, places[0], f"guess{f': {doubt}' if doubt else ''}{others}")


def _ask_for_the_place(document: Any, guess: Guess) -> None:
    table = table_of(document, "answer")
    if "value" not in table.as_string():
        for place in guess.candidates:
            line = f"value = {tomlkit.item(place).as_string()}"
            ask_in_comment(table, line, "which one is the value? remove the # before it")


def _found_lists(views: Sequence[View], before: Mapping[str, Any]) -> dict[Segment, FoundList]:
    """The lists that were found, and that the document did not declare before."""
    declared = before.get("list", {})
    return {
        segment: one for segment in USUAL if not declared.get(segment) and (one := found_list(views, segment))
    }


def _add_list(document: Any, segment: Segment, found: FoundList) -> None:
    """The fields of a list, in one line under [list]."""
    line: Any = tomlkit.inline_table()
    line.update(found.shape.model_dump())
    put(table_of(document, "list"), segment, line, "guess; a list is only ever observed")


def _undocumented(lists: Iterable[FoundList]) -> Iterator[str]:
    """The entries that lists name and the document does not have, by appliance."""
    for found in lists:
        for ha_id, keys in found.undocumented.items():
            entries = plural(len(keys), "entry", "entries")
            yield f"{ha_id}: lists {entries} that the document does not have: {some_of(keys, _MOST_NAMED)}"


def _add_errors(table: Any, seen: View) -> None:
    """The keys that answered errors, as comments: what nobody claims is never missed."""
    for key, words in _errors(seen).items():
        line = f"{key} answered {words}: add it to supports, if the appliance has it"
        if key not in table.as_string():
            table.add(tomlkit.comment(commented(line)))


def _errors(seen: View) -> dict[str, str]:
    """What each key answered that gave no value, and not the answer for an entry that does not exist."""
    found: dict[str, str] = {}
    for (_, key), answer in seen.reads.items():
        is_odd = answer.signature not in seen.learned.signatures
        if not answer.has_value and (answer.is_error or (seen.learned.signatures and is_odd)):
            found.setdefault(key, _with_its_body(answer))
    return {key: words for key, words in found.items() if key not in seen.learned.served}


def _with_its_body(answer: Answer) -> str:
    response = answer.exchange.response
    line = first_line(response.body) if response else ""
    return f"{answer.words}, {line}" if line else answer.words


def _add_appliance(document: Any, seen: View) -> None:
    """What an appliance showed, into its own table."""
    ha_id = seen.appliance.ha_id
    tables: list[Any] = document.get("appliance", [])
    table = next((each for each in tables if each["ha_id"] == ha_id), None)
    if table is None:
        return
    served = seen.learned.served
    if not served:
        if "supports" not in table.as_string():
            table.add(tomlkit.comment(commented(f"No key gave a value: {silence_of(seen).sentence}")))
            ask_in_comment(table, f"supports = {_SAMPLE}", "a question: what does it have?")
        return
    if "supports" not in table:
        put(table, "supports", [*served], "guess: these gave a value")
        _add_errors(table, seen)
    if "power_states" not in table.as_string() and POWER_STATE in served:
        _add_power_states(document, table, seen)


def _add_power_states(document: Any, table: Any, seen: View) -> None:
    """The power states that the answer advertises; a question where it shows no list."""
    answer = seen.reads["settings", POWER_STATE]
    pointer = document.get("answer", {}).get("allowed")
    listed = find(answer.body, pointer) if isinstance(pointer, str) else None
    items = cast("list[object]", listed) if isinstance(listed, list) else []
    names = [short_name(text) for text in items if isinstance(text, str)]
    known = [name for name in _POWER_NAMES if name in names]
    others = [name for name in dict.fromkeys(names) if name not in known]
    if known:
        more = f"; listed, too, but no power state of the document: {', '.join(others)}" if others else ""
        put(table, "power_states", known, f"guess: as its answer lists them{more}")
        return
    now = short_name(answer.value)
    shown = [now] if now in _POWER_NAMES else ["On"]
    question = f"a question: which of {', '.join(_POWER_NAMES)} can it take?"
    ask_in_comment(table, f"power_states = {tomlkit.item(shown).as_string()}", question)


def _other_maker(seen: View) -> str:
    """The maker that values name where no key under the declared name gave one; empty otherwise."""
    if not maker_is_doubtful(seen):
        return ""
    values = (answer.value for answer in seen.reads.values() if answer.has_value)
    texts = (value for value in values if isinstance(value, str) and other_maker(seen, value))
    return next((commented(str(maker_of(text))) for text in texts), "")


def _told(views: Sequence[View], guess: Guess, trouble: str, before: Mapping[str, Any]) -> Iterator[str]:
    """What whoever asked should know beside the file."""
    if trouble:
        yield f"not everything was read: {trouble}"
    declared = views[0].profile.answer.value
    nothing = not any(seen.learned.served for seen in views)
    if nothing and declared is not None and guess.value not in {None, declared}:
        told = f"answer.value is declared as {declared!r}, where nothing stands"
        yield f"{told}; values seem to stand at {guess.value!r}"
    silent = [seen for seen in views if not seen.learned.served]
    yield from silences(silent)
    if any(silence_of(seen).cause == "access" and seen.profile.auth == Auth() for seen in silent):
        yield "Declare [auth] in the file that -o names, then run init again: it completes the file."
    for seen in views:
        served = seen.learned.served
        maker = _other_maker(seen)
        if maker:
            told = f"no key that begins with {seen.maker}. gave a value, but values begin with {maker}."
            yield f"{seen.appliance.ha_id}: {told}: is that the maker's name (--vendor {maker})?"
        unnamed = [key for key in served if seen.claim(key) == "unknown"]
        claiming = [table.get("ha_id") for table in before.get("appliance", []) if "supports" in table]
        if unnamed and seen.appliance.ha_id in claiming:
            told = "gave a value, and stand neither under supports nor under lacks"
            yield f"{seen.appliance.ha_id}: {told}: {', '.join(unnamed)}"
