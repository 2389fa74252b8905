"""The files of a run as records: the lines of its ledger and its journal, its results, its certificate."""
