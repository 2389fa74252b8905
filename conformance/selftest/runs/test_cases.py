"""Which cases a run has at each level, and what is listed as not judged."""

import ast
import hashlib
import inspect
import os
import re
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.model import LEVELS, Level
from conformance.cases import CATALOG, all_cases, all_derivations, derivations_of, each_case
from conformance.mutants.fleets import AMBIENT, ROBOT_NAMED
from conformance.mutants.registry import load_mutants
from conformance.profiles.fields import ProfileError
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.fleets.cleaning import DISHWASHER, ROBOT_WATCHING, WASHER
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.runs.processes.pytest_process import PACKAGE
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.targets import level_of, open_target, profile_of
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.handmade import STATUS_PATH, write_table
from conformance.selftest.support.judged_runs import begin, run_of, session_of
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import served_by

MACHINE = DISHWASHER.only(
    keys.POWER_STATE, keys.CHILD_LOCK, keys.LOCAL_CONTROL, keys.REMOTE_CONTROL, keys.OPERATION_STATE
)


# Which cases there are, and what is done for them.


def without(*tables: str) -> Profile:
    """The profile of the reference without some of its tables."""
    data = {
        name: table
        for name, table in truthful_profile(Service(), "http://127.0.0.1:1").items()
        if name not in tables
    }
    return build_profile(data)


def test_default_levels() -> None:
    """Servers of the suite that can be written to are judged at level power, other targets are read."""
    assert level_of("reference", without(), None) == level_of("mutant:any", without(), None) == "power"
    assert level_of("variant:any", without("write", "hooks"), None) == "read"
    assert level_of("unearned:claimed-keys-time-out", without(), None) == "read"
    assert level_of("hub.toml", without(), None) == "read"
    assert [level_of("hub.toml", without(), level) for level in LEVELS] == list(LEVELS)


def test_a_hostile_server_is_a_target() -> None:
    """Its profile can be had with and without starting it."""
    with open_target("hostile:silent") as profile:
        assert profile.target.name == profile_of("hostile:silent").target.name == "silent"


def test_person_is_as_good_as_hooks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Level attended needs hooks, or a person at the terminal; with hooks nobody has to be there."""
    controller, terminal = os.openpty()
    with open(terminal, encoding="utf-8") as stdin:  # noqa: PTH123  a descriptor, no path
        monkeypatch.setattr("sys.__stdin__", stdin)
        assert level_of("hub.toml", without("hooks"), "attended") == "attended"
    os.close(controller)
    for nobody in (stdin, None):
        monkeypatch.setattr("sys.__stdin__", nobody)
        assert level_of("hub.toml", without(), "attended") == "attended"
        with pytest.raises(ProfileError, match="no person at a terminal"):
            level_of("hub.toml", without("hooks"), "attended")


# Hands and time.

ATTENDED = ("SELF-LOCALCONTROL", "SELF-LOCALEVENT", "SELF-RCSA-24H", "PATH-AGREE")


WATCHED = (
    MACHINE,
    WASHER.only(keys.CHILD_LOCK, keys.REMOTE_START),
    ROBOT_WATCHING.only(keys.POWER_STATE, keys.DUST_BOX),
)
"""Three appliances for hands and time."""


@pytest.fixture(scope="module")
def attended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Service, Ran]:
    """A run at level attended, with the hooks of the reference."""
    service = served_by(fleet=WATCHED)()
    return service, run_of(service, tmp_path_factory.mktemp("attended"), "attended", clauses=ATTENDED)


def test_event_is_noted(attended: tuple[Service, Ran]) -> None:
    """What the stream said while it was operated is in the ledger, and the case tells of it."""
    verdict, message = attended[1].finding("SELF-LOCALEVENT", MACHINE.ha_id)
    says = "an event said so when LocalControlActive reverted"
    assert (verdict, message.partition(";")[0]) == ("observed", says)
    heard = [line for line in attended[1].evidence if line["purpose"] == "event" and "note" in line]
    assert {(line["ha_id"], line["key"]) for line in heard} == {(MACHINE.ha_id, keys.LOCAL_CONTROL)}
    assert [line["note"]["value"] for line in heard] == [True, False]


def test_dust_box_is_back(attended: tuple[Service, Ran]) -> None:
    """The dust box was taken out, read under both segments, and is in again."""
    service, ran = attended
    assert ran.finding("PATH-AGREE", f"DustBoxInserted@{ROBOT_WATCHING.ha_id}")[0] == "pass"
    reads = [line["key"] for line in ran.requests("dust-box-out")]
    assert reads == ["dust_box", *[keys.DUST_BOX] * 4, "dust_box"]
    assert service.appliances[ROBOT_WATCHING.ha_id].values[keys.DUST_BOX] is True


# The cases of the suite: derived from the catalog, documented, and the same every night.
MODULES = sorted(path.stem for path in PACKAGE.glob("test_*.py"))
TESTS = [
    pytest.param(function, id=f"{module}.{name}")
    for module in MODULES
    for name, function in vars(import_module(f"conformance.{module}")).items()
    if name.startswith("test_")
]
GOLDEN = Path(__file__).parents[1] / "golden" / "case_counts.txt"


def case_list() -> str:
    """The ids of the reference's cases in brief: their number and digest, then how many each clause has."""
    ids = sorted(case.id for case in all_cases(profile_of("reference")))
    counts = Counter(id_.partition("::")[0] for id_ in ids)
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    lines = [f"{counts[clause]:5} {clause}\n" for clause in CATALOG.clauses]
    return "".join([f"{len(ids)} cases, sha256 {digest}\n", *lines])


def test_cases_of_the_reference_are_pinned() -> None:
    """The ids are those of golden/case_counts.txt.

    To renew it: python -c "from conformance.selftest.runs import test_cases as t;
    t.GOLDEN.write_text(t.case_list())"
    """
    assert case_list() == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("function", TESTS)
def test_each_test_is_one_sentence_and_one_judgement(function: Callable[..., Any]) -> None:
    """It names clauses of the catalog, a line says its purpose, and its body is one to five statements."""
    derivations = derivations_of(function)
    assert derivations
    assert all(CATALOG.clauses[derivation.clause.id] is derivation.clause for derivation in derivations)
    definition = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(definition, ast.FunctionDef)
    text = ast.get_docstring(definition) or ""
    assert (text.endswith("."), "\n" in text, 1 <= len(definition.body) - 1 <= 5) == (True, False, True)


@pytest.mark.parametrize("module", MODULES)
def test_each_module_quotes_the_document(module: str) -> None:
    """A test module begins with a sentence of its own and one of the document."""
    first, _, rest = (import_module(f"conformance.{module}").__doc__ or "").partition("\n\n")
    assert first.endswith(".")
    assert "> " in rest


def test_each_clause_is_judged() -> None:
    """Every clause of the catalog has a test, or is excluded, with the reason in the catalog."""
    tested = {derivation.clause.id for derivation in all_derivations()}
    assert tested == {clause.id for clause in CATALOG.clauses.values() if not clause.excluded}


# What a run does not try is no case: it is listed, with the field or level that would change it.
URL = "http://127.0.0.1:1"
WRITE = write_table("*", keys.CHILD_LOCK, keys.OVEN_SABBATH, keys.FRIDGE_SABBATH)
HOOK = {"path": "/bench", "body": "{seconds}"}
FIELDS: dict[str, dict[str, Any]] = {
    "write": {"write": {**WRITE, "allow": []}},
    "write.allow": {"write": WRITE},
    "write.status_path": {"write": {**WRITE, "status_path": STATUS_PATH}},
    "answer.key": {"answer": {"key": "/key"}},
    "answer.unit": {"answer": {"unit": "/unit"}},
    "answer.type": {"answer": {"type": "/type"}},
    "answer.allowed": {"answer": {"allowed": "/allowed"}},
    "answer.description": {"answer": {"description": "/description"}},
    "answer.min, answer.max": {"answer": {"min": "/min", "max": "/max"}},
    "appliance.samples.map_name": {"own": {"samples": {"map_name": ["a", "b"]}}},
    "appliance.samples.custom_color": {"own": {"samples": {"custom_color": ["a", "b"]}}},
    "appliance.streaming_camera": {"own": {"streaming_camera": False}},
    "appliance.unattended": {"own": {"unattended": True}},
    "paths.probe_other_segment": {"paths": {"probe_other_segment": True}},
    "power.probe_unlisted": {"power": {"probe_unlisted": True}},
    "list": {"list": {"settings": {"path": "/{ha_id}", "items": "/items"}}},
    "events": {"events": {"path": "/{ha_id}/events"}},
    "hooks.advance": {"hooks": {"advance": HOOK}},
    **{f"interpretation.I-{n}": {"interpretation": {f"I-{n}": True}} for n in (1, 2, 4, 6, 7, 8, 9, 10)},
}
"""What a profile that says nothing would have to say, by the field that is named."""
OFF = {f"I-{n}": False for n in range(1, 11)}
"""The files that are read here, and no others."""


def profile(own: dict[str, Any] | None = None, **tables: Any) -> Profile:
    """The profile of an appliance that is asked every key, with nothing declared but what is given."""
    appliance = {"ha_id": "a", "kind": "Anything", **(own or {})}
    return build_profile({"target": {"name": "x", "base_url": URL}, "appliance": [appliance], **tables})


def fields(profile: Profile, level: Level = "attended") -> Counter[str]:
    """How many cases wait for each field."""
    return Counter(omission.field for _, omission in each_case(profile, level) if omission)


@pytest.mark.parametrize(
    "told", [profile_of("reference"), profile(), profile(interpretation=OFF)], ids=["all", "nothing", "off"]
)
def test_each_case_is_judged_or_listed_at_every_level(told: Profile) -> None:
    """Cases and what is not judged are one list, whatever the level, and have nothing in common."""
    lists = [Counter(case.id for case, _ in each_case(told, level)) for level in LEVELS]
    assert all(one == lists[0] for one in lists)
    assert set(lists[0].values()) == {1}


@pytest.mark.parametrize("field", FIELDS)
def test_field_that_is_named_changes_it(field: str) -> None:
    """A case waits for the field where a profile lacks it, and for that one no more when it is declared."""
    before: dict[str, Any] = {"interpretation": OFF} if field.startswith("interpretation") else {}
    before |= {"write.allow": FIELDS["write"], "write": {}}.get(field, {"write": WRITE})
    level: Level = "read" if field == "appliance.unattended" else "attended"
    assert fields(profile(**before), level)[field]
    assert not fields(profile(**{**before, **FIELDS[field]}), level)[field]


@pytest.mark.parametrize(
    ("fleet", "needed"),
    [(DISHWASHER.only(keys.POWER_STATE, keys.CHILD_LOCK), set[str]()), (AMBIENT, {keys.CUSTOM_COLOR})],
)
def test_field_is_named_for_keys_that_the_appliance_has(
    fleet: ApplianceSpec, needed: set[str], tmp_path: Path
) -> None:
    """Of an appliance that refuses a key as one that cannot exist, no field would change anything."""
    service = served_by(fleet=fleet)()
    with session_of(service, tmp_path, "write", {"write": WRITE}, knowledge="L0") as session:
        begin(session)
        omitted = session.ending(session.facts()).omitted
    assert {one.key for one in omitted if one.field.startswith("appliance.samples.")} == needed


def test_what_was_not_tried_is_listed_and_no_case(tmp_path: Path) -> None:
    """Statuses that no path is declared for, with the field; what a sample of repeated reads leaves out, as
    soon as it has read; and nothing is called not applicable for that.
    """
    tried = DISHWASHER.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.LOCAL_CONTROL, keys.DOOR_STATE)
    small = served_by(fleet=replace(tried, kind="Oven"))
    truth: dict[str, Any] = truthful_profile(small(), BASE_URL)
    write = {**truth["write"], "status_path": None}
    tables = {"write": write, "timing": {**truth["timing"], "repeat_sample": 1}}
    with session_of(small(), tmp_path, "write", tables) as session:
        results = judged_in(session)
    rows = [row for row in results.not_judged if row.clause == "STA-READONLY"]
    assert {row.field for row in rows} == {"write.status_path"}
    assert sum(len(row.keys) * len(row.ha_ids) for row in rows) == 8
    late = {row.clause for row in results.not_judged if row.field == "timing.repeat_sample"}
    assert late == {"READ-REPEAT", "READ-SAFE"}
    assert {one.clause for one in results.cases}.isdisjoint({"STA-READONLY"})
    said = " ".join(one.message for one in results.of("not_applicable"))
    assert not re.search("level |not tried|write list|switched off|sample", said)


def test_unclaimed_run_says_so(tmp_path: Path) -> None:
    """A run without a profile claims nothing, and says that and no more; what is generated is left out."""
    with serve({"": served_by(fleet=ROBOT_NAMED)()}) as base_url:
        ran = command(
            "run",
            *("--base-url", base_url, "--appliance", f"{ROBOT_NAMED.ha_id}:CleaningRobot"),
            *(*BARE, "-k", "not generated"),
            directory=tmp_path,
        )
    assert ran.code == 0
    assert "Nothing contradicts the document; nothing was claimed" in ran.output
    assert f"{len(ROBOT_NAMED.values)} of 26 keys gave a value" in ran.output
    assert ran.results["keys"]["claimed"] == 0


FOUND_BY_READING = ("unit-by-its-own-key", "range-perapp-value-above")
"""Mutants of which level read shows a fault in settings that are read again beside later writes."""


@pytest.mark.parametrize("name", FOUND_BY_READING)
def test_finding_of_reading_stands_at_write(tmp_path: Path, name: str) -> None:
    """What is written and read later takes nothing from a finding that was certain when all was read."""
    mutant = next(one for one in load_mutants() if one.name == name)
    found, later = (
        run_of(mutant.service(), tmp_path / level, level, knowledge="full") for level in ("read", "write")
    )
    certain = {case: said for case, said in found.verdicts.items() if said[0] == "fail"}
    assert certain
    assert {case: later.verdicts[case] for case in certain} == certain
