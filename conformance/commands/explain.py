"""The command explain: what a clause says, how it is judged, and what proves that."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click

from catalog.keys import short_name
from catalog.maker import STAND_IN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from catalog.model import Clause, Entry

_Record = TypeVar("_Record")
_HA_ID = "HAID"


@click.command("explain")
@click.argument("clause")
@click.argument("key", required=False)
def command(clause: str, key: str | None) -> None:
    """Say what CLAUSE demands, of KEY if one is given: the sentence, how it is judged, and what proves that.

    CLAUSE may be a case id as well, CLAUSE::KEY@HAID.
    """
    from catalog.loader import CATALOG
    from conformance.mutants.registry import load_mutants, load_variants

    name, _, place = clause.partition("::")
    found = _named("clause", name, CATALOG.clauses)
    wanted = key or place.partition("@")[0]
    entry = _named("key", wanted, CATALOG.entries) if wanted and wanted[0] not in "*~" else None
    sections = {
        "": _sentence(found),
        "what is judged": _judged(found, entry),
        "what it needs of a profile": _needed(found),
        "a conforming server answers": _good(found, entry),
        "what never fails": (f"{one.name}: {one.what}" for one in load_variants() if one.clause == found.id),
        "what proves it": (f"{one.name}: {one.fault}" for one in load_mutants() if one.clause == found.id),
        "how it is usually mended": [found.remedy] if found.remedy else [],
        "by hand": _by_hand(found, entry),
    }
    for title, lines in sections.items():
        shown = list(lines)
        if shown and title:
            click.echo(f"\n{title}")
        for line in shown:
            click.echo(f"  {line}" if title else line)


def _named(what: str, name: str, known: Mapping[str, _Record]) -> _Record:
    """The record of a name, whatever its case; the last words of a key do, where they name one.

    Raises:
        click.UsageError: when there is none.
    """
    of_any_case = {one.casefold(): one for one in known}
    if name.casefold() in of_any_case:
        return known[of_any_case[name.casefold()]]
    ending = [one for one in known if one.casefold().endswith(f".{name.casefold()}")]
    if len(ending) == 1:
        return known[ending[0]]
    from conformance.profiles.fields import nearest

    meant = {one.rpartition(".")[2].casefold(): one for one in known} | of_any_case
    near = nearest(name.casefold(), meant, 0.5)
    asked = f"; did you mean {meant[near]}?" if near else ""
    listed = (
        "catalog --format markdown lists clauses and keys, and report.html explains the words of verdicts"
    )
    raise click.UsageError(f"there is no {what} {name}{asked}\n{listed}")


def _sentence(clause: Clause) -> Iterator[str]:
    lines = f"line{'' if len(clause.lines) == 1 else 's'} {', '.join(map(str, clause.lines))}"
    yield f"{clause.id}: {clause.title}"
    yield f"> {clause.quote}"
    fails = "can fail" if clause.can_fail else "has no cases" if clause.excluded else "is only observed"
    traced = ", or writes of others" if clause.in_traces else ""
    yield f"{lines}, {clause.basis}; level {clause.level}{traced}; {fails}"


def _judged(clause: Clause, entry: Entry | None) -> Iterator[str]:
    """The sentences of the tests and of their checks, and the entry; why nothing is, of an excluded clause.

    Raises:
        click.UsageError: when the clause says nothing of the entry.
    """
    from conformance.cases import all_tests, derivations_of, used_by
    from reports.texts import some_of

    if clause.excluded:
        yield f"nothing: {clause.excluded}"
        return
    about = False
    told: set[str] = set()
    for test in all_tests():
        own = [derivation for derivation in derivations_of(test) if derivation.clause is clause]
        about = about or any(entry in (derivation.entries or ()) for derivation in own)
        if own:
            title = " ".join(str(test.__doc__).split())
            lines = _lines(used_by(test).__doc__)
            new = [line for line in dict.fromkeys((title, *lines)) if line not in told]
            told.update(new)
            yield from (line if line == title else f"  {line}" for line in new)
    if entry is None:
        return
    if not about:
        raise click.UsageError(f"{clause.id} is not about {entry.key}")
    served = "settings or status" if entry.contested else entry.segment
    yield f"{entry.key}: {entry.type}, under {served} (line {entry.line}); kinds: {', '.join(entry.kinds)}"
    if entry.range:
        yield f"  range {entry.range}"
    if entry.values:
        yield f"  values {some_of([*map(short_name, entry.values)], 10)}"


def _needed(clause: Clause) -> Iterator[str]:
    """What has to be declared, or to be on, before it is judged."""
    if clause.needs:
        yield clause.needs
    if clause.shows:
        yield ", ".join(f"answer.{name}" for name in clause.shows)
    if clause.shows_one_of:
        yield " or ".join(f"answer.{name}" for name in clause.shows_one_of)
    if clause.shows_unless_common:
        named = ", ".join(f"answer.{name}" for name in clause.shows_unless_common)
        yield f"{named}, where the catalog has no range"
    if clause.reading:
        yield f"interpretation.{clause.reading}, which is on unless the profile switches it off"


def _lines(text: str | None) -> list[str]:
    return [line.strip() for line in (text or "").splitlines() if line.strip()]


def _good(clause: Clause, entry: Entry | None) -> Iterator[str]:
    """What the reference answers to a read of the key, with the members that the clause is about."""
    from conformance.reference.service import Service
    from conformance.runs.good_answers import OF_ONE_ANSWER, good_answer, good_members

    if entry is not None and clause.section in OF_ONE_ANSWER:
        members = good_members(entry.kinds[0], entry.key, entry.segment, STAND_IN)
        body = good_answer(clause, members, Service.answer_pointers)
        if body:
            yield body


def _by_hand(clause: Clause, entry: Entry | None) -> Iterator[str]:
    from conformance.harness.steps import path_of
    from conformance.mutants.registry import load_mutants

    if clause.excluded:
        return
    if entry is not None:
        for segment in entry.segments:
            yield f'curl -q -sS -i --path-as-is "$BASE_URL{path_of(_HA_ID, segment, entry.key)}"'
    select = f"-m \"clause(id='{clause.id}')\""
    yield f"appliance-conformance run hub.toml -- {select}"
    mutant = next((one for one in load_mutants() if one.clause == clause.id), None)
    if mutant is not None:
        yield f"appliance-conformance run mutant:{mutant.name} -- {select}"
