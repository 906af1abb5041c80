"""The cases page: paste, upload, browse and make variants."""

__all__ = ["browse", "matters", "page", "paste"]
