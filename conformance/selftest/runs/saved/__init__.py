"""Tests of what is made of saved runs."""
