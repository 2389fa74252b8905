"""Tests of the room `checks`.

Tables are left as they are written, because a formatter would give each column a line.
"""
