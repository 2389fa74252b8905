"""Servers of which one line is known: nothing is edited, and no guess makes a finding."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.cases import all_cases, check_of
from conformance.commands.around import write_used
from conformance.harness.day_budget import DayBudget
from conformance.harness.errors import DayBudgetError
from conformance.mutants.shapes.reads import sends, wraps
from conformance.mutants.shapes.requests import Leaving, intercepts
from conformance.pasted.address import address_of
from conformance.pasted.credentials import credentials_of
from conformance.pasted.curl_line import curl_line
from conformance.pasted.trying import Ask, OpenQuestionError, Said, Trying
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Json, Members, Reply
from conformance.runs import session as sessions
from conformance.runs.drafts.drafting import Draft
from conformance.runs.observed_run import observed
from conformance.runs.saved.saved_run import SavedRun
from conformance.selftest.pasted import strange_servers as servers
from conformance.selftest.pasted.strange_servers import HELD_OUT, POWER, TUNED, Strange

ALL = (*TUNED, *HELD_OUT)
FIELDS = ("value", "key", "unit", "type", "min", "max", "step", "allowed", "access")
REMOTE = "http://hub.example"
NOTHING = Said()

Tried = Callable[[Strange], tuple[Trying, Draft]]


@pytest.fixture
def tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tried:
    """Tries the line of a server: what was found, and the draft."""
    return lambda strange: tried_at(strange, tmp_path, monkeypatch)


def tried_at(
    strange: Strange,
    out: Path,
    monkeypatch: pytest.MonkeyPatch,
    base_url: str = BASE_URL,
    ask: Ask = lambda _question, _option: "",
) -> tuple[Trying, Draft]:
    """The line of a server, tried by a person who answers nothing unless `ask` does."""
    line = curl_line([strange.pasted(base_url)])
    address = address_of(line.url)
    credentials = credentials_of(line, address)
    for name, value in credentials.secrets.items():
        monkeypatch.setenv(name, value)
    network = network_of({strange.prefix: strange.service()})
    trying = Trying(address, credentials, strange.said, ask, network=network)
    trying.look(lambda _profile: None)
    assert trying.found.trouble == ""
    trying.read(out)
    drafted = trying.draft(None, out / "hub.toml")
    (out / "hub.toml").write_text(drafted.text)
    return trying, drafted


def pointers(answer: dict[str, Any], but: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Those of a table [answer] on which verdicts may rest, but for some."""
    found = {name: answer[name] for name in FIELDS if name in answer and name not in but}
    return {**found, **({"status": pointers(answer["status"], but)} if "status" in answer else {})}


def verdicts(trying: Trying, out: Path) -> dict[str, str]:
    """The verdict of each case, as the command has it judged."""
    used = write_used(trying.profile, out / "profile.toml")
    session = observed(SavedRun(out / LEDGER_FILE, used))
    cases = [case for case in all_cases(trying.profile, "read") if not case.is_of_absent_kind]
    chosen = trying.chosen or {case.id for case in cases}
    return {case.id: session.judge(case, check_of(case)).verdict for case in cases if case.id in chosen}


def red(verdicts: dict[str, str]) -> set[str]:
    """The clauses that fail."""
    return {case.partition("::")[0] for case, verdict in verdicts.items() if verdict in {"fail", "error"}}


@pytest.mark.parametrize("strange", ALL, ids=lambda strange: strange.name)
def test_line_is_enough(strange: Strange, tried: Tried, tmp_path: Path) -> None:
    """Base URL, appliance, maker and kind are found, pointers without an edit; nothing fails, most passes.

    No secret of the line stands in a file.
    """
    trying, drafted = tried(strange)
    found, spec = trying.found, strange.spec
    assert found.ha_id
    assert found.maker
    assert found.kind
    assert (trying.address.base_url, found.ha_id.value) == (BASE_URL + strange.prefix, spec.ha_id)
    assert (found.maker.value, found.kind.value) == (strange.service.vendor, spec.kind)
    answer = tomllib.loads(drafted.text)["answer"]
    assert pointers(answer) == pointers(dict(strange.pointers), strange.untold)
    judged = verdicts(trying, tmp_path)
    assert red(judged) == set()
    assert sum(verdict == "pass" for verdict in judged.values()) > len(spec.values)
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    secrets = (servers.SECRET, servers.COOKIE, servers.LOGIN, servers.LOGIN.partition(":")[2])
    assert [secret for secret in secrets if secret.encode() in written] == []


def own(service: type[Service], *layers: type[Service]) -> Strange:
    """A colleague's line for a server of one test."""
    return Strange("own", "", servers.at(service, servers.FRIDGE, layers=layers), POWER, {})


def test_fault_is_found_through_a_strange_wire(tried: Tried, tmp_path: Path) -> None:
    """A wrong value fails also where the value had to be found first."""
    trying, _ = tried(own(servers.Guarded, wraps(servers.deep), sends(keys.SETPOINT, "4")))
    assert red(verdicts(trying, tmp_path)) == {"TYPE-DOUBLE"}


def test_what_rests_on_a_guess_is_a_question(tried: Tried, tmp_path: Path) -> None:
    """A member is called like a bound, and is none: nothing fails, and the line of the draft is named."""

    def with_a_max(members: Members) -> Json:
        value = members["value"]
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return {"key": members["key"], "value": value, **({"max": -40, "min": -50} if is_number else {})}

    trying, drafted = tried(own(servers.Guarded, wraps(with_a_max)))
    assert red(verdicts(trying, tmp_path)) == set()
    doubts = {doubt.line: doubt.cases for doubt in trying.doubts(drafted)}
    assert '[answer] max = "/max"' in doubts
    assert all(case.startswith("RANGE-") for cases in doubts.values() for case in cases)


def test_truthful_guesses_leave_no_question(tried: Tried) -> None:
    """Where the guesses are right, nothing more would fail by them."""
    trying, drafted = tried(TUNED[0])
    assert list(trying.doubts(drafted)) == []


def test_lists_bound_what_a_remote_target_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all keys are more than a remote target takes in a minute, those of its lists are read."""
    trying, drafted = tried_at(TUNED[0], tmp_path, monkeypatch, REMOTE)
    requests = (tmp_path / LEDGER_FILE).read_bytes().count(b'"request":') + trying.found.requests
    assert trying.is_short
    assert requests <= 40
    assert set(tomllib.loads(drafted.text)["appliance"][0]["supports"]) == set(servers.FRIDGE.values)
    judged = verdicts(trying, tmp_path)
    assert red(judged) == set()
    assert not [case for case, verdict in judged.items() if verdict == "inconclusive" and "::*@" in case]


def test_few_keys_tell_the_kind_where_no_list_does(tried: Tried, tmp_path: Path) -> None:
    """Of a target without lists not all keys of the document are asked for, which would be 98 requests."""
    trying, _ = tried(Strange("own", "", servers.at(servers.WithoutLists, servers.FRIDGE), POWER, {}))
    requests = (tmp_path / LEDGER_FILE).read_bytes().count(b'"request":') + trying.found.requests
    assert requests <= 90


EQUALS = replace(next(strange for strange in HELD_OUT if strange.name == "equals"), said=NOTHING)
UNNAMED = replace(next(strange for strange in HELD_OUT if strange.name == "without-lists"), said=NOTHING)
QUESTIONS = {"--value POINTER": (EQUALS, "/is"), "--vendor NAME": (UNNAMED, "BSH")}


@pytest.mark.parametrize("option", QUESTIONS)
def test_question_is_asked_once(option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where answers do not tell, a person is asked; where nobody answers, the option is named."""
    strange, answer = QUESTIONS[option]
    asked: list[str] = []

    def ask(question: str, named: str) -> str:
        asked.append(named)
        assert "?" in question
        return answer

    _, drafted = tried_at(strange, tmp_path, monkeypatch, ask=ask)
    assert (asked, drafted.served > 0) == ([option], True)
    with pytest.raises(OpenQuestionError) as raised:
        tried_at(strange, tmp_path, monkeypatch)
    assert raised.value.option == option


def looking(service: Service, pasted: str) -> Trying:
    """What a line shows that is pasted for a server."""
    line = curl_line([pasted])
    address = address_of(line.url)
    network = network_of({"": service})
    trying = Trying(
        address, credentials_of(line, address), NOTHING, lambda _question, _option: "", network=network
    )
    trying.look(lambda _profile: None)
    return trying


def test_line_that_leads_nowhere_asks_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not even the address of the line is answered, no key is asked for."""
    monkeypatch.setenv("APPLIANCE_TOKEN", servers.SECRET)
    pasted = TUNED[0].pasted(BASE_URL).replace("/api/", "/elsewhere/api/")
    trying = looking(TUNED[0].service(), pasted)
    assert "is answered with no success (status 404" in trying.found.trouble
    assert trying.found.requests == 3


@pytest.mark.parametrize(
    ("place", "more", "advice"),
    [
        ("/elsewhere/", "", "if curl -L shows the entry, add -L to the line"),
        ("/elsewhere/", " -L", "no run follows there: paste a line with the address at which curl -L ends"),
        (BASE_URL.replace("http:", "https:"), "", "no run follows there"),
    ],
    ids=["elsewhere", "elsewhere, and followed", "another origin"],
)
def test_line_that_is_redirected_is_told_to_follow(
    place: str, more: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line without -L does not follow, which says nothing of an appliance; with it, not everywhere."""
    monkeypatch.setenv("APPLIANCE_TOKEN", servers.SECRET)
    moved = intercepts(lambda _asked: Reply(301, media_type=None, headers={"Location": place}))
    trouble = looking(moved(), TUNED[0].pasted(BASE_URL) + more).found.trouble
    assert f"is redirected (status 301, to {place}): {advice}" in trouble


def test_end_of_the_day_ends_the_reading(tried: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its requests are used up before all is read, what was read until then has no verdict."""
    few = build_profile({**truthful_profile(Service(), REMOTE), "pace": {"per_day": 10}})
    monkeypatch.setattr(sessions, "budget_of", Mock(return_value=DayBudget(few)))
    with pytest.raises(DayBudgetError, match="the 10 requests of a day are used up"):
        tried(TUNED[0])


def test_lists_without_a_makers_name_need_none(tried: Tried) -> None:
    """Where no key that is listed begins with one, nobody is asked for it; one error changes nothing."""
    spec = servers.FRIDGE.only(keys.SETPOINT, keys.FREEZER_SETPOINT)
    once = type("Once", (Leaving,), {"after": 0, "back_after": 1, "says": Reply(502, b"<html>", "text/html")})
    line = POWER.replace("BSH.Common.Setting.PowerState", keys.SETPOINT)
    trying, drafted = tried(Strange("own", "", servers.at(servers.Guarded, spec, layers=(once,)), line, {}))
    assert trying.found.maker
    assert trying.found.maker.value == "Vendor"
    assert drafted.served == len(spec.values)
