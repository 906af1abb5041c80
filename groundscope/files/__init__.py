"""Bytes of files -> rows, fields and texts, with limits on time and memory so that a hostile file cannot harm the machine."""

__all__ = [
    "addresses", "clauses", "document_text", "fields", "headings", "literals", "private", "rows", "sandbox", "typed",
    "typesetting",
]  # fmt: skip
