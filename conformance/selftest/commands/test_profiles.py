"""plan, init and check: what is known before a run, and how a profile comes about, or is completed."""

import csv
import json
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK, FRIDGE_SABBATH, OVEN_SABBATH
from conformance.commands.around import write_used
from conformance.mutants.fleets import HOOD
from conformance.mutants.hostile.model import Asked, Piece
from conformance.mutants.hostile.replies import sent
from conformance.mutants.hostile.servers import BY_NAME, opened
from conformance.profiles.fields import ProfileError
from conformance.profiles.toml import toml_of
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.runs.drafts.draft_document import begin_document, with_supports
from conformance.selftest.support.answered import LOCK, POWER, VALUES, answers, appliance, draft_of
from conformance.selftest.support.commands import BARE, FRIDGE, command
from conformance.selftest.support.handmade import profile_of, write_table
from conformance.selftest.support.raw_server import http, listening, raw_server, write_profile
from conformance.selftest.support.recording import several

LITTLE = "[pace]\ngenerated_reads = 0\n"
URL = ("--base-url", "http://127.0.0.1:9")


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The base URL of a reference."""
    with serve({"": Service()}) as base_url:
        yield base_url


@pytest.fixture(scope="module")
def draft(served: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A profile of a refrigerator and an oven, as init drafts it."""
    path = tmp_path_factory.mktemp("drafted") / "hub.toml"
    result = command("init", "--base-url", served, *FRIDGE, "--appliance", "oven-1:Oven", "-o", str(path))
    assert result.code == 0, result.output
    return path


def test_plan_lists_the_reads_of_the_run(served: str, tmp_path: Path) -> None:
    """The requests that plan lists are the shared reads of the run that follows, in their order."""
    profile = str(write_profile(tmp_path / "hub.toml", served, more=LITTLE))
    lines = command("plan", profile, "--requests").output.splitlines()
    ran = command("run", profile, *BARE, directory=tmp_path)
    reads = [line["request"]["url"] for line in ran.evidence if line["purpose"] == "read"]
    assert [line.removeprefix("GET ") for line in lines if line.startswith("GET ")] == reads


def plan_of(directory: Path, kind: str, *allowed: str) -> tuple[str, str]:
    """What is planned for an appliance that takes writes, and what for a certified run."""
    profile = profile_of(kind, target={"name": "x", "base_url": URL[1]}, write=write_table(*allowed))
    words = ("plan", str(write_used(profile, directory / "x.toml")), "--level", "write")
    return command(*words).output, command(*words, "--certify").output


def test_plan_of_a_certified_run_waits_longer(tmp_path: Path) -> None:
    """A certified run waits as long as effects may take after each write that must do nothing."""
    plans = plan_of(tmp_path, "Refrigerator", CHILD_LOCK)
    least, certified = (float(one.partition("waiting      about ")[2].split()[0]) for one in plans)
    assert certified > least


def test_plan_names_keys_that_are_called_alike_in_full(tmp_path: Path) -> None:
    """An appliance of an unknown kind may have both Sabbath modes: each of them is named once."""
    sabbaths = (OVEN_SABBATH, FRIDGE_SABBATH)
    plan, _ = plan_of(tmp_path, "FridgeFreezer", CHILD_LOCK, *sabbaths)
    (line,) = (line for line in plan.splitlines() if "SabbathMode" in line)
    assert [line.count(f" {sabbath} ") for sabbath in sabbaths] == [1, 1]
    assert line.count("SabbathMode") == 2


def test_draft_marks_its_guesses(draft: Path) -> None:
    """Each pointer, each claim and each power state of a draft carries the mark of a guess on its line; an
    editor finds the schema by the first.
    """
    assert draft.read_text(encoding="utf-8").startswith("#:schema ./")
    marked = ("value =", "key =", "unit =", "min =", "power_states =")
    guesses = [line for line in draft.read_text(encoding="utf-8").splitlines() if line.startswith(marked)]
    assert len(guesses) > 4
    assert all("# guess" in line for line in guesses)


def test_draft_claims_what_was_seen(draft: Path, served: str) -> None:
    """A draft names its target and claims exactly the keys that gave a value."""
    data = tomllib.loads(draft.read_text(encoding="utf-8"))
    assert (data["target"]["base_url"], data["target"]["name"]) == (served, served.removeprefix("http://"))
    claims: dict[str, Any] = {spec.ha_id: Service().claims(spec)["supports"] for spec in Service().fleet}
    assert [item["ha_id"] for item in data["appliance"]] == ["fridge-1", "oven-1"]
    assert all(set(item["supports"]) == set(claims[item["ha_id"]]) for item in data["appliance"])


SILENT: dict[int, str] = {401: "access is refused (status 401", 500: "the target itself fails"}


@pytest.mark.parametrize("status", SILENT)
def test_draft_of_nothing_says_why(status: int, tmp_path: Path) -> None:
    """Where nothing can be read, init ends with 3, says why and writes nothing."""
    with listening(status) as listener:
        result = command("init", "--base-url", listener.base_url, *FRIDGE, "-o", str(tmp_path / "hub.toml"))
    assert result.code == 3
    assert SILENT[status] in result.output
    assert not (tmp_path / "hub.toml").exists()


def test_draft_asks_with_the_headers_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--header is sent, and stands in the draft as [auth]; the secret does not."""
    monkeypatch.setenv("HUB_TOKEN", "open-sesame")
    path = tmp_path / "hub.toml"

    def answer(asked: Asked) -> list[Piece]:
        known = asked.request.headers.get("authorization") == "Bearer open-sesame"
        return [sent(asked.reply) if known else http(401)]

    with raw_server(answer) as raw:
        oven = ("--appliance", "oven-1:Oven", "--header", "Authorization: Bearer ${HUB_TOKEN}")
        words = ("--base-url", raw.base_url, *oven)
        assert command("init", *words, "-o", str(path)).code == 0
    assert tomllib.loads(path.read_text())["auth"] == {"headers": {"Authorization": "Bearer ${HUB_TOKEN}"}}
    assert "open-sesame" not in path.read_text()


def test_first_hour(tmp_path: Path, served: str) -> None:
    """From an empty directory: init, the check that it names, and run --certify end with 0, and a certificate
    is there.
    """
    path = str(tmp_path / "my hub.toml")
    drafted = command("init", "--base-url", served, *FRIDGE, "--product", "Hub 3.2", "-o", path)
    assert drafted.code == 0
    assert drafted.output.splitlines()[-1].endswith(f"appliance-conformance check {shlex.quote(path)}")
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"\n{LITTLE}")
    checked = command("check", path)
    assert (checked.code, "target.product" in checked.output) == (0, False)
    ran = command("run", path, "--certify", directory=tmp_path)
    assert (ran.code, ran.results["target"]["product"]) == (0, "Hub 3.2")
    assert (ran.results["counts"]["pass"] > 50, (ran.out / "certificate.json").exists()) == (True, True)


class OfAMaker(Service):
    """A server whose keys and values begin with its maker's name."""

    vendor = "Maker"


def test_makers_name_is_given_on_the_command_line(tmp_path: Path) -> None:
    """With --vendor a target of another maker is drafted; without it, init says which name values have."""
    path = tmp_path / "hub.toml"
    with serve({"": OfAMaker()}) as url:
        words = ("init", "--base-url", url, *FRIDGE, "-o", str(path))
        without = command(*words)
        assert (without.code, path.exists(), "(--vendor Maker)?" in without.output) == (3, False, True)
        assert command(*words, "--vendor", "Maker").code == 0
        few = ("--vendor", "Maker", *BARE, "-k", "READ and PowerState")
        ran = command("run", "--base-url", url, *FRIDGE, *few, directory=tmp_path)
    assert tomllib.loads(path.read_text())["target"]["vendor"] == "Maker"
    assert (ran.code, ran.results["target"]["vendor"]) == (0, "Maker")


def test_certificate_that_nobody_trusts_is_named(tmp_path: Path) -> None:
    """A self-signed certificate is told from a wrong address, with the field that declares its CA."""
    with opened(BY_NAME["tls-untrusted"]) as (server, _):
        words = ("init", "--base-url", server.base_url, *FRIDGE, "-o", str(tmp_path / "hub.toml"))
        result = command(*words)
    assert (result.code, 'http.verify = "ca.pem"' in result.output) == (3, True)


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
    """A second time there is nothing left to add, and no question is asked again."""
    both = [*answers(), *answers("two")]
    new = draft_of(both, appliances=("one:Oven", "two:Hood")).text
    for once in (new, draft_of(both, MINE, {}, ()).text):
        assert draft_of(both, once, {}, ()).text == once


def test_appliance_is_added_to_an_existing_profile() -> None:
    """An appliance that is named beside a profile gets a table of its own."""
    result = draft_of([*answers(), *answers("three")], MINE, {}, ("three:Oven", "one:Oven"))
    assert [table["ha_id"] for table in tomllib.loads(result.text)["appliance"]] == ["one", "two", "three"]


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


CSV = f"ha_id,kind,template,supports\nhood-1-0,Hood,,\nhood-1-1,Hood,,{CHILD_LOCK}\nhood-1-2,,hood,\n"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
        assert command("init", "-o", str(here / "hub.toml")).code == 0
    return here


def test_row_that_claims_nothing_is_filled(fleet: Path) -> None:
    """Rows that say what they support, themselves or by a template, stay as they are."""
    rows = list(csv.DictReader((fleet / "fleet.csv").read_text(encoding="utf-8").splitlines()))
    assert [len(row["supports"].split()) for row in rows][1:] == [1, 0]
    assert set(rows[0]["supports"].split()) >= {key for key in HOOD.values if "Setting" in key}


def test_filled_fleet_is_a_profile(fleet: Path) -> None:
    """It has no mistakes, and the pointers of the answers are guessed as ever."""
    assert command("check", str(fleet / "hub.toml")).code == 0
    assert "guess" in (fleet / "hub.toml").read_text(encoding="utf-8")


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
