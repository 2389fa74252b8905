"""The worked files for engines that spread a campaign over machines: valid, and their commands do it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import check_jsonschema.builtin_schemas  # pyright: ignore[reportMissingTypeStubs]  it has none
import jsonschema
import kubernetes_validate  # pyright: ignore[reportMissingTypeStubs]  it has none
import pytest
import yaml

from conformance.mutants.fleets import HOOD
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.selftest.support.commanding import ROOT, SCRIPT, surroundings
from conformance.selftest.support.fleets import several

if TYPE_CHECKING:
    from collections.abc import Generator

CAMPAIGNS = ROOT / ".github" / "campaigns"
JOBS: list[Any] = list(yaml.safe_load_all((CAMPAIGNS / "kubernetes.yml").read_text(encoding="utf-8")))
PIPELINE: Any = yaml.safe_load((CAMPAIGNS / "gitlab-ci.yml").read_text(encoding="utf-8"))
COUNT = 3


def started(words: list[str], directory: Path, **variables: str) -> subprocess.Popen[bytes]:
    """A command of a worked file, with the script of this installation on its path."""
    path = os.pathsep.join([str(Path(SCRIPT).parent), os.environ["PATH"]])
    environment = surroundings({"PATH": path, **variables})
    return subprocess.Popen(words, cwd=directory, env=environment, stdout=subprocess.DEVNULL)


def command_of(job: Any) -> list[str]:
    """The command of the pod of a job."""
    return job["spec"]["template"]["spec"]["containers"][0]["command"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Generator[Path]:
    """A volume with the profile of three hoods that are served meanwhile."""
    directory = tmp_path_factory.mktemp("volume")
    service = several(HOOD, COUNT)()
    with serve({"": service}) as base_url:
        (directory / "hub.toml").write_text(toml_of(truthful_profile(service, base_url)), encoding="utf-8")
        yield directory


def verdict_in(directory: Path) -> tuple[str, int]:
    """The verdict of a run, and how many appliances it is about."""
    results = json.loads((directory / "results.json").read_bytes())
    return results["verdict"], len(results["appliances"])


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job["metadata"]["name"])
def test_job_is_valid(job: Any) -> None:
    """Kubernetes takes the document, with no field that it does not know."""
    kubernetes_validate.validate(job, kubernetes_validate.latest_version(), strict=True)


def test_pipeline_is_valid() -> None:
    """GitLab takes the file."""
    schemas = Path(check_jsonschema.builtin_schemas.__file__).parent / "vendor"
    jsonschema.validate(PIPELINE, json.loads((schemas / "gitlab-ci.json").read_bytes()))


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


def test_engines_start_as_many_parts_as_are_merged() -> None:
    """A campaign is as many parts everywhere."""
    indexed = JOBS[0]["spec"]
    assert {indexed["completions"], indexed["parallelism"], PIPELINE["ask"]["parallel"]} == {COUNT}
    assert f"--shard auto/{COUNT}" in command_of(JOBS[0])[-1]


def test_recipe_of_the_image_copies_what_is_there() -> None:
    """The Containerfile takes the constraints of the project, and its image runs as nobody of importance."""
    lines = (ROOT / ".github" / "Containerfile").read_text(encoding="utf-8").splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY") and "--from" not in line]
    assert [(ROOT / source).exists() for source in copied] == [True] * len(copied)
    assert "USER suite" in lines
