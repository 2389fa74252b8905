"""The shapes that several oddities have: each overrides a method or two and leaves the data to a row."""

from collections.abc import Collection
from functools import cached_property
from typing import ClassVar, cast

from catalog.model import Entry
from conformance.mutants.fleets import PATIENT
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.service import Service
from conformance.reference.wire import Json, Members, Refusal, Reply


def refuses_with(answer: Reply, *refusals: Refusal) -> type[Service]:
    """Some refusals have an answer of their own; every other refusal stays as it is."""

    class RefusesWith(Service):
        def refuse(self, refusal: Refusal) -> Reply:
            return answer if refusal in refusals else super().refuse(refusal)

    return RefusesWith


class Unsaid(Service):
    """The profile or the answers leave something out.

    Attributes:
        fields: what the profile does not say of an appliance.
        unwritable: keys that the profile does not call writable.
        members: what the constraints of an entry do not show.
    """

    fields: ClassVar[Collection[str]] = ()
    unwritable: ClassVar[Collection[str]] = ()
    members: ClassVar[Collection[str]] = ()

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        return {field: fact for field, fact in super().claims(spec).items() if field not in self.fields}

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        facts = super().abilities(spec)
        writable = cast("list[str]", facts.get("writable", []))
        facts["writable"] = [key for key in writable if key not in self.unwritable]
        return {field: fact for field, fact in facts.items() if fact and field not in self.fields}

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        shown = super().constraints(appliance, entry)
        return {name: value for name, value in shown.items() if name not in self.members}


class Away(Unsaid):
    """A service whose appliances are not on, so no profile says that they are on and online."""

    fields = ("online",)


class Late(Service):
    """Every write takes effect a tenth of a second after it was answered; the last of several counts."""

    profile_extras = PATIENT

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        effect = super().apply
        self.timers.arm((appliance.ha_id, f"late {key}"), 0.1, lambda: effect(appliance, key, value))


class Lagging(Service):
    """The first two reads of a key after it has changed still show the old value.

    Attributes:
        only: the keys of which that is true; all if it is empty.
    """

    only: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def cache(self) -> dict[tuple[str, str], tuple[Json, int]]:
        """What each key has shown last, and how often it will be shown although it is no longer so."""
        return {}

    def value(self, appliance: Appliance, key: str) -> Json:
        now, place = super().value(appliance, key), (appliance.ha_id, key)
        cached, left = self.cache.get(place, (now, 2))
        stale = cached != now and left > 0 and (not self.only or key in self.only)
        self.cache[place] = (cached, left - 1) if stale else (now, 2)
        return cached if stale else now
