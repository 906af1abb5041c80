"""Runs on many processes and machines."""
