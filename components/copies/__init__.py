"""Runs over copies of cases: which edits a method notices, and whether it repeats its verdicts."""

__all__ = ["page"]
