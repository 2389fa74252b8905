"""The script of a finding, copied into a shell: against the same server, newly started, it shows what its
comments say.
"""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from conformance.checks.exchange import Failure, Response
from conformance.checks.groups import Group
from conformance.checks.wording import quoted
from conformance.mutants.registry import load_mutants
from conformance.reference.server import serve
from conformance.runs.scripts import script_of, story_of
from conformance.selftest.support.bench import twin
from conformance.selftest.support.handmade import ANCHOR, URL, profile_of, seen_of, value
from conformance.selftest.support.judged_runs import run_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.checks.exchange import Exchange
    from conformance.mutants.model import Mutant

BY_NAME = {record.name: record for record in load_mutants()}
NAMES = (
    "acknowledged-and-dropped",
    "seen-once",
    "cup-warmer-refused",
    "liquid-unit-breaks",
    "light-never-on-again",
    "lock-in-words",
    "map-names-shared",
    "one-store-for-all",
    "off-ignored",
    "off-refused",
    "on-wakes-halfway",
    "off-wakes-from-standby",
    "second-switching-on-strays",
    "power-echoed",
    "inactive-after-switching-on",
    "custom-color-kept-for-later",
    "third-off-ignored",
    "third-standby-switches-off",
    "second-waking-ignored",
    "super-remembers-the-setpoint",
    "two-presets-unlock-brightness",
)
"""Mutants of each kind of write: dropped, refused, broken, one way only, of another type, shared, power, and
orders.
"""
STORIES = {
    "seen-once": "read write read read",
    "light-never-on-again": "write write read",
    "map-names-shared": "write write read",
    "on-wakes-halfway": "write write read",
    "off-wakes-from-standby": "write write read",
    "custom-color-kept-for-later": "write write read",
    "power-echoed": "write read read",
    "inactive-after-switching-on": "write write read read",
}
"""What takes more than a write and a read: a state in which it shows, a second key, a value that comes and
goes.
"""
_STEP = re.compile(
    r"# (?P<number>\d+)\. (?P<verb>write|read) (?P<name>\S+)(?: (?P<value>.+?))? -> (?P<came>.+)"
)


@dataclass(frozen=True)
class Step:
    """A numbered comment of a script, with the line below it."""

    number: int
    verb: str
    name: str
    came: str
    line: str


@dataclass(frozen=True)
class Finding:
    """A mutant, and the script of the first case of the clause it breaks."""

    mutant: Mutant
    script: str

    @property
    def steps(self) -> list[Step]:
        """The steps of the script, in order."""
        return list(self._steps())

    def _steps(self) -> Iterator[Step]:
        lines = self.script.splitlines()
        assert len(lines) % 2 == 0
        for comment, line in zip(lines[::2], lines[1::2], strict=True):
            found = _STEP.fullmatch(comment)
            assert found, comment
            yield Step(int(found["number"]), found["verb"], found["name"], found["came"], line)


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Finding]:
    """What runs against the mutants found, each made once."""
    found: dict[str, Finding] = {}
    for name in NAMES:
        mutant = BY_NAME[name]
        searching = {} if "orders" in mutant.service.__module__ else {"pace": {"generated": 0}}
        run = run_of(
            mutant.service(), tmp_path_factory.mktemp(name), "power", searching, clauses={mutant.clause}
        )
        scripts = [
            case["curl"]
            for case in run.cases.values()
            if (case["clause"], case["verdict"]) == (mutant.clause, "fail")
        ]
        found[name] = Finding(mutant, scripts[0])
    return found


def answer_to(line: str) -> tuple[int, Any]:
    """The status and the value of what a shell makes of a line; no value where the body has none."""
    ended = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    head, _, body = ended.stdout.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    shown: Any = json.loads(body)["data"]["value"] if status == 200 and body else None
    return status, shown


each = pytest.mark.parametrize("name", NAMES)


@each
def test_script_shows_what_it_says(findings: dict[str, Finding], name: str) -> None:
    """Executed line by line against the mutant, newly served, each write has the status of its comment, and
    each read its value.
    """
    finding = findings[name]
    with serve({"": finding.mutant.service()}) as base_url:
        for step in finding.steps:
            status, shown = answer_to(re.sub(r"http://127\.0\.0\.1:\d+", base_url, step.line))
            valued = step.verb == "read" and shown is not None
            assert (step.came if valued else step.came.split()[0]) == (
                quoted(shown) if valued else str(status)
            ), step


@each
def test_script_is_nothing_but_the_proof(findings: dict[str, Finding], name: str) -> None:
    """It is the write that decides, after those that make the state for it, and the read that shows the wrong
    value.
    """
    steps = findings[name].steps
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    order = "orders" in findings[name].mutant.service.__module__
    wanted = "write " * (len(steps) - 1) + "read" if order else STORIES.get(name, "write read")
    assert " ".join(step.verb for step in steps) == wanted
    assert all(("-X PUT" in step.line) == (step.verb == "write") for step in steps)
    assert all(f"{step.name} " in f"{step.line} ".replace("'", " ") for step in steps)


def test_healthy_server_shows_something_else(findings: dict[str, Finding]) -> None:
    """The comments are about the mutant: a server without its fault answers otherwise."""
    finding = findings["off-ignored"]
    with serve({"": twin(finding.mutant)()}) as base_url:
        last = [answer_to(re.sub(r"http://127\.0\.0\.1:\d+", base_url, step.line)) for step in finding.steps][
            -1
        ]
    assert quoted(last[1]) != finding.steps[-1].came


OAUTH2 = {"token_url": "https://issuer.example", "client_id": "me", "client_secret": "${TOKEN}"}


def script(made: Exchange, **tables: Any) -> list[str]:
    """The lines of the script of the last exchange, as a run with this profile has it."""
    seen = seen_of(profile_of(**tables), replace(made, group=Group.parse("set/x")))
    return script_of(seen, seen.groups[Group.parse("set/x")]).split("\n")


def test_script_says_where_a_token_comes_from() -> None:
    """A line that needs an access token is preceded by a comment; one that needs none is not."""
    made = value(ANCHOR, 5)
    made = replace(
        made, request=replace(made.request, headers=(("authorization", "Bearer ${ACCESS_TOKEN}"),))
    )
    assert script(made, auth={"oauth2": OAUTH2})[0] == "# ACCESS_TOKEN: what auth.oauth2.token_url grants"
    assert '-H "authorization: Bearer $ACCESS_TOKEN"' in script(made, auth={"oauth2": OAUTH2})[1]
    assert len(script(value(ANCHOR, 5), auth={"oauth2": OAUTH2})) == 1


def test_script_says_where_a_redirect_came_from() -> None:
    """A line that asks where a redirect led is preceded by the address that was asked first."""
    came = Response(200, (), b"", 1.0, (f"{URL}/moved",))
    comment, line = script(replace(value(ANCHOR, 5), response=came))
    assert (comment.startswith(f"# redirected from {URL}/api/"), line.endswith(f"{URL}/moved")) == (
        True,
        True,
    )


def test_words_of_a_server_do_not_leave_a_comment() -> None:
    """What a server says stands in one comment, so that no line of it is ever a command."""
    failure = Failure("protocol", "bad\nrm -r x\rrm\x85rm\u2028rm")
    written = replace(
        value(ANCHOR, 5),
        purpose="write",
        response=None,
        failure=failure,
        value="a\nb",
        group=Group.parse("set/x"),
    )
    seen = seen_of(profile_of(), written, replace(value(ANCHOR, 5), group=Group.parse("set/x")))
    lines = script_of(seen, story_of(seen, seen.groups[Group.parse("set/x")][-1]).proof).splitlines()
    assert [line[:5] for line in lines] == ["# 1. ", "curl ", "# 2. ", "curl "]
