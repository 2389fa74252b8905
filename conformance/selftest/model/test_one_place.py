"""What controls what is known in one place: no condition elsewhere names a key that shows a state."""

import ast
from collections.abc import Iterator
from pathlib import Path

from catalog import keys
from conformance.cases import CATALOG
from conformance.model.state_table import states_of
from conformance.selftest.support import ROOT

NAMED = {row.controller for row in states_of(CATALOG)} | {
    key for row in states_of(CATALOG) for key in row.lifts
}
GROUPS = {"COOLING_MODES", "SUPER_MODES", "MAP_NAMES", "SABBATH_MODES", "SWITCHES", "LIGHTS", "PROTECTING"}
NAMES = GROUPS | {name for name, key in vars(keys).items() if isinstance(key, str) and key in NAMED}


def conditions(tree: ast.AST) -> Iterator[ast.AST]:
    """Every expression that decides something."""
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield test
            case ast.comprehension(ifs=ifs):
                yield from ifs
            case ast.Compare() | ast.BoolOp():
                yield node
            case _:
                pass


def named_in(path: Path) -> int:
    """How many names of keys that show a state stand in the conditions of a file."""
    found = {
        (node.lineno, node.col_offset)
        for test in conditions(ast.parse(path.read_text(encoding="utf-8")))
        for node in ast.walk(test)
        if (isinstance(node, ast.Name) and node.id in NAMES)
        or (isinstance(node, ast.Attribute) and node.attr in NAMES)
    }
    return len(found)


OWN_SUBJECT = {
    "checks/writes/cooling.py",
    "checks/writes/expected/locked_keys.py",
    "checks/writes/expected/power_moves.py",
    "checks/writes/operation.py",
    "checks/writes/power.py",
    "harness/writes/procedures/lights.py",
    "harness/writes/procedures/power.py",
    "harness/writes/tours/letters.py",
}
"""What judges or tries the power states, the lights or local control themselves."""
WHO_ACTS = (
    "who acts is read off the very keys that show it, each with a meaning of its own (lines 88, 90, 94)"
)
POWER = "the power state has procedures, clauses and a level of its own"
LEFT = {
    "checks/groups.py": (2, "which procedure writes a key is no question about an appliance"),
    "checks/case.py": (3, "what a profile allows and declares is asked by the key that it is about"),
    "checks/reads/enumerations.py": (1, POWER),
    "checks/reads/reading.py": (3, "the power state is what a moved reading is explained by"),
    "checks/traces/effects.py": (1, POWER),
    "checks/traces/witnessing.py": (3, WHO_ACTS),
    "checks/writes/doubts.py": (1, POWER),
    "checks/writes/judging.py": (7, WHO_ACTS),
    "checks/writes/statuses.py": (1, POWER),
    "harness/presence.py": (2, "the power state is read first, and tells that an appliance answers"),
    "harness/reads/repeats.py": (3, "a watch is of the very keys that are watched"),
    "harness/writes/keeping/putting_back.py": (
        1,
        "no move of the power table leads from Off but to On (129)",
    ),
    "harness/writes/last_looks.py": (1, WHO_ACTS),
    "harness/writes/procedures/guarding.py": (1, POWER),
    "harness/writes/procedures/isolation.py": (3, POWER),
    "harness/writes/rehearsal.py": (
        1,
        "a rehearsal stands in for an appliance, whose program ends with its power",
    ),
}
"""How many names still stand in conditions of other files, and why: a number here may only fall."""


def test_conditions_ask_the_model() -> None:
    """No check and no procedure decides by the name of a key what a row of the model says."""
    files = (path for room in ("checks", "harness") for path in (ROOT / "conformance" / room).rglob("*.py"))
    found = {path.relative_to(ROOT / "conformance").as_posix(): named_in(path) for path in files}
    others = {name: count for name, count in found.items() if count and name not in OWN_SUBJECT}
    assert others == {name: number for name, (number, _why) in LEFT.items()}
    assert {name for name, count in found.items() if count} >= OWN_SUBJECT
