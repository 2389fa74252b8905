"""Shards that are merged give the run that one process would have made."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from conformance.mutants.registry import find_server
from conformance.profiles.toml import toml_of
from conformance.reference.fleets.cleaning import ROBOT_OLD
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.commanding import run, said

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 3


class Conforming(Service):
    """Three appliances that conform."""

    fleet = (ROBOT_OLD, COFFEE_MAKER, HOOD_COLORFUL)


SERVERS = {
    "conforming": Conforming,
    "wrong": type("Wrong", (find_server("booleans-as-words"),), {"fleet": Conforming.fleet}),
    "forgetful": type("Forgetful", (find_server("any-ha-id"),), {"fleet": Conforming.fleet}),
}
CHANGING = {"argv", "started", "finished", "requests"}
NUMBERS = {"evidence", "proof", "sights"}


@pytest.fixture(scope="module", params=SERVERS)
def campaign(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a run of one process, one of two workers, three shards, and the shards merged."""
    here = tmp_path_factory.mktemp(request.param)
    service: Service = SERVERS[request.param]()
    with serve({"": service}) as base_url:
        data = truthful_profile(service, base_url)
        data |= {"target": {"name": "hub", "base_url": base_url, "product": "Hub 1"}}
        (here / "hub.toml").write_text(toml_of(data), encoding="utf-8")
        more = {
            "whole": [],
            "workers": ["--workers", "2"],
            **{f"shard-{number}": ["--shard", f"{number}/{COUNT}"] for number in range(1, COUNT + 1)},
        }
        for name, words in more.items():
            (here / name).mkdir()
            run(here / name, str(here / "hub.toml"), "--level", "read", *words)
    said("merge", *shards_in(here), "-o", str(here / "merged" / "out"))
    return here


def shards_in(campaign: Path) -> list[str]:
    """The directories of the shards, not in their order."""
    return [str(campaign / f"shard-{number}" / "out") for number in (2, 3, 1)]


def told(campaign: Path, name: str) -> dict[str, Any]:
    """The results of a run without its times, without the numbers of its exchanges, and without how many
    requests were generated: they name other appliances, of which a shard has fewer.
    """
    results = json.loads((campaign / name / "out" / "results.json").read_bytes())
    for case in results["cases"]:
        for member in (*NUMBERS, *(["message"] if "~generated" in case["id"] else [])):
            case.pop(member)
    for clause in results["clauses"]:
        del clause["exchanges"], clause["values"]
    return {member: value for member, value in results.items() if member not in CHANGING}


@pytest.mark.parametrize("name", ["workers", "merged"])
def test_campaign_says_what_one_process_says(name: str, campaign: Path) -> None:
    """Cases with their messages, findings, counts, profile: all but times and numbers is the same."""
    assert told(campaign, name) == told(campaign, "whole")


def test_shards_are_parts(campaign: Path) -> None:
    """Each asked appliances of its own, and the same words that do not exist."""
    places = [campaign / f"shard-{number}" / "out" / "evidence.ndjson" for number in range(1, COUNT + 1)]
    ledgers = [place.read_text(encoding="utf-8") for place in places]
    headers = [json.loads(text.partition("\n")[0]) for text in ledgers]
    assert len({one["ha_id"] for header in headers for one in header["profile"]["appliance"]}) == COUNT
    assert len({header["seed"] for header in headers}) == 1


def test_merged_run_is_judged_again_and_verified(campaign: Path, tmp_path: Path) -> None:
    """Its ledger gives its results again, and a certificate that can be recomputed."""
    ran = said("merge", *shards_in(campaign), "-o", str(tmp_path), "--certify")
    again = said("judge", str(tmp_path / "evidence.ndjson"), "--out", str(tmp_path / "again"))
    assert again.exit_code == ran.exit_code == (0 if campaign.name.startswith("conforming") else 1)
    if not ran.exit_code:
        assert said("verify", str(tmp_path / "certificate.json")).exit_code == 0


@pytest.fixture
def parts(campaign: Path, tmp_path: Path) -> list[Path]:
    """The shards, to be tampered with."""
    copies = [tmp_path / str(number) for number in range(COUNT)]
    for copy, place in zip(copies, shards_in(campaign), strict=True):
        shutil.copytree(place, copy)
    return copies


def refused(*directories: Path) -> str:
    """Why these are not merged."""
    ran = said("merge", *map(str, directories), "-o", str(directories[0].parent / "merged"))
    assert ran.exit_code == 2
    return ran.output


def test_missing_shard_is_named(parts: list[Path]) -> None:
    """What was not judged must not look like a whole run."""
    assert "of 3 shards, 1 is missing" in refused(*parts[:2])


def test_shard_that_is_there_twice_is_named(parts: list[Path], tmp_path: Path) -> None:
    """The text says which directories they are."""
    assert f"shard 2/3 is also {parts[0]}" in refused(*parts, shutil.copytree(parts[0], tmp_path / "copy"))


def test_run_that_is_no_shard_is_refused(campaign: Path, tmp_path: Path) -> None:
    """A whole run has nothing to be merged with."""
    shutil.copytree(campaign / "whole" / "out", tmp_path / "whole")
    assert "is no shard" in refused(tmp_path / "whole")


def test_shard_that_was_cut_off_is_refused(parts: list[Path]) -> None:
    """Its appliances were not judged to the end."""
    ledger = parts[1] / "evidence.ndjson"
    lines = ledger.read_bytes().splitlines(keepends=True)
    ledger.write_bytes(b"".join(lines[:-1]))
    assert "was cut off before its end" in refused(*parts)


def test_shard_certifies_nothing(campaign: Path, tmp_path: Path) -> None:
    """Neither does it write: both are wrong usage."""
    words = ["run", str(campaign / "hub.toml"), "--out", str(tmp_path), "--shard", "1/3"]
    assert [said(*words, *more).exit_code for more in (["--certify"], ["--level", "write"])] == [2, 2]
