"""The script of a finding, run by a shell, shows what its comments say, and nothing but the proof."""

import json
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from catalog import keys
from conformance.checks.exchange import Exchange, Failure, Response
from conformance.checks.groups import AMBIENT, PREPARE, Group, ProcedureKind
from conformance.harness.observing import Observations
from conformance.model.json_values import quoted
from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.proof.trials import twin_of
from conformance.reference.server import serve
from conformance.runs.scripts import proof_of, script_of
from conformance.runs.witnessed import witnessed_of
from conformance.selftest.support.handmade import (
    ANCHOR,
    HA_ID,
    URL,
    exchange,
    numbered,
    of,
    profile_of,
    seen_of,
    value,
)
from conformance.selftest.support.judged_runs import run_of

BY_NAME = {record.name: record for record in load_mutants()}
STORIES = {
    "acknowledged-and-dropped": "write read",
    "liquid-unit-breaks": "write write read",
    "off-ignored": "write read",
    "seen-once": "read write read read",
    "light-never-on-again": "write write read",
    "map-names-shared": "write read",
    "on-wakes-halfway": "write write read",
    "custom-color-kept-for-later": "write write write read",
    "power-echoed": "write read read",
    "inactive-after-switching-on": "write write read read",
    "third-off-ignored": "",
    "lock-dropped-behind-standby": "write write read",
    "any-number-once-the-light-is-on": "write write read",
}
"""Mutants of each kind of write, and what their scripts do: a write that is dropped, a state in which it
shows, one that is chosen before, a second key, a value that comes and goes. A script of an order is as many
writes as it takes, and a read.
"""
PREPARED = {"lock-dropped-behind-standby", "any-number-once-the-light-is-on"}
"""Those whose fault shows in a state that the run prepares."""
GENERATED = (
    "keys-by-prefix",
    "header-selects-appliance",
    "decimal-comma-in-german",
    "large-numbers-rounded",
    "large-exponents-are-nan",
    "lists-of-one-kept",
    "long-names-overflow",
)
"""Mutants that only generated requests and values find."""
_STEP = re.compile(
    r"# (?P<number>\d+)\. (?P<verb>write|read) (?P<name>\S+)(?: (?P<value>.+?))? -> (?P<came>.+)"
)


class Step(Struct, frozen=True):
    """A numbered comment of a script, with the line below it."""

    number: int
    verb: str
    name: str
    came: str
    line: str


class Finding(Struct, frozen=True):
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
    for name in (*STORIES, *GENERATED):
        mutant = BY_NAME[name]
        place = tmp_path_factory.mktemp(name)
        run = run_of(mutant.service(), place, "power", still=bool(STORIES.get(name)), clauses={mutant.clause})
        red = [case for case in run.cases.values() if case.verdict == "fail"]
        found[name] = Finding(
            mutant, next(case.script for case in red if case.case.clause.id == mutant.clause)
        )
    return found


def answer_to(line: str, base_url: str) -> tuple[int, Any]:
    """The status and the value of what a shell makes of a line; no value where the body has none."""
    line = re.sub(r"http://127\.0\.0\.1:\d+", base_url, line)
    ended = subprocess.run(["sh", "-c", line], capture_output=True, check=True)
    head, _, body = ended.stdout.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    return status, json.loads(body)["data"]["value"] if status == 200 and body else None


@pytest.mark.parametrize("name", [*STORIES, *GENERATED])
def test_script_shows_what_it_says(findings: dict[str, Finding], name: str) -> None:
    """Executed line by line against the mutant, newly served, each line shows what its comment says."""
    finding = findings[name]
    with serve({"": finding.mutant.service()}) as base_url:
        for step in finding.steps:
            status, shown = answer_to(step.line, base_url)
            if step.verb == "read" and shown is not None:
                assert step.came == quoted(shown), step
            else:
                assert step.came.split()[0] == str(status), step


@pytest.mark.parametrize("name", STORIES)
def test_script_is_nothing_but_the_proof(findings: dict[str, Finding], name: str) -> None:
    """It is the write that decides, after those that make the state for it, and the reads that show it."""
    steps = findings[name].steps
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    wanted = STORIES[name] or "write " * (len(steps) - 1) + "read"
    assert " ".join(step.verb for step in steps) == wanted
    prepared = [step.verb for step in steps if step.came.endswith(" (as the run prepared the appliance)")]
    assert prepared == ["write"] * (name in PREPARED)
    assert all(("-X PUT" in step.line) == (step.verb == "write") for step in steps)
    assert all(f"{step.name} " in f"{step.line} ".replace("'", " ") for step in steps)


def test_healthy_server_shows_something_else(findings: dict[str, Finding]) -> None:
    """The comments are about the mutant: a server without its fault answers otherwise."""
    finding = findings["off-ignored"]
    with serve({"": twin_of(finding.mutant)()}) as base_url:
        *_, (_, last) = [answer_to(step.line, base_url) for step in finding.steps]
    assert quoted(last) != finding.steps[-1].came


ISSUER = {"token_url": "https://issuer.example", "client_id": "me", "client_secret": "${TOKEN}"}


def script(made: Exchange, **tables: Any) -> list[str]:
    """The lines of the script of the last exchange, as a run with this profile has it."""
    seen = seen_of(profile_of(**tables), replace(made, groups=(Group.parse("set/x"),)))
    return script_of(seen, seen.groups[Group.parse("set/x")]).split("\n")


def test_script_says_where_a_token_comes_from() -> None:
    """A line that needs an access token is preceded by a comment; one that needs none is not."""
    headers = (("authorization", "Bearer ${ACCESS_TOKEN}"),)
    made = value(ANCHOR, 5)
    guarded = replace(made, request=replace(made.request, headers=headers))
    comment, line = script(guarded, auth={"oauth2": ISSUER})
    assert comment == "# ACCESS_TOKEN: what auth.oauth2.token_url grants"
    assert '-H "authorization: Bearer $ACCESS_TOKEN"' in line
    assert len(script(made, auth={"oauth2": ISSUER})) == 1


def test_script_says_where_a_redirect_came_from() -> None:
    """A line that asks where a redirect led is preceded by the address that was asked first."""
    came = Response(200, (), b"", 1.0, (f"{URL}/moved",))
    comment, line = script(replace(value(ANCHOR, 5), response=came))
    assert comment.startswith(f"# redirected from {URL}/api/")
    assert line.endswith(f"{URL}/moved")


def test_value_that_does_not_go_back_is_shown_with_the_write_that_should_put_it_back() -> None:
    """The write that was to put it back had no effect: it stands after the one that made the state."""
    read, changed, back = (
        value(keys.CHILD_LOCK, shown=False),
        value(keys.CHILD_LOCK, shown=True),
        exchange(keys.CHILD_LOCK, 204),
    )
    write, vain, restore = (
        replace(back, purpose=purpose, value=sent)
        for purpose, sent in (("write", True), ("write", False), ("restore", False))
    )
    rows = of(ProcedureKind.SET, read, write, changed, vain, changed, restore, changed, restore, changed)
    seen = seen_of(profile_of(), *rows)
    proof = proof_of(seen, seen.groups[rows[0].groups[0]][6])
    assert [(one.exchange.purpose, one.exchange.value) for one in proof[:-1]] == [
        ("write", True),
        ("restore", False),
    ]


def test_order_that_was_put_back_is_no_part_of_the_proof() -> None:
    """What was written before that led to nothing that is shown afterwards."""
    sent = (("write", True), ("restore", False), ("write", False))
    writes = [replace(exchange(keys.CHILD_LOCK, 204), purpose=purpose, value=one) for purpose, one in sent]
    rows = of(ProcedureKind.ORDERS, *writes, value(keys.CHILD_LOCK, shown=True))
    seen = seen_of(profile_of(), *rows)
    proof = proof_of(seen, seen.groups[rows[0].groups[0]][-1])
    assert [one.exchange.value for one in proof if one.is_write] == [False]


def test_write_that_was_refused_made_no_state() -> None:
    """Only a write that was taken, or whose value is there, makes the state of a later one."""
    hidden, shown = exchange(keys.CUSTOM_COLOR, 409), value(keys.CUSTOM_COLOR, "#112233")
    taken = replace(exchange(keys.POWER_STATE, 204), purpose="write", value="On")
    refused = replace(hidden, purpose="write", value="#aabbcc")
    rows = of(ProcedureKind.GUARD, hidden, refused, shown, taken, shown)
    seen = seen_of(profile_of(), *rows)
    proof = proof_of(seen, seen.groups[rows[0].groups[0]][-1])
    assert [one.exchange.value for one in proof if one.is_write] == ["On"]


def test_what_another_state_explains_is_not_of_the_past() -> None:
    """The same write that was refused in another state is no part of the proof; one in the same state is."""
    group = Group(ProcedureKind.GUARD, keys.CUSTOM_COLOR)
    taken, refused = (
        replace(exchange(keys.DOSING_1, status), purpose="write", value=9, groups=(group,))
        for status in (204, 409)
    )
    one, other = (
        replace(exchange(keys.CHILD_LOCK, 204), purpose="write", value=on, groups=(group,))
        for on in (True, False)
    )
    was, now = (value(keys.DOSING_1, shown, group=group) for shown in (5, 9))
    is_on, is_off = (value(keys.CHILD_LOCK, on, group=group) for on in (True, False))
    for states, wanted in (((other, is_off), [False, 9]), ((one, is_on), [True, 9, True, 9])):
        rows = (was, one, is_on, refused, was, *states, taken, now)
        seen = seen_of(profile_of(), *rows)
        proof = proof_of(seen, seen.groups[group][-1])
        assert [step.exchange.value for step in proof if step.is_write] == wanted


def test_wrong_value_of_a_light_is_shown_with_the_write_to_that_light() -> None:
    """Another procedure, made beside that of the light, reads it after a write that has not moved it."""
    light, mode = Group(ProcedureKind.SET, keys.INTERNAL_LIGHT), Group(ProcedureKind.MODE, keys.FRESH_MODE)
    off, on, fresh = (
        replace(exchange(group.subject, 204), purpose="write", value=sent, groups=(group,))
        for group, sent in ((light, False), (light, True), (mode, False))
    )
    lit, dark = (value(keys.INTERNAL_LIGHT, shown, group=light) for shown in (True, False))
    right, wrong, again = (
        value(keys.INTERNAL_BRIGHTNESS, shown, group=group)
        for shown, group in ((70, light), (101, light), (101, mode))
    )
    seen = seen_of(profile_of(), lit, right, off, dark, right, on, lit, wrong, fresh, again)
    proof = proof_of(seen, seen.groups[mode][-1])
    assert proof[-1].value == 101
    assert [(step.key, step.exchange.value) for step in proof if step.is_write] == [
        (keys.INTERNAL_LIGHT, False),
        (keys.INTERNAL_LIGHT, True),
    ]


def test_light_put_back_before_the_next_state_is_part_of_the_proof() -> None:
    """What put a light back led to its value, though its procedure wrote another key afterwards."""
    mode = Group(ProcedureKind.MODE, keys.FRESH_MODE)
    back, following = (
        replace(exchange(key, 204), purpose=purpose, value=True, groups=(PREPARE,))
        for key, purpose in ((keys.INTERNAL_LIGHT, "restore"), (keys.CHILD_LOCK, "write"))
    )
    wrong = value(keys.INTERNAL_BRIGHTNESS, 101, group=mode)
    seen = seen_of(profile_of(), back, following, wrong)
    proof = proof_of(seen, seen.groups[mode][-1])
    assert [(step.key, step.exchange.purpose) for step in proof] == [
        (keys.INTERNAL_LIGHT, "restore"),
        (keys.INTERNAL_BRIGHTNESS, wrong.purpose),
    ]


def test_light_that_others_wrote_twice_is_shown_with_both_writes() -> None:
    """As a capture shows it: what others wrote is of no procedure."""
    first, last = (
        replace(exchange(keys.AMBIENT_COLOR, 204), purpose="write", value=color)
        for color in (keys.COLOR_1, keys.COLOR_CUSTOM)
    )
    seen = witnessed_of(Observations(profile_of(), numbered([first, last]), []))[HA_ID]
    written = seen.groups[AMBIENT]
    assert proof_of(seen, written[-1]) == written


def test_words_of_a_server_do_not_leave_a_comment() -> None:
    """What a server says stands in one comment, so that no line of it is ever a command."""
    group = Group.parse("set/x")
    failure = Failure("protocol", "bad\nrm -r x\rrm\x85rm\u2028rm")
    read = replace(value(ANCHOR, 5), groups=(group,))
    written = replace(read, purpose="write", response=None, failure=failure, value="a\nb")
    seen = seen_of(profile_of(), written, read)
    lines = script_of(seen, proof_of(seen, seen.groups[group][-1])).splitlines()
    assert [line[:5] for line in lines] == ["# 1. ", "curl ", "# 2. ", "curl "]
