"""Frozen rules, tuning again, promises."""
