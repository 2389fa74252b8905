"""Tests of what is installed beside the rooms."""
