"""Methods of a run against each other, and parts of a set."""
