"""How a run acts on a target: writing, power, events, hooks (lines 127 to 133, 150, 151, 159: not shown).

Without `[write]` nothing is ever written, and without a hook nobody operates an appliance. Times are seconds.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from conformance.profiles.fields import Seconds, Table


class Write(Table):
    """How a setting is written (line 151: not shown). Nothing is written that `allow` does not name.

    `status_path` says where a write of a status is tried, which must have no effect (line 84); without it
    none is. With `prepare` an appliance is brought into the state that a procedure needs, and back, for
    `max_prepared_s` at a time; with `while_busy` it is also written to while a person or a program acts.
    """

    method: Literal["PUT", "POST", "PATCH"]
    path: str
    body: JsonValue
    media_type: str = "application/json"
    allow: tuple[str, ...] = ()
    status_path: str | None = None
    prepare: bool = True
    while_busy: bool = False
    max_prepared_s: Seconds = 600


class Power(Table):
    """Whether writes the power table does not list may be tried (lines 127-133)."""

    probe_unlisted: bool = False


class Events(Table):
    """The event stream of an appliance (line 159: not shown)."""

    path: str


class Hook(Table):
    """A request to a test bench, off the tree of the document: `path` is below base_url.

    In `body`, a lone `"{seconds}"`, `"{ha_id}"` or `"{inserted}"` becomes the JSON value.
    """

    path: str = Field(pattern=r"^/")
    method: Literal["POST", "PUT"] = "POST"
    body: JsonValue = None


class TouchHook(Hook):
    """Operates the appliance; LocalControlActive stays true for `holds_s` seconds at least."""

    holds_s: Seconds = 0


class Hooks(Table):
    """What a test bench can do that otherwise takes a person or a long time (lines 89, 90, 105, 138)."""

    advance: Hook | None = None
    touch: TouchHook | None = None
    dust_box: Hook | None = None


class Samples(Table):
    """Texts a write may use where the format is not shown (lines 60, 70)."""

    map_name: tuple[str, ...] = ()
    custom_color: tuple[str, ...] = ()
