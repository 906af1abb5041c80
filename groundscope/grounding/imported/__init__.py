"""Scores that other tools exported, as methods of a run."""

__all__ = ["scores"]
