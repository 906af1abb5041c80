"""Misclassified responses: each verdict beside its label, the cases behind a number, and the table by error type."""

__all__ = ["calls", "table"]
