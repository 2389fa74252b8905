"""Which cases a run has, and what it does for them at each level."""

import ast
import hashlib
import inspect
import os
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from catalog import keys
from catalog.model import LEVELS
from conformance.cases import CATALOG, all_cases, all_derivations, derivations_of
from conformance.profiles.fields import ProfileError
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import DISHWASHER, ROBOT_WATCHING, WASHER
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.runs.processes.pytest_process import PACKAGE
from conformance.runs.targets import level_of, profile_of
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.ran import Ran

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
    return build_profile(data, CATALOG)


def test_default_levels() -> None:
    """Servers of the suite that can be written to are judged at level power, other targets are read."""
    assert level_of("reference", without(), None) == level_of("mutant:any", without(), None) == "power"
    assert level_of("variant:any", without("write", "hooks"), None) == "read"
    assert level_of("unearned:claimed-keys-time-out", without(), None) == "read"
    assert level_of("hub.toml", without(), None) == "read"
    assert [level_of("hub.toml", without(), level) for level in LEVELS] == list(LEVELS)


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


class Watching(Service):
    """Three appliances for hands and time."""

    fleet = (
        MACHINE,
        WASHER.only(keys.CHILD_LOCK, keys.REMOTE_START),
        ROBOT_WATCHING.only(keys.POWER_STATE, keys.DUST_BOX),
    )


@pytest.fixture(scope="module")
def attended(tmp_path_factory: pytest.TempPathFactory) -> tuple[Service, Ran]:
    """A run at level attended, with the hooks of the reference."""
    service = Watching()
    return service, run_of(service, tmp_path_factory.mktemp("attended"), "attended", clauses=ATTENDED)


def test_event_is_noted(attended: tuple[Service, Ran]) -> None:
    """What the stream said while it was operated is in the ledger, and the case tells of it."""
    verdict, message = attended[1].finding("SELF-LOCALEVENT", MACHINE.ha_id)
    says = "an event said so when LocalControlActive reverted"
    assert (verdict, message.partition(";")[0]) == ("observed", says)
    heard = [line for line in attended[1].evidence if line["purpose"] == "event" and "note" in line]
    assert {(line["ha_id"], line["key"]) for line in heard} == {(MACHINE.ha_id, keys.LOCAL_CONTROL)}
    assert [line["note"]["value"] for line in heard] == [True, False]


# Somebody else acts meanwhile.

LOCKED, OFF = (keys.CHILD_LOCK, True), (keys.POWER_STATE, f"{keys.ON.removesuffix('On')}Off")


class ActOfAnother(NamedTuple):
    """A write that is acknowledged and dropped, what somebody does in that moment, and what the run says."""

    dropped: tuple[str, Json]
    hand: Mapping[str, Json]
    says: str


ACTING = {
    "operated": ActOfAnother(LOCKED, {keys.LOCAL_CONTROL: True}, "LocalControlActive is true"),
    "switched off": ActOfAnother(
        LOCKED,
        {keys.POWER_STATE: keys.STANDBY},
        f'PowerState changed from "{keys.ON}" to "{keys.STANDBY}" though nobody here wrote it',
    ),
    "operated, at Off": ActOfAnother(OFF, {keys.LOCAL_CONTROL: True}, "LocalControlActive is true"),
}


def test_dust_box_is_back(attended: tuple[Service, Ran]) -> None:
    """The dust box was taken out, read under both segments, and is in again."""
    service, ran = attended
    assert ran.finding("PATH-AGREE", f"DustBoxInserted@{ROBOT_WATCHING.ha_id}")[0] == "pass"
    reads = [line["key"] for line in ran.requests("dust-box-out")]
    assert reads == ["dust_box", *[keys.DUST_BOX] * 4, "dust_box"]
    assert service.appliances[ROBOT_WATCHING.ha_id].values[keys.DUST_BOX] is True


class DropsMeanwhile(Service):
    """Acknowledges a write and drops it, while somebody does something."""

    fleet = (MACHINE,)
    meanwhile = ACTING["operated"]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if (key, value) != self.meanwhile.dropped:
            super().apply(appliance, key, value)
            return
        for touched, shown in self.meanwhile.hand.items():
            if touched == keys.LOCAL_CONTROL:
                self.touch(appliance)
            else:
                super().apply(appliance, touched, shown)


@pytest.mark.parametrize("name", ACTING)
def test_somebody_else_acts(name: str, tmp_path: Path) -> None:
    """A fault that shows while somebody acts is inconclusive; otherwise it fails, as mutants show."""
    service = DropsMeanwhile()
    service.meanwhile = ACTING[name]
    key, _ = service.meanwhile.dropped
    clause = "PWR-ON-OFF" if key == keys.POWER_STATE else "SET-WRITABLE"
    verdict, message = run_of(service, tmp_path, "power", clauses={clause}).finding(clause, key)
    assert (verdict, service.meanwhile.says in message) == ("inconclusive", True), message
    assert service.appliances[MACHINE.ha_id].values[keys.POWER_STATE] == keys.ON


# The cases of the suite: derived from the catalog, documented, and the same every night.
MODULES = sorted(path.stem for path in PACKAGE.glob("test_*.py"))
TESTS = [
    pytest.param(function, id=f"{module}.{name}")
    for module in MODULES
    for name, function in vars(import_module(f"conformance.{module}")).items()
    if name.startswith("test_")
]
GOLDEN = Path(__file__).parents[1] / "golden" / "case_counts.txt"


def listed() -> str:
    """The ids of the reference's cases in brief: their number and digest, then how many each clause has."""
    ids = sorted(case.id for case in all_cases(profile_of("reference")))
    counts = Counter(id_.partition("::")[0] for id_ in ids)
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    lines = [f"{counts[clause]:5} {clause}\n" for clause in CATALOG.clauses]
    return "".join([f"{len(ids)} cases, sha256 {digest}\n", *lines])


def test_cases_of_the_reference_are_pinned() -> None:
    """The ids are those of golden/case_counts.txt.

    To renew it: python -c "from conformance.selftest.runs import test_levels as t;
    t.GOLDEN.write_text(t.listed())"
    """
    assert listed() == GOLDEN.read_text(encoding="utf-8")


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
