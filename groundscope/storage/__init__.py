"""Storage on disk: SQLite files, locks and caches."""

__all__ = ["database", "sqlite", "support_cache", "team"]
