"""What allows an oddity stands in the document: each quotation is the catalog's wording of its line."""

from collections import defaultdict

import pytest

from conformance.cases import CATALOG
from conformance.mutants import document
from conformance.mutants.model import Allowed
from conformance.mutants.registry import load_variants

NAMED = {name: value for name, value in vars(document).items() if isinstance(value, Allowed)}


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


WORDINGS = wordings()


@pytest.mark.parametrize("name", NAMED)
def test_quotation_is_verbatim(name: str) -> None:
    """Its words stand in the line that it names."""
    allowed = NAMED[name]
    assert any(allowed.quote in text for text in WORDINGS[allowed.line]), WORDINGS[allowed.line]


def test_every_variant_stands_on_one_of_them() -> None:
    """No row makes up a sentence of its own, and none of them is left without a variant."""
    assert {id(record.allowed) for record in load_variants()} == {id(value) for value in NAMED.values()}


def test_a_silence_says_what_is_not_said() -> None:
    """A report shows the sentence, or what the line that could have said it does not say."""
    assert str(document.RATE) == 'line 177: "Rate limits and request size limits: not shown."'
    assert str(document.HA_ID).startswith("silent: no line says how a haId looks; line 8: ")
