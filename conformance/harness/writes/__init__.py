"""What writing adds: the gate, the journal, the procedures, the state machines, putting back."""
