"""Shards that are merged give the run that one process would have made."""

import json
import shutil
from collections.abc import Callable, Generator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from catalog.model import Level
from conformance.harness.ledger import Ledger, read_ledger
from conformance.harness.writes.keeping.owed import Debt, owed_in
from conformance.mutants.fleets import COUNTING, HOOD, ROBOT_TWOFOLD
from conformance.mutants.registry import find_server
from conformance.reference.profile import laid_over
from conformance.reference.service import Service
from conformance.runs.admission.state import continued_journal
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import lines_of
from conformance.selftest.support.recording import PAIRS, served_by

COUNT = 3
FEW = {"generated_reads": 20}
"""The pace of a campaign that need not look for faults."""


SERVERS: dict[str, tuple[type[Service], Level, dict[str, int], int]] = {
    "conforming": (served_by(fleet=(ROBOT_TWOFOLD, COUNTING, HOOD)), "read", FEW, 0),
    "wrong pairs": (served_by(find_server("any-ha-id"), fleet=PAIRS), "power", STILL, 1),
}
"""Each with the level and the pace of its runs, and what a run of all shards ends with."""


@pytest.fixture(scope="module")
def campaign_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes the campaign of a server, once: a directory with three shards, and the shards merged."""

    @cache
    def make(name: str) -> Path:
        here = tmp_path_factory.mktemp(name.replace(" ", "-"))
        server, level, pace, code = SERVERS[name]
        with served(server(), here / "hub.toml", target={"product": "Hub 1"}, pace=pace):
            for number in range(1, COUNT + 1):
                words = (str(here / "hub.toml"), "--level", level, f"--shard={number}/{COUNT}")
                command("run", *words, *BARE, directory=here / f"shard-{number}")
        assert command("merge", *shards_in(here), "-o", str(here / "merged" / "out")).code == code
        return here

    return make


@pytest.fixture
def campaign(campaign_of: Callable[[str], Path]) -> Path:
    """That of a server that conforms and is read."""
    return campaign_of("conforming")


def shards_in(campaign: Path) -> list[str]:
    """The directories of the shards, not in their order."""
    return [str(campaign / f"shard-{number}" / "out") for number in (2, 3, 1)]


def test_shards_are_parts(campaign: Path) -> None:
    """Each asked appliances of its own, and the same words that do not exist."""
    places = [campaign / f"shard-{number}" / "out" / "evidence.ndjson" for number in range(1, COUNT + 1)]
    ledgers = [place.read_text(encoding="utf-8") for place in places]
    headers = [json.loads(text.partition("\n")[0]) for text in ledgers]
    assert len({one["ha_id"] for header in headers for one in header["profile"]["appliance"]}) == COUNT
    assert len({header["seed"] for header in headers}) == 1


def test_merged_run_is_judged_again_and_verified(campaign: Path, tmp_path: Path) -> None:
    """Its ledger gives its results again, and a certificate that can be recomputed."""
    ran = command("merge", *shards_in(campaign), "-o", str(tmp_path), "--certify")
    again = command("judge", str(tmp_path / "evidence.ndjson"), "--out", str(tmp_path / "again"))
    verified = command("verify", str(tmp_path / "certificate.json"))
    assert (ran.code, again.code, verified.code) == (0, 0, 0), ran.output


def cut_off(ledger: Path) -> None:
    """Leaves the last line of a ledger out."""
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))


def edit_profile(directory: Path, **edit: Any) -> None:
    """Another profile in the ledger of a shard, and the seed that follows from it."""
    header = read_ledger(directory / "evidence.ndjson").header
    profile = laid_over(header.profile, edit)
    Ledger(directory / "evidence.ndjson", replace(header, profile=profile, seed="another")).end()


# fmt: off
TAMPERED: dict[str, tuple[Callable[[list[Path]], object], str]] = {
    "is missing": (lambda parts: parts.pop(), "of 3 shards, 1 is missing"),
    "is there twice": (lambda parts: parts.append(shutil.copytree(parts[0], parts[0].parent / "twice")),
        "shard 2/3 is also {}"),
    "is a whole run": (lambda parts: parts.append(parts[0].parents[1] / "merged" / "out"), "is no shard"),
    "was cut off": (lambda parts: cut_off(parts[1] / "evidence.ndjson"), "was cut off before its end"),
    "is of another profile": (lambda parts: edit_profile(parts[1], pace={"per_day": 7}),
        "another profile than in {}: it differs in pace.per_day"),
    "is of another product": (lambda parts: edit_profile(parts[1], target={"product": "Hub 2"}),
        "another product than in {}: Hub 2, not Hub 1"),
    "has another seed": (lambda parts: edit_profile(parts[1]), "another profile, or --seed than in {}"),
    "has lost its journal": (lambda parts: (parts[0] / "journal.ndjson").unlink(),
        "its journal.ndjson is missing"),
}
# fmt: on
"""What becomes of the shards, and why they are not merged."""


@pytest.mark.parametrize("shard", TAMPERED)
def test_shards_that_are_no_whole_run_are_refused(
    shard: str, campaign_of: Callable[[str], Path], tmp_path: Path
) -> None:
    """What was not judged must not look like a whole run, and nobody knows what is owed without a journal."""
    parts = [Path(place) for place in shards_in(shutil.copytree(campaign_of("wrong pairs"), tmp_path / "x"))]
    becomes, why = TAMPERED[shard]
    becomes(parts)
    ran = command("merge", *map(str, parts), "-o", str(tmp_path / "merged"))
    assert (ran.code, why.format(parts[0]) in ran.output) == (2, True), ran.output


def test_journals_are_joined(campaign_of: Callable[[str], Path]) -> None:
    """Every intent of a shard is there with its answer, which names the same write in the joined ledger."""
    campaign = campaign_of("wrong pairs")
    joined = lines_of(campaign / "merged" / "out" / "journal.ndjson")
    journals = [lines_of(Path(place) / "journal.ndjson") for place in shards_in(campaign)]
    intents = {line["n"]: line for line in joined if "intent" in line}
    assert len(intents) == sum("intent" in line for lines in journals for line in lines)
    ledger = lines_of(campaign / "merged" / "out" / "evidence.ndjson")
    answers = [line for line in joined if "of" in line]
    assert len(answers) == len(intents)
    for line in answers:
        intent, write = intents[line["of"]], ledger[int(line["evidence"])]
        assert all(intent[member] == write[member] for member in ("ha_id", "key", "value"))
    assert ([line["n"] for line in joined], joined[-1]["end"]) == ([*range(len(joined))], True)


def cut_journal(directory: Path, state: Path) -> list[Debt]:
    """What a shard owes whose journal lacks the last line that says that something is back; `state` gets the
    copy of the appliance.
    """
    journal = directory / "journal.ndjson"
    header, *lines = lines_of(journal)
    last = max(place for place, line in enumerate(lines) if line.get("restored") and "changed" not in line)
    kept = [{**header, "state": str(state)}, *lines[:last]]
    journal.write_text("".join(f"{json.dumps(line)}\n" for line in kept), encoding="utf-8")
    owed = owed_in(journal)
    own = [line for line in kept[1:] if line.get("ha_id") == owed[0].ha_id]
    copy = [{**kept[0], "ha_id": owed[0].ha_id, "journal": str(journal)}, *own]
    text = "".join(f"{json.dumps(line)}\n" for line in copy)
    (state / f"{owed[0].ha_id}.ndjson").write_text(text, encoding="utf-8")
    return owed


class Joined(NamedTuple):
    """Shards that were cut while something is owed, what that is, and the journal that joins theirs."""

    shards: list[Path]
    owed: list[Debt]
    state: Path
    journal: Path


@pytest.fixture(scope="module")
def joined_once(campaign_of: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Joined:
    """Copies of shards that are cut, and merged."""
    directory = tmp_path_factory.mktemp("joined")
    state, merged = directory / "state", directory / "merged"
    copies = [
        Path(shutil.copytree(place, directory / place[-5])) for place in shards_in(campaign_of("wrong pairs"))
    ]
    state.mkdir()
    owed = [debt for copy in copies for debt in cut_journal(copy, state)]
    command("merge", *map(str, copies), "-o", str(merged))
    return Joined(copies, owed, state, merged / "journal.ndjson")


@pytest.fixture
def joined(joined_once: Joined) -> Generator[Joined]:
    """The same for each test, whatever another one has settled or taken away."""
    places = [joined_once.journal, *joined_once.state.iterdir()]
    places += [shard / "journal.ndjson" for shard in joined_once.shards]
    before = {place: place.read_bytes() for place in places}
    yield joined_once
    for place, text in before.items():
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(text)


def test_joined_journal_puts_back_what_shards_owe(joined: Joined) -> None:
    """Its first line names the run and the journal of each shard: what is put back is settled there, too, and
    in the copies of the appliances, so that nobody puts it back over what the owner has changed since.
    """
    copies, owed, state, journal = joined
    names = {(debt.ha_id, debt.key) for debt in owed}
    assert ({(debt.ha_id, debt.key) for debt in owed_in(journal)}, len(names)) == (names, COUNT)
    continued = continued_journal(journal)
    for debt in owed:
        continued.settled(replace(debt, restored=True))
    shards = [copy / "journal.ndjson" for copy in copies]
    assert [owed_in(place) for place in (journal, *shards, *state.iterdir())] == [[]] * (1 + 2 * COUNT)


@pytest.mark.parametrize("from_copy", [False, True], ids=["from the journal", "from the copy"])
def test_shards_that_are_put_back_settle_the_joined_journal(joined: Joined, *, from_copy: bool) -> None:
    """Nobody puts it back from there over what the owner has changed since; where the directory of a shard is
    gone, the copies of the appliances know the joined journal.
    """
    copies, owed, state, journal = joined
    for copy, debt in zip(copies, owed, strict=True):
        if from_copy:
            shutil.rmtree(copy)
        place = state / f"{debt.ha_id}.ndjson" if from_copy else copy / "journal.ndjson"
        assert debt.place in {one.place for one in owed_in(journal)}
        continued_journal(place).settled(replace(debt, restored=True))
    assert owed_in(journal) == []


def test_certificate_rests_on_no_learned_time(campaign_of: Callable[[str], Path], tmp_path: Path) -> None:
    """Shards that write have not waited as long as a certified run: the profile has to say how long."""
    words = ["-o", str(tmp_path), "--certify"]
    assert "timing.quiet_s" in command("merge", *shards_in(campaign_of("wrong pairs")), *words).output
