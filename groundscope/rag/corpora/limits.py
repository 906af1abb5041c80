"""How large a corpus may be."""

from groundscope.files.rows import MAX_DECODED

MAX_PASSAGES = 100_000
MAX_BYTES = 3 * MAX_DECODED
"""That a packed corpus may decode to: 100,000 passages of 512 tokens, with their footnotes."""
