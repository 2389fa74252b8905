"""What writing adds: the gate, the journal, the procedures, the tours, putting back.

The README of the harness tells the way of one write, and of what is owed for it.
"""
