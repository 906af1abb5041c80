"""Runs of methods over cases: planned, worked on, stored, exported and read."""
