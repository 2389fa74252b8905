"""Tests of pasted curl lines, and the servers that they are tried on."""
