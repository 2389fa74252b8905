"""Servers with one fault each: the proof that every check can fail.

Tables are left as they are written, because a formatter would give each column a line.
"""
