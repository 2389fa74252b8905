"""What a pasted curl line says, and what is found at its address: enough to draft a profile and judge."""
