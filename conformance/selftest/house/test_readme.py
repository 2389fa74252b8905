"""What the README and the guides say is true: their commands end as they say, their profiles are accepted,
their links lead somewhere, their pictures are small and described.
"""

import re
import shlex
import subprocess
import tomllib
from collections.abc import Collection, Mapping
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, cast

import click
import pytest
from securesystemslib.exceptions import VerificationError

from catalog.model import LEVELS
from conformance.cases import CATALOG, all_cases
from conformance.commands import main
from conformance.commands.around import write_used
from conformance.files.text_files import write_text
from conformance.harness import planning
from conformance.harness.writes.rehearsal import Rehearsed, rehearse
from conformance.profiles.validation import build_profile
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import command, forked_script, surroundings
from conformance.selftest.support.results import PASS, results_of
from reports.attestation import attest, load_signer
from reports.certificate import build_certificate, render_certificate
from reports.kills import published_kills

README = ROOT / "README.md"
GUIDES = sorted((ROOT / ".github" / "guides").glob("*.md"))
PAGES = [README, *GUIDES, *sorted((ROOT / ".github").glob("*.md"))]
EMPTY = sha256().hexdigest()
RUN_AS_IT_STANDS = re.compile(r"\.venv/bin/appliance-conformance ")
LEAST_PROFILE = {
    "target": {"name": "hub", "base_url": "https://staging.example"},
    "appliance": [{"ha_id": "fridge-1", "kind": "Refrigerator"}],
}


class Block(NamedTuple):
    """A fenced block of a page: the word after its fence, and its text."""

    page: str
    language: str
    text: str


BLOCKS = [
    Block(str(page.relative_to(ROOT)), language, text)
    for page in PAGES
    for language, text in re.findall(
        r"^ *```(\w*)\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
]
LINES = sorted({line for block in BLOCKS if block.language == "sh" for line in block.text.splitlines()})
LINKS = [
    (page, link)
    for page in PAGES
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8"))
]


def of_kind(*kinds: str) -> list[str]:
    """The lines of shell blocks that begin with one of `kinds`, and are not run as they stand."""
    return [line for line in LINES if line.startswith(kinds) and not RUN_AS_IT_STANDS.match(line)]


def shell_line(line: str, directory: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A line, run by a shell in `directory`."""
    environment = {
        name: value for name, value in surroundings().items() if name not in {"MAKEFLAGS", "MAKELEVEL"}
    }
    return subprocess.run(
        ["bash", "-c", line], cwd=directory, env=environment, capture_output=True, text=True, check=False
    )


def test_every_block_is_tested_or_cannot_be() -> None:
    """A block says what it is. What is neither run, read nor executed as a recipe is text."""
    assert {block.language for block in BLOCKS} <= {"sh", "toml", "yaml", "python", "diff", "text"}


def test_every_line_of_a_shell_is_of_a_known_kind() -> None:
    """A line is run as it stands, or is read by what it calls: the command line, make, openssl."""
    known = of_kind("appliance-conformance ", "make ", "openssl ")
    assert [line for line in LINES if line not in known and not RUN_AS_IT_STANDS.match(line)] == []


@pytest.mark.parametrize("line", [line for line in LINES if RUN_AS_IT_STANDS.match(line)])
def test_command_ends_as_its_page_says(line: str, tmp_path: Path) -> None:
    """A command that needs nothing of the reader ends with 0, or with the code that its comment names.

    It runs in a directory of its own: in this one, a run of the reader's would be written over.
    """
    words, _, comment = line.partition("#")
    expected = int(found[0]) if (found := re.findall(r"\d+", comment)) else 0
    with forked_script() as place:
        done = shell_line(words.replace(".venv/bin", str(place)), tmp_path)
    assert done.returncode == expected, done.stdout + done.stderr


@pytest.mark.parametrize("line", of_kind("appliance-conformance "))
def test_command_for_a_target_of_the_reader_is_understood(line: str) -> None:
    """The command line has the command, its options and their values."""
    name, *words = shlex.split(line)[1:]
    known = main.get_command(click.Context(main), name)
    assert known
    context = click.Context(known)
    values, too_many, _ = known.make_parser(context).parse_args(words)
    assert not too_many
    for option in known.params:
        value = values.get(option.name or "")
        if isinstance(value, str | list | tuple) and not isinstance(option.type, click.Path):
            option.type_cast_value(context, value)


@pytest.mark.parametrize("line", of_kind("make "))
def test_make_has_the_target(line: str) -> None:
    """A target of make is one of the Makefile."""
    assert shell_line(line.replace("make ", "make --dry-run ")).returncode == 0


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.language == "toml" and "/guides/" in block.page]
)
def test_profile_is_accepted(block: Block) -> None:
    """What a guide shows of a profile makes one, with the two tables that each needs."""
    build_profile(LEAST_PROFILE | tomllib.loads(block.text), environment={"HUB_TOKEN": "a-token-of-a-hub"})


def test_levels_add_as_many_clauses_as_their_table_says() -> None:
    """Each level judges what its procedures are for, on a target that leaves nothing out; what a certificate
    of level read leaves out, its guide says.
    """
    text = README.read_text(encoding="utf-8")
    told = re.findall(r"^\| `(\w+)` \|.*\| (\d+) \|$", text, re.MULTILINE)
    whole = {"power": {"probe_unlisted": True}, "paths": {"probe_other_segment": True}}
    profile = build_profile({**truthful_profile(Service(), "http://127.0.0.1:1"), **whole})
    clauses = [{case.clause.id for case in all_cases(profile, level)} for level in LEVELS]
    traced = {clause.id for clause in CATALOG.clauses.values() if clause.in_traces}
    assert traced < clauses[0]
    assert f"writes that they made show {len(traced)} more" in text
    counts = [
        len(now) - len(before) for before, now in pairwise([set[str](), clauses[0] - traced, *clauses[1:]])
    ]
    assert told == [(level, str(count)) for level, count in zip(LEVELS, counts, strict=True)]
    (page,) = (page for page in GUIDES if page.name == "certificates.md")
    left = len(clauses[-1] - clauses[LEVELS.index("read")])
    assert f"No setting was written: {left} clauses were not" in page.read_text(encoding="utf-8")


def test_attestation_is_checked_as_its_guide_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program of the guide ends well on what was attested with keys that were made as it shows, and on
    nothing that was changed since: the certificate, or the key.
    """
    (page,) = (page for page in GUIDES if page.name == "certificates.md")
    blocks = [block for block in BLOCKS if block.page == str(page.relative_to(ROOT))]
    out = tmp_path / "reports" / "out" / "latest"
    write_text(
        out / "certificate.json",
        render_certificate(build_certificate(results_of(PASS), EMPTY, published_kills())),
    )
    write_text(out / "evidence.ndjson", "")
    keys = [line for block in blocks for line in block.text.splitlines() if line.startswith("openssl ")]
    assert [shell_line(line, tmp_path).returncode for line in keys] == [0, 0]
    attest(out / "certificate.json", load_signer(tmp_path / "key.pem"))
    (program,) = (block.text for block in blocks if block.language == "python")
    monkeypatch.chdir(tmp_path)
    exec(program, {})
    assert capsys.readouterr().out.strip() == "PASSED"
    whole = (out / "certificate.json").read_bytes()
    (out / "certificate.json").write_bytes(whole + b" ")
    with pytest.raises(AssertionError, match=r"^certificate\.json$"):
        exec(program, {})
    (out / "certificate.json").write_bytes(whole)
    assert [shell_line(line, tmp_path).returncode for line in keys] == [0, 0]
    with pytest.raises(VerificationError):
        exec(program, {})


def test_first_verdict_is_that_of_the_reference() -> None:
    """`make certify` judges the reference; what it then says is compared where the reference is judged."""
    assert shell_line("make --dry-run certify").stdout.endswith("run reference --certify\n")


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_link_leads_somewhere(page: Path, link: str) -> None:
    """A relative link names a file of the project and, after #, a heading in it."""
    place, _, anchor = link.partition("#")
    target = (page.parent / place).resolve() if place else page
    headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
    assert target.exists()
    assert not anchor or anchor in {
        re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings
    }


def test_module_of_tests_that_a_page_names_is_there() -> None:
    """Whoever reads a promise finds what shows it."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"`(\w[\w/]*/test_\w+\.py)`", text))
    tests = ROOT / "conformance" / "selftest"
    assert {name for name in named if not any((place / name).is_file() for place in (tests, ROOT))} == set()


def test_each_promise_names_what_keeps_it() -> None:
    """Each row of the table of promises ends with modules of the tests."""
    text = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    rows = text.partition("| promise |")[2].partition("\n\n")[0].splitlines()[2:]
    assert rows
    assert [row for row in rows if not re.search(r"`[\w/]+/test_\w+\.py` \|$", row)] == []


def test_every_page_is_reached_from_the_readme() -> None:
    """The README names each page, so that none is found by chance alone."""
    assert {(ROOT / link.partition("#")[0]).resolve() for page, link in LINKS if page == README} >= set(
        PAGES
    ) - {README}


def test_every_room_has_its_question() -> None:
    """The guide for contributors says what each package and each kind of file beside them is for."""
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = {path for room in re.findall(r"^\| `(\S+)` \|", text, re.MULTILINE) for path in ROOT.glob(room)}
    packages = {path.parent for path in ROOT.glob("conformance/*/__init__.py")}
    assert told >= {ROOT / "catalog", ROOT / "reports", *packages, *ROOT.glob("conformance/[a-z]*.py")}


def test_exit_codes_stand_once() -> None:
    """One table of all pages has the exit codes: a column for each command, a row for each of 0 to 5."""
    tables = [
        table
        for page in PAGES
        for table in re.findall(
            r"^\| [\w` ]*code[\w` ]* \|.*\n(?:\|.*\n)+", page.read_text(encoding="utf-8"), re.MULTILINE
        )
    ]
    (rows,) = (table.splitlines() for table in tables)
    assert set(re.findall(r"`(\w+)`", rows[0])) == {"run", "judge", "diff", "verify", "restore"}
    assert [row.split("|")[1].strip() for row in rows[2:]] == list("012345")


PICTURES = [
    (words, (page.parent / place).resolve())
    for page in PAGES
    for words, place in re.findall(r"!\[(.+?)\]\((.+?)\)", page.read_text(encoding="utf-8"))
]
MOST_BYTES = 150 * 1024


@pytest.mark.parametrize(("words", "place"), PICTURES)
def test_picture_is_small_and_described(words: str, place: Path) -> None:
    """Each picture of a page is a PNG below 150 KiB, and its text says what is to be seen."""
    picture = place.read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) < MOST_BYTES
    assert len(words) > 30


def test_every_picture_is_shown() -> None:
    """Every picture is one that a page shows, and the first screen stands before the first section."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {place for _, place in PICTURES} == {*(ROOT / ".github" / "pictures").iterdir()}
    assert readme.index("first-screen.png") < readme.index("\n## ")


def rounded(number: float) -> int:
    """A number to two digits."""
    return int(float(f"{number:.2g}"))


def cost_of(level: str, ha_ids: Collection[str], directory: Path) -> str:
    """What `plan` says that a run of these appliances costs at the pace of a remote target."""
    data = truthful_profile(Service(), "https://staging.example")
    data = {name: table for name, table in data.items() if name not in {"pace", "timing"}}
    tables = [table for table in cast("list[dict[str, Any]]", data["appliance"]) if table["ha_id"] in ha_ids]
    profile = write_used(
        build_profile({**data, "appliance": tables}),
        directory / "remote.toml",
    )
    told = command("plan", str(profile), "--level", level).output
    requests = re.search(r"^requests +about ([\d,]+) in all(?:, in (\d+) nights)?", told, re.MULTILINE)
    minutes = re.search(r"^least time +([\d.]+) min", told, re.MULTILINE)
    assert requests
    assert minutes
    nights = f", {requests[2]} nights" if requests[2] else ""
    number = int(requests[1].replace(",", ""))
    return f"about {rounded(number):,} requests, {rounded(float(minutes[1]))} minutes{nights}"


def test_costs_are_those_of_a_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of the README says what plan says, to two digits; how late effects may come is not in it."""

    def early(*words: Any, is_late: bool = False) -> Mapping[str, Rehearsed]:
        return {} if is_late else rehearse(*words)

    monkeypatch.setattr(planning, "rehearse", early)
    every = [spec.ha_id for spec in Service().fleet]
    for level in ("read", "write", "power"):
        costs = (cost_of(level, ha_ids, tmp_path) for ha_ids in (["fridge-1"], every))
        row = f"| `{level}` | {' | '.join(costs)} |"
        assert row in README.read_text(encoding="utf-8"), row
    assert len(every) == 12
