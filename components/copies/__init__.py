"""Runs over copies of cases: what a method sees, and whether it says the same twice."""
