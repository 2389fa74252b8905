"""What writing adds: the gate, the journal, the procedures, the tours, putting back."""
