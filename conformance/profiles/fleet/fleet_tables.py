"""The tables of a profile about many appliances: where they are listed, and what they have in common."""

from __future__ import annotations

from pydantic import ConfigDict, Field

from conformance.profiles.fields import Table


class Shard(Table):
    """One of the parts of a campaign that several processes or machines run; parts are counted from 1.

    `order` are the haIds of the whole campaign in their order, `units` those of this part, together where
    they are compared with each other. `nonces` seeds the words that all parts ask for though they do not
    exist.
    """

    index: int = Field(ge=1)
    count: int = Field(ge=1)
    order: tuple[str, ...]
    units: tuple[tuple[str, ...], ...]
    nonces: str

    def share_of(self, number: int) -> int:
        """The part of `number` requests that this shard may make; all shards together make no more."""
        return number // self.count + (self.index <= number % self.count)


class Fleet(Table):
    """Where further appliances are listed: a CSV or NDJSON file, and how many of each kind a run takes.

    `listed` counts by kind what a sample was taken of; a profile that a run has sampled says so by it.
    `shard` says that the appliances are a part of a campaign.
    """

    file: str = ""
    sample: int | None = Field(default=None, gt=0)
    seed: str = ""
    listed: dict[str, int] = Field(default_factory=dict[str, int])
    shard: Shard | None = None


class Template(Table):
    """What appliances have in common that name it; its fields are those of an appliance."""

    model_config = ConfigDict(extra="allow")

    name: str = Field(min_length=1)
