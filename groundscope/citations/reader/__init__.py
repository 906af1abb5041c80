"""Text -> its legal citations, with offsets and the authority that each one names."""

__all__ = ["_records", "code_names", "party_names", "reading", "resolving"]
