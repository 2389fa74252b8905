"""Servers that are odd and conform: a suite that turns one red is wrong.

A row of a table is a service that differs from its shape in data alone. Tables are left as they are written,
because a formatter would give each column a line.
"""
