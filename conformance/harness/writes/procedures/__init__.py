"""What is written, and in which state; one class a procedure."""
