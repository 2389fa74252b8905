"""The errors of a run, in the order in which they can happen.

Before anything is sent, a run is refused while another one is at work, or while an appliance is still owed a
write; a profile with mistakes is a `ProfileError` of `conformance.profiles.fields`, a journal that does not
say what is owed a `JournalError` of `conformance.records.journal_lines`. What the operator has to repair is a
`TransportError`. What the target does is no error: a timeout, a cut connection and garbage are outcomes of an
exchange, and are judged.

    RefusedError              another run is at work, or an appliance is still owed a write
    TransportError            a file for TLS cannot be used, or no access token is granted
        UnmaskableSecretError a granted token cannot be masked in the ledger
    DayBudgetError            the day is over: its requests are used up; what was read so far is judged
    ForbiddenWriteError       a fault of the suite: a write that must not be sent, and is not
        SecretValueError      what it may move was found to hold a secret, which is no fault
    LedgerError               a saved run cannot be judged again
        NoLedgerError         it is none, or cannot be read
    UnreachableError          a restore gets no answer at all
"""


class RefusedError(Exception):
    """A run must not begin; the text says why, and what to do."""


class TransportError(Exception):
    """The operator has to repair something: a certificate file cannot be read, a token is not granted."""


class UnmaskableSecretError(TransportError):
    """A secret cannot be masked without changing what a server said; the run ends before it judges."""


class DayBudgetError(Exception):
    """The day is over: its requests are used up, or the target asks for a long pause; what came is judged."""


class ForbiddenWriteError(Exception):
    """A write is not allowed, not past the gate, or the old value is not known: a fault of the suite."""


class SecretValueError(ForbiddenWriteError):
    """A write may move a value in which a secret stands: the cases that rest on it are inconclusive."""


class LedgerError(Exception):
    """A ledger cannot be read: it is not one of this suite, was altered, or is cut within a line."""


class NoLedgerError(LedgerError):
    """A file is no ledger of this suite at all, or cannot be read."""


class UnreachableError(Exception):
    """The target gives no answer at all, or grants no access token; everything owed is still owed."""
