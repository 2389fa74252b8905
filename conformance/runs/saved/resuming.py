"""What a run that goes on may keep of the one that did not come to its end.

A part of what was read is read again first: what answers otherwise by now is another target than the one that
was asked, and nothing of it is kept.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping

from conformance.checks.exchange import JUDGED, Exchange
from conformance.checks.view import View
from conformance.harness.ledger import LedgerContents
from conformance.harness.observing import made_again
from conformance.harness.reads.gets import read
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.recording import KeptAnswers
from conformance.profiles.model import Profile
from reports.phrases import some_of

_READ_AGAIN = 4  # keys of each appliance
_MOST_NAMED = 8
_SAYING_NOTHING = frozenset({401, 403, 408, 429, *range(500, 600)})
"""The statuses of answers that say nothing of an appliance."""


def kept_of(
    earlier: LedgerContents,
    profile: Profile,
    views: Mapping[str, View],
    send: Callable[[Wanted], list[Sent]],
) -> tuple[LedgerContents, KeptAnswers]:
    """What the earlier run holds of appliances that answer as they did, and the answers that it gives.

    Where a key was read again, the new answer stands for the old one. The appliances of which nothing is kept
    are said on standard error.
    """
    renewed: dict[int, list[Sent]] = {}
    others: list[str] = []
    for ha_id, reads in _reads_of(earlier).items():
        chosen = reads[:: -(-len(reads) // _READ_AGAIN)] if ha_id in views else []
        for exchange in chosen:
            made = send(read(views[ha_id], exchange.key, exchange.segment).wanted)
            now = made[-1].response
            then = exchange.response
            if not now or not then or {now.status, then.status} & _SAYING_NOTHING:
                continue
            if now.status != then.status:
                others.append(ha_id)
                break
            renewed[exchange.n] = made
    if others:
        told = f"what was asked of {some_of(others, _MOST_NAMED)} is asked anew: the answers are others now"
        print(told, file=sys.stderr, flush=True)  # noqa: T201  the reader may want to know why it takes longer
    exchanges = [one for one in earlier.exchanges if one.lane not in others and one.ha_id not in others]
    remarks = [one for one in earlier.remarks if one.ha_id not in others]
    given_up = made_again([one for one in exchanges if one.purpose in JUDGED], profile)
    return earlier._replace(exchanges=exchanges, remarks=remarks), KeptAnswers(exchanges, given_up, renewed)


def _reads_of(earlier: LedgerContents) -> Mapping[str, list[Exchange]]:
    """What every case shares, by appliance."""
    found: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in earlier.exchanges:
        if exchange.purpose == "read":
            found[exchange.ha_id].append(exchange)
    return found
