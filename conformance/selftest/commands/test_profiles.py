"""plan, init and check: what is known before a run, and how a profile comes about."""

import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK, FRIDGE_SABBATH, OVEN_SABBATH
from conformance.mutants.hostile.model import Asked, Piece
from conformance.mutants.hostile.replies import sent
from conformance.mutants.hostile.servers import BY_NAME, opened
from conformance.profiles.toml import write_profile as write_whole_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.commands import BARE, FRIDGE, command
from conformance.selftest.support.samples.handmade import profile_of, write_table
from conformance.selftest.support.servers.raw_server import http, listening, raw_server, write_profile

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
    words = ("plan", str(write_whole_profile(profile, directory / "x.toml")), "--level", "write")
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
