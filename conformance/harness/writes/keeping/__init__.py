"""What keeps an appliance as it was: the gate, the journal, putting back."""
