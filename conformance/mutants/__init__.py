"""Servers that have one fault, and servers that are odd and conform: checks fail the first ones alone."""
