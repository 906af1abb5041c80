"""Runs that outgrow one process: big runs, kills, rate limits and rates."""
