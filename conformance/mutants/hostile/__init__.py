"""Servers that attack the run, its memory, time, files, terminal, secrets or fairness: each with the outcome it must lead to."""
