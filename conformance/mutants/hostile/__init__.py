"""Servers that attack a run, its memory, time, files, terminal or secrets, each with the outcome required.

Tables are left as they are written, because a formatter would give each column a line.
"""
