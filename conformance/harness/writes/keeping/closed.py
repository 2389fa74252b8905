"""What is not written any more: what may move a setting that could not be put back, or never could be.

A secret is kept nowhere, so nobody could put back a value in which one stands. Nor could anybody put back a
setting whose answers are about another entry (line 31): its own value was never shown.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from catalog.keys import short_name
from catalog.model import Catalog
from conformance.checks.answer import Answer
from conformance.checks.exchange import Remark
from conformance.checks.remarks import words_of
from conformance.checks.view import View
from conformance.harness.writes.keeping.owed import Debt
from conformance.model.couplings import are_tied, controllers_of, of_one_light
from conformance.profiles.keeping import holds_secret


class Closed:
    """The settings of each appliance that must not be moved: nothing is written that may move them."""

    def __init__(self, catalog: Catalog, views: Iterable[View] = ()) -> None:
        """Begins with what was read so far."""
        self._catalog = catalog
        self._names: dict[str, dict[str, str]] = {}
        self._others: dict[str, str] = {}
        self._secret: defaultdict[str, set[str]] = defaultdict(set)
        self._foreign: dict[tuple[str, str], str] = {}
        for seen in views:
            for answer in seen.reads.values():
                self.learn(answer)

    def learn(self, answer: Answer) -> None:
        """Takes down whether a read shows a secret, or another entry than the one that was asked for."""
        ha_id, key, shown = answer.exchange.ha_id, answer.exchange.key, answer.shown.key
        if holds_secret(answer.value):
            self._secret[ha_id].add(key)
        if isinstance(shown, str) and shown.partition(".")[2] in _others(self._catalog, key):
            self._foreign[ha_id, key] = shown

    def note(self, debt: Debt) -> None:
        """Takes down what became of a debt."""
        own = self._names.setdefault(debt.ha_id, {})
        if debt.restored:
            own.pop(debt.key, None)
        else:
            own[debt.key] = short_name(debt.key)

    def leave(self, ha_id: str, remark: Remark) -> None:
        """Leaves an appliance to somebody else, who was seen to write to it."""
        self._others[ha_id] = words_of(remark)

    def is_left(self, ha_id: str) -> bool:
        """Whether an appliance was left to somebody else."""
        return ha_id in self._others

    def owed_by(self, ha_id: str) -> frozenset[str]:
        """The keys of an appliance that could not be put back."""
        return frozenset(self._names.get(ha_id, ()))

    def why_not(self, ha_id: str, keys: Iterable[str]) -> str:
        """Why some keys of an appliance are not written any more; empty where they may be."""
        if ha_id in self._others:
            return self._others[ha_id]
        wanted = [*keys]
        for key in wanted:
            if foreign := self._foreign.get((ha_id, key)):
                return f"{short_name(foreign)} answers for {short_name(key)}, whose value is not known then"
        for owed, name in self._names.get(ha_id, {}).items():
            if any(are_tied(self._catalog, owed, key) for key in wanted):
                return f"nothing more that may move {name} is written to {ha_id}, as it could not be put back"
        return ""

    def why_secret(self, ha_id: str, keys: Iterable[str]) -> str:
        """Why some keys of an appliance are not written beside a secret; empty where they may be."""
        wanted = [*keys]
        for secret in sorted(self._secret.get(ha_id, ())):
            if not _movers(self._catalog, secret).isdisjoint(wanted):
                return (
                    f"{short_name(secret)} holds a secret, which is kept nowhere and so could not be put back"
                )
        return ""


def may_move_a_secret(seen: View, key: str) -> bool:
    """Whether a write of a key may move a value of the appliance in which a secret stands."""
    return any(key in _movers(seen.catalog, secret) for secret in _secret_keys(seen))


@cache
def _others(catalog: Catalog, key: str) -> frozenset[str]:
    """The entries beside that of `key`, without the maker's name."""
    return frozenset(entry.partition(".")[2] for entry in catalog.entries if entry != key)


def _movers(catalog: Catalog, key: str) -> frozenset[str]:
    """The keys that may move another one when they are written: itself, and what is coupled to it."""
    return frozenset({key, *controllers_of(catalog, key), *of_one_light(key)})


def _secret_keys(seen: View) -> set[str]:
    return {key for (_, key), answer in seen.reads.items() if holds_secret(answer.value)}
