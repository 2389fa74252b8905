"""plan, init and check: what is known before a run, and how a profile comes about."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK, FRIDGE_SABBATH, OVEN_SABBATH
from conformance.cases import CATALOG
from conformance.mutants.hostile.model import Asked, Piece
from conformance.mutants.hostile.replies import sent
from conformance.mutants.hostile.servers import BY_NAME, opened
from conformance.profiles.toml import write_profile as write_whole_profile
from conformance.profiles.validation import build_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.commands import BARE, FRIDGE, command
from conformance.selftest.support.samples.handmade import write_table
from conformance.selftest.support.servers.listening import listening, write_profile
from conformance.selftest.support.servers.raw_server import http, raw_server

POINTERS = '[answer]\nvalue = "/data/value"\n'
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


def test_plan_sends_nothing(tmp_path: Path) -> None:
    """A plan, with or without a profile, is made without one request."""
    with listening() as listener:
        profile = write_profile(tmp_path / "hub.toml", listener.base_url)
        assert command("plan", str(profile), "--requests").code == 0
        assert command("plan", "--base-url", listener.base_url, *FRIDGE).code == 0
    assert listener.asked == []


def test_plan_spells_keys_with_the_makers_name() -> None:
    """With --vendor the keys that begin with Vendor are asked for under that name, and no others change."""
    output = command("plan", *URL, *FRIDGE, "--vendor", "Maker", "--requests").output
    assert "/settings/Maker.Common.Setting.PowerState\n" in output
    assert "/settings/Refrigeration.Common.Setting.EcoMode\n" in output
    assert "Vendor." not in output


def test_plan_lists_the_reads_of_the_run(served: str, tmp_path: Path) -> None:
    """The requests that plan lists are the shared reads of the run that follows, in their order."""
    profile = str(write_profile(tmp_path / "hub.toml", served))
    lines = command("plan", profile, "--requests").output.splitlines()
    ran = command("run", profile, *BARE, directory=tmp_path)
    reads = [line["request"]["url"] for line in ran.evidence if line["purpose"] == "read"]
    assert [line.removeprefix("GET ") for line in lines if line.startswith("GET ")] == reads


def test_plan_says_the_least_time(tmp_path: Path) -> None:
    """At a declared pace, a plan says how long a run takes at least."""
    profile = write_profile(tmp_path / "hub.toml", "http://127.0.0.1:9", more="[pace]\nper_minute = 10\n")
    output = command("plan", str(profile)).output
    assert re.search(r"^generated    at most [1-9]\d* requests that only read", output, re.MULTILINE)
    assert "pace         10 a minute" in output
    assert float(output.partition("least time")[2].split()[0]) > 1


def test_plan_of_a_certified_run_waits_longer(tmp_path: Path) -> None:
    """A certified run waits as long as effects may take after each write that must do nothing."""
    data = {
        "target": {"name": "x", "base_url": URL[1]},
        "appliance": [{"ha_id": "a", "kind": "Refrigerator"}],
        "write": write_table("*"),
    }
    profile = write_whole_profile(build_profile(data, CATALOG), tmp_path / "x.toml")

    def least(*words: str) -> float:
        output = command("plan", str(profile), "--level", "write", *words).output
        return float(output.partition("waiting      about ")[2].split()[0])

    assert least("--certify") > least()


def test_plan_names_keys_that_are_called_alike_in_full(tmp_path: Path) -> None:
    """An appliance of an unknown kind may have both Sabbath modes: each of them is named once."""
    sabbaths = (OVEN_SABBATH, FRIDGE_SABBATH)
    data = {
        "target": {"name": "x", "base_url": URL[1]},
        "appliance": [{"ha_id": "a", "kind": "FridgeFreezer"}],
        "write": write_table("*", CHILD_LOCK, *sabbaths),
    }
    target = write_whole_profile(build_profile(data, CATALOG), tmp_path / "x.toml")
    lines = command("plan", str(target), "--level", "write").output.splitlines()
    (line,) = (line for line in lines if "SabbathMode" in line)
    assert [line.count(f" {sabbath} ") for sabbath in sabbaths] == [1, 1]
    assert line.count("SabbathMode") == 2


def test_draft_takes_plain_reads_alone(served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a draft claims was read: init generates no request."""
    monkeypatch.delattr("conformance.harness.reads.shared_reads.generated_reads")
    words = ("--base-url", served, *FRIDGE, "-o", str(tmp_path / "hub.toml"))
    assert command("init", *words).code == 0


def test_draft_marks_its_guesses(draft: Path) -> None:
    """Each pointer, each claim and each power state of a draft carries the mark of a guess on its line."""
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


def test_template_is_there_for_everybody() -> None:
    """Init prints the template, also where nobody has a checkout."""
    result = command("init", "--template")
    assert result.code == 0
    assert "not_supported = []" in result.output


def test_check_names_waivers_that_end_a_run_with_4(tmp_path: Path) -> None:
    """A profile whose waiver has expired is not without mistakes."""
    waiver = '[[waiver]]\ncase = "TYPE-*::*@*"\nreason = "x"\nowner = "me"\nexpires = 2020-01-01\n'
    path = write_profile(tmp_path / "hub.toml", URL[1], more=waiver)
    result = command("check", str(path))
    assert (result.code, "waiver[0].expires: expired on 2020-01-01" in result.output) == (2, True)


def test_file_that_is_no_profile_stays(tmp_path: Path) -> None:
    """A file that cannot be completed is left alone, and nothing is asked."""
    path = tmp_path / "hub.toml"
    path.write_text("mine")
    with listening() as listener:
        result = command("init", "--base-url", listener.base_url, *FRIDGE, "-o", str(path))
    assert (result.code, path.read_text(), listener.asked) == (2, "mine", [])


def test_new_file_needs_a_target(tmp_path: Path) -> None:
    """Where there is no file, its target must be said; nothing is written."""
    result = command("init", *URL, "-o", str(tmp_path / "hub.toml"))
    assert (result.code, "--base-url and --appliance" in result.output) == (2, True)


def test_profile_that_names_a_target_is_completed(tmp_path: Path, served: str) -> None:
    """A file with a target and an appliance needs no more words; its lines stay."""
    path = write_profile(tmp_path / "hub.toml", served, more="[http] # mine\ntimeout_s = 9\n")
    before = path.read_text().splitlines()
    assert command("init", "-o", str(path)).code == 0
    after = path.read_text().splitlines()
    assert [line for line in before if line not in after] == []
    assert command("check", str(path)).code == 0


def test_first_hour(tmp_path: Path, served: str) -> None:
    """From an empty directory: init, check and run --certify end with 0, and a certificate is there."""
    path = str(tmp_path / "hub.toml")
    assert command("init", "--base-url", served, *FRIDGE, "--product", "Hub 3.2", "-o", path).code == 0
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
        ran = command(
            "run",
            "--base-url",
            url,
            *FRIDGE,
            "--vendor",
            "Maker",
            "--",
            "-k",
            "READ and PowerState",
            directory=tmp_path,
        )
    assert tomllib.loads(path.read_text())["target"]["vendor"] == "Maker"
    assert (ran.code, ran.results["target"]["vendor"]) == (0, "Maker")


def test_draft_into_no_directory_asks_nothing(tmp_path: Path) -> None:
    """A place that cannot be written to is said before a server is read."""
    with listening() as listener:
        result = command(
            "init", "--base-url", listener.base_url, *FRIDGE, "-o", str(tmp_path / "no" / "hub.toml")
        )
    assert (result.code, listener.asked) == (2, [])


def test_check_says_what_is_undeclared(tmp_path: Path) -> None:
    """A profile may be fine and leave much unjudged: check says which fields that is."""
    result = command("check", str(write_profile(tmp_path / "hub.toml", "http://127.0.0.1:9", more=POINTERS)))
    assert result.code == 0
    assert "answer.unit" in result.output
    assert "not declared: target.product" in result.output
    assert "answer.value" not in result.output


@pytest.mark.parametrize("verb", ["check", "plan"])
def test_secrets_are_not_needed_where_nothing_is_sent(
    tmp_path: Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each variable that a run needs is named, and whether it is set or empty; its value is not shown."""
    monkeypatch.delenv("HUB_TOKEN", raising=False)
    monkeypatch.setenv("HUB_KEY", "open sesame")
    monkeypatch.setenv("HUB_NAME", "")
    headers = (
        'headers = { Authorization = "Bearer ${HUB_TOKEN}", X-Key = "${HUB_KEY}", X-Name = "${HUB_NAME}" }'
    )
    profile = write_profile(tmp_path / "hub.toml", URL[1], more=f"[auth]\n{headers}\n")
    result = command(verb, str(profile))
    assert result.code == 0
    assert "HUB_KEY (set), HUB_NAME (empty), HUB_TOKEN (not set)\n" in result.output
    assert "open sesame" not in result.output


@pytest.mark.parametrize("verb", ["check", "plan", "run"])
def test_unnamed_kind_is_said(tmp_path: Path, verb: str) -> None:
    """An appliance of a kind that the document does not name is asked all keys, and a line says so."""
    profile = write_profile(tmp_path / "hub.toml", URL[1])
    profile.write_text(profile.read_text().replace('"Refrigerator"', '"FridgeFreezer"'))
    more = ["--out", str(tmp_path), "--", "-k", "CAT-SUPPORT-VARIES"] if verb == "run" else []
    says = r"kind FridgeFreezer is none of the six .*Hood.*: fridge-1 is asked all 82 keys"
    assert re.search(says, command(verb, str(profile), *more).output)


def test_certificate_that_nobody_trusts_is_named(tmp_path: Path) -> None:
    """A self-signed certificate is told from a wrong address, with the field that declares its CA."""
    with opened(BY_NAME["tls-untrusted"]) as (server, _):
        words = ("init", "--base-url", server.base_url, *FRIDGE, "-o", str(tmp_path / "hub.toml"))
        result = command(*words)
    assert (result.code, 'http.verify = "ca.pem"' in result.output) == (3, True)


def test_secret_that_cannot_be_masked_is_a_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is set is checked as a run would check it."""
    monkeypatch.setenv("HUB_TOKEN", "short")
    headers = 'headers = { Authorization = "Bearer ${HUB_TOKEN}" }'
    result = command("check", str(write_profile(tmp_path / "hub.toml", URL[1], more=f"[auth]\n{headers}\n")))
    assert (result.code, "has fewer than 8 characters" in result.output) == (2, True)
