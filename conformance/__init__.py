"""What a server must do, and whether it does: the judging half of the suite."""
