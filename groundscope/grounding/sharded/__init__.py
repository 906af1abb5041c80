"""Many cases on many processes: chunks of files, judged by Ray, written as shards that are never judged twice."""

__all__ = ["chunks", "columns", "jobs", "shards", "work"]
