"""Cases: reading, checking, labelling, summarising and editing."""

__all__ = [
    "browser_name", "dataset", "edits", "error_types", "error_typing", "formats", "gold", "injections", "labels", "mapping",
    "own_format", "parents", "passages", "pasted_store", "relevance", "set_counts", "splitting", "validation",
]  # fmt: skip
