"""Long jobs: planned, started, paused, resumed and deleted in the same way, whatever they are about."""

__all__ = ["directory", "forecast", "ledger", "listing", "plan", "steps", "store", "task", "work"]
