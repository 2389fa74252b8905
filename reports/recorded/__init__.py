"""What a run recorded beside its results, as reports read it: its ledger and its journal."""
