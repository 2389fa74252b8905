"""How one begins: with one pasted line and few answers of a person, or with a draft of a profile, which says
what a run would cost.
"""

import csv
import os
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.commands.around import write_used
from conformance.mutants.fleets import HOOD
from conformance.mutants.hostile.servers import BY_NAME, opened
from conformance.mutants.shapes.reads import sends
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.runs.exit_codes import USAGE
from conformance.runs.targets import serve_embedded
from conformance.selftest.pasted import strange_servers
from conformance.selftest.pasted.strange_servers import SECRET, SETTING, Guarded, at
from conformance.selftest.support.commands import (
    BARE,
    FRIDGE,
    command,
    files_in,
    running_first,
    without_masking,
)
from conformance.selftest.support.handmade import URL, profile_of, write_table
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.raw_server import listening
from conformance.selftest.support.recording import several

PASTED = strange_servers.FRIDGE
ADDRESS = f"{SETTING}/BSH.Common.Setting.PowerState".replace("{ha_id}", PASTED.ha_id)
DRAFT = "my hub.toml"
METHODS: list[str] = []
"""The methods that the server was asked with."""


class Echoing(Guarded):
    """Repeats in each answer what it was asked with."""

    def answer(self, request: Incoming) -> Reply:
        """Takes the method down, and echoes the token in a header."""
        METHODS.append(request.method)
        reply = super().answer(request)
        token = request.headers.get("authorization", "")
        return replace(reply, headers={**reply.headers, "X-Echo": token})


@pytest.fixture(scope="module")
def echoing() -> Iterator[str]:
    """The base URL of such a server."""
    with serve({"": at(Echoing, PASTED)()}) as base_url:
        yield base_url


def trial_of(
    directory: Path, base_url: str, *words: str, token: str = SECRET, env: dict[str, str] | None = None
) -> Ran:
    """`appliance-conformance try` with a colleague's line as a shell has split it."""
    line = ["curl", "-H", f"Authorization: Bearer {token}", f"{base_url}/{ADDRESS}"]
    places = ["--out", "out", "-o", DRAFT, "--state", "state"]
    return command("try", *places, *words, *line, directory=directory, env=env)


@pytest.fixture(scope="module")
def first(echoing: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """A line that was tried, and the directory of that."""
    here = tmp_path_factory.mktemp("first")
    return trial_of(here, echoing), here


def test_line_gives_a_verdict_and_a_draft(first: tuple[Ran, Path]) -> None:
    """It says what it has inferred and how, the verdict, where the draft is, and what to type next."""
    ran, here = first
    assert ran.code == 0, ran.output
    assert "(from 4 keys that only this kind has; --kind says otherwise)" in ran.output
    assert "Nothing contradicts the document" in ran.output
    lines = ran.output.strip().splitlines()
    exports = "read -rs APPLIANCE_TOKEN && export APPLIANCE_TOKEN"
    says_next = [line for line in lines if line.startswith("next:")]
    assert says_next == [f"next: {exports} && appliance-conformance run {shlex.quote(DRAFT)}"]
    assert lines[-1] == says_next[0]
    assert tomllib.loads((here / DRAFT).read_text())["target"]["vendor"] == "BSH"
    assert (ran.out / "report.html").is_file()


def test_secret_of_the_line_is_left_nowhere(first: tuple[Ran, Path]) -> None:
    """It stands in no file and in nothing that was said, though the server repeats it in each answer."""
    ran, here = first
    assert SECRET not in ran.output
    assert [path for path, text in files_in(here).items() if SECRET.encode() in text] == []
    assert "${APPLIANCE_TOKEN}" in (ran.out / "evidence.ndjson").read_text()


def test_only_reads_are_sent(first: tuple[Ran, Path]) -> None:
    """Nothing is ever written to the target, and it is asked little."""
    assert first[0].code == 0
    assert set(METHODS) == {"GET"}
    assert len(first[0].evidence) < 80


def test_token_is_gone_with_the_command() -> None:
    """A command that a test calls in its own process leaves no variable to the next one."""
    before = {**os.environ}
    assert command("try", "curl -H 'Authorization: Bearer short' http://hub/api").code == USAGE
    assert {**os.environ} == before


def test_draft_is_a_profile(first: tuple[Ran, Path], tmp_path: Path) -> None:
    """The next command works, with the variable that it names."""
    _, here = first
    assert command("check", str(here / DRAFT)).code == 0
    words = ("run", str(here / DRAFT), *BARE, "-k", "READ and PowerState")
    ran = command(*words, directory=tmp_path, env={"APPLIANCE_TOKEN": SECRET})
    assert ran.code == 0, ran.output


def test_line_on_standard_input(echoing: str, tmp_path: Path) -> None:
    """As a browser has it, over several lines; what a second one drafts completes the first."""
    line = f"curl '{echoing}/{ADDRESS}' \\\n  -H 'authorization: Bearer {SECRET}' \\\n  --compressed\n"
    typed = running_first(tmp_path, f"import io, sys\n\nsys.stdin = io.StringIO({line!r})\n")
    for _ in range(2):
        ran = command("try", "--state", "state", "-o", DRAFT, directory=tmp_path, env=typed)
        assert (ran.code, SECRET in ran.output) == (0, False), ran.output
        assert "neither under supports" not in ran.output
    assert len(tomllib.loads((tmp_path / DRAFT).read_text())["appliance"]) == 1


def test_fault_is_a_finding(tmp_path: Path) -> None:
    """A server that does not conform ends it with 1, as it ends a run."""
    with serve({"": at(Guarded, PASTED, layers=(sends(keys.CHILD_LOCK, "no"),))()}) as base_url:
        ran = trial_of(tmp_path, base_url)
    assert (ran.code, 'value is "no" (string), document says Boolean' in ran.output) == (1, True)


def test_who_is_not_let_in_is_told_so(echoing: str, tmp_path: Path) -> None:
    """One request shows it; nothing is drafted, and the wrong token is left nowhere either."""
    before = len(METHODS)
    ran = trial_of(tmp_path, echoing, token="another-0815-token")
    assert (ran.code, len(METHODS) - before) == (3, 1)
    assert "access is refused (status 401" in ran.output
    assert not (tmp_path / DRAFT).exists()
    left = (ran.output.encode(), *files_in(tmp_path).values())
    assert not any(b"another-0815" in text for text in left)


def test_secret_in_an_output_ends_with_5(echoing: str, tmp_path: Path) -> None:
    """If one slips through, it is found; the profile of another run that was there is kept."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "profile.toml").write_text("# of another run")
    ran = trial_of(tmp_path, echoing, env=without_masking(tmp_path))
    assert (ran.code, (tmp_path / "out" / "profile.before.toml").read_text()) == (5, "# of another run")
    assert "a secret is in an output: evidence.ndjson holds ${APPLIANCE_TOKEN}" in ran.output


def test_file_that_says_otherwise_stays(echoing: str, tmp_path: Path) -> None:
    """A profile of another server is not completed, and no key is read for it."""
    text = '[target]\nname = "x"\nbase_url = "http://127.0.0.1:9"\n'
    (tmp_path / DRAFT).write_text(text)
    ran = trial_of(tmp_path, echoing)
    assert (ran.code, (tmp_path / DRAFT).read_text()) == (2, text)
    assert "target.base_url" in ran.output


# Without such a line: what is planned, and how init drafts a profile.
LITTLE = "[pace]\ngenerated_reads = 0\n"


@pytest.fixture(scope="module")
def served() -> Iterator[str]:
    """The base URL of a reference."""
    with serve({"": Service()}) as base_url:
        yield base_url


def test_plan_of_a_run_that_writes(tmp_path: Path) -> None:
    """A certified run waits as long as effects may take after each write that must do nothing. An appliance
    of an unknown kind may have both Sabbath modes: each of them is named once, in full.
    """
    sabbaths = (keys.OVEN_SABBATH, keys.FRIDGE_SABBATH)
    allowed = write_table(keys.CHILD_LOCK, *sabbaths)
    profile = profile_of("FridgeFreezer", target={"name": "x", "base_url": URL}, write=allowed)
    words = ("plan", str(write_used(profile, tmp_path / "x.toml")), "--level", "write")
    plans = [command(*words, *more).output for more in ((), ("--certify",))]
    least, certified = (float(plan.partition("waiting      about ")[2].split()[0]) for plan in plans)
    assert certified > least
    (line,) = (line for line in plans[0].splitlines() if "SabbathMode" in line)
    assert [line.count(f" {sabbath} ") for sabbath in sabbaths] == [1, 1]
    assert line.count("SabbathMode") == 2


def test_draft_claims_what_was_seen(served: str, tmp_path: Path) -> None:
    """A draft names its target and claims exactly the keys that gave a value; each pointer, each claim and
    each power state carries the mark of a guess on its line. An editor finds the schema by the first.
    """
    path = tmp_path / "hub.toml"
    words = ("--base-url", served, *FRIDGE, "--appliance", "oven-1:Oven", "-o", str(path))
    assert command("init", *words).code == 0
    text = path.read_text(encoding="utf-8")
    data = tomllib.loads(text)
    assert (data["target"]["base_url"], data["target"]["name"]) == (served, served.removeprefix("http://"))
    claims: dict[str, Any] = {spec.ha_id: Service().claims(spec)["supports"] for spec in Service().fleet}
    drafted = {item["ha_id"]: {*item["supports"]} for item in data["appliance"]}
    assert drafted == {ha_id: {*claims[ha_id]} for ha_id in ("fridge-1", "oven-1")}
    marked = ("value =", "key =", "unit =", "min =", "power_states =")
    guesses = [line for line in text.splitlines() if line.startswith(marked)]
    assert (len(guesses) > 4, all("# guess" in line for line in guesses)) == (True, True)
    assert text.startswith("#:schema ./")


SILENT: dict[int, str] = {401: "access is refused (status 401", 500: "the target itself fails"}


@pytest.mark.parametrize("status", SILENT)
def test_draft_of_nothing_says_why(status: int, tmp_path: Path) -> None:
    """Where nothing can be read, init ends with 3, says why and writes nothing."""
    with listening(status) as listener:
        result = command("init", "--base-url", listener.base_url, *FRIDGE, "-o", str(tmp_path / "hub.toml"))
    assert result.code == 3
    assert SILENT[status] in result.output
    assert not (tmp_path / "hub.toml").exists()


def test_draft_asks_with_the_headers_it_is_told(
    echoing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--header is sent, and stands in the draft as [auth]; the secret does not."""
    monkeypatch.setenv("HUB_TOKEN", SECRET)
    path, bearer = tmp_path / "hub.toml", "Bearer ${HUB_TOKEN}"
    words = ("--base-url", echoing, "--vendor", "BSH", "--appliance", f"{PASTED.ha_id}:{PASTED.kind}")
    assert command("init", *words, "--header", f"Authorization: {bearer}", "-o", str(path)).code == 0
    assert tomllib.loads(path.read_text())["auth"] == {"headers": {"Authorization": bearer}}
    assert SECRET not in path.read_text()


def test_first_hour(tmp_path: Path, served: str) -> None:
    """From an empty directory: init, the check that it names, and run --certify end with 0, and a certificate
    is there. The requests that plan lists are the shared reads of the run, in their order.
    """
    path = str(tmp_path / "my hub.toml")
    drafted = command("init", "--base-url", served, *FRIDGE, "--product", "Hub 3.2", "-o", path)
    assert drafted.code == 0
    assert drafted.output.splitlines()[-1].endswith(f"appliance-conformance check {shlex.quote(path)}")
    with Path(path).open("a", encoding="utf-8") as file:
        file.write(f"\n{LITTLE}")
    checked = command("check", path)
    assert (checked.code, "target.product" in checked.output) == (0, False)
    planned = command("plan", path, "--certify", "--requests").output.splitlines()
    ran = command("run", path, "--certify", directory=tmp_path)
    reads = [line["request"]["url"] for line in ran.evidence if line["purpose"] == "read"]
    assert [line.removeprefix("GET ") for line in planned if line.startswith("GET ")] == reads
    assert (ran.code, ran.results["target"]["product"]) == (0, "Hub 3.2")
    assert (ran.results["counts"]["pass"] > 50, (ran.out / "certificate.json").exists()) == (True, True)


def test_makers_name_is_given_on_the_command_line(tmp_path: Path) -> None:
    """With --vendor a target of another maker is drafted; without it, init says which name values have."""
    path = tmp_path / "hub.toml"
    with serve_embedded("reference", vendor="Maker") as (url, data):
        words = ("init", "--base-url", url, *FRIDGE, "-o", str(path))
        without = command(*words)
        assert (without.code, path.exists(), "(--vendor Maker)?" in without.output) == (3, False, True)
        assert command(*words, "--vendor", "Maker").code == 0
        few = ("--vendor", "Maker", *BARE, "-k", "READ and PowerState")
        ran = command("run", "--base-url", url, *FRIDGE, *few, directory=tmp_path)
    drafted = tomllib.loads(path.read_text())["target"]["vendor"]
    assert {build_profile(data).target.vendor, drafted, ran.results["target"]["vendor"]} == {"Maker"}
    assert ran.code == 0


def test_certificate_that_nobody_trusts_is_named(tmp_path: Path) -> None:
    """A self-signed certificate is told from a wrong address, with the field that declares its CA."""
    with opened(BY_NAME["tls-untrusted"]) as (server, _):
        words = ("init", "--base-url", server.base_url, *FRIDGE, "-o", str(tmp_path / "hub.toml"))
        result = command(*words)
    assert (result.code, 'http.verify = "ca.pem"' in result.output) == (3, True)


def test_fleet_in_a_file_is_filled(tmp_path: Path) -> None:
    """Rows that say what they support, themselves or by a template, stay as they are; the pointers of the
    answers are guessed as ever, and what was filled is a profile.
    """
    path = tmp_path / "hub.toml"
    cells = ("hood-1-0,Hood,,", f"hood-1-1,Hood,,{keys.CHILD_LOCK}", "hood-1-2,,hood,")
    (tmp_path / "fleet.csv").write_text("\n".join(["ha_id,kind,template,supports", *cells]), encoding="utf-8")
    template = {"name": "hood", "kind": "Hood", "supports": [keys.CHILD_LOCK]}
    with serve({"": several(HOOD, 3)()}) as base_url:
        target = {"name": "hub", "base_url": base_url}
        profile = toml_of({"target": target, "fleet": {"file": "fleet.csv"}, "template": [template]})
        path.write_text(profile, encoding="utf-8")
        assert command("init", "-o", str(path)).code == 0
    with (tmp_path / "fleet.csv").open(encoding="utf-8") as file:
        filled, *others = [row["supports"].split() for row in csv.DictReader(file)]
    assert others == [[keys.CHILD_LOCK], []]
    assert {*filled} >= {key for key in HOOD.values if "Setting" in key}
    assert (command("check", str(path)).code, "guess" in path.read_text(encoding="utf-8")) == (0, True)
