"""The panel that trains the user's own classifier."""

__all__ = ["page"]
