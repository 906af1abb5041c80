"""Weights that ship with the project, what they are made from, and how."""
