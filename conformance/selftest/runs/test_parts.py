"""Shards that are merged, and a run that goes on, say what one process would have said."""

import json
import re
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from catalog.model import Level
from conformance.harness.ledger import Ledger, read_ledger
from conformance.harness.writes.keeping.owed import Debt, owed_in
from conformance.mutants.fleets import COUNTING, HOOD, ROBOT_TWOFOLD
from conformance.mutants.registry import find_server
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.profile import laid_over
from conformance.reference.service import Service
from conformance.runs.admission.state import continued_journal
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran, lines_of
from conformance.selftest.support.recording import PAIRS, served_by, several

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


def shards_in(campaign: Path) -> list[str]:
    """The directories of the shards, not in their order."""
    return [str(campaign / f"shard-{number}" / "out") for number in (2, 3, 1)]


def test_shards_are_parts(campaign_of: Callable[[str], Path]) -> None:
    """Each asked appliances of its own, and the same words that do not exist."""
    headers = [lines_of(Path(place) / LEDGER_FILE)[0] for place in shards_in(campaign_of("conforming"))]
    assert len({one["ha_id"] for header in headers for one in header["profile"]["appliance"]}) == COUNT
    assert len({header["seed"] for header in headers}) == 1


def test_merged_run_is_judged_again_and_verified(campaign_of: Callable[[str], Path], tmp_path: Path) -> None:
    """Its ledger gives its results again, and a certificate that can be recomputed."""
    ran = command("merge", *shards_in(campaign_of("conforming")), "-o", str(tmp_path), "--certify")
    again = command("judge", str(tmp_path / LEDGER_FILE), "--out", str(tmp_path / "again"))
    verified = command("verify", str(tmp_path / "certificate.json"))
    assert (ran.code, again.code, verified.code) == (0, 0, 0), ran.output


def cut_off(ledger: Path) -> None:
    """Leaves the last line of a ledger out."""
    ledger.write_bytes(b"".join(ledger.read_bytes().splitlines(keepends=True)[:-1]))


def edit_profile(directory: Path, **edit: Any) -> None:
    """Another profile in the ledger of a shard, and the seed that follows from it."""
    header = read_ledger(directory / LEDGER_FILE).header
    profile = laid_over(header.profile, edit)
    Ledger(directory / LEDGER_FILE, replace(header, profile=profile, seed="another")).end()


# fmt: off
TAMPERED: dict[str, tuple[Callable[[list[Path]], object], str]] = {
    "is missing": (lambda parts: parts.pop(), "of 3 shards, 1 is missing"),
    "is there twice": (lambda parts: parts.append(shutil.copytree(parts[0], parts[0].parent / "twice")),
        "shard 2/3 is also {}"),
    "is a whole run": (lambda parts: parts.append(parts[0].parents[1] / "merged" / "out"), "is no shard"),
    "was cut off": (lambda parts: cut_off(parts[1] / LEDGER_FILE), "was cut off before its end"),
    "is of another profile": (lambda parts: edit_profile(parts[1], pace={"per_day": 7}),
        "another profile than in {}: it differs in pace.per_day"),
    "is of another product": (lambda parts: edit_profile(parts[1], target={"product": "Hub 2"}),
        "another product than in {}: Hub 2, not Hub 1"),
    "has another seed": (lambda parts: edit_profile(parts[1]), "another profile, or --seed than in {}"),
    "has lost its journal": (lambda parts: (parts[0] / JOURNAL_FILE).unlink(),
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
    joined = lines_of(campaign / "merged" / "out" / JOURNAL_FILE)
    journals = [lines_of(Path(place) / JOURNAL_FILE) for place in shards_in(campaign)]
    intents = {line["n"]: line for line in joined if "intent" in line}
    assert len(intents) == sum("intent" in line for lines in journals for line in lines)
    ledger = lines_of(campaign / "merged" / "out" / LEDGER_FILE)
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
    journal = directory / JOURNAL_FILE
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


@pytest.fixture
def joined(campaign_of: Callable[[str], Path], tmp_path: Path) -> Joined:
    """Copies of shards that are cut, and merged."""
    state, merged = tmp_path / "state", tmp_path / "merged"
    places = shards_in(campaign_of("wrong pairs"))
    copies = [Path(shutil.copytree(place, tmp_path / place[-5])) for place in places]
    state.mkdir()
    owed = [debt for copy in copies for debt in cut_journal(copy, state)]
    command("merge", *map(str, copies), "-o", str(merged))
    return Joined(copies, owed, state, merged / JOURNAL_FILE)


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
    shards = [copy / JOURNAL_FILE for copy in copies]
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
        place = state / f"{debt.ha_id}.ndjson" if from_copy else copy / JOURNAL_FILE
        assert debt.place in {one.place for one in owed_in(journal)}
        continued_journal(place).settled(replace(debt, restored=True))
    assert owed_in(journal) == []


def test_certificate_rests_on_no_learned_time(campaign_of: Callable[[str], Path], tmp_path: Path) -> None:
    """Shards that write have not waited as long as a certified run: the profile has to say how long."""
    words = ["-o", str(tmp_path), "--certify"]
    assert "timing.quiet_s" in command("merge", *shards_in(campaign_of("wrong pairs")), *words).output


# A run goes on where an earlier one was cut off: it sends what is missing.
COLLECTING = ("--", "--collect-only")
"""The last words of a run that asks for nothing."""
WRONG = several(HOOD, 2, find_server("booleans-as-words"))
DROPPING = several(OVEN.only(CHILD_LOCK), 2, find_server("acknowledged-and-dropped"))


@contextmanager
def ran_against(server: Service, here: Path, level: Level, words: tuple[str, ...] = BARE) -> Generator[Ran]:
    """A run of a server, which goes on serving."""
    with served(server, here / "hub.toml", pace=STILL if level != "read" else FEW):
        yield command("run", "hub.toml", "--level", level, *words, directory=here)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run that reads."""
    with ran_against(WRONG(), tmp_path_factory.mktemp("whole"), "read") as ran:
        yield ran


def second_run(
    whole: Ran, directory: Path, lines: int, level: Level = "read", words: tuple[str, ...] = BARE
) -> Ran:
    """The run that goes on from so many lines of its ledger, and from its journal, where nothing is owed."""
    ledger = (whole.out / LEDGER_FILE).read_bytes().splitlines(keepends=True)
    (directory / "out").mkdir(parents=True)
    (directory / "out" / LEDGER_FILE).write_bytes(b"".join(ledger[:lines]))
    if level != "read":
        shutil.copy(whole.out / JOURNAL_FILE, directory / "out")
    return command(
        "run", str(whole.out.parent / "hub.toml"), "--level", level, "--resume", *words, directory=directory
    )


def test_resumed_run_says_the_same(whole: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was kept is in its ledger, and only a few keys of each
    appliance are read again. Its files say from when to when its evidence comes.
    """
    lines = int(0.9 * len(whole.evidence))
    ran = second_run(whole, tmp_path, lines)
    assert (ran.code, ran.verdicts) == (whole.code, whole.verdicts)
    kept, made, every = (
        [line["at"] for line in evidence if "request" in line]
        for evidence in (whole.evidence[:lines], ran.evidence, whole.evidence)
    )
    again = [at for at, before in zip(made, kept, strict=False) if at != before]
    assert 0 < len(again) <= 4 * 2
    newer = [at for at in made if at > whole.results["finished"]]
    assert (len(newer), {*again} <= {*newer}) == (len(every) - len(kept) + len(again), True)
    (interruption,) = ran.results["interruptions"]
    assert interruption["after"] == whole.evidence[lines - 1]["at"]
    assert interruption["until"] <= min(newer)
    assert ran.results["notices"][0].startswith("the evidence comes from ")
    assert ran.results["started"] == whole.results["started"]


def test_certificate_of_a_resumed_run_names_the_gap(tmp_path: Path) -> None:
    """Whoever reads or verifies it learns when nothing was asked."""
    words = ("--certify",)
    with ran_against(find_server("off-means-standby")(), tmp_path, "read", words) as whole:
        ran = second_run(whole, tmp_path / "again", len(whole.evidence) // 2, words=words)
    certificate = json.loads((ran.out / "certificate.json").read_bytes())
    assert (ran.code, len(certificate["interruptions"])) == (0, 1)
    assert certificate["interruptions"] == ran.results["interruptions"]
    verified = command("verify", str(ran.out))
    assert (verified.code, "nothing was asked " in verified.output) == (0, True)


def test_resumed_run_writes_what_is_missing(tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was made to its end is not made again.

    Its journal holds the writes of the run that was cut off, and its own; none is owed.
    """
    with ran_against(DROPPING(), tmp_path, "write") as whole:
        lines = len(whole.evidence) // 2  # some appliances have been written to and others not
        ran = second_run(whole, tmp_path / "again", lines, "write")
    said, found = (re.sub(r" after [0-9.]+ s\b", "", str(each.verdicts)) for each in (ran, whole))
    assert (ran.code, said) == (whole.code, found)
    made = [line for line in whole.evidence[:lines] if line.get("purpose") == "made"]
    kept = {(made_of["ha_id"], group) for made_of in made for group in made_of["note"]["made"]}
    writes = [line for line in ran.evidence if line["purpose"] in {"write", "restore"}]
    assert kept
    for write in writes:
        was_kept = (write["lane"], write["groups"][0]) in kept
        assert was_kept == (write["at"] <= whole.results["finished"])
    before, lines = ([line["at"] for line in each.journal if "intent" in line] for each in (whole, ran))
    assert (lines[: len(before)], owed_in(ran.out / JOURNAL_FILE)) == (before, [])
    numbers, ends = [line["n"] for line in ran.journal], [line.get("end") for line in ran.journal]
    assert (numbers, ends) == ([*range(len(ends))], [None] * (len(ends) - 1) + [True])


def test_run_that_begins_anew_says_so(whole: Ran, tmp_path: Path) -> None:
    """It does where the run came to its end, or there is none, as after a directory misspelt."""
    over = second_run(whole, tmp_path / "over", len(whole.evidence), words=COLLECTING)
    none = command("run", str(whole.out.parent / "hub.toml"), "--resume", *COLLECTING, directory=tmp_path)
    ended = f"the run of {over.out / LEDGER_FILE} had come to its end: this one begins anew\n"
    missing = f"there is no {none.out / LEDGER_FILE} to go on from: this run begins anew\n"
    assert (over.output.startswith(ended), none.output.startswith(missing)) == (True, True)


def test_run_of_another_profile_is_not_resumed(whole: Ran, tmp_path: Path) -> None:
    """What another part of its appliances has asked for is something else."""
    ran = second_run(whole, tmp_path, 10, words=("--shard=1/2", *BARE))
    says = "cannot be resumed: its profile is another one (--shard and --sample belong to it)"
    assert (ran.code, says in ran.output) == (2, True)
