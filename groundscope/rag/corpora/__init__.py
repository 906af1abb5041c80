"""Corpora and questions: files, documents, a hub, and the sample set."""
