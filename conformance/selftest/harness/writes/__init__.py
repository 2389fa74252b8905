"""Tests of writing: the gate, the journal, the procedures, putting back."""
