"""Runtime services of long work: progress and cancellation, caches in memory, and facts about the machine."""

__all__ = ["byte_cache", "extras", "machine", "progress", "retention"]
