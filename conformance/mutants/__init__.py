"""Servers that are wrong in one way, and servers that are odd and conform: the proof that the checks can fail, and only then do."""
