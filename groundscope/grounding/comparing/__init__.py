"""Methods of a run, and runs, against each other."""
