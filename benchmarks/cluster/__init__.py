"""Runs and users that outgrow one process: big runs, kills, rate limits, rates, and many sessions at once."""
