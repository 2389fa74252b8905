"""What a target claims and how it speaks: the profile."""
