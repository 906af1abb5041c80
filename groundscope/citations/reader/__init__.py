"""Text -> its legal citations, with offsets and the authority that each one names."""
