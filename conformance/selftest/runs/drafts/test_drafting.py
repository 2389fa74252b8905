"""A draft says what was seen and asks for what was not; whatever a server answers, it is a profile."""

import csv
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, COFFEE_COUNT, CUP_WARMER, LIGHTING
from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import NONCE_SETTINGS, Group, ProcedureKind
from conformance.harness.observing import Observations
from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.profiles.fields import ProfileError
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.reference.server import serve
from conformance.runs.drafts.draft_document import begin_document, with_supports
from conformance.runs.drafts.drafting import Draft, ask, draft
from conformance.selftest.support.commanding import said
from conformance.selftest.support.samples.fleets import several
from conformance.selftest.support.samples.handmade import URL, exchange, numbered, refusal

POWER = "Vendor.Common.Setting.PowerState"
LOCK = "Vendor.Common.Setting.ChildLock"
ALARM = "Vendor.Common.Setting.AlarmClock"
DOOR = "Vendor.Common.Status.DoorState"
ON = "Vendor.Common.EnumType.PowerState.On"
VALUES: dict[str, object] = {POWER: ON, LOCK: False, ALARM: 5, DOOR: "Vendor.Common.EnumType.DoorState.Open"}
WORDS = {"name": "hub", "base_url": URL}


def drafted(
    exchanges: Iterable[Exchange],
    text: str | None = None,
    words: Mapping[str, str] = WORDS,
    appliances: tuple[str, ...] = ("one:Oven",),
) -> Draft:
    """What is drafted, or completed, from these answers."""
    document = begin_document(None if text is None else text.encode(), words, appliances)
    profile = build_profile(document.unwrap(), CATALOG, environment={"TOKEN": "open sesame"})
    made = numbered(replace(one, lane=one.ha_id) for one in exchanges)
    return draft(document, list(Observations(profile, CATALOG, made).views().values()))


def test_product_is_asked_for() -> None:
    """Nobody can read what the product is called: a draft asks, unless it was told."""
    assert '\n# product = "Hub 3.2" # a question' in drafted(answers()).text
    told = drafted(answers(), words={**WORDS, "product": 'Hub "3"\n'}).text
    assert tomllib.loads(told)["target"]["product"] == 'Hub "3"\n'
    assert "# product" not in told


def test_power_states_are_those_that_are_advertised() -> None:
    """The list of the answer is the guess, without a state that the document does not know."""
    listed = [ON, ON.replace("On", "Standby"), ON.replace("On", "MainsOff")]
    text = drafted(answers(constraints={"allowedvalues": listed})).text
    assert appliance(text)["power_states"] == ["On", "Standby"]
    assert "no power state of the document: MainsOff" in text


def test_power_states_that_are_not_advertised_are_a_question() -> None:
    """The present state alone does not tell which ones an appliance has."""
    text = drafted(answers()).text
    assert "power_states" not in appliance(text)
    assert '\n# power_states = ["On"] # a question' in text


def test_silent_appliance_is_said_so() -> None:
    """An appliance of which nothing was read claims nothing and lacks nothing; the cause stands beside it."""
    silent = [exchange(key, 409, b'{"error": "offline"}', ha_id="two") for key in VALUES]
    result = drafted([*answers(), *silent], appliances=("one:Oven", "two:Oven"))
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
    text = drafted([*answers(), nonce, *odd], appliances=("one:CoffeeMaker",)).text
    named = [line for line in text.splitlines() if "answered" in line]
    assert [line.partition(" answered ")[0] for line in named] == [f"# {CUP_WARMER}", f"# {REMOTE}"]
    assert "500 (server error), out of memory: add it to supports" in named[0]
    assert '{"error": "busy"}' in named[1]
    assert drafted([*answers(), nonce, *odd], text, {}, ()).text == text


def listed(segment: str, body: object) -> Exchange:
    """A list of a segment, at the usual path."""
    group = Group(ProcedureKind.LIST, segment)
    return exchange("*", 200, json.dumps(body).encode(), group=group, segment=segment, purpose="list")


def test_list_at_the_usual_path_is_drafted() -> None:
    """Where a list answers, its place is a guess, and the entries that the document does not have are told;
    a body without keys is no list.
    """
    items = [{"key": key, "value": shown} for key, shown in VALUES.items()]
    lists = [
        listed("settings", {"data": {"settings": [*items, {"key": "Foo.Setting.Bar"}], "hints": ["x"]}}),
        listed("status", {"data": {"status": ["none"]}}),
    ]
    result = drafted([*answers(), *lists])
    path = "/api/homeappliances/{ha_id}/settings"
    assert tomllib.loads(result.text)["list"] == {
        "settings": {"path": path, "items": "/data/settings", "key": "/key"}
    }
    assert "one: lists 1 entry that the document does not have: Foo.Setting.Bar" in result.told
    build_profile(tomllib.loads(result.text), CATALOG)


def test_draft_makes_no_finding_certain() -> None:
    """What a draft does not tell is not read again: it looks once, however wrong the values are."""
    with serve({"": find_server("booleans-as-words")()}) as base_url:
        appliance = f"{HOOD.ha_id}:Hood"
        document = begin_document(None, {"name": "hub", "base_url": base_url}, (appliance,))
        (seen,), _ = ask(build_profile(document.unwrap(), CATALOG))
    kinds = {group.kind for group in seen.made}
    assert seen.value(LIGHTING) in {"True", "False"}
    assert kinds <= {ProcedureKind.NONCE, ProcedureKind.FOREIGN, ProcedureKind.LIST}


def test_among_equals_the_draft_asks() -> None:
    """Two places that fit alike stand as comments, and nothing is claimed."""
    result = drafted(shaped(lambda _key, shown: {"is": shown, "was": shown}))
    assert (result.served, result.asks) == (0, True)
    assert all(f'\n# value = "/{place}" #' in result.text for place in ("is", "was"))
    assert "answer" not in tomllib.loads(result.text).get("answer", {})


def test_statuses_of_another_shape_get_their_own_table() -> None:
    """Where statuses are shaped otherwise, their pointers stand apart."""

    def body(key: str, shown: object) -> object:
        return {"is": shown, "of": key} if ".Setting." in key else {"state": {"now": shown}}

    remote = json.dumps(body(REMOTE, shown=True)).encode()
    text = drafted([*shaped(body), exchange(REMOTE, 200, remote)]).text
    pointers = {"value": "/is", "key": "/of", "status": {"value": "/state/now"}}
    assert tomllib.loads(text)["answer"] == pointers


def test_another_maker_is_recognized() -> None:
    """Where values name a maker under whose name nothing was asked, the draft is not to be used."""
    body = b'{"value": "Maker.Common.EnumType.DoorState.Open"}'
    door = exchange("Refrigeration.Common.Status.Door.Freezer", 200, body)
    result = drafted([door], appliances=("one:Refrigerator",))
    assert result.is_of_another_maker
    assert any("--vendor Maker" in line for line in result.told)


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
    result = drafted([*answers(), *answers("two")], MINE, {}, ())
    lines = result.text.splitlines()
    assert [line for line in MINE.splitlines() if line not in lines] == []
    assert tomllib.loads(result.text)["answer"] == {"value": "/data/value", "key": "/data/key"}
    assert appliance(result.text)["supports"] == [POWER]
    assert "power_states" not in appliance(result.text)
    assert set(appliance(result.text, "two")["supports"]) == set(VALUES)
    assert any(LOCK in line and "neither under supports nor under lacks" in line for line in result.told)


def test_completing_twice_changes_nothing() -> None:
    """A second time there is nothing left to add, and no question is asked again."""
    both = [*answers(), *answers("two")]
    new = drafted(both, appliances=("one:Oven", "two:Hood")).text
    for once in (new, drafted(both, MINE, {}, ()).text):
        assert drafted(both, once, {}, ()).text == once


def test_appliance_is_added_to_an_existing_profile() -> None:
    """An appliance that is named beside a profile gets a table of its own."""
    result = drafted([*answers(), *answers("three")], MINE, {}, ("three:Oven", "one:Oven"))
    assert [table["ha_id"] for table in tomllib.loads(result.text)["appliance"]] == ["one", "two", "three"]


def test_declared_pointer_is_kept() -> None:
    """A pointer that a person has written stays, though it leads nowhere; where values seem to be is said."""
    result = drafted(answers(), MINE + '\n[answer]\nvalue = "/nowhere"\n', {}, ())
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


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.sampled_from(
    ['"', "'''", "#", "\\", "\x00", "\x7f", "\u2028", "~1/", "]", "= 1"]
)
plain = st.none() | st.booleans() | st.integers() | st.floats() | texts
bodies = st.recursive(
    plain | st.sampled_from(list(VALUES.values())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=50)
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
        result = drafted(made, appliances=(f"{ha_id}:Oven",), words={**WORDS, "product": ha_id})
        profile = build_profile(tomllib.loads(result.text), CATALOG)
        assert (profile.target.product, profile.appliance[0].ha_id) == (ha_id, ha_id)


REMOTE = "Vendor.Common.Status.RemoteControlActive"


def answers(ha_id: str = "one", **members: object) -> list[Exchange]:
    """The answers of an appliance at the usual place, with more members of its power state."""
    bodies = {key: {"key": key, "value": shown} for key, shown in VALUES.items()}
    bodies[POWER] |= members
    return shaped(lambda key, _shown: {"data": bodies[key]}, ha_id)


def shaped(body: Callable[[str, object], object], ha_id: str = "one") -> list[Exchange]:
    """The answers of an appliance whose bodies are made so of key and value."""
    bodies = {key: json.dumps(body(key, shown)).encode() for key, shown in VALUES.items()}
    return [exchange(key, 200, text, ha_id=ha_id) for key, text in bodies.items()]


def appliance(text: str, ha_id: str = "one") -> dict[str, Any]:
    """The table of an appliance in a draft."""
    return next(table for table in tomllib.loads(text)["appliance"] if table["ha_id"] == ha_id)


CSV = f"ha_id,kind,template,supports\nhood-1-0,Hood,,\nhood-1-1,Hood,,{CHILD_LOCK}\nhood-1-2,,hood,\n"


@pytest.fixture(scope="module")
def completed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a profile that names a fleet file, and was completed."""
    here = tmp_path_factory.mktemp("fleet")
    with serve({"": several(HOOD, 3)()}) as base_url:
        profile = {
            "target": {"name": "hub", "base_url": base_url},
            "fleet": {"file": "fleet.csv"},
            "template": [{"name": "hood", "kind": "Hood", "supports": [CHILD_LOCK]}],
        }
        (here / "hub.toml").write_text(toml_of(profile), encoding="utf-8")
        (here / "fleet.csv").write_text(CSV, encoding="utf-8")
        assert said("init", "-o", str(here / "hub.toml")).exit_code == 0
    return here


def test_row_that_claims_nothing_is_filled(completed: Path) -> None:
    """Rows that say what they support, themselves or by a template, stay as they are."""
    rows = list(csv.DictReader((completed / "fleet.csv").read_text(encoding="utf-8").splitlines()))
    assert [len(row["supports"].split()) for row in rows][1:] == [1, 0]
    assert set(rows[0]["supports"].split()) >= {key for key in HOOD.values if "Setting" in key}


def test_filled_fleet_is_a_profile(completed: Path) -> None:
    """It has no mistakes, and the pointers of the answers are guessed as ever."""
    assert said("check", str(completed / "hub.toml")).exit_code == 0
    assert "guess" in (completed / "hub.toml").read_text(encoding="utf-8")


def test_line_of_json_is_filled() -> None:
    """A file of JSON keeps its other lines as they are."""
    text = '{"ha_id": "a", "kind": "Oven"}\n\n{"ha_id":"b","kind":"Oven","supports":["x"]}\n'
    filled = with_supports("fleet.ndjson", text, {"a": [CHILD_LOCK], "b": [CHILD_LOCK]}).splitlines()
    assert (json.loads(filled[0])["supports"], filled[1:]) == ([CHILD_LOCK], text.splitlines()[1:])


def test_column_is_added_where_there_is_none() -> None:
    """Cells with commas and quotes stay what they are."""
    text = 'ha_id,kind,samples\na,Oven,"{""map_name"": [""x, y""]}"\nb,Hood,\n'
    rows = list(csv.DictReader(with_supports("f.CSV", text, {"a": ["K"]}).splitlines()))
    assert [(row["supports"], row["samples"]) for row in rows] == [("K", '{"map_name": ["x, y"]}'), ("", "")]


def shows_nothing(ha_id: str) -> list[Exchange]:
    """Every key of an appliance refused for want of access."""
    return [exchange(key, 401, b'{"error": "unauthorized"}', ha_id=ha_id) for key in VALUES]


def test_one_reason_is_said_once() -> None:
    """Appliances that are silent for the same reason share a line; a second one says how to go on."""
    names = ("one", "two", "three")
    exchanges = [each for name in names for each in shows_nothing(name)]
    reason, advice = drafted(exchanges, appliances=tuple(f"{name}:Oven" for name in names)).told
    assert reason.startswith("one, two, three: no key gave a value: access is refused (status 401")
    assert advice.startswith("Declare [auth] in the file")


def test_declared_access_is_not_asked_for() -> None:
    """A token that is refused is not answered by the advice to declare one."""
    text = (
        f'[target]\nname = "hub"\nbase_url = "{URL}"\n[auth]\nheaders = {{ Authorization = "${{TOKEN}}" }}\n'
    )
    (reason,) = drafted(shows_nothing("one"), text).told
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
    text = drafted(answered).text
    assert "write" not in tomllib.loads(text)
    head, mark, sketch = text.partition("\n# [write]\n")
    whole = head + mark.replace("# ", "") + "".join(f"{line[2:]}\n" for line in sketch.splitlines())
    write = build_profile(tomllib.loads(whole), CATALOG).write
    assert write
    assert (write.body, write.allow) == (sketched, ())
    assert drafted(answered, text).text == text
