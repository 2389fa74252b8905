"""What each clause expects after a write: of the key that was written, and of others."""
