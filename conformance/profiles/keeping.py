"""Which secrets can be kept: masked wherever they turn up, without changing what a server said.

A text that is short, or part of a word that every answer holds, turns up where it is no secret. Masking it
would change the evidence, and not masking it would write it down; so it is refused before anything is sent.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache

from catalog.exports import render_catalog
from catalog.model import Catalog

SHORTEST = 8
"""A text of fewer characters is too common to be told from other text."""
NO_SECRET = "this is no secret"  # noqa: S105  it says so
"""Stands for the value of a variable where nothing is sent: a profile is read to judge a saved run."""


def why_not_kept(value: str, known: str) -> str:
    """Why a secret of this `value` cannot be masked without changing evidence; empty where it can.

    `known` is the text of what stands in answers and reports anyway, as `known_text` gives it.
    """
    if len(value) < SHORTEST:
        return f"has fewer than {SHORTEST} characters"
    return "is part of a word of the catalog or of this profile" if value.casefold() in known else ""


def known_text(catalog: Catalog, data: Mapping[str, object]) -> str:
    """The words of the catalog, of the document's paths and of a profile (`data`, secrets as names)."""
    return f"{_of_catalog(catalog)}\n{json.dumps(data, ensure_ascii=False, default=str).casefold()}"


@lru_cache(maxsize=4)
def _of_catalog(catalog: Catalog) -> str:
    return f"/api/homeappliances/settings/status/\n{render_catalog(catalog, 'markdown')}".casefold()
