"""What a run would leave, made by hand."""
