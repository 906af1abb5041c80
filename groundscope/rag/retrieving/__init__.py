"""Retrievers: by words, by vectors, and their settings."""
