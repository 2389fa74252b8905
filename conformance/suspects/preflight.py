"""Whether a profile fits, seen in a few reads of each kind of appliance before anything is judged."""

import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from msgspec import Struct

from catalog.loader import CATALOG
from conformance.harness.answers.fitting import Misfit, fits, misfit_of, place_that_fits
from conformance.harness.answers.members import members_shown
from conformance.harness.wire.network import SOCKETS, Network
from conformance.profiles.model import Appliance, Profile
from conformance.profiles.validation import dump_profile
from conformance.records.results import Suspect
from conformance.runs.notices import silences
from conformance.runs.session import Session
from conformance.suspects.edits import (
    Edit,
    Row,
    Seen,
    claims,
    kinds,
    listed_power_states,
    makers,
    member_places,
    value_places,
)
from reports.phrases import some_of
from reports.texts import plural

_MOST_NAMED = 8
_OF_ONE_KIND = 2
"""Appliances of a kind that may be asked."""


def _value_places(asked: Seen) -> Iterator[Edit]:
    """Another place of the values of a segment, where no answer under it fits the declared one."""
    views = asked.views.values()
    for edit in value_places(asked):
        segment = "status" if "status" in edit.place else "settings"
        answers = (answer for seen in views for (of, _), answer in seen.reads.items() if of == segment)
        if not any(map(fits, answers)) and place_that_fits(views, segment) is not None:
            yield edit


_ROWS: tuple[Row, ...] = (_value_places, member_places, kinds, listed_power_states, claims)
"""What a few answers show without being judged."""


class Glanced(Seen, frozen=True):
    """What came back for a profile with the appliances that were asked.

    `trouble` is what ended it early, such as a token that was not granted; empty where nothing did.
    """

    trouble: str

    @property
    def words(self) -> str:
        """What was asked: `sent: 24 requests to fridge-1 (Refrigerator), oven-1 (Oven)`."""
        named = some_of([f"{one.ha_id} ({one.kind})" for one in self.profile.appliance], _MOST_NAMED)
        return f"sent: {plural(len(self.exchanges), 'request')} to {named or 'no appliance'}"


class Fit(Struct, frozen=True):
    """How a profile fits.

    Attributes:
        misfit: why nothing fits; None where something does, or nobody can tell.
        silent: sentences on appliances that gave no value.
        suspects: what answers show to be otherwise than the profile says.
        undeclared: fields of [answer] that the profile leaves out, with the places where bodies show them.
        is_contradicted: whether the profile is wrong, and not perhaps the server.
    """

    misfit: Misfit | None
    silent: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    undeclared: Mapping[str, str]
    is_contradicted: bool


def ask(profile: Profile, state: Path | None, network: Network = SOCKETS) -> Glanced:
    """Makes at most twelve requests for each kind; they count for the day and keep the pace of the profile.

    Args:
        profile: the whole profile.
        state: the directory that keeps how many requests were sent today; None for a server of the suite.
        network: what it is asked through.

    Raises:
        TransportError: when the files for TLS that the profile names cannot be used.
    """
    few = _few_of(profile)
    with (
        tempfile.TemporaryDirectory() as directory,
        closing(Session(few, Path(directory), network=network)) as session,
    ):
        session.select((), "glance")
        session.read(state=state)
        seen = {ha_id: view for ha_id, view in session.views.items() if view.reads}
        asked = few.model_copy(update={"appliance": tuple(one for one in few.appliance if one.ha_id in seen)})
        return Glanced(asked, session.contents.exchanges, seen, session.trouble)


def _few_of(profile: Profile) -> Profile:
    """The profile with the first appliances of each kind."""
    of_kind: dict[str, list[Appliance]] = defaultdict(list)
    for appliance in profile.appliance:
        of_kind[appliance.kind].append(appliance)
    few = tuple(one for own in of_kind.values() for one in own[:_OF_ONE_KIND])
    return profile.model_copy(update={"appliance": few})


def fit_of(asked: Glanced) -> Fit:
    """How a profile fits what came back."""
    views, data = asked.views.values(), dump_profile(asked.profile)
    misfit = misfit_of(views)
    if misfit:
        edits = list(value_places(asked))
        found = tuple(edit.suspected_in(data) for edit in edits)
        return Fit(misfit, (), found, {}, misfit.is_declared)
    silent = [seen for seen in views if not seen.learned.served]
    # under a wrong name, keys are refused that are there
    edits = list(makers(asked)) or [edit for row in _ROWS for edit in row(asked)]
    return Fit(
        None,
        tuple(silences(silent)),
        tuple(edit.suspected_in(data) for edit in edits),
        dict(_undeclared(asked)),
        is_contradicted=any(_contradicts(edit, asked) for edit in edits),
    )


def _contradicts(edit: Edit, asked: Glanced) -> bool:
    """Whether an edit shows that the profile is wrong, and not perhaps the server.

    The document keeps no appliance from having keys of another kind: where all that are served are claimed,
    another kind is only asked about.
    """
    if edit.is_claim or edit.place[-1] != "kind":
        return not edit.is_claim
    seen = asked.views[edit.ha_id]
    own = {entry.key for entry in CATALOG.of_kind(seen.appliance.kind)}
    return any(seen.claim(key) != "yes" for key in seen.learned.served - own)


def _undeclared(asked: Glanced) -> Iterator[tuple[str, str]]:
    """What bodies show, and the profile says nothing of."""
    answer = asked.profile.answer
    for field, guess in members_shown(asked.views.values()).items() if answer.status is None else ():
        if getattr(answer, field) is None:
            yield field, guess.places[0]
