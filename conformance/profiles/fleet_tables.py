"""The tables of a profile about many appliances: where they are listed, and what they have in common."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from conformance.profiles.fields import Table


class Fleet(Table):
    """Where further appliances are listed: a CSV or NDJSON file, and how many of each kind a run takes.

    `listed` counts by kind what a sample was taken of; a profile that a run has sampled says so by it.
    """

    file: str = ""
    sample: int | None = Field(default=None, gt=0)
    seed: str = ""
    listed: dict[str, int] = Field(default_factory=dict[str, int])


class Template(Table):
    """What appliances have in common that name it; its fields are those of an appliance."""

    model_config = ConfigDict(extra="allow")

    name: str = Field(min_length=1)
