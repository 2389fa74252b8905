"""Errors that generated requests and values meet are told; they are findings where the profile says so."""

from functools import partial
from typing import Any

from msgspec.structs import replace

from conformance.checks.exchange import Exchange, Failure, Remark
from conformance.checks.generated.mutations import Mutation, RequestPart, generated_group
from conformance.checks.generated.server_errors import note_errors_of_generated
from conformance.checks.groups import edge_group
from conformance.selftest.support.samples.handmade import ANCHOR, HA_ID, Reads, exchange, generated, value
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SILENT,
    Steps,
    attempt,
    procedure,
    read,
    write,
)

FIVE, BROKEN, DROPPED = value(ANCHOR, 5), exchange(ANCHOR, 500), exchange(ANCHOR, None)
PLAIN = read(ANCHOR, 5)
asked = partial(generated, Mutation.OTHER_END)
strict = partial(Reads, interpretation={"server_errors": "fail"})


def ended(needed: int = 3) -> tuple[Remark]:
    """What is noted at the end of the tries: so many errors are no chance."""
    group = generated_group(RequestPart.KEY, Mutation.OTHER_END)
    return (Remark("tries", group, HA_ID, ANCHOR, {"error_rate": 0.01, "needed": needed, "budget": 10}),)


def values(*steps: Exchange | Steps, alone: bool = False) -> tuple[Exchange, ...]:
    """A request that meets no error, and generated values of the child lock."""
    return *asked(FIVE), *procedure(replace(edge_group(LOCK), alone=alone), *steps)


def broken(wanted: Any, *shown: object) -> Steps:
    """A value that is met with an error, and reads after it."""
    return attempt(LOCK, wanted, *shown, status=500)


UNLOCKED, SICK = read(LOCK, False), replace(exchange(LOCK, 500), purpose="repeat")
TRIES = [BROKEN, PLAIN] * 3
ROWS = {
    "no request meets an error": Reads(*asked(FIVE)),
    "a request meets an error": Reads(*asked(BROKEN)),
    "a request meets no response": Reads(
        *asked(DROPPED), *asked(BROKEN, sent="/longer"), *asked(FIVE, sent="/x")
    ),
    "a request times out by its status": Reads(*asked(exchange(ANCHOR, 408))),
    "an answer in an unknown coding": Reads(*asked(replace(DROPPED, failure=Failure("undecodable", "zstd")))),
    "the later of two errors is shorter": Reads(*asked(BROKEN, sent="/longer"), *asked(BROKEN)),
    "the first of two errors as long": Reads(*asked(BROKEN, sent="/one"), *asked(BROKEN, sent="/two")),
    "an error each time, observed": Reads(*asked(*TRIES), remarks=ended()),
    "an error each time": strict(*asked(*TRIES), remarks=ended()),
    "an error each time, of two the shorter": strict(
        *asked(*TRIES, sent="/longer"), *asked(*TRIES), remarks=ended()
    ),
    "an error each time, too seldom": strict(*asked(*TRIES), remarks=ended(4)),
    "an error each time, nothing noted": strict(*asked(*TRIES)),
    "an error each time, no plain read": strict(*asked(*[BROKEN] * 3), remarks=ended()),
    "an error each time, read plainly, too": strict(
        *asked(*TRIES, replace(BROKEN, purpose="repeat")), remarks=ended()
    ),
    "an error, then none": strict(*asked(*TRIES, FIVE), remarks=ended()),
    "no value meets an error": Reads(*values(UNLOCKED, attempt(LOCK, 1, False))),
    "a value meets an error": Reads(*values(UNLOCKED, broken("yes", False), broken(1, False))),
    "a value meets an error, nothing read before": Reads(*values(broken("yes", False))),
    "a value meets an error, silent before": Reads(*values(read(LOCK, SILENT), broken("yes", False))),
    "reads are broken after a value": Reads(*values(UNLOCKED, write(LOCK, "yes"), SICK)),
    "one read is broken after a value": Reads(*values(UNLOCKED, write(LOCK, "yes"), SICK, UNLOCKED)),
    "nothing is read after a value": Reads(*values(UNLOCKED, write(LOCK, "yes"))),
    "a value meets an error twice": strict(*values(UNLOCKED, broken("yes", False) * 2)),
    "a value meets an error twice, observed": Reads(*values(UNLOCKED, broken("yes", False) * 2)),
    "two values meet an error": strict(*values(UNLOCKED, broken("yes", False), broken("no", False))),
    "a value meets an error, not alone": Reads(
        *values(UNLOCKED, broken("yes", False)), *values(UNLOCKED, attempt(LOCK, "yes", False), alone=True)
    ),
    "a value meets an error alone": Reads(*values(UNLOCKED, broken("yes", False), alone=True)),
}

test_errors_of_generated_requests = Reads.each_of({("PROT-ERRORS", note_errors_of_generated): ROWS})
