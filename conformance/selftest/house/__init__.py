"""Tests of the project as a whole: rooms, README, pictures, package, nightly recipes."""
