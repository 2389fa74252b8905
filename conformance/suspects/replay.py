"""A run judged again with another profile: what every edit is tried on."""

from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from typing import Any

from conformance.cases import CATALOG, all_derivations, cases_of, check_of
from conformance.checks.remarks import is_misfit
from conformance.checks.verdict import Verdict
from conformance.checks.view import View
from conformance.harness.ledger import LedgerContents
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.runs.observed_run import ObservedRun
from conformance.suspects.edits import Seen

Verdicts = Mapping[str, Verdict | str]
"""Verdicts by the ids of cases."""


class Replay:
    """What a run saw of some appliances, judged with a profile that is plain data.

    Raises:
        ProfileError: when the profile has mistakes.
    """

    def __init__(self, contents: LedgerContents, data: Mapping[str, Any]) -> None:
        """Sends nothing, and writes no file."""
        self.contents, self.data = contents, data
        self.profile: Profile = build_profile(data, environment={}, offline=True)

    @classmethod
    def of(cls, contents: LedgerContents, ha_ids: Collection[str]) -> "Replay":
        """A run as if it had asked these appliances alone."""
        data = contents.header.profile
        tables = [table for table in data["appliance"] if table["ha_id"] in ha_ids]
        own = [one for one in contents.exchanges if one.lane in ha_ids]
        noted = [one for one in contents.remarks if one.ha_id in ha_ids and not is_misfit(one)]
        part = contents._replace(exchanges=own, remarks=noted)
        return cls(part, {**data, "appliance": tables, "waiver": []})

    @cached_property
    def _session(self) -> ObservedRun:
        return ObservedRun(self.contents, self.profile)

    @property
    def seen(self) -> Seen:
        """What edits are drawn from."""
        return Seen(self.profile, self.contents.exchanges, self.views)

    @property
    def views(self) -> Mapping[str, View]:
        """What was seen of each appliance, by haId."""
        return self._session.views

    def asked(self, case: str) -> bool:
        """Whether the key of a case was read, or it is about more than a key."""
        place = case.partition("::")[2]
        key, _, ha_id = place.partition("@")
        seen = self.views.get(ha_id)
        return key not in CATALOG.entries or (seen is not None and seen.is_asked(key))

    def verdicts(self, clauses: Collection[str] | None = None) -> Verdicts:
        """The verdict of each case; of those of some clauses, if they are given."""
        return dict(self._judged(clauses))

    def _judged(self, clauses: Collection[str] | None) -> Iterator[tuple[str, str]]:
        derivations = [one for one in all_derivations() if clauses is None or one.clause.id in clauses]
        for case in cases_of(derivations, self.profile, self.contents.header.level):
            if case.ha_id in self.views:
                yield case.id, self._session.judge(case, check_of(case)).verdict
