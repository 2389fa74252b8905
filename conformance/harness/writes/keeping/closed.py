"""What could not be put back, and what is not written any more for that."""

from collections.abc import Iterable

from catalog.model import Catalog
from conformance.harness.writes.keeping.owed import Debt
from conformance.model.couplings import are_tied


class Closed:
    """The settings of each appliance that could not be put back: nothing is written that may move them."""

    def __init__(self, catalog: Catalog) -> None:
        """Nothing is closed yet."""
        self._catalog = catalog
        self._names: dict[str, dict[str, str]] = {}

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
