"""The suite away from its checkout: installed from its wheel, and spread over machines by the worked files
for engines, which are valid.
"""

import json
import os
import shutil
import site
import socket
import subprocess
import sys
import venv
from collections.abc import Generator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import check_jsonschema.builtin_schemas  # pyright: ignore[reportMissingTypeStubs]  it has none
import jsonschema
import kubernetes_validate  # pyright: ignore[reportMissingTypeStubs]  it has none
import pytest
import yaml

from catalog.keys import LIGHTING, POWER_STATE
from conformance.mutants.fleets import HOOD
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import BARE, FILES, command, forked_script, program, surroundings
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.servers.recording import several

EXAMPLES = ROOT / ".github" / "examples"
SERVERS = {
    "asgi": [sys.executable, "-m", "uvicorn", "--log-level", "critical", "asgi:app", "--port"],
    "wsgi": [sys.executable, "wsgi.py"],
    "node": ["node", "node.mjs"],
    "jvm": ["java", "Hub.java"],
}
"""How the examples are started; the port follows."""
MUTANT = ("mutant:booleans-as-words", "--level", "read")
FEW = "[pace]\ngenerated_reads = 30\n"
"""What the profile of the examples says besides: that they answer odd requests shows in few of them."""
OWN_TEST = """
import httpx

def app(environ, start):
    start("200 OK", [("Content-Type", "application/json")])
    return [b'{"data": {"key": "Vendor.Common.Setting.ChildLock", "value": true}}']

def test_lock():
    with httpx.Client(transport=httpx.WSGITransport(app), base_url="http://hub.test") as hub:
        hub.get("/api/homeappliances/hood-1/settings/Vendor.Common.Setting.ChildLock")
"""
LIBRARIES = [path for path in site.getsitepackages() if Path(path).is_dir()]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built as the guide says, but with the build backend that is installed: without a network."""
    out = tmp_path_factory.mktemp("wheel")
    guide = (ROOT / ".github" / "guides" / "own-server.md").read_text(encoding="utf-8")
    pip, *words = next(line for line in guide.splitlines() if " wheel " in line and "/pip " in line).split()
    assert pip == ".venv/bin/pip"
    words = [str(out) if word == "dist" else word for word in words]
    subprocess.run(
        [sys.executable, "-m", "pip", *words, "--no-build-isolation", "--no-index"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts' directory of a new environment with the wheel and the libraries that are installed."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile"]
    words = ["-m", "pip", "--python", str(python), "install", *options, str(wheel)]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    purelib = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    )
    Path(purelib.stdout.strip(), "libraries.pth").write_text("\n".join(LIBRARIES), encoding="utf-8")
    return home / "bin"


@pytest.fixture(scope="module")
def outcome(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A mutant, read and judged by the installed script in an empty directory."""
    here = tmp_path_factory.mktemp("empty")
    words = ("run", *MUTANT, "--out", str(here / "out"))
    return program(str(installed / "appliance-conformance"), *words, directory=here)


def test_installed_suite_judges(outcome: Ran) -> None:
    """The installed suite ends with 1 on a mutant and writes every file."""
    assert outcome.code == 1
    assert {path.name for path in outcome.out.iterdir()} == FILES - {"journal.ndjson"}


def test_installed_suite_says_what_the_checkout_says(outcome: Ran, tmp_path: Path) -> None:
    """Cases, their order, verdicts and findings are those of the checkout."""
    here = command("run", *MUTANT, *BARE, directory=tmp_path)
    assert outcome.verdicts == here.verdicts


def test_installed_suite_needs_no_checkout(outcome: Ran, installed: Path) -> None:
    """Nothing it ran lies in the checkout."""
    where = program(
        str(installed / "python"),
        "-P",
        "-c",
        "import conformance; print(conformance.__file__)",
        directory=outcome.out,
    )
    assert str(installed.parent) in where.output
    assert not any(str(ROOT) + os.sep in word for word in outcome.results["argv"])


@pytest.mark.parametrize("content", ["", "raise SystemExit(1)"])
def test_installed_script_finds_its_own_rooms(content: str, installed: Path, tmp_path: Path) -> None:
    """Packages with the names of the rooms, or of what they need, do not end it as if a target had failed."""
    words = [str(installed / "appliance-conformance"), "run", *MUTANT, *BARE]
    for room in ("catalog", "conformance", "reports"):
        (tmp_path / "rooms" / room).mkdir(parents=True)
        (tmp_path / "rooms" / room / "__init__.py").write_text(content, encoding="utf-8")
    ran = program(*words, directory=tmp_path, env={"PYTHONPATH": str(tmp_path / "rooms")})
    assert (ran.code, "of 19 cases" in ran.output or "Does not conform" in ran.output) == (1, True), (
        ran.output
    )
    (tmp_path / "click.py").write_text(content or "import nosuch", encoding="utf-8")
    ran = program(*words, directory=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert (ran.code, ran.output.count("\n")) == (5, 1), ran.output
    assert "appliance-conformance cannot start: " in ran.output


def test_installed_plugin_needs_no_room(installed: Path, tmp_path: Path) -> None:
    """A user's own packages may be called like the rooms: their tests are judged all the same."""
    for room in ("catalog", "conformance", "reports"):
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").write_text("raise SystemExit(1)", encoding="utf-8")
    (tmp_path / "test_own.py").write_text(OWN_TEST, encoding="utf-8")
    words = (
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:schemathesis",
        "test_own.py",
        "--judge-target",
        "http://hub.test",
    )
    ran = program(str(installed / "python"), *words, directory=tmp_path)
    assert (ran.code, "judged: 1 exchange\n" in ran.output) == (0, True), ran.output


def test_wheel_holds_every_file_of_the_rooms(wheel: Path) -> None:
    """Every Python file, table and template is in it, with pytest's configuration; no output is."""
    names = set(ZipFile(wheel).namelist())
    rooms = [
        path
        for room in ("catalog", "conformance", "reports")
        for path in (ROOT / room).rglob("*")
        if path.is_file()
    ]
    ours = {
        str(path.relative_to(ROOT))
        for path in rooms
        if "__pycache__" not in path.parts and "out" not in path.parts
    }
    names_beside = {path.name for path in (ROOT / "conformance" / "script").glob("appliance_*.py")}
    beside = {*names_beside, "conformance/pyproject.toml"}
    moved = {f"conformance/script/{name}" for name in names_beside}  # they stand beside the rooms there
    assert {name for name in names if ".dist-info/" not in name} == ours - moved | beside


@pytest.fixture(params=SERVERS)
def port(request: pytest.FixtureRequest) -> Generator[int]:
    """The port at which an example listens soon."""
    words = SERVERS[request.param]
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not on the path")  # an example in another language, which CI has
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number: int = free.getsockname()[1]
    with subprocess.Popen(
        [*words, str(number)], cwd=EXAMPLES, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        yield number
        server.terminate()


def test_own_server_is_judged_with_one_command(port: int, tmp_path: Path) -> None:
    """Whatever a server is written in, the suite waits for it and judges it."""
    profile = (EXAMPLES / "hub.toml").read_text(encoding="utf-8")
    (tmp_path / "hub.toml").write_text(profile.replace(":8000", f":{port}") + FEW, encoding="utf-8")
    ran = command("run", "hub.toml", "--wait-for-target", "60", directory=tmp_path)
    assert (ran.code, ran.results["counts"]["pass"] > 10) == (0, True), ran.output


# The worked files for engines that spread a campaign over machines: valid, and their commands do it.
CAMPAIGNS = ROOT / ".github" / "campaigns"
JOBS: list[Any] = list(yaml.safe_load_all((CAMPAIGNS / "kubernetes.yml").read_text(encoding="utf-8")))
WORKFLOW: Any = yaml.safe_load((CAMPAIGNS / "github.yml").read_text(encoding="utf-8"))
PIPELINE: Any = yaml.safe_load((CAMPAIGNS / "gitlab-ci.yml").read_text(encoding="utf-8"))
COUNT = 3


def process_of(words: list[str], directory: Path, **variables: str) -> subprocess.Popen[bytes]:
    """A command of a worked file, with our script on its path."""
    return subprocess.Popen(words, cwd=directory, env=surroundings(variables), stdout=subprocess.DEVNULL)


def command_of(job: Any) -> list[str]:
    """The command of the pod of a job."""
    return job["spec"]["template"]["spec"]["containers"][0]["command"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A volume with the profile of three small hoods that are served, and our script on the path."""
    directory = tmp_path_factory.mktemp("volume")
    service = several(HOOD.only(POWER_STATE, LIGHTING), COUNT)()
    with serve({"": service}) as base_url, forked_script() as bin_, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(bin_), prepend=os.pathsep)
        data = {**truthful_profile(service, base_url), "pace": STILL}
        (directory / "hub.toml").write_text(toml_of(data), encoding="utf-8")
        yield directory


def verdict_in(directory: Path) -> tuple[str, int]:
    """The verdict of a run, and how many appliances it is about."""
    results = json.loads((directory / "results.json").read_bytes())
    return results["verdict"], len(results["appliances"])


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job["metadata"]["name"])
def test_job_is_valid(job: Any) -> None:
    """Kubernetes takes the document, with no field that it does not know."""
    kubernetes_validate.validate(job, kubernetes_validate.latest_version(), strict=True)


@pytest.mark.parametrize(("document", "schema"), [(PIPELINE, "gitlab-ci"), (WORKFLOW, "github-workflows")])
def test_file_of_a_build_server_is_valid(document: Any, schema: str) -> None:
    """GitLab takes its file, GitHub its own; YAML 1.1 reads the key `on` as true."""
    schemas = Path(check_jsonschema.builtin_schemas.__file__).parent / "vendor"
    read = {"on" if name is True else name: value for name, value in document.items()}
    jsonschema.validate(read, json.loads((schemas / f"{schema}.json").read_bytes()))


def test_pods_ask_and_judge_the_campaign(place: Path) -> None:
    """Three pods at once and the one that judges make one run of all appliances."""
    variables = {"PLACE": str(place), "CAMPAIGN": "night"}
    asking, judging = map(command_of, JOBS)
    pods = [process_of(asking, place, **variables, JOB_COMPLETION_INDEX=str(n)) for n in range(COUNT)]
    pods.append(process_of(judging, place, **variables))
    assert [pod.wait() for pod in pods] == [0] * 4
    assert verdict_in(place / "night" / "judged") == ("pass", COUNT)


def test_jobs_of_the_pipeline_ask_and_judge_the_campaign(place: Path) -> None:
    """The scripts of its jobs do so, too."""
    count = {"CI_NODE_TOTAL": str(PIPELINE["ask"]["parallel"])}
    script = ["bash", "-e", "-c", "\n".join(PIPELINE["ask"]["script"])]
    jobs = [process_of(script, place, **count, CI_NODE_INDEX=str(number)) for number in range(1, COUNT + 1)]
    assert [job.wait() for job in jobs] == [0] * COUNT
    assert process_of(["bash", "-e", "-c", "\n".join(PIPELINE["judge"]["script"])], place).wait() == 0
    assert verdict_in(place / "conformance") == ("pass", COUNT)


def test_jobs_of_the_workflow_ask_and_judge_the_campaign(place: Path) -> None:
    """The commands of the matrix of GitHub and of its last job do so, too."""
    here = place / "github"
    here.mkdir()
    shutil.copy(place / "hub.toml", here)
    parts = [str(part) for part in WORKFLOW["jobs"]["ask"]["strategy"]["matrix"]["part"]]
    asking, judging = (["bash", "-e", "-c", command_named(name)] for name in ("Ask", "Judge"))
    jobs = [process_of(asking, here, PART=part, PARTS=str(len(parts))) for part in parts]
    assert [job.wait() for job in jobs] == [0] * COUNT
    assert process_of(judging, here).wait() == 0
    assert verdict_in(here / "conformance") == ("pass", COUNT)


def command_named(name: str) -> str:
    """The command of the step of a job of GitHub that is called so."""
    steps = (step for job in WORKFLOW["jobs"].values() for step in job["steps"])
    return next(step["run"] for step in steps if step.get("name") == name)


def test_engines_start_as_many_parts_as_are_merged() -> None:
    """A campaign is as many parts everywhere."""
    indexed = JOBS[0]["spec"]
    strategy = WORKFLOW["jobs"]["ask"]["strategy"]
    assert {indexed["completions"], indexed["parallelism"], PIPELINE["ask"]["parallel"]} == {COUNT}
    assert (strategy["matrix"]["part"], strategy["max-parallel"]) == ([*range(1, COUNT + 1)], COUNT)
    assert f"--shard auto/{COUNT}" in command_of(JOBS[0])[-1]


def test_recipe_of_the_image_copies_what_is_there() -> None:
    """The Containerfile takes the constraints of the project, and its image runs as nobody of importance."""
    lines = (ROOT / ".github" / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY") and "--from" not in line]
    assert [(ROOT / source).exists() for source in copied] == [True] * len(copied)
    assert "USER suite" in lines
