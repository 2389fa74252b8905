"""What is installed beside the rooms, each a module of its own: it must be found before any room is."""
