"""The Compare page: F1 against latency, tables, significance."""

__all__ = ["page"]
