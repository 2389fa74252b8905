"""The shapes that several oddities have: each overrides a method or two and leaves the data to a row."""

from collections.abc import Collection
from typing import ClassVar, cast

from catalog import keys
from catalog.model import Entry
from conformance.mutants.fleets import PATIENT
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.service import Service
from conformance.reference.wire import Json, Members, Refusal, Reply


def refuses_with(answer: Reply, *refusals: Refusal) -> type[Service]:
    """Some refusals have an answer of their own; every other refusal stays as it is."""

    class RefusesWith(Service):
        def refuse(self, refusal: Refusal) -> Reply:
            return answer if refusal in refusals else super().refuse(refusal)

    return RefusesWith


def is_on(appliance: Appliance) -> bool:
    """Whether the appliance is on; one without a power state is."""
    return appliance.values.get(keys.POWER_STATE, keys.ON) == keys.ON


def is_asleep(appliance: Appliance, key: str) -> bool:
    """Whether the key is another than PowerState, and the appliance is not on."""
    return key != keys.POWER_STATE and not is_on(appliance)


class Unsaid(Service):
    """The profile or the answers leave something out.

    Attributes:
        fields: what the profile does not say of an appliance.
        unwritable: keys that the profile does not call writable.
        unnamed: keys of which it says nothing, neither that the appliance has them nor that it lacks them.
        members: what the constraints of an entry do not show.
    """

    fields: ClassVar[Collection[str]] = ()
    unwritable: ClassVar[Collection[str]] = ()
    unnamed: ClassVar[Collection[str]] = ()
    members: ClassVar[Collection[str]] = ()

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        facts = super().claims(spec)
        supported = cast("list[str]", facts["supports"])
        facts["supports"] = [key for key in supported if key not in self.unnamed]
        return {field: fact for field, fact in facts.items() if field not in self.fields}

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        facts = super().abilities(spec)
        writable = cast("list[str]", facts.get("writable", []))
        facts["writable"] = [key for key in writable if key not in {*self.unwritable, *self.unnamed}]
        return {field: fact for field, fact in facts.items() if fact and field not in self.fields}

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        shown = super().constraints(appliance, entry)
        return {name: value for name, value in shown.items() if name not in self.members}


def refuses_unsaid(refusal: Refusal) -> tuple[type[Service], ...]:
    """No setting takes anything, and the profile need not say which settings can be written."""
    return refuses_where(lambda _its, _key, _value: True, refusal), Unsaid


class Away(Unsaid):
    """A service whose appliances are not on, so no profile says that they are on and online."""

    fields = ("online",)


class Late(Service):
    """Every write takes effect a tenth of a second after it was answered; the last of several counts."""

    profile_extras = PATIENT

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        effect, timer = super().apply, (appliance.ha_id, f"late {key}")
        self.timers.arm(timer, self.late_s(appliance), lambda: effect(appliance, key, value))

    def late_s(self, appliance: Appliance) -> float:  # noqa: ARG002  an appliance may be later than another
        """How many seconds later a write takes effect."""
        return 0.1


class Lagging(Service):
    """The first two reads of a key after it has changed still show the old value.

    Attributes:
        only: the keys of which that is true; all if it is empty.
    """

    only: ClassVar[tuple[str, ...]] = ()

    def value(self, appliance: Appliance, key: str) -> Json:
        now, shown, stale = super().value(appliance, key), f"shown {key}", f"stale {key}"
        lags = appliance.kept.get(shown, now) != now and (not self.only or key in self.only)
        if not lags or appliance.nth(stale) > 2:
            appliance.kept |= {shown: now, stale: 0}
        return appliance.kept[shown]
