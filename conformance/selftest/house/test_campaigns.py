"""The worked files for engines that spread a campaign over machines: valid, and their commands do it."""

import json
import os
import shutil
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

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
from conformance.selftest.support.commanding import ROOT, forked_script, surroundings
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.servers.recording import several

CAMPAIGNS = ROOT / ".github" / "campaigns"
JOBS: list[Any] = list(yaml.safe_load_all((CAMPAIGNS / "kubernetes.yml").read_text(encoding="utf-8")))
WORKFLOW: Any = yaml.safe_load((CAMPAIGNS / "github.yml").read_text(encoding="utf-8"))
PIPELINE: Any = yaml.safe_load((CAMPAIGNS / "gitlab-ci.yml").read_text(encoding="utf-8"))
COUNT = 3


def started(words: list[str], directory: Path, **variables: str) -> subprocess.Popen[bytes]:
    """A command of a worked file, with our script on its path."""
    return subprocess.Popen(words, cwd=directory, env=surroundings(variables), stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module", autouse=True)
def on_the_path() -> Generator[None]:
    """Our script is on the path of the commands."""
    with forked_script() as place, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", str(place), prepend=os.pathsep)
        yield


def command_of(job: Any) -> list[str]:
    """The command of the pod of a job."""
    return job["spec"]["template"]["spec"]["containers"][0]["command"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A volume with the profile of three small hoods that are served meanwhile."""
    directory = tmp_path_factory.mktemp("volume")
    service = several(HOOD.only(POWER_STATE, LIGHTING), COUNT)()
    with serve({"": service}) as base_url:
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
    pods = [started(asking, place, **variables, JOB_COMPLETION_INDEX=str(n)) for n in range(COUNT)]
    pods.append(started(judging, place, **variables))
    assert [pod.wait() for pod in pods] == [0] * 4
    assert verdict_in(place / "night" / "judged") == ("pass", COUNT)


def test_jobs_of_the_pipeline_ask_and_judge_the_campaign(place: Path) -> None:
    """The scripts of its jobs do so, too."""
    count = {"CI_NODE_TOTAL": str(PIPELINE["ask"]["parallel"])}
    script = ["bash", "-e", "-c", "\n".join(PIPELINE["ask"]["script"])]
    jobs = [started(script, place, **count, CI_NODE_INDEX=str(number)) for number in range(1, COUNT + 1)]
    assert [job.wait() for job in jobs] == [0] * COUNT
    assert started(["bash", "-e", "-c", "\n".join(PIPELINE["judge"]["script"])], place).wait() == 0
    assert verdict_in(place / "conformance") == ("pass", COUNT)


def test_jobs_of_the_workflow_ask_and_judge_the_campaign(place: Path) -> None:
    """The commands of the matrix of GitHub and of its last job do so, too."""
    here = place / "github"
    here.mkdir()
    shutil.copy(place / "hub.toml", here)
    parts = [str(part) for part in WORKFLOW["jobs"]["ask"]["strategy"]["matrix"]["part"]]
    asking, judging = (["bash", "-e", "-c", command_named(name)] for name in ("Ask", "Judge"))
    jobs = [started(asking, here, PART=part, PARTS=str(len(parts))) for part in parts]
    assert [job.wait() for job in jobs] == [0] * COUNT
    assert started(judging, here).wait() == 0
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
