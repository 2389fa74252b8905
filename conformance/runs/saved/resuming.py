"""What a run that goes on may keep of the one that did not come to its end: what that holds whole.

That is a shared read, a procedure that came to its end, or a batch of writes. A part of what was read is read
again first: what answers otherwise by now is another target than the one that was asked, and nothing of it is
kept. After a long pause what shows a state is read again, too: what is still to be asked rests on it. Where
a key shows another value by now, the procedures that have read it are made again.
"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

from conformance.checks.exchange import JUDGED, Exchange, Remark
from conformance.checks.remarks import lost_appliances
from conformance.checks.view import View
from conformance.harness.answers.classes import UNPROCESSED
from conformance.harness.known_answers import KeptAnswers, read_again
from conformance.harness.ledger import LedgerContents
from conformance.harness.observing import made_again
from conformance.harness.pace import is_throttled
from conformance.harness.steps import read
from conformance.harness.wire.messages import Sent, Wanted
from conformance.model.state_table import SHOWING_A_STATE
from conformance.profiles.model import Profile
from conformance.records.run_facts import moment
from reports.phrases import some_of

_MOST_NAMED = 8
_SAYING_NOTHING = UNPROCESSED | {401, 403, 429, *range(500, 600)}
"""The statuses of answers that say nothing of an appliance."""


def kept_of(
    earlier: LedgerContents,
    profile: Profile,
    views: Mapping[str, View],
    send: Callable[[Wanted], list[Sent]],
) -> tuple[LedgerContents, KeptAnswers]:
    """What the earlier run holds of appliances that answer as they did, and the answers that it gives.

    What an appliance answered while it was lost says nothing of it, and is not kept.
    Where a key was read again, the new answer stands for the old one. The appliances of which nothing is kept
    are said on standard error.
    """
    renewed: dict[int, list[Sent]] = {}
    others: list[str] = []
    moved: set[tuple[str, str]] = set()
    gone = lost_appliances(earlier.remarks, earlier.exchanges)
    useless = {
        one.n
        for one in earlier.exchanges
        if (lost := gone.get(one.ha_id) or gone.get(one.lane)) and lost.covers(one)
    }
    unanswered = {(one.lane, one.group) for one in earlier.exchanges if one.n in useless and one.group}
    earlier = earlier._replace(exchanges=[one for one in earlier.exchanges if one.n not in useless])
    asked = _reads_of(earlier)
    for ha_id, reads in asked.items():
        for exchange in _chosen(reads, views[ha_id], read_again(len(asked))) if ha_id in views else ():
            made = send(read(views[ha_id], exchange.key, exchange.segment).wanted)
            now = made[-1].response
            then = exchange.response
            if not now or not then or {now.status, then.status} & _SAYING_NOTHING:
                continue
            if now.status != then.status:
                others.append(ha_id)
                break
            renewed[exchange.n] = made
            if now.body != then.body:
                moved.add((ha_id, exchange.key))
    if others:
        told = f"what was asked of {some_of(others, _MOST_NAMED)} is asked anew: the answers are others now"
        print(told, file=sys.stderr, flush=True)  # noqa: T201  the reader may want to know why it takes longer
    again = {(one.lane, one.group) for one in earlier.exchanges if (one.ha_id, one.key) in moved} | unanswered
    again |= {(one.ha_id, one.group) for one in earlier.remarks if one.purpose == "unfinished"}
    exchanges = [one for one in earlier.exchanges if {one.lane, one.ha_id}.isdisjoint(others)]
    remarks = [one for one in earlier.remarks if one.ha_id not in others]
    judged = [one for one in exchanges if one.purpose in JUDGED]
    given_up = made_again(judged, profile)
    answers = [
        one
        for one in judged
        if (one.group is None or (one.lane, one.group) not in again)
        and (one.n in given_up or not is_throttled(one.response))
    ]
    return earlier._replace(exchanges=exchanges, remarks=remarks), KeptAnswers(answers, given_up, renewed)


def _chosen(reads: Sequence[Exchange], seen: View, few: int) -> Iterator[Exchange]:
    """The reads of an appliance that are made again: a few, and those of states that were made long ago."""
    since = time.time() - seen.profile.timing.kept_h * 3600
    each = -(-len(reads) // few)
    for number, one in enumerate(reads):
        is_old = moment(one.at).timestamp() < since
        if number % each == 0 or (is_old and one.key in SHOWING_A_STATE):
            yield one


def left_of(
    earlier: LedgerContents, exchanges: Sequence[Exchange], remarks: Sequence[Remark]
) -> tuple[list[Exchange], list[Remark]]:
    """What of an earlier run is whole, and a run that was cut short as well had not yet come to.

    `exchanges` and `remarks` are those of the later run. The next one that goes on finds all in one ledger.
    """
    reads = {(one.ha_id, one.segment, one.key) for one in exchanges if one.purpose == "read"}
    made = {(one.lane, one.group) for one in exchanges} | {
        (one.ha_id, one.group) for one in remarks if one.purpose == "made"
    }
    left = [
        one
        for one in earlier.exchanges
        if (
            (one.ha_id, one.segment, one.key) not in reads
            if one.purpose == "read"
            else (one.lane, one.group) not in made
        )
    ]
    noted = [one for one in earlier.remarks if (one.ha_id, one.group) not in made and one.purpose != "lost"]
    return left, noted


def _reads_of(earlier: LedgerContents) -> Mapping[str, list[Exchange]]:
    """What every case shares, by appliance."""
    found: dict[str, list[Exchange]] = defaultdict(list)
    for exchange in earlier.exchanges:
        if exchange.purpose == "read":
            found[exchange.ha_id].append(exchange)
    return found
