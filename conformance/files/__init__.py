"""How files are read and written: within bounds whoever made them, and whole or not at all."""
