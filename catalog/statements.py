"""The power edges, rules, clauses and gaps, compared with each other and with the entries."""

import re
from collections.abc import Iterable

from catalog.keys import POWER_STATE
from catalog.model import Clause, Entry, Gap, PowerEdge, Rule
from catalog.rows import Row, by_name

PROFILE_TABLES = "target|auth|answer|write|list|events|http|pace|timing|paths|power|interpretation|appliance"
ANSWER = re.compile(rf"({PROFILE_TABLES})(\.[A-Za-z0-9_-]+)*|observation|interpretation I-\d+|out of scope")


def read_power_edges(rows: Iterable[Row[PowerEdge]], entries: dict[str, Entry]) -> tuple[PowerEdge, ...]:
    """The edges of power.toml in their order; PowerState among `entries` gives the known states."""
    power = entries.get(POWER_STATE)
    known = (power.values or ()) if power else ()
    found: list[PowerEdge] = []
    for row in rows:
        edge = row.says
        for state in dict.fromkeys((edge.source, edge.write, edge.target)):
            if state not in known:
                row.refuse(f"unknown state {state}")
        if any((edge.source, edge.write) == (other.source, other.write) for other in found):
            row.refuse(f"the write of {edge.write} from {edge.source} stands twice")
        found.append(edge)
    return tuple(found)


def read_rules(rows: Iterable[Row[Rule]], entries: dict[str, Entry]) -> tuple[Rule, ...]:
    """The rules of rules.toml in their order."""
    found = by_name(rows, "rule")
    for row in found.values():
        rule = row.says
        for key in (rule.controller, *rule.subjects):
            if key not in entries:
                row.refuse(f"unknown key {key}")
        if (rule.effect == "keeps") != bool(rule.clause):
            row.refuse("a rule that keeps has a clause, and no other one")
        if controller := entries.get(rule.controller):
            allowed = (True, False) if controller.type == "Boolean" else controller.values or ()
            for value in rule.values:
                if value not in allowed:
                    row.refuse(f"{rule.controller} has no value {value!r}")
    return tuple(row.says for row in found.values())


def read_clauses(rows: Iterable[Row[Clause]]) -> dict[str, Clause]:
    """The clauses of clauses.toml by id, in their order."""
    named = by_name(rows, "clause")
    found = {name: row.says for name, row in named.items()}
    pairs: set[frozenset[str]] = set()
    for row in named.values():
        clause = row.says
        if clause.basis == "open" and clause.can_fail:
            row.refuse(f"clause {clause.id} can fail although the document leaves it open")
        elif clause.excluded and clause.can_fail:
            row.refuse(f"clause {clause.id} can fail although it is excluded")
        elif clause.can_fail != bool(clause.remedy):
            row.refuse(f"clause {clause.id} has a remedy if it can fail, and only then")
        for other in (*clause.same_fact, *clause.same_answer):
            if other not in found or not (found[other].can_fail and clause.can_fail) or other == clause.id:
                row.refuse(f"{other} is no other clause that can fail")
            elif frozenset({clause.id, other}) in pairs:
                row.refuse(f"the pair {clause.id} and {other} stands twice")
            pairs.add(frozenset({clause.id, other}))
    return found


def read_gaps(rows: Iterable[Row[Gap]]) -> tuple[Gap, ...]:
    """The gaps of gaps.toml in their order."""
    found = by_name(rows, "gap")
    for row in found.values():
        for answer in row.says.answered_by.split(", "):
            if not ANSWER.fullmatch(answer):
                row.refuse(
                    f"answered_by {answer!r} is no field of a profile, observation, interpretation or out of"
                    " scope"
                )
    return tuple(row.says for row in found.values())
