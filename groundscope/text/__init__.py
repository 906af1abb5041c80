"""Text: sentences, facts, differences, alignment with a context, and location of quotes."""

__all__ = [
    "alignment", "context_names", "differences", "edits", "embedding", "english", "evidence", "facts", "humanize",
    "languages", "locate", "marks", "name_spelling", "named_sources", "names", "ngrams", "plain", "sentences", "shown",
    "values", "verbatim",
]  # fmt: skip
