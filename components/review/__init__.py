"""The review page: decisions of people, blind first."""

__all__ = ["page", "revealed"]
