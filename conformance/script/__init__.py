"""The script that is installed, a module of its own: it must be found before any room is."""
