"""Judging: pure functions of a case and what was seen of an appliance. No socket, no clock, no pytest."""
