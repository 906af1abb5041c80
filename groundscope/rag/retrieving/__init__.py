"""Retrievers: by words, by vectors, and their settings."""

__all__ = ["bm25", "dense", "second_step", "settings", "vectors"]
