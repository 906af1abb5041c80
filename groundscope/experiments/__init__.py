"""Long jobs: planned, started, paused, resumed and deleted in the same way, whichever paper they belong to."""
