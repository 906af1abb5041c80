"""Retrieval-augmented generation measured: where each error of a pipeline comes from, and what the differences mean."""

__all__ = [
    "asking", "contrasts", "corpora", "effects", "experiments", "forecast", "loading", "offline_judge", "outcomes",
    "planning", "ranking", "records", "report", "retrieving", "types",
]  # fmt: skip
