"""Tests of what reports take from the ledger and the journal."""
