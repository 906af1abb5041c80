"""Weights of local models: location, checks of a folder, downloads."""
