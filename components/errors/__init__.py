"""The errors page: what each method misses, by error type, and the cases behind each number."""

__all__ = ["page"]
