"""What it takes to find one mutant in the place of a user's target: more in the profile, or more requests.

The mutant is judged with what the profile says. If that does not show the fault, it is judged again with what
its cases name as missing, or else with all that a profile may say, of which is taken away again what it is
found without. So each reason is seen, not guessed. What is not found even with all is no fault of such
appliances.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from functools import cache, cached_property
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from msgspec import Struct
from msgspec.json import encode

from catalog.loader import CATALOG
from catalog.model import LEVELS, Level
from conformance.mutants.model import Mutant
from conformance.profiles.model import Interpretation, Profile
from conformance.profiles.toml import dumped
from conformance.profiles.validation import build_profile, dump_profile
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.likeness import Counterparts, Truth, concerns, counterparts, is_waived, likened
from conformance.proof.trials import PREFIX
from conformance.records.results import NO_KEYS, Results
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session

MORE_REQUESTS: Final = "pace.per_day"
OF_LEVEL: Final = "--level "
_MANY: Final = 1_000
_READINGS: Final = tuple(field.alias or name for name, field in Interpretation.model_fields.items())
_FACTS: Final = {
    f"appliance.{name}" for name in ("power_states", "streaming_camera", "online", "enum_subset")
}
"""What is true of an appliance: where it is declared, nothing else can be."""
_OF_A_WORD: Final = {"integer_lexical"}


class Whole(Struct, frozen=True):
    """What a run of the user takes: requests before its first write, those after it, and those of a day."""

    reading: int
    writing: int
    within: int | None

    def until(self, seen: "FaultSeen", certain: int) -> int:
        """After how many requests a run has found what a trial was certain of after so many.

        What comes after a share of the reads of the trial does so after the same share of those of the run.
        """
        read = min(certain, seen.reads) / max(1, seen.reads) * self.reading
        wrote = max(0, certain - seen.reads) / max(1, seen.requests - seen.reads) * self.writing
        return ceil(read + wrote)


class FaultSeen(Struct, frozen=True):
    """What a trial has seen of a fault.

    `certain` is the number of the exchange with which a finding was certain, None where there is none.
    `reads` came before the first write, of all `requests`. `missing` are fields without which cases of the
    clause were not judged.
    """

    certain: int | None
    reads: int
    requests: int
    missing: tuple[str, ...]


class Needed(Struct, frozen=True):
    """What it takes to find a mutant: fields beside what the profile says, and how many requests of the run.

    These are not counted where it takes a field.
    """

    needs: tuple[str, ...] = ()
    after: int = 0


class Search:
    """Looks for what it takes to find one mutant; no trial is made twice, nor one that was `seen` before."""

    def __init__(
        self, mutant: Mutant, profile: Profile, level: Level, seen: dict[bytes, FaultSeen] | None = None
    ) -> None:
        self._mutant, self._profile = mutant, profile
        self._level: Level = level
        self._seen = {} if seen is None else seen

    @cached_property
    def _truth(self) -> Truth:
        return truthful_profile(self._mutant.service(), BASE_URL + PREFIX)

    def tried(self, whole: Whole) -> Needed | None:
        """What it takes to find the mutant; None where it is no fault of these appliances."""
        seen = self._sight(())
        if seen.certain is not None:
            after, within = whole.until(seen, seen.certain), whole.within
            return Needed(() if within is None or after <= within else (MORE_REQUESTS,), after)
        given = list(seen.missing)
        while not self.finds(given) and (
            more := [one for one in self._sight(given).missing if one not in given]
        ):
            given += more
        if not self.finds(given):
            given += [field for field in every_gift() if field not in given]
        return Needed(self._least(given)) if self.finds(given) else None

    def _least(self, given: Sequence[str]) -> tuple[str, ...]:
        """Those of the fields, with which the fault is found, that it takes: the last of each shortest list.

        It takes the field with which a list that grows is long enough first; the others that it takes stand
        before that one.
        """
        needed: list[str] = []
        while not self.finds(needed):
            number = bisect_left(
                range(len(given)), 1, key=lambda most: int(self.finds([*needed, *given[:most]]))
            )
            if number == 0:
                break
            needed.append(given[number - 1])
            given = given[: number - 1]
        return tuple(sorted(needed))

    def finds(self, given: Iterable[str] = ()) -> bool:
        """Whether a run finds the mutant with the profile and these fields, in any number of requests."""
        return self._sight(given).certain is not None

    def _sight(self, given: Iterable[str]) -> FaultSeen:
        """What a trial sees whose profile is given some fields."""
        given = tuple(given)
        profile = with_given(self._profile, given)
        level = level_with(self._level, given)
        pairs = counterparts(profile, self._truth, CATALOG.clauses[self._mutant.clause])
        if not pairs:
            return FaultSeen(None, 0, 0, ())
        told = likened(profile, self._truth, pairs)
        waived = tuple(waiver.case for waiver in profile.waiver)
        place = encode((told, level, waived))
        if place not in self._seen:
            self._seen[place] = self._judged(told, level, pairs, waived)
        return self._seen[place]

    def _judged(
        self, told: dict[str, object], level: Level, pairs: Counterparts, waived: Sequence[str]
    ) -> FaultSeen:
        with TemporaryDirectory() as directory:
            network = network_of({PREFIX: self._mutant.service()})
            session = Session(build_profile(told), Path(directory), level, network=network)
            results = judged_in(session)
        exchanges = session.contents.exchanges
        wrote = next((one.n for one in exchanges if one.purpose == "write"), len(exchanges) + 1)
        return FaultSeen(
            self._certain(results, pairs, waived), wrote - 1, len(exchanges), self._missing(results)
        )

    def _certain(self, results: Results, pairs: Counterparts, waived: Sequence[str]) -> int | None:
        """The exchange with which the first finding was certain that is one of the user's appliances.

        Where a waiver excuses its case it is none: a run that cannot end otherwise has not found it.
        """
        rows = {row["ha_id"]: row for row in self._truth["appliance"]}
        clauses = {self._mutant.clause, *self._mutant.partners}
        return min(
            (
                max(case.evidence, default=0)
                for case in results.of("fail")
                if case.clause in clauses
                and case.ha_id in pairs
                and (case.key in NO_KEYS or concerns(pairs[case.ha_id], rows[case.ha_id], case.key))
                and not is_waived(waived, pairs[case.ha_id], f"{case.clause}::{case.key}")
            ),
            default=None,
        )

    def _missing(self, results: Results) -> tuple[str, ...]:
        """The fields without which cases of the clause were not judged."""
        own = (one.field for one in results.not_judged if one.clause == self._mutant.clause)
        return tuple(dict.fromkeys(field for fields in own for field in fields.split(", ")))


# What a profile could say or let a run do beside what it does: by field, as messages name it, or a level.
# It says no more than that there is something: a mutant has its own truth about it.
@cache
def every_gift() -> Mapping[str, object]:
    """Everything that may be given: the value of each field, by its name; a level has none.

    What takes least of a user comes first: of several ways to find a fault, the first is told.

    A field of an appliance is given to all of them. None takes back what a field says, so that its default
    holds.
    """
    told = truthful_profile(Service(), "http://127.0.0.1")
    answer: Any = told["answer"]
    write: Any = told["write"]
    hooks: Any = told["hooks"]
    return {
        "waiver": None,
        f"{OF_LEVEL}write": None,
        "write": write,
        "write.allow": write["allow"],
        "appliance.writable": ["*"],
        "appliance.samples.map_name": ["Ground floor", "First floor"],
        "appliance.samples.custom_color": ["#4a88f8", "#00d1ff"],
        "appliance.power_states": ["On", "Off", "Standby"],
        **{f"answer.{name}": place for name, place in answer.items()},
        f"{OF_LEVEL}power": None,
        "appliance.streaming_camera": True,
        "appliance.online": True,
        "appliance.unattended": True,
        "appliance.enum_subset": {
            entry.key: [value.key for value in CATALOG.enumerations[entry.family].values]
            for entry in CATALOG.of_type("Enumeration")
            if entry.family
        },
        "write.status_path": write["status_path"],
        "write.prepare": True,
        "write.while_busy": True,
        "paths.probe_other_segment": True,
        "power.probe_unlisted": True,
        "list": told["list"],
        "events": told["events"],
        **dict.fromkeys(("pace.generated", "pace.generated_reads", "pace.generated_writes"), _MANY),
        "pace.max_refusals_in_a_row": None,
        "timing.repeat_sample": _MANY,
        "timing.most_tries": None,
        **{f"interpretation.{name}": None if name in _OF_A_WORD else True for name in _READINGS},
        f"{OF_LEVEL}attended": None,
        **{f"hooks.{name}": hook for name, hook in hooks.items()},
    }


def with_given(profile: Profile, fields: Iterable[str]) -> Profile:
    """The profile with fields that it is given, whole tables first.

    What is not to be given adds nothing, such as a level, or how to write without where to.
    """
    gifts, data = every_gift(), deepcopy(dump_profile(profile))
    for field in sorted(field for field in fields if field in gifts and not field.startswith(OF_LEVEL)):
        first, *path = field.split(".")
        if first == "write" and path and "write" not in data:
            continue
        for table in data["appliance"] if first == "appliance" else [data]:
            if field not in _FACTS or path[0] not in table:
                _set(table, path if first == "appliance" else [first, *path], gifts[field])
        if first == "answer" and "status" in data["answer"]:
            _set(data["answer"]["status"], path, gifts[field])
    return Profile.model_validate(data)


def level_with(level: Level, fields: Iterable[str]) -> Level:
    """The level of a run that is given some fields: the highest that is among them."""
    fields = set(fields)
    given = [LEVELS.index(one) for one in LEVELS if f"{OF_LEVEL}{one}" in fields]
    return LEVELS[max([LEVELS.index(level), *given])]


def line_of(field: str) -> str:
    """What a user would write to give a field, with the value that a server of the suite has there."""
    value = every_gift().get(field)
    if field.startswith(OF_LEVEL):
        return field
    table, _, name = field.rpartition(".")
    if field == "waiver":
        return "without [[waiver]]"
    if isinstance(value, dict) or not table:
        return f"[{field}]"
    heading = f"[[{table}]]" if table == "appliance" else f"[{table}]"
    return f"{heading} {dumped({name: value}).strip()}" if value is not None else f"{heading} without {name}"


def _set(table: dict[str, Any], path: list[str], value: object) -> None:
    *tables, name = path
    for one in tables:
        table = table.setdefault(one, {})
    if value is None:
        table.pop(name, None)
    else:
        table[name] = deepcopy(value)
