"""Servers that are odd and conform: a suite that turns one red is wrong.

A row of a table is a service, or several that are put together, and what is odd about it; a behaviour of its
own is a class above the table.
Tables are left as they are written, because a formatter would give each column a line.
"""
