"""Shared parts of cross-encoders: pairs of texts, batches, windows, number formats."""

__all__ = ["causal", "context_units", "encoders", "method", "models", "scoring"]
