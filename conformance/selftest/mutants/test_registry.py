"""Mutants, variants and unearned servers are well-named, sorted and told truthfully; between them they break
every clause and every rule on green, and the document allows what is odd.
"""

import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast
from urllib.parse import quote

import pytest
from jsonpointer import JsonPointerException, resolve_pointer

from catalog.keys import CHILD_LOCK, FRIDGE_SABBATH, OVEN_SABBATH
from catalog.model import Entry
from conformance.cases import CATALOG, all_derivations
from conformance.checks.case import reaches
from conformance.mutants import document, model
from conformance.mutants.faults import orders, values
from conformance.mutants.fleets import MACHINE
from conformance.mutants.hostile.servers import BY_NAME, HOSTILE
from conformance.mutants.model import REGISTERED, Allowed, Ground, Mutant, Unearned, Variant
from conformance.mutants.registry import load_mutants, load_unearned, load_variants
from conformance.profiles.validation import build_profile
from conformance.reference.appliance import Appliance
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming
from conformance.selftest.support.rows import for_each
from reports.results.findings import pairs_of

MUTANTS, VARIANTS, UNEARNED = load_mutants(), load_variants(), load_unearned()
OF_ORDERS = {record.name: record for record in MUTANTS if record.service.__module__ == orders.__name__}
WRITTEN = [record for record in VARIANTS if record.knowledges == ("full",)]
ALLOWED = {name: value for name, value in vars(document).items() if isinstance(value, Allowed)}
"""What allows an oddity."""


def sentence_of(record: Mutant | Variant | Unearned) -> str:
    """What is wrong or odd with a server."""
    return record.fault if isinstance(record, Mutant) else record.what


@for_each([*MUTANTS, *VARIANTS, *UNEARNED])
def test_a_server_has_a_name_of_words_and_a_sentence(record: Mutant | Variant | Unearned) -> None:
    """A name is made of lower-case words, and the service knows it; what it does is one sentence."""
    assert re.fullmatch(r"[a-z]+[0-9]?(-[a-z0-9]+)*", record.name)
    assert record.service.name == record.name
    assert re.fullmatch(r"[A-Z].+\.", sentence_of(record))


@pytest.mark.parametrize("records", [MUTANTS, VARIANTS, UNEARNED], ids=["mutants", "variants", "unearned"])
def test_servers_are_told_apart(records: Sequence[Mutant | Variant | Unearned]) -> None:
    """No two of a kind have one name, or are told in one sentence."""
    assert len({sentence_of(record) for record in records}) == len(records)
    assert len({record.name for record in records}) == len(records)


def test_hostile_servers_are_told_apart() -> None:
    """No two are called the same, and each says in a sentence how it harms."""
    assert len(BY_NAME) == len(HOSTILE)
    assert not [hostile.name for hostile in HOSTILE if not hostile.harm.endswith(".")]


def overridden(service: type[Service]) -> set[str]:
    """The methods of the reference that a service replaces, itself or through a shape.

    What makes the annotations of a class is a member of it from Python 3.14 on, and no method.
    """
    above = service.__mro__[: service.__mro__.index(Service)]
    return {
        name
        for layer in above
        for name, member in vars(layer).items()
        if callable(member) and name != "__annotate_func__" and hasattr(Service, name)
    }


def named(clause: str) -> list[str]:
    """The mutants that name a clause as the one they break."""
    return [record.name for record in MUTANTS if record.clause == clause]


@pytest.mark.parametrize(
    "clause",
    [
        clause.id
        for clause in CATALOG.clauses.values()
        if clause.can_fail and not reaches("read", clause.level)
    ],
)
def test_a_clause_of_a_writing_run_has_two_mutants(clause: str) -> None:
    """Each clause that needs writes, or more, has two mutants at least that need no order of writes."""
    assert len(set(named(clause)) - OF_ORDERS.keys()) >= 2


@for_each(MUTANTS)
def test_a_mutant_gives_each_partner_a_reason(broken: Mutant) -> None:
    """Partners are other clauses that can fail, each with a sentence."""
    for clause, reason in broken.partners.items():
        assert clause != broken.clause
        assert CATALOG.clauses[clause].can_fail
        assert re.fullmatch(r"[A-Z].+\.", reason)


@for_each(MUTANTS)
def test_a_mutant_overrides_one_method(broken: Mutant) -> None:
    """Whatever a mutant does otherwise than the reference, it does in one place; a second may hide it."""
    assert all(len(overridden(shape)) == 1 for shape in broken.service.__bases__)
    assert len(overridden(broken.service)) <= 2


@for_each(MUTANTS)
def test_a_mutant_is_small(broken: Mutant) -> None:
    """A mutant has one to four appliances of few keys, or as many as it takes where many are wrong."""
    most = len(broken.everywhere)
    assert 1 <= len(broken.service.fleet) <= max(most, 4)
    assert all(2 <= len(spec.values) <= max(most + 3, 8) for spec in broken.service.fleet)


def test_the_order_follows_the_catalog() -> None:
    """Mutants stand in the order of their clauses."""
    places = [list(CATALOG.clauses).index(record.clause) for record in MUTANTS]
    assert places == sorted(places)


def test_the_order_does_not_depend_on_imports() -> None:
    """Another process that imports a late module first loads the same mutants in the same order."""
    script = (
        "import conformance.mutants.faults.types\n"
        "from conformance.mutants.registry import load_mutants\n"
        "print(*(record.name for record in load_mutants()))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == [record.name for record in MUTANTS]


def test_a_name_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second server of the same name is an error that names both, and registers nothing."""
    monkeypatch.setattr(model, "REGISTERED", dict(REGISTERED))
    row = ("twin", "TYPE-BOOLEAN", "L0", MACHINE, Service, "ChildLock is wrong.")
    model.broken(*row)
    with pytest.raises(ValueError, match=r"twin: .*Twin and .*Twin"):
        model.broken(*row)
    with pytest.raises(ValueError, match="chunked"):
        model.odd(Service, "chunked", "PROT-SHAPE", "Odd.", allowed=document.PAYLOADS)
    assert model.REGISTERED.keys() - REGISTERED == {"twin"}


@pytest.mark.parametrize("ground", Ground)
def test_a_rule_on_green_has_a_server(ground: Ground) -> None:
    """Each rule is a sentence, and a green run of one of the servers would break it."""
    assert re.fullmatch(r"[A-Z].+\.", ground.value)
    assert ground in {server.ground for server in UNEARNED}


@for_each(UNEARNED)
def test_guards_are_clauses_that_can_fail(server: Unearned) -> None:
    """Each names a clause of the catalog, perhaps with one of its keys."""
    for guard in server.guards:
        clause, _, key = guard.partition("::")
        assert CATALOG.clauses[clause].can_fail
        assert not key or key in CATALOG.entries


@for_each(UNEARNED)
def test_green_is_qualified_or_not_there(server: Unearned) -> None:
    """A server that may have a certificate says in what words the run is told; each says how it may end."""
    assert server.ends
    assert not server.certified or server.headline


# Every key of the catalog has a mutant of each fault that its row allows.
GENERATED = [record for record in load_mutants() if record.service.__module__ == values.__name__]
FAULTS = Counter((record.clause, key) for record in GENERATED for key in record.everywhere)
"""How many mutants have a fault in a key on which a clause must be red."""
ENTRIES = list(CATALOG.entries.values())
SEVERAL = ("TYPE-", "ENUM-", "RANGE-", "UNIT-")
ONCE = {"TYPE-NOTNULL", "ENUM-ADVERTISED", "RANGE-COUNT"}
"""Clauses that a value can break in one way alone; all others have two mutants at least."""
OF_VALUES = [
    (derivation.clause.id, entry.key)
    for derivation in all_derivations()
    for entry in derivation.entries or ()
    if derivation.clause.id.startswith(SEVERAL)
    and reaches("read", derivation.clause.level)
    and derivation.clause.can_fail
]


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.key for entry in ENTRIES])
def test_key_has_a_mutant_of_each_fault_of_its_row(entry: Entry) -> None:
    """Each clause on values that judges the key has mutants with a fault in it."""
    clauses = {clause for clause, key in OF_VALUES if key == entry.key}
    assert "TYPE-NOTNULL" in clauses
    due = {clause: 1 if clause in ONCE else 2 for clause in clauses}
    few = [clause for clause, least in due.items() if FAULTS[clause, entry.key] < least]
    assert few == [], f"conformance/mutants/faults/values.py has too few mutants of {entry.key}"


def test_faults_are_of_keys_that_their_clause_judges() -> None:
    """No mutant names a key that its clause says nothing about."""
    assert set(FAULTS) <= set(OF_VALUES)


@for_each(WRITTEN)
def test_a_written_variant_is_small(odd: Variant) -> None:
    """Every key costs writes, so appliances have few, and a profile gives an effect less than a second."""
    profile = build_profile(truthful_profile(odd.service(), "http://127.0.0.1:1"), environment={})
    assert profile.write is not None
    named = ("*", CHILD_LOCK, OVEN_SABBATH, FRIDGE_SABBATH)
    assert (profile.write.allow, bool(profile.write.status_path)) == (named, True)
    assert profile.timing.settle_s < 1
    assert 1 <= len(odd.service.fleet) <= 3
    assert all(1 <= len(spec.values) <= 6 for spec in odd.service.fleet)


def shows_a_value(service: Service, appliance: Appliance, segment: str, key: str) -> bool:
    """Whether the second read of an entry gives a value where the profile says; some stumble at first."""
    ha_id, spelled = quote(appliance.ha_id, safe=""), quote(service.spell(appliance, key), safe="")
    asked = Incoming("GET", f"/api/homeappliances/{ha_id}/{segment}/{spelled}")
    _, reply = service.handle(asked), service.handle(asked)
    shape = cast("dict[str, Any]", dict(service.answer_pointers))
    if reply.drop or not 200 <= reply.status < 300:
        return False
    with suppress(ValueError, JsonPointerException):
        shown = json.loads(reply.body.decode("utf-8-sig"))
        return resolve_pointer(shown, shape.get(segment, shape)["value"]) is not None
    return False


@for_each(VARIANTS)
def test_what_a_variant_lacks_is_not_there(odd: Variant) -> None:
    """No key that its row or its profile says is lacking shows a value, under either segment."""
    service = odd.service()
    profile = truthful_profile(service, "http://127.0.0.1:1", knowledge=odd.knowledges[-1])
    told = cast("list[dict[str, list[str]]]", profile["appliance"])
    shown = [
        (appliance.ha_id, key)
        for appliance, table in zip(service.appliances.values(), told, strict=True)
        for key in {*odd.lacks, *table.get("lacks", ())}
        if any(shows_a_value(service, appliance, segment, key) for segment in ("settings", "status"))
    ]
    assert shown == []


# What allows an oddity stands in the document: each quotation is the catalog's wording of its line.
def wordings() -> dict[int, list[str]]:
    """What the catalog holds of each line, word for word."""
    found: dict[int, list[str]] = defaultdict(list)
    for row in (*CATALOG.clauses.values(), *CATALOG.gaps, *CATALOG.rules):
        found[row.line].append(row.quote)
    for entry in CATALOG.entries.values():
        found[entry.line] += [entry.row, entry.says, entry.notes]
    for edge in CATALOG.power_edges:
        found[edge.line] += [edge.condition, edge.effects]
    return found


def test_quotations_are_verbatim() -> None:
    """The words of each stand in the line that it names."""
    lines = wordings()
    assert [
        name for name, one in ALLOWED.items() if not any(one.quote in text for text in lines[one.line])
    ] == []


def test_every_variant_stands_on_one_of_them() -> None:
    """No row makes up a sentence of its own, and none of them is left without a variant."""
    assert {id(record.allowed) for record in VARIANTS} == {id(value) for value in ALLOWED.values()}


def test_a_silence_says_what_is_not_said() -> None:
    """A report shows the sentence, or what the line that could have said it does not say."""
    assert str(document.RATE) == 'line 177: "Rate limits and request size limits: not shown."'
    assert str(document.HA_ID).startswith("silent: no line says how a haId looks; line 8: ")


RELATED = pairs_of({one.id: (*one.same_fact, *one.same_answer) for one in CATALOG.clauses.values()})


@pytest.mark.parametrize(
    "clause", [clause.id for clause in CATALOG.clauses.values() if clause.same_fact or clause.same_answer]
)
def test_relation_is_shown_by_a_mutant(clause: str) -> None:
    """Each clause that is related to others has a mutant that turns it red together with one of them."""
    pairs = {frozenset({mutant.clause, partner}) for mutant in load_mutants() for partner in mutant.partners}
    assert any(clause in pair for pair in pairs & RELATED)
