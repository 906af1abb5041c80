"""Long jobs: planned, started, paused, resumed and deleted in the same way, whatever they are about."""
