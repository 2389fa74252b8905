"""What controls what is known in one place: no condition elsewhere names a key that shows a state."""

import ast
from collections.abc import Iterator
from pathlib import Path

from catalog import keys
from conformance.cases import CATALOG
from conformance.model.state_table import states_of
from conformance.selftest.support.commanding import ROOT

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
    "checks/writes/attending.py",
    "checks/writes/cooling.py",
    "checks/writes/expected/locked_keys.py",
    "checks/writes/expected/power_moves.py",
    "checks/writes/operation.py",
    "checks/writes/power.py",
    "checks/writes/power_states.py",
    "harness/writes/procedures/lights.py",
    "harness/writes/procedures/power.py",
    "harness/writes/tours/letters.py",
}
"""What judges or tries the power states, the lights or local control themselves."""
LEFT = {
    "checks/groups.py": 2,
    "checks/permission.py": 3,
    "checks/reads/enumerations.py": 1,
    "checks/reads/reading.py": 3,
    "checks/traces/evaluating.py": 7,
    "checks/traces/expecting.py": 1,
    "checks/traces/quiet.py": 1,
    "checks/writes/doubts.py": 2,
    "checks/writes/sharing.py": 2,
    "checks/writes/working.py": 1,
    "harness/presence.py": 2,
    "harness/reads/repeats.py": 3,
    "harness/writes/isolating.py": 2,
    "harness/writes/conducting.py": 2,
    "harness/writes/keeping/writing_back.py": 1,
    "harness/writes/last_looks.py": 1,
    "harness/writes/procedures/edge_writes.py": 1,
    "harness/writes/procedures/isolation.py": 1,
    "harness/writes/procedures/parts.py": 1,
    "harness/writes/procedures/settings.py": 1,
    "harness/writes/procedures/under_locks.py": 1,
    "harness/writes/rehearsal.py": 1,
}
"""How many names still stand in conditions of other files: a number here may only fall."""


def test_conditions_ask_the_model() -> None:
    """No check and no procedure decides by the name of a key what a row of the model says."""
    files = (path for room in ("checks", "harness") for path in (ROOT / "conformance" / room).rglob("*.py"))
    found = {path.relative_to(ROOT / "conformance").as_posix(): named_in(path) for path in files}
    others = {name: count for name, count in found.items() if count and name not in OWN_SUBJECT}
    assert others == LEFT
    assert {name for name, count in found.items() if count} >= OWN_SUBJECT
