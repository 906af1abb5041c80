"""The runs page, and what all pages of a run share."""

__all__ = ["new_run", "page", "study"]
