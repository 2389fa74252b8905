"""The power edges, rules, clauses and gaps, read from their rows."""

import re
from collections.abc import Iterable
from typing import Literal, cast, get_args

from catalog.keys import POWER_STATE
from catalog.model import Basis, Clause, Entry, Gap, Level, PowerEdge, Rule
from catalog.rows import Row

Effect = Literal["locks", "only_while", "keeps"]

LONGEST_QUOTE = 200  # characters; a longer quotation hides the words that matter
CLAUSE_ID = re.compile(r"[A-Z]+(-[A-Z0-9]+)+")
GAP_ID = re.compile(r"(NS|GAP)-\d{2}")
PROFILE_TABLES = "target|auth|answer|write|list|events|http|pace|timing|paths|power|interpretation|appliance"
ANSWER = re.compile(rf"({PROFILE_TABLES})(\.[A-Za-z0-9_-]+)*|observation|interpretation I-\d+|out of scope")


def read_power_edges(rows: Iterable[Row], entries: dict[str, Entry]) -> tuple[PowerEdge, ...]:
    """The edges of power.toml in their order; PowerState among `entries` gives the known states."""
    power = entries.get(POWER_STATE)
    known = (power.values or ()) if power else ()
    found: list[PowerEdge] = []
    for row in rows:
        edge = PowerEdge(
            row.text("from"),
            row.text("write"),
            row.text("to"),
            row.text("condition"),
            row.text("effects"),
            row.line(),
        )
        row.close()
        for state in dict.fromkeys((edge.source, edge.write, edge.target)):
            if state not in known:
                row.refuse(f"unknown state {state}")
        if any((edge.source, edge.write) == (other.source, other.write) for other in found):
            row.refuse(f"the write of {edge.write} from {edge.source} stands twice")
        found.append(edge)
    return tuple(found)


def read_rules(rows: Iterable[Row], entries: dict[str, Entry]) -> tuple[Rule, ...]:
    """The rules of rules.toml in their order."""
    found: dict[str, Rule] = {}
    for row in rows:
        rule = Rule(
            id=row.text("id"),
            effect=cast("Effect", row.choice("effect", get_args(Effect))),
            controller=row.text("controller"),
            values=row.scalars("values"),
            subjects=row.texts("subjects"),
            quote=_quote(row),
            line=row.line(),
        )
        row.close()
        for key in (rule.controller, *rule.subjects):
            if key not in entries:
                row.refuse(f"unknown key {key}")
        if controller := entries.get(rule.controller):
            allowed = (True, False) if controller.type == "Boolean" else controller.values or ()
            for value in rule.values:
                if value not in allowed:
                    row.refuse(f"{rule.controller} has no value {value!r}")
        if rule.id in found:
            row.refuse(f"rule {rule.id} stands twice")
        found[rule.id] = rule
    return tuple(found.values())


def read_clauses(rows: Iterable[Row]) -> dict[str, Clause]:
    """The clauses of clauses.toml by id, in their order."""
    found: dict[str, Clause] = {}
    related: list[tuple[Row, Clause]] = []
    for row in rows:
        clause = Clause(
            id=row.text("id"),
            title=row.text("title"),
            quote=_quote(row),
            lines=row.lines(),
            basis=cast("Basis", row.choice("basis", get_args(Basis))),
            level=cast("Level", row.choice("level", get_args(Level))),
            can_fail=row.flag("can_fail", required=True),
            same_fact=row.texts("same_fact") if row.has("same_fact") else (),
            same_answer=row.texts("same_answer") if row.has("same_answer") else (),
        )
        related.append((row, clause))
        row.close()
        if not CLAUSE_ID.fullmatch(clause.id):
            row.refuse(f"id {clause.id!r} is malformed")
        if clause.id in found:
            row.refuse(f"clause {clause.id} stands twice")
        if clause.basis == "open" and clause.can_fail:
            row.refuse(f"clause {clause.id} can fail although the document leaves it open")
        found[clause.id] = clause
    pairs: set[frozenset[str]] = set()
    for row, clause in related:
        for other in (*clause.same_fact, *clause.same_answer):
            if other not in found or not (found[other].can_fail and clause.can_fail) or other == clause.id:
                row.refuse(f"{other} is no other clause that can fail")
            elif frozenset({clause.id, other}) in pairs:
                row.refuse(f"the pair {clause.id} and {other} stands twice")
            pairs.add(frozenset({clause.id, other}))
    return found


def read_gaps(rows: Iterable[Row]) -> tuple[Gap, ...]:
    """The gaps of gaps.toml in their order."""
    found: dict[str, Gap] = {}
    for row in rows:
        gap = Gap(row.text("id"), row.line(), _quote(row), row.text("what"), row.text("answered_by"))
        row.close()
        if not GAP_ID.fullmatch(gap.id):
            row.refuse(f"id {gap.id!r} is malformed")
        for answer in gap.answered_by.split(", "):
            if not ANSWER.fullmatch(answer):
                row.refuse(
                    f"answered_by {answer!r} is no field of a profile, observation, interpretation or out of"
                    " scope"
                )
        if gap.id in found:
            row.refuse(f"gap {gap.id} stands twice")
        found[gap.id] = gap
    return tuple(found.values())


def _quote(row: Row) -> str:
    quote = row.text("quote")
    if len(quote) > LONGEST_QUOTE:
        row.refuse(f"quote has {len(quote)} characters, more than {LONGEST_QUOTE}")
    return quote
