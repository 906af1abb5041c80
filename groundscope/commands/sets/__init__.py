"""Verbs about sets of cases as such."""
