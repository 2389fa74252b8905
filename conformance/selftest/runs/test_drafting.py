"""A draft says what was seen, and asks for what was not; it is a profile, and keeps what one says already."""

import csv
import json
import tomllib
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from catalog.keys import COFFEE_COUNT, CUP_WARMER, LIGHTING
from catalog.keys import REMOTE_CONTROL as REMOTE
from conformance.checks.exchange import Exchange
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind
from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.profiles.fields import ProfileError
from conformance.profiles.validation import build_profile
from conformance.reference.server import serve
from conformance.runs.drafts.draft_document import begin_document, with_supports
from conformance.runs.drafts.drafting import ask
from conformance.selftest.support.answered import (
    LOCK,
    ON,
    POWER,
    VALUES,
    WORDS,
    answers,
    appliance,
    draft_of,
    shaped,
)
from conformance.selftest.support.handmade import URL, exchange, refusal


def test_product_is_asked_for() -> None:
    """Nobody can read what the product is called: a draft asks, unless it was told."""
    assert '\n# product = "Hub 3.2" # a question' in draft_of(answers()).text
    told = draft_of(answers(), words={**WORDS, "product": 'Hub "3"\n'}).text
    assert tomllib.loads(told)["target"]["product"] == 'Hub "3"\n'
    assert "# product" not in told


def test_power_states_are_those_that_are_advertised() -> None:
    """The list of the answer is the guess, without a state that the document does not know; the present state
    alone does not tell which ones an appliance has.
    """
    listed = [ON, ON.replace("On", "Standby"), ON.replace("On", "MainsOff")]
    text = draft_of(answers(constraints={"allowedvalues": listed})).text
    assert appliance(text)["power_states"] == ["On", "Standby"]
    assert "no power state of the document: MainsOff" in text
    text = draft_of(answers()).text
    assert "power_states" not in appliance(text)
    assert '\n# power_states = ["On"] # a question' in text


def test_silent_appliance_is_said_so() -> None:
    """An appliance of which nothing was read claims nothing and lacks nothing; the cause stands beside it."""
    silent = [exchange(key, 409, b'{"error": "offline"}', ha_id="two") for key in VALUES]
    result = draft_of([*answers(), *silent], appliances=("one:Oven", "two:Oven"))
    assert set(appliance(result.text, "two")) == {"ha_id", "kind"}
    assert "# No key gave a value: every key is refused" in result.text
    assert '# supports = ["Vendor.Common.Setting.PowerState"] # a question' in result.text
    assert any(line.startswith("two: no key gave a value") for line in result.told)


def test_keys_that_answered_errors_are_named() -> None:
    """A key that nobody claims is never missed: what answered an error, or otherwise than an unknown key, is
    named, with the answer; what was refused like an unknown key is not.
    """
    nonce = exchange("Vendor.Common.Setting.Nonce", 404, b'{"error": "unknown"}', group=NONCE_SETTINGS)
    odd = [
        exchange(CUP_WARMER, 500, b"out of memory"),
        exchange(REMOTE, 200, b'{"error": "busy"}'),
        exchange(COFFEE_COUNT, 404, b'{"error": "unknown"}'),
    ]
    text = draft_of([*answers(), nonce, *odd], appliances=("one:CoffeeMaker",)).text
    named = [line for line in text.splitlines() if "answered" in line]
    assert [line.partition(" answered ")[0] for line in named] == [f"# {CUP_WARMER}", f"# {REMOTE}"]
    assert "500 (server error), out of memory: add it to supports" in named[0]
    assert '{"error": "busy"}' in named[1]
    assert draft_of([*answers(), nonce, *odd], text, {}, ()).text == text


def list_of(segment: str, body: object) -> Exchange:
    """A list of a segment, at the usual path."""
    group = Group(ProcedureKind.LIST, segment)
    return exchange("*", 200, json.dumps(body).encode(), group=group, segment=segment, purpose="list")


def test_list_at_the_usual_path_is_drafted() -> None:
    """Where a list answers, its place is a guess, and the entries that the document does not have are told;
    a body without keys is no list.
    """
    items = [{"key": key, "value": shown} for key, shown in VALUES.items()]
    lists = [
        list_of("settings", {"data": {"settings": [*items, {"key": "Foo.Setting.Bar"}], "hints": ["x"]}}),
        list_of("status", {"data": {"status": ["none"]}}),
    ]
    result = draft_of([*answers(), *lists])
    path = "/api/homeappliances/{ha_id}/settings"
    assert tomllib.loads(result.text)["list"] == {
        "settings": {"path": path, "items": "/data/settings", "key": "/key"}
    }
    assert "one: lists 1 entry that the document does not have: Foo.Setting.Bar" in result.told
    build_profile(tomllib.loads(result.text))


def test_draft_makes_no_finding_certain(tmp_path: Path) -> None:
    """What a draft does not tell is not read again: it looks once, however wrong the values are. What could
    not be read, as the day has ended, is not silently left out of the claims.
    """
    with serve({"": find_server("booleans-as-words")()}) as base_url:
        words = {"name": "hub", "base_url": base_url}
        tables = begin_document(None, words, (f"{HOOD.ha_id}:Hood",)).unwrap()
        (seen,), _ = ask(build_profile(tables))
        _, trouble = ask(build_profile({**tables, "pace": {"per_day": 12}}), state=tmp_path)
    kinds = {group.kind for group in seen.made}
    assert seen.value(LIGHTING) in {"True", "False"}
    assert kinds <= {ProcedureKind.NONCE, ProcedureKind.FOREIGN, ProcedureKind.LIST}
    assert "per_day" in trouble


def test_among_equals_the_draft_asks() -> None:
    """Two places that fit alike stand as comments, and nothing is claimed."""
    result = draft_of(shaped(lambda _key, shown: {"is": shown, "was": shown}))
    assert (result.served, result.asks) == (0, True)
    assert all(f'\n# value = "/{place}" #' in result.text for place in ("is", "was"))
    assert "answer" not in tomllib.loads(result.text).get("answer", {})


def test_statuses_of_another_shape_get_their_own_table() -> None:
    """Where statuses are shaped otherwise, their pointers stand apart."""

    def body(key: str, shown: object) -> object:
        return {"is": shown, "of": key} if ".Setting." in key else {"state": {"now": shown}}

    remote = json.dumps(body(REMOTE, shown=True)).encode()
    text = draft_of([*shaped(body), exchange(REMOTE, 200, remote)]).text
    pointers = {"value": "/is", "key": "/of", "status": {"value": "/state/now"}}
    assert tomllib.loads(text)["answer"] == pointers


def test_another_maker_is_recognized() -> None:
    """Where values name a maker under whose name nothing was asked, the draft is not to be used."""
    body = b'{"value": "Maker.Common.EnumType.DoorState.Open"}'
    door = exchange("Refrigeration.Common.Status.Door.Freezer", 200, body)
    result = draft_of([door], appliances=("one:Refrigerator",))
    assert result.served == 0
    assert any("--vendor Maker" in line for line in result.told)


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"', "'''", "#", "\\", "\x00", "\x7f", "\u2028", "~1/", "]", "= 1"]
)
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
bodies = st.recursive(
    plain | st.sampled_from(list(VALUES.values())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=25)
@given(
    st.lists(texts, min_size=1, max_size=3),
    st.lists(bodies, min_size=4, max_size=4),
    texts.filter(lambda text: text not in {"", ".", "..", "*"}),
)
def test_draft_is_a_profile_whatever_was_answered(names: list[str], odd: list[object], ha_id: str) -> None:
    """Odd names, values, control characters and haIds never make a draft that `check` rejects."""
    more = dict(zip(VALUES, odd, strict=True))

    def within(key: str, shown: object) -> object:
        body: object = {names[-1]: shown, "more": more[key], "key": key, "allowed": [shown, odd[0]]}
        for name in reversed(names[:-1]):
            body = {name: body, "and": odd[0]}
        return body

    whole = shaped(lambda key, _shown: more[key], ha_id)
    for made in (shaped(within, ha_id), whole, [refusal(key) for key in VALUES]):
        result = draft_of(made, appliances=(f"{ha_id}:Oven",), words={**WORDS, "product": ha_id})
        profile = build_profile(tomllib.loads(result.text))
        assert (profile.target.product, profile.appliance[0].ha_id) == (ha_id, ha_id)


def shows_nothing(ha_id: str) -> list[Exchange]:
    """Every key of an appliance refused for want of access."""
    return [exchange(key, 401, b'{"error": "unauthorized"}', ha_id=ha_id) for key in VALUES]


def test_one_reason_is_said_once() -> None:
    """Appliances that are silent for the same reason share a line; a second one says how to go on."""
    names = ("one", "two", "three")
    exchanges = [each for name in names for each in shows_nothing(name)]
    reason, advice = draft_of(exchanges, appliances=tuple(f"{name}:Oven" for name in names)).told
    assert reason.startswith("one, two, three: no key gave a value: access is refused (status 401")
    assert advice.startswith("Declare [auth] in the file")


def test_declared_access_is_not_asked_for() -> None:
    """A token that is refused is not answered by the advice to declare one."""
    text = (
        f'[target]\nname = "hub"\nbase_url = "{URL}"\n[auth]\nheaders = {{ Authorization = "${{TOKEN}}" }}\n'
    )
    (reason,) = draft_of(shows_nothing("one"), text).told
    assert "check that the token of [auth] is right" in reason


def filled(shape: Any, key: str, shown: object) -> Any:
    """A body of that shape, with a key and a value in the places of `{key}` and `{value}`."""
    if isinstance(shape, dict):
        return {name: filled(part, key, shown) for name, part in cast("dict[str, Any]", shape).items()}
    return {"{key}": key, "{value}": shown}[shape]


@pytest.mark.parametrize(
    ("shape", "sketched"),
    [
        ({"value": "{value}"}, {"value": "{value}"}),
        ({"a b": {"of": "{key}", "is/was": "{value}"}}, {"a b": {"of": "{key}", "is/was": "{value}"}}),
        ({"key": "{key}", "data": {"v": "{value}"}}, {"data": {"v": "{value}"}}),
        ("{value}", "{value}"),
    ],
)
def test_writing_is_sketched_and_off(shape: object, sketched: object) -> None:
    """A draft has no table [write], but once a comment that is one, and that allows nothing yet."""
    answered = shaped(lambda key, shown: filled(shape, key, shown))
    text = draft_of(answered).text
    assert "write" not in tomllib.loads(text)
    head, mark, sketch = text.partition("\n# [write]\n")
    whole = head + mark.replace("# ", "") + "".join(f"{line[2:]}\n" for line in sketch.splitlines())
    write = build_profile(tomllib.loads(whole)).write
    assert write
    assert (write.body, write.allow) == (sketched, ())
    assert draft_of(answered, text).text == text


# A profile that there is is completed: what it says stays, and what it does not say is filled in.
MINE = """# my hub
[target]
name = "mine" # mine
base_url = "http://127.0.0.1:1"

[http]
timeout_s = 5 # slow

[[appliance]] # the first
ha_id = "one"
kind = "Oven"
supports = ["Vendor.Common.Setting.PowerState"] # only this
# power_states: ask Ann

[appliance.step]
"Vendor.Common.Setting.AlarmClock" = 60.0

[[appliance]]
ha_id = "two"
kind = "Hood"
"""


def test_existing_profile_is_completed() -> None:
    """What is declared stays, with its comments; what is missing is added, what is beyond a claim is said."""
    result = draft_of([*answers(), *answers("two")], MINE, {}, ())
    lines = result.text.splitlines()
    assert [line for line in MINE.splitlines() if line not in lines] == []
    assert tomllib.loads(result.text)["answer"] == {"value": "/data/value", "key": "/data/key"}
    assert appliance(result.text)["supports"] == [POWER]
    assert "power_states" not in appliance(result.text)
    assert set(appliance(result.text, "two")["supports"]) == set(VALUES)
    assert any(LOCK in line and "neither under supports nor under lacks" in line for line in result.told)


def test_completing_twice_changes_nothing() -> None:
    """A second time there is nothing left to add, and no question is asked again; an appliance that is named
    beside a profile gets a table of its own.
    """
    both = [*answers(), *answers("two")]
    new = draft_of(both, appliances=("one:Oven", "two:Hood")).text
    for once in (new, draft_of(both, MINE, {}, ()).text):
        assert draft_of(both, once, {}, ()).text == once
    more = draft_of([*answers(), *answers("three")], MINE, {}, ("three:Oven", "one:Oven")).text
    assert [table["ha_id"] for table in tomllib.loads(more)["appliance"]] == ["one", "two", "three"]


def test_declared_pointer_is_kept() -> None:
    """A pointer that a person has written stays, though it leads nowhere; where values seem to be is said."""
    result = draft_of(answers(), MINE + '\n[answer]\nvalue = "/nowhere"\n', {}, ())
    assert (result.served, tomllib.loads(result.text)["answer"]) == (0, {"value": "/nowhere"})
    says = "is declared as '/nowhere', where nothing stands; values seem to stand at '/data/value'"
    assert f"answer.value {says}" in result.told


@pytest.mark.parametrize(
    ("words", "appliances", "place"),
    [
        ({"base_url": "http://other"}, (), "target.base_url"),
        ({}, ("one:Hood",), "appliance one"),
        ({}, ("one",), "one: is not"),
    ],
)
def test_contradiction_is_a_mistake(words: dict[str, str], appliances: tuple[str, ...], place: str) -> None:
    """What is said on the command line never overrules what the file says."""
    with pytest.raises(ProfileError, match=place):
        begin_document(MINE.encode(), words, appliances)


def test_file_of_a_fleet_is_filled() -> None:
    """A file of JSON keeps its other lines as they are; one of CSV gets a column where there is none, and its
    cells with commas and quotes stay what they are.
    """
    text = '{"ha_id": "a", "kind": "Oven"}\n\n{"ha_id":"b","kind":"Oven","supports":["x"]}\n'
    filled = with_supports("fleet.ndjson", text, {"a": [LOCK], "b": [LOCK]}).splitlines()
    assert (json.loads(filled[0])["supports"], filled[1:]) == ([LOCK], text.splitlines()[1:])
    text = 'ha_id,kind,samples\na,Oven,"{""map_name"": [""x, y""]}"\nb,Hood,\n'
    rows = list(csv.DictReader(with_supports("f.CSV", text, {"a": ["K"]}).splitlines()))
    assert [(row["supports"], row["samples"]) for row in rows] == [("K", '{"map_name": ["x, y"]}'), ("", "")]
