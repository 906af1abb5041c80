"""Retrieval-augmented generation measured: where each error of a pipeline comes from, and what the differences mean."""
