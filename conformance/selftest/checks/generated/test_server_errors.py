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


def notes(needed: int = 3) -> tuple[Remark]:
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
# fmt: off
ROWS = {
    "no request meets an error": ("observed 1", Reads(*asked(FIVE))),
    "a request meets an error": ("observed (1) 1 1 0 /api 500", Reads(*asked(BROKEN))),
    "a request meets no response": ("observed (1) 2 3 1 /api nothing",
        Reads(*asked(DROPPED), *asked(BROKEN, sent="/longer"), *asked(FIVE, sent="/x"))),
    "a request times out by its status": ("observed 1", Reads(*asked(exchange(ANCHOR, 408)))),
    "an answer in an unknown coding": ("observed 1",
        Reads(*asked(replace(DROPPED, failure=Failure("undecodable", "zstd"))))),
    "the later of two errors is shorter": ("observed (2) 2 2 0 /api 500",
        Reads(*asked(BROKEN, sent="/longer"), *asked(BROKEN))),
    "the first of two errors as long": ("observed (1) 2 2 0 /one 500",
        Reads(*asked(BROKEN, sent="/one"), *asked(BROKEN, sent="/two"))),
    "an error each time, observed": ("observed (1) 1 1 0 /api 500", Reads(*asked(*TRIES), remarks=notes())),
    "an error each time": ("fail 5 6 1 1 0 /api 500 3", strict(*asked(*TRIES), remarks=notes())),
    "an error each time, of two the shorter": ("fail 11 12 2 2 0 /api 500 3",
        strict(*asked(*TRIES, sent="/longer"), *asked(*TRIES), remarks=notes())),
    "an error each time, too seldom": ("observed (1) 1 1 0 /api 500",
        strict(*asked(*TRIES), remarks=notes(4))),
    "an error each time, nothing noted": ("observed (1) 1 1 0 /api 500", strict(*asked(*TRIES))),
    "an error each time, no plain read": ("observed (1) 1 1 0 /api 500",
        strict(*asked(*[BROKEN] * 3), remarks=notes())),
    "an error each time, read plainly, too": ("observed (1) 1 1 0 /api 500",
        strict(*asked(*TRIES, replace(BROKEN, purpose="repeat")), remarks=notes())),
    "an error, then none": ("observed (1) 1 1 0 /api 500", strict(*asked(*TRIES, FIVE), remarks=notes())),
    "no value meets an error": ("observed 1 1", Reads(*values(UNLOCKED, attempt(LOCK, 1, False)))),
    "a value meets an error": ("observed (5) 1 2 2 1 ChildLock 500 500",
        Reads(*values(UNLOCKED, broken("yes", False), broken(1, False)))),
    "a value meets an error, nothing read before": ("observed 1 1", Reads(*values(broken("yes", False)))),
    "a value meets an error, silent before": ("observed 1 1",
        Reads(*values(read(LOCK, SILENT), broken("yes", False)))),
    "reads are broken after a value": ('observed (4) 1 1 1 "yes" ChildLock 204 500',
        Reads(*values(UNLOCKED, write(LOCK, "yes"), SICK))),
    "one read is broken after a value": ("observed 1 1",
        Reads(*values(UNLOCKED, write(LOCK, "yes"), SICK, UNLOCKED))),
    "nothing is read after a value": ("observed 1 1", Reads(*values(UNLOCKED, write(LOCK, "yes")))),
    "a value meets an error twice": ('fail 3 3 1 2 2 "yes" ChildLock 500 500 2',
        strict(*values(UNLOCKED, broken("yes", False) * 2))),
    "a value meets an error twice, observed": ('observed (3) 1 2 2 "yes" ChildLock 500 500',
        Reads(*values(UNLOCKED, broken("yes", False) * 2))),
    "two values meet an error": ('observed (5) 1 2 2 "no" ChildLock 500 500',
        strict(*values(UNLOCKED, broken("yes", False), broken("no", False)))),
    "a value meets an error, not alone": ("observed 1 1",
        Reads(*values(UNLOCKED, broken("yes", False)), *values(UNLOCKED, attempt(LOCK, "yes", False),
            alone=True))),
    "a value meets an error alone": ('observed (3) 1 1 1 "yes" ChildLock 500 500',
        Reads(*values(UNLOCKED, broken("yes", False), alone=True))),
}
# fmt: on

test_errors_of_generated_requests = Reads.each_of({("PROT-ERRORS", note_errors_of_generated): ROWS})
