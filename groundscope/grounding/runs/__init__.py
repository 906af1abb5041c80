"""Runs of methods over cases: planned, worked on, stored, exported and read."""

__all__ = ["added_types", "arrays", "folder", "listing", "planning", "reader", "store", "work"]
