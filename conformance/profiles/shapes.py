"""Where a target says what: the shapes of answers, lists and refusals (lines 25, 151, 163: not shown)."""

from __future__ import annotations

from pydantic import Field, JsonValue

from catalog.model import Segment
from conformance.profiles.fields import Pointer, Table


class Pointers(Table):
    """Where a body holds what (line 25: field names are not shown). An absent pointer is undeclared."""

    value: Pointer | None = None
    key: Pointer | None = None
    unit: Pointer | None = None
    type: Pointer | None = None
    min: Pointer | None = None
    max: Pointer | None = None
    step: Pointer | None = None
    allowed: Pointer | None = None
    access: Pointer | None = None
    description: Pointer | None = None


class AnswerShape(Pointers):
    """The pointers of an answer; `status` where statuses are shaped otherwise."""

    status: Pointers | None = None

    def under(self, segment: Segment) -> Pointers:
        """The pointers for an answer under `segment`."""
        return self.status if segment == "status" and self.status else self


class ListShape(Table):
    """A list of settings or statuses (line 151: not shown): its path, its items, the key of an item."""

    path: str
    items: Pointer
    key: Pointer = "/key"


class Lists(Table):
    """The lists a target offers; they are only ever observed, and may tell what to read again."""

    settings: ListShape | None = None
    status: ListShape | None = None


class Refusal(Table):
    """A declared answer for an entry the appliance does not have: a status, and perhaps a body member."""

    status: int = Field(ge=100, le=599)
    pointer: Pointer | None = None
    equals: JsonValue = None
