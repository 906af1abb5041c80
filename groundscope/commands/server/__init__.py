"""ASGI layers of the app, and commands for a team's server."""

__all__ = ["layers"]
