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
from contextlib import suppress
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
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import BARE, FILES, command, forked_script, program, surroundings
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import several

ROOMS = ("catalog", "conformance", "reports")
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


def decoys(directory: Path) -> dict[str, str]:
    """An environment in which a user has packages with the names of the rooms, which end an import."""
    for room in ROOMS:
        (directory / room).mkdir(parents=True)
        (directory / room / "__init__.py").write_text("raise SystemExit(1)", encoding="utf-8")
    return {"PYTHONPATH": str(directory)}


@pytest.fixture(scope="module")
def outcome(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A mutant, read and judged by the installed script in an empty directory, among packages with the names
    of the rooms.
    """
    here = tmp_path_factory.mktemp("empty")
    words = ("run", *MUTANT, "--out", str(here / "out"))
    script = str(installed / "appliance-conformance")
    return program(script, *words, directory=here, env=decoys(here / "rooms"))


def test_installed_suite_judges(outcome: Ran, installed: Path, tmp_path: Path) -> None:
    """The installed suite ends with 1 on a mutant and writes every file; cases, their order, verdicts and
    findings are those of the checkout, and nothing it ran lies there.
    """
    assert outcome.code == 1
    assert {path.name for path in outcome.out.iterdir()} == FILES - {"journal.ndjson"}
    assert outcome.verdicts == command("run", *MUTANT, *BARE, directory=tmp_path).verdicts
    where = "import conformance; print(conformance.__file__)"
    place = program(str(installed / "python"), "-P", "-c", where, directory=outcome.out).output
    assert place.startswith(str(installed.parent))
    assert not any(str(ROOT) + os.sep in word for word in outcome.results["argv"])


@pytest.mark.parametrize("content", ["import nosuch", "raise SystemExit(1)"])
def test_script_that_cannot_start_says_so(content: str, installed: Path, tmp_path: Path) -> None:
    """A package with the name of what it needs does not end it as if a target had failed."""
    (tmp_path / "click.py").write_text(content, encoding="utf-8")
    words = (str(installed / "appliance-conformance"), "run", *MUTANT)
    ran = program(*words, directory=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert (ran.code, ran.output.count("\n")) == (5, 1), ran.output
    assert "appliance-conformance cannot start: " in ran.output


def test_installed_plugin_needs_no_room(installed: Path, tmp_path: Path) -> None:
    """A user's own packages may be called like the rooms: their tests are judged all the same."""
    (tmp_path / "test_own.py").write_text(OWN_TEST, encoding="utf-8")
    words = ("-m", "pytest", "-q", "-p", "appliance_conformance_plugin", "--judge-target", "http://hub.test")
    bare = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # the others that are installed here take a second
    ran = program(str(installed / "python"), *words, directory=tmp_path, env=decoys(tmp_path) | bare)
    assert (ran.code, "judged: 1 exchange\n" in ran.output) == (0, True), ran.output


def test_wheel_holds_every_file_of_the_rooms(wheel: Path) -> None:
    """Every Python file, table and template is in it, with pytest's configuration; no output is. Pytest finds
    the plug-in by its entry point.
    """
    content = ZipFile(wheel)
    names = set(content.namelist())
    (points,) = (content.read(name).decode() for name in names if name.endswith("/entry_points.txt"))
    assert "[pytest11]\nappliance-conformance = appliance_conformance_plugin\n" in points
    paths = (path for room in ROOMS for path in (ROOT / room).rglob("*"))
    rooms = [path for path in paths if path.is_file() and not {"__pycache__", "out"} & {*path.parts}]
    ours = {str(path.relative_to(ROOT)) for path in rooms}
    names_beside = {path.name for path in (ROOT / "conformance" / "script").glob("appliance_*.py")}
    beside = {*names_beside, "conformance/pyproject.toml"}
    moved = {f"conformance/script/{name}" for name in names_beside}  # they stand beside the rooms there
    assert {name for name in names if ".dist-info/" not in name} == ours - moved | beside


def free_port() -> int:
    """One that nobody is given before the example listens at it, which takes a moment: it is below those that
    a system gives to whoever asks for any.
    """
    for number in range(20_000 + os.getpid() % 10_000, 32_000):
        with suppress(OSError), socket.create_server(("127.0.0.1", number)):
            return number
    raise LookupError("all ports are taken")


@pytest.fixture(params=SERVERS)
def port(request: pytest.FixtureRequest) -> Generator[int]:
    """The port at which an example listens soon."""
    words = SERVERS[request.param]
    if not shutil.which(words[0]):
        pytest.skip(f"{words[0]} is not on the path")  # an example in another language, which CI has
    number = free_port()
    with subprocess.Popen(
        [*words, str(number)], cwd=EXAMPLES, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        yield number
        server.terminate()


def test_own_server_is_judged_with_one_command(port: int, tmp_path: Path) -> None:
    """Whatever a server is written in, the suite waits for it and judges it."""
    profile = (EXAMPLES / "hub.toml").read_text(encoding="utf-8")
    (tmp_path / "hub.toml").write_text(profile.replace(":8000", f":{port}") + FEW, encoding="utf-8")
    ran = command("run", "hub.toml", "--wait-for-target", "60", *BARE, directory=tmp_path)
    assert (ran.code, ran.results["counts"]["pass"] > 10) == (0, True), ran.output


# The worked files for engines that spread a campaign over machines: valid, and their commands do it.
CAMPAIGNS = ROOT / ".github" / "campaigns"
JOBS: list[Any] = list(yaml.safe_load_all((CAMPAIGNS / "kubernetes.yml").read_text(encoding="utf-8")))
WORKFLOW: Any = yaml.safe_load((CAMPAIGNS / "github.yml").read_text(encoding="utf-8"))
PIPELINE: Any = yaml.safe_load((CAMPAIGNS / "gitlab-ci.yml").read_text(encoding="utf-8"))
COUNT = 3


def command_of(job: Any) -> list[str]:
    """The command of the pod of a job."""
    return job["spec"]["template"]["spec"]["containers"][0]["command"]


def shell(script: str) -> list[str]:
    """A script of a build server, as its shell runs it."""
    return ["bash", "-e", "-c", script]


def scripted(job: str) -> list[str]:
    """The script of a job of GitLab."""
    return shell("\n".join(PIPELINE[job]["script"]))


def step_named(name: str) -> str:
    """The command of the step of a job of GitHub that is called so."""
    steps = (step for job in WORKFLOW["jobs"].values() for step in job["steps"])
    return next(step["run"] for step in steps if step.get("name") == name)


ASKING, JUDGING = map(command_of, JOBS)
# an engine -> the variable that holds the number of a part, how parts are asked and judged, where results are
ENGINES = {
    "kubernetes": ("JOB_COMPLETION_INDEX", ASKING, JUDGING, "night/judged"),
    "gitlab": ("CI_NODE_INDEX", scripted("ask"), scripted("judge"), "conformance"),
    "github": ("PART", shell(step_named("Ask")), shell(step_named("Judge")), "conformance"),
}
COUNTS = {"CI_NODE_TOTAL": str(COUNT), "PARTS": str(COUNT), "CAMPAIGN": "night"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A directory with the profile of three small hoods that are served, and our script on the path."""
    directory = tmp_path_factory.mktemp("campaigns")
    service = several(HOOD.only(POWER_STATE, LIGHTING), COUNT)()
    with (
        served(service, directory / "hub.toml", pace=STILL),
        forked_script() as bin_,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setenv("PATH", str(bin_), prepend=os.pathsep)
        yield directory


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


@pytest.mark.parametrize("engine", ENGINES)
def test_parts_ask_and_are_judged_as_one_campaign(engine: str, place: Path) -> None:
    """Three parts at once and what judges them make one run of all appliances; a pod that judges waits."""
    variable, asking, judging, judged_in = ENGINES[engine]
    waits = engine == "kubernetes"
    here = place / engine
    here.mkdir()
    shutil.copy(place / "hub.toml", here)

    def begun(words: list[str], **variables: str) -> subprocess.Popen[bytes]:
        environment = surroundings({**COUNTS, "PLACE": str(here), **variables})
        return subprocess.Popen(words, cwd=here, env=environment, stdout=subprocess.DEVNULL)

    parts = [begun(asking, **{variable: str(number + (not waits))}) for number in range(COUNT)]
    judge = begun(judging) if waits else None
    assert {part.wait() for part in parts} == {0}
    assert (judge or begun(judging)).wait() == 0
    results = json.loads((here / judged_in / "results.json").read_bytes())
    assert (results["verdict"], len(results["appliances"])) == ("pass", COUNT)


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
