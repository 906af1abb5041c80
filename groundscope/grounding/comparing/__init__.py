"""Methods of a run, and runs, against each other."""

__all__ = ["comparisons", "two_runs"]
