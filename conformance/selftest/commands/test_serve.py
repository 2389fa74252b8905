"""serve: a server of the suite for other clients."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from conformance.cases import CATALOG
from conformance.profiles.validation import build_profile
from conformance.runs.targets import serve_embedded
from conformance.selftest.support.commanding import SCRIPT, run, said, surroundings

TARGET = "variant:versioned-alias"


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    """A process that serves a variant, and what it has said, by its first words."""
    words = [SCRIPT, "serve", TARGET, "--port", "0", "--out", str(tmp_path / "served")]
    with subprocess.Popen(
        words, env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        lines = [process.stdout.readline().rstrip("\n").partition("  ") for _ in range(2)]
        yield process, {first: last.strip() for first, _, last in lines}
        process.kill()


def test_served_profile_fits(serving: tuple[subprocess.Popen[str], dict[str, str]], tmp_path: Path) -> None:
    """The profile that serve names is judged by run, and conforms; Ctrl-C ends the server."""
    process, announced = serving
    assert announced["base URL"].startswith("http://127.0.0.1:")
    ran = run(tmp_path, announced["profile"])
    assert (ran.code, ran.results["target"]["base_url"]) == (0, announced["base URL"])
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 0


def test_maker_is_called_as_wanted() -> None:
    """With --vendor keys and values have that maker's name, and so has the profile."""
    with serve_embedded("reference", vendor="Maker") as (base_url, data):
        path = "/api/homeappliances/oven-1/settings/Maker.Common.Setting.PowerState"
        with urlopen(base_url + path) as answer:
            assert b"Maker.Common.EnumType.PowerState.On" in answer.read()
        assert build_profile(data, CATALOG).target.vendor == "Maker"
    for words in (("reference", "--vendor", "A.B"), ("hostile:gzip-twice", "--vendor", "Maker")):
        assert said("serve", *words).exit_code == 2


def test_port_that_is_taken_is_wrong_usage(serving: tuple[subprocess.Popen[str], dict[str, str]]) -> None:
    """A port that something listens on is said to be taken."""
    port = serving[1]["base URL"].rpartition(":")[2]
    result = said("serve", "--port", port)
    assert result.exit_code == 2
    assert "choose another --port" in result.output
