"""What is not written any more: what may move a setting that could not be put back, or that shows a secret.

A secret is kept nowhere, so nobody could put back a value in which one stands.
"""

from collections import defaultdict
from collections.abc import Iterable

from catalog.model import Catalog
from conformance.checks.answer import Answer
from conformance.checks.view import View
from conformance.harness.writes.keeping.owed import Debt
from conformance.model.couplings import are_tied, controllers_of, of_one_light
from conformance.profiles.keeping import holds_secret


class Closed:
    """The settings of each appliance that must not be moved: nothing is written that may move them."""

    def __init__(self, catalog: Catalog, views: Iterable[View] = ()) -> None:
        """Begins with the settings that show a secret in what was read so far."""
        self._catalog = catalog
        self._names: dict[str, dict[str, str]] = {}
        self._secret: defaultdict[str, set[str]] = defaultdict(set)
        for seen in views:
            self._secret[seen.appliance.ha_id].update(_secret_keys(seen))

    def learn(self, answer: Answer) -> None:
        """Takes down whether a read shows a secret."""
        if holds_secret(answer.value):
            self._secret[answer.exchange.ha_id].add(answer.exchange.key)

    def note(self, debt: Debt) -> None:
        """Takes down what became of a debt."""
        own = self._names.setdefault(debt.ha_id, {})
        if debt.restored:
            own.pop(debt.key, None)
        else:
            own[debt.key] = debt.name

    def owed_by(self, ha_id: str) -> frozenset[str]:
        """The keys of an appliance that could not be put back."""
        return frozenset(self._names.get(ha_id, ()))

    def why_not(self, ha_id: str, keys: Iterable[str]) -> str:
        """Why some keys of an appliance are not written any more; empty where they may be."""
        wanted = [*keys]
        for owed, name in self._names.get(ha_id, {}).items():
            if any(are_tied(self._catalog, owed, key) for key in wanted):
                return f"nothing more that may move {name} is written to {ha_id}, as it could not be put back"
        return ""

    def why_secret(self, ha_id: str, keys: Iterable[str]) -> str:
        """Why some keys of an appliance are not written beside a secret; empty where they may be."""
        wanted = [*keys]
        for secret in sorted(self._secret.get(ha_id, ())):
            if not _movers(self._catalog, secret).isdisjoint(wanted):
                name = secret.rpartition(".")[2]
                return f"{name} holds a secret, which is kept nowhere and so could not be put back"
        return ""


def may_move_a_secret(seen: View, key: str) -> bool:
    """Whether a write of a key may move a value of the appliance in which a secret stands."""
    return any(key in _movers(seen.catalog, secret) for secret in _secret_keys(seen))


def _movers(catalog: Catalog, key: str) -> frozenset[str]:
    """The keys that may move another one when they are written: itself, and what is coupled to it."""
    return frozenset({key, *controllers_of(catalog, key), *of_one_light(key)})


def _secret_keys(seen: View) -> set[str]:
    return {key for (_, key), answer in seen.reads.items() if holds_secret(answer.value)}
