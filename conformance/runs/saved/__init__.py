"""What is made of saved runs: they are judged again, verified, compared, undone, and turned into scripts."""
