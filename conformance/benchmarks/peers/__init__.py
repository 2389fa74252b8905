"""What people would write or use instead: each is started as a process of its own, without this suite."""
