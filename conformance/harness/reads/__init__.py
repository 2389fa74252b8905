"""What a run reads: shared reads first, then what only several exchanges can show."""
