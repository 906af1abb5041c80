"""Long jobs in the app: processes that outlive a page."""

__all__ = ["jobs", "panel"]
