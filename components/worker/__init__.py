"""The scoring worker: one process beside the app in which models load and score."""
