"""Conforming servers whose answers are errors at random.

> Error codes, status codes and error bodies: not shown.

A server error, a lost connection and a body that is cut short say nothing of the entry that was asked for.
"""

from __future__ import annotations

from conformance.mutants.model import variant
from conformance.mutants.random_errors import ErringAtRandom, cuts, drops
from conformance.mutants.soil import FRIDGE, MACHINE, ROBOT_TWOFOLD


@variant("errs-in-5-of-100", clause="READ-SETTING")
class ErrsIn5Of100(ErringAtRandom):
    """Of a hundred answers, 5 are 500 or 502."""

    fleet = (MACHINE, ROBOT_TWOFOLD)
    share = 5


@variant("errs-in-30-of-100", clause="READ-NOPAYLOAD")
class ErrsIn30Of100(ErringAtRandom):
    """Of a hundred answers, 30 are 500 or 502."""

    fleet = (MACHINE, ROBOT_TWOFOLD)
    share = 30


@variant("errs-in-60-of-100", clause="READ-STATUS")
class ErrsIn60Of100(ErringAtRandom):
    """Of a hundred answers, 60 are 500 or 502."""

    fleet = (MACHINE, ROBOT_TWOFOLD)
    share = 60


@variant("cuts-30-of-100-bodies", clause="READ-VALUE")
class Cuts30Of100Bodies(ErringAtRandom):
    """Of a hundred answers, 30 end before their Content-Length."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)
    share = 30
    error = staticmethod(cuts)


@variant("drops-30-of-100-connections", clause="READ-REPEAT")
class Drops30Of100Connections(ErringAtRandom):
    """Of a hundred requests, 30 end with the connection closed and no answer."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)
    share = 30
    error = staticmethod(drops)
