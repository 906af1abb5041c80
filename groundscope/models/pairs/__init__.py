"""Shared parts of cross-encoders: pairs of texts, batches, windows, number formats."""
