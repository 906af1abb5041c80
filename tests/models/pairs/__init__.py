"""Pairs from worlds and from edits: balance, edits that stay small, and texts that break careless code."""
