"""Storage on disk: SQLite files, locks and caches."""
