"""Waivers that can match no case of a profile, or are over: a run with one ends with 4."""

from collections.abc import Collection, Iterator
from datetime import date
from fnmatch import fnmatchcase

from catalog.model import Catalog
from conformance.profiles.fields import Problem, nearest
from conformance.profiles.model import Profile


def stale_waivers(profile: Profile, catalog: Catalog, today: date) -> Iterator[Problem]:
    """What is wrong with each waiver: it has expired, or names a clause or an appliance that is not there."""
    ha_ids = [appliance.ha_id for appliance in profile.appliance]
    others = [f"no-{kind.name}" for kind in catalog.kinds]
    for index, waiver in enumerate(profile.waiver):
        place = f"waiver[{index}]"
        if waiver.expires < today:
            yield Problem(f"{place}.expires", f"expired on {waiver.expires}")
        clause, _, rest = waiver.case.partition("::")
        ha_id = rest.rpartition("@")[2]
        if not _matches(clause, catalog.clauses):
            yield Problem(f"{place}.case", f"there is no clause {clause!r}", _near(clause, catalog.clauses))
        if rest and not _matches(ha_id, [*ha_ids, *others]):
            yield Problem(f"{place}.case", f"there is no appliance {ha_id!r}", _near(ha_id, ha_ids))


def _matches(glob: str, names: Collection[str]) -> bool:
    return any(fnmatchcase(name, glob) for name in names)


def _near(word: str, names: Collection[str]) -> str | None:
    longer = (name for name in names if name.casefold().startswith(word.casefold()))
    return next(longer, None) or nearest(word, names, 0.5)
