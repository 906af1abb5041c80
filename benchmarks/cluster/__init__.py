"""Measurements of what serves many users, or is done by many processes."""
