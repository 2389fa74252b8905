"""Servers with one fault each: the proof that every check can fail.

A row of a table is a server: its name, the clause that it breaks, its appliance, what it does wrongly, and a
sentence. What it does wrongly is a call of a shape, or a class above the table.
Tables are left as they are written, because a formatter would give each column a line.
"""
