"""What a command line is answered with where nothing need be asked: each row is one, its exit code, what it
says, and what it never says. No row sends anything, or leaves a file.
"""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from catalog.loader import CATALOG
from conformance.commands import main
from conformance.mutants.hostile.sockets import Served
from conformance.runs.identity import suite_version
from conformance.selftest.support.captured import entry, har, url_of
from conformance.selftest.support.commands import FRIDGE, command, files_in, program
from conformance.selftest.support.raw_server import listening

ONE_FRIDGE = """[[appliance]]
ha_id = "fridge-1"
kind = "Refrigerator"

[target]
name = "hub"
base_url = "{hub}"
"""
SECRETS = 'headers = { X-Token = "${HUB_TOKEN}", X-Key = "${HUB_KEY}", X-Name = "${HUB_NAME}" }'
WAIVER = 'case = "TYPE-*::*@*"\nreason = "x"\nowner = "me"\nexpires = 2020-01-01'
FILES = {
    "bare.toml": "target = 3\n[appliance]\n",
    "hub.toml": ONE_FRIDGE,
    "three.toml": f'{ONE_FRIDGE}vendr = "Maker"\n[http]\ntimeout = 5\n[pace]\nper_minute = "many"\n',
    "slow.toml": f"{ONE_FRIDGE}[pace]\nper_minute = 10\n[answer]\nvalue = '/data/value'\n",
    "secrets.toml": f"{ONE_FRIDGE}[auth]\n{SECRETS}\n",
    "short.toml": f'{ONE_FRIDGE}[auth]\nheaders = {{ X-Token = "${{SHORT}}" }}\n',
    "word.toml": f'{ONE_FRIDGE}[auth]\nheaders = {{ X-Token = "${{WORD}}" }}\n',
    "waived.toml": f"{ONE_FRIDGE}[[waiver]]\n{WAIVER}\n",
    "vendr.toml": f'{ONE_FRIDGE}vendr = "Maker"\n[[waiver]]\n{WAIVER}\n',
    "kind.toml": ONE_FRIDGE.replace("Refrigerator", "FridgeFreezer"),
    "maker.toml": f'{ONE_FRIDGE}vendor = "Acme"\n[answer]\nvalue = "/deep/inside"\n',
    "mine.toml": "mine",
    "tls.toml": ONE_FRIDGE.replace("{hub}", "https://127.0.0.1:9") + '[http]\nverify = "mine.toml"\n',
    "x.har": '{"log": {}}',
    "foreign/results.json": '{"schema": "other/1"}',
    "broken/results.json": "no JSON",
    "killed/evidence.ndjson": "",
}
"""The files of the directory that the commands work in, in which the address of a listener is filled."""
ENVIRONMENT = {"HUB_KEY": "open sesame", "HUB_NAME": "", "SHORT": "k7x", "WORD": "settings"}
URL = "--base-url http://HUB"
AT_HUB = f"{URL} {' '.join(FRIDGE)}"
TARGETS = {
    "nosuch.toml": "nosuch.toml: 1 mistake\n  target: is no file, and no server of the suite",
    "refrence": "no server of the suite (did you mean 'reference'?)",
    ".": "Is a directory",
    "mutant:nosuch": "there is no mutant 'nosuch'",
    "mutant:booleans-as-word": "did you mean 'mutant:booleans-as-words'?",
    "variant:offlin": "did you mean 'variant:offline'?",
    "hostile:gzip-bom": "did you mean 'hostile:gzip-bomb'?",
    f"{URL} --appliance fridge-1": "is not HAID:KIND",
    f"{URL} --appliance fridge-1:Refridgerator": "did you mean 'Refrigerator'?",
    URL: "name at least one appliance",
    " ".join(FRIDGE): "--appliance goes with --base-url",
    "--vendor Maker": "--vendor goes with --base-url",
    "hub.toml --vendor Maker": "--vendor goes with --base-url: a profile says target.vendor",
    f"{AT_HUB} --vendor a.b": "target.vendor",
    f"--base-url hub {' '.join(FRIDGE)}": "must be http://HOST",
    f"--base-url http://::1:9501 {' '.join(FRIDGE)}": "an IPv6 address stands in brackets",
    f"--base-url http://fe80::1 {' '.join(FRIDGE)}": "an IPv6 address stands in brackets",
    f"mutant:booleans-as-words {AT_HUB}": "not both",
    "reference reference": "unexpected extra argument",
    "word.toml": "names ${WORD}, whose value is part of a word of the catalog",
}
"""What is no target of `run` and of `plan`, and what is said of it."""
MISTAKES = (
    "three.toml: 3 mistakes",
    "target.vendr",
    "http.timeout: no such field (did you mean 'timeout_s'?)",
    "pace.per_minute",
)
OWN = "--out=elsewhere", "--certify", "--level=read", "--junit-inconclusive=failure"
CODES = {"--help": "012345", "diff --help": "0123"}
LOCK = CHILD_LOCK
OF_LOCK = (
    f"{LOCK}: Boolean, under settings (line 40)",
    f'curl -q -sS -i --path-as-is "$BASE_URL/api/homeappliances/HAID/settings/{LOCK}"',
)
OF_CLAUSES = {
    "COOL-SABBATH Cooking.Oven.Setting.SabbathMode": (
        *("has no cases", "nothing: the document shows no effect that can be read", "!by hand"),
    ),
    "SET-TYPEGUARD": ("After a value of a wrong type was written, the value read has the right", "!partial"),
    "PROT-LIST": ("what it needs of a profile\n  list\n\n",),
    "RANGE-COMMON-ADVERTISED": ("what it needs of a profile\n  answer.min or answer.max\n\n",),
    "RANGE-WRITE-OUT": ("of a profile\n  answer.min, answer.max, where the catalog has no range\n\n",),
    "UNIT-LIQ-DEFAULT": (
        "answer.unit\n  interpretation.I-2, which is on unless the profile switches it off\n",
    ),
    f"TYPE-BOOLEAN {LOCK}": ('\n  {"data": {"value": false}}\n', "!what it needs of a profile"),
    f"SET-TYPEGUARD {LOCK}": ("!a conforming server answers",),
    "ADDR-UNKNOWNKEY::~generated@fridge-1": ("keys-by-prefix",),
    **dict.fromkeys(
        (f"type-boolean {LOCK}", f"TYPE-BOOLEAN::{LOCK}@fridge-1", "TYPE-BOOLEAN childlock"), OF_LOCK
    ),
}
"""What `explain` is asked, and what it says."""
ANSWERS: dict[str, tuple[int | str, ...]] = {
    **{f"{verb} {words}": (2, says) for verb in ("run", "plan") for words, says in TARGETS.items()},
    **{f"{verb} three.toml": (2, *MISTAKES) for verb in ("run", "plan", "check")},
    **{f"run -- {option}": (2, "stands before --") for option in OWN},
    **{f"explain {words}": (0, *says) for words, says in OF_CLAUSES.items()},
    "--version": (0, f"appliance-conformance, version {suite_version()}\n"),
    "run --out hub.toml/out": (2, "hub.toml/out cannot be made: Not a directory; give another --out\n"),
    "run --sign hub.toml": (2, "--sign goes with --certify"),
    "run hub.toml --shard 1/1 --certify": (2, "--certify goes with merge: a shard is no whole run\n"),
    "run reference --shard 1/1 --level attended": (2, "--shard goes without --level attended"),
    "report foreign --anonymous --format har": (2, "proves by what it names"),
    "report foreign --anonymous --format certificate": (2, "proves by what it names"),
    "report foreign --anonymous": (2, "name a directory with -o"),
    f"run {AT_HUB} --certify": (2, "target.product: is not there"),
    "run hub.toml --certify": (2, "hub.toml: 1 mistake\n  target.product: is not there"),
    "run hub.toml --level write": (2, "hub.toml: 1 mistake\n  write: is not there"),
    "report foreign": (
        2,
        'foreign/results.json: is no file of results of this suite: its schema is "other/1"',
    ),
    "report killed": (2, "killed/results.json is not there: appliance-conformance judge killed makes one\n"),
    "run --failed --out none": (2, "No such file"),
    "run --failed --certify --out none": (2, "goes without"),
    "run --failed --resume --out none": (2, "goes without"),
    **{f"run hub.toml --baseline {old}": (2, old) for old in ("empty", "foreign", "broken")},
    **{f"diff {old} {old}": (2, old) for old in ("empty", "foreign", "broken")},
    "plan hub.toml --requests": (0, "GET http://HUB/api/homeappliances/fridge-1/settings/"),
    f"plan {AT_HUB} --vendor Maker --requests": (
        *(
            0,
            "/settings/Maker.Common.Setting.PowerState\n",
            "/settings/Refrigeration.Common.Setting.EcoMode\n",
        ),
        "!Vendor.",
    ),
    "plan slow.toml": (0, "requests that only read", "pace         10 a minute", "least time   "),
    "plan kind.toml": (0, "kind FridgeFreezer is none of the six", ": fridge-1 is asked all 82 keys"),
    "plan secrets.toml": (0, "HUB_KEY (set), HUB_NAME (empty), HUB_TOKEN (not set)\n", "!sesame"),
    "check secrets.toml": (0, "HUB_KEY (set), HUB_NAME (empty), HUB_TOKEN (not set)\n", "!sesame"),
    "check short.toml": (2, "has fewer than 8 characters", "!k7x"),
    "check word.toml": (2, "names ${WORD}, whose value is part of a word of the catalog"),
    "check slow.toml": (0, "answer.unit", "not declared: target.product", "!answer.value"),
    "check kind.toml": (0, "Hood", ": fridge-1 is asked all 82 keys"),
    "check waived.toml": (2, "waiver[0].expires: expired on 2020-01-01"),
    "check vendr.toml": (2, "2 mistakes", "target.vendr", "waiver[0].expires: expired on 2020-01-01"),
    **dict.fromkeys(
        ("check tls.toml --ask", "record --to tls.toml touch ran"),
        (2, "http.verify or http.client_cert cannot be used: "),
    ),
    "init --template": (0, "not_supported = []"),
    f"init {URL} -o new.toml": (2, "--base-url and --appliance"),
    f"init {AT_HUB} -o mine.toml": (2, "mine.toml"),
    f"init {AT_HUB} -o lost/hub.toml": (2, "lost"),
    "init -o bare.toml": (2, "target: must be a table", "write [[appliance]]"),
    "explain TYPE-BOOLAEN": (2, "did you mean TYPE-BOOLEAN?"),
    "explain inconclusive": (2, "--format markdown lists clauses and keys", "explains the words of verdicts"),
    f"explain TYPE-BOOLEAN {LOCK}s": (2, f"did you mean {LOCK}?"),
    "explain TYPE-BOOLEAN ChildLok": (2, f"did you mean {LOCK}?"),
    f"explain TYPE-INTEGER {LOCK}": (2, f"TYPE-INTEGER is not about {LOCK}"),
    "catalog --format openapi": (0, "Vendor.Common.Setting.ChildLock", '!"inside"'),
    "catalog --format openapi --profile maker.toml": (0, '"inside"', "Acme.Common.Setting.ChildLock"),
    "catalog --format openapi --profile three.toml": (2, "3 mistakes"),
    "prove --only any-ha-id --only nosuch --out none": (2, "no server has 'nosuch' in its name"),
    "serve hub.toml": (2,),
    "serve mutant:nosuch": (2, "there is no mutant 'nosuch'; ", "reports/kill-matrix.json lists them"),
    "serve hostile:nosuch": (2, "there is no hostile 'nosuch'; there are ", "gzip-twice"),
    "serve unearned:any-ha-id": (2,),
    "serve reference --vendor A.B": (2,),
    "serve hostile:gzip-twice --vendor Maker": (2,),
    "restore none": (2, "none"),
    "restore .": (2, "journal.ndjson: No such file or directory\n"),
    "restore killed": (2, "killed/journal.ndjson is not there: a run that sent no write keeps none, and"),
    "verify .": (2, "certificate.json: No such file or directory\n"),
    "verify killed": (2, "is not there: the run was made without --certify, or was refused a certificate: "),
    "judge .": (2, "evidence.ndjson: No such file or directory\n"),
    "judge x.har": (2, "x.har: is neither HAR 1.2 nor NDJSON"),
    "judge app.har --certify": (2, "--certify needs a run"),
    "judge app.har --baseline .": (2, "--baseline compares runs"),
    **{
        f"record --to {url} touch ran": (2, "Invalid value for --to: ")
        for url in ("http://", "http://[::1", "http://127.0.0.1:99999")
    },
    "record --to http://HUB --port PORT touch ran": (2, "choose another --port"),
    "record --to http://HUB no-such-command": (2, "no-such-command: No such file or directory\n"),
    "serve --port PORT": (2, "choose another --port"),
    "gym": (2, "COMMAND"),
    "gym -- no-such-command": (2, "no-such-command: No such file or directory\n"),
    **{
        f"gym {words} -- x": (2, "no server has 'nosuch' in its name")
        for words in ("--only nosuch", "--only chunked --only nosuch", "--without nosuch")
    },
    "try wget http://HUB": (2, "no line of curl"),
    "try curl -H 'Authorization: Bearer short' http://HUB/api": (2, "fewer than 8 characters"),
    "try curl -H 'X-Key: $HUB_TOKEN' http://HUB": (2, "is not set"),
}
"""Lines of commands: the exit code and what is said; after `!`, what is not."""


@pytest.fixture(scope="module")
def hub() -> Iterator[Served]:
    """A server that nothing is asked of."""
    with listening() as listener:
        yield listener


@pytest.fixture(scope="module")
def place(hub: Served, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The directory of the files, in which the commands work."""
    directory = tmp_path_factory.mktemp("place")
    (directory / "empty").mkdir()
    for name, text in FILES.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text.replace("{hub}", hub.base_url), encoding="utf-8")
    har(directory / "app.har", [entry(url_of(LOCK), "true", 0)])
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.delenv("HUB_TOKEN", raising=False)
        for name, value in ENVIRONMENT.items():
            patch.setenv(name, value)
        yield directory


@pytest.mark.parametrize("line", ANSWERS)
def test_line_is_answered(line: str, hub: Served, place: Path) -> None:
    """It ends with its code, says what it should, sends nothing, and leaves every file as it was."""
    asked, before = len(hub.requests), files_in(place)
    code, *told = (
        part.replace("http://HUB", hub.base_url) if isinstance(part, str) else part for part in ANSWERS[line]
    )
    port = hub.base_url.rpartition(":")[2]
    ended = command(*shlex.split(line.replace("http://HUB", hub.base_url).replace("PORT", port)))
    assert ended.code == code, ended.output
    wrong = [text for text in map(str, told) if text.startswith("!") == (text.lstrip("!") in ended.output)]
    assert wrong == [], ended.output
    assert len(hub.requests) == asked
    assert files_in(place) == before


def test_catalog_is_json_by_default() -> None:
    """The plain export has every setting, status and clause."""
    data = json.loads(command("catalog").output)
    for part in ("settings", "statuses", "clauses"):
        assert len(data[part]) == len(getattr(CATALOG, part)), part


@pytest.mark.parametrize("clause", list(CATALOG.clauses))
def test_every_clause_is_explained(clause: str) -> None:
    """Each clause is told with its sentence and what is judged, and one that can fail with its mutants."""
    ran = command("explain", clause)
    assert ran.code == 0
    assert CATALOG.clauses[clause].quote in ran.output
    assert "what is judged" in ran.output
    judged = ran.output.partition("what is judged")[2].partition("\n\n")[0].splitlines()
    assert len({line.strip() for line in judged}) == len(judged)
    assert CATALOG.clauses[clause].remedy in ran.output
    assert ("what proves it" in ran.output) >= CATALOG.clauses[clause].can_fail


@pytest.mark.parametrize("line", CODES)
def test_help_names_the_exit_codes(line: str) -> None:
    """The overview lists what run ends with, that of diff its own."""
    named = command(*line.split()).output.partition("Exit codes")[2]
    assert "".join(re.findall(r"\b(\d)\s+[a-z]", named.partition("Options")[0])) == CODES[line]


def test_a_crash_of_a_command_is_the_suites_own_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What escapes a command ends with 5, since 1 would say that a target does not conform."""
    monkeypatch.setattr("conformance.runs.drafts.drafting.draft", None)
    words = ("--base-url", "http://127.0.0.1:9", *FRIDGE, "-o", str(tmp_path / "hub.toml"))
    assert command("init", *words).code == 5


COMMANDS = main.list_commands(None)  # pyright: ignore[reportArgumentType]  the list needs no context
DEAR = {"pytest", "pydantic", "httpx", "hypothesis", "schemathesis", "starlette", "jinja2", "rich", "tomlkit"}
HELPING = f"""
import sys
from conformance.commands import main
for command in {COMMANDS}:
    try:
        main([command, "--help"])
    except SystemExit as end:
        print("ended", end.code, sorted({DEAR} & set(sys.modules)))
"""
LATE = {"jinja2", "tomlkit", "starlette", "hypothesis", "schemathesis"}
BEGINNING = f"""
import os, sys
from conformance.commands import main
from conformance.runs.session import Session
def read(*_):
    print("imported", sorted({LATE} & set(sys.modules)), flush=True)
    os._exit(0)
Session.read = read
main(sys.argv[1:])
"""


def test_help_imports_nothing_dear(tmp_path: Path) -> None:
    """--help of each command ends with 0 and has imported neither pytest nor pydantic nor httpx."""
    said_by_all = program(sys.executable, "-P", "-c", HELPING, directory=tmp_path).output
    assert re.findall("^ended.*", said_by_all, re.MULTILINE) == ["ended 0 []"] * len(COMMANDS)


def test_nothing_is_imported_that_only_later_phases_need(tmp_path: Path) -> None:
    """When a run begins to read, it has imported nothing that makes pages, profiles or generated requests."""
    (tmp_path / "hub.toml").write_text(ONE_FRIDGE.format(hub="http://127.0.0.1:9"), encoding="utf-8")
    words = "run", "hub.toml", "--out", "out", "--state", "state"
    begun = program(sys.executable, "-P", "-c", BEGINNING, *words, directory=tmp_path)
    assert "imported []\n" in begun.output
