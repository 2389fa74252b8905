"""Servers that attack a run, its memory, time, files, terminal or secrets, each with the outcome required."""
