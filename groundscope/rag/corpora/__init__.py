"""Corpora and questions: files, documents, and the sample set."""
