"""Servers of which too little is seen for a green run: a suite that calls one conforming is wrong.

A row of a table is a server, its appliance and perhaps what its profile says amiss, with how its run may end
and which clauses must not pass; a behaviour of its own is a class above the table.
Tables are left as they are written, because a formatter would give each column a line.
"""
