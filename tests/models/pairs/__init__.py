"""Contrast pairs from plain text and from worlds: balance, edits that stay small, and texts that break careless code."""
