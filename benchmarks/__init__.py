"""Measurements: speed, and the figures that the app quotes."""
