"""Tests of captures: what others have recorded, read, put into a ledger and judged."""
