"""Verbs that judge copies of cases: altered on purpose, or the same once more."""
