"""The scoring worker: one process beside the app, or several, in which models load and score."""

__all__ = ["job", "process", "reading", "scoring_process"]
