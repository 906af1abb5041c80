"""Verbs for a server that a team shares; who can run them there needs no login."""
