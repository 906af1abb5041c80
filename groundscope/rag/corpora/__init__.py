"""Corpora and questions: files, documents, and the sample set."""

__all__ = ["_rows", "corpus", "documents", "sample_corpus"]
