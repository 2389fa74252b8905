"""What a run has come to tell of an appliance since it was seen earlier, so that few cases are judged anew.

A case says which procedures it has looked at, and of which keys it has looked at whatever was read again. One
that looked at nothing that has changed is as it was judged.
"""

from itertools import chain

from msgspec import Struct

from conformance.checks.groups import UNKNOWN_ENTRIES, Group
from conformance.checks.view import View


class Changed(Struct, frozen=True):
    """Of which procedures more is told than earlier, and which keys these read again."""

    groups: frozenset[Group]
    later: frozenset[str]


def changed_since(seen: View, earlier: View) -> Changed | None:
    """The procedures of which more is told than earlier; None where that may concern every case.

    A further shared read may, and so may an entry that cannot exist: they teach how all answers are meant.
    """
    changed = frozenset(
        group
        for now, then in ((seen.made, earlier.made), (seen.remarks, earlier.remarks))
        for group in now.keys() | then.keys()
        if now.get(group) != then.get(group)
    )
    is_alike = (seen.reads, seen.pointed) == (earlier.reads, earlier.pointed)
    if not is_alike or changed & set(UNKNOWN_ENTRIES):
        return None
    told = (view.made.get(group, ()) for view in (seen, earlier) for group in changed)
    return Changed(changed, frozenset(answer.key for answer in chain.from_iterable(told)))
