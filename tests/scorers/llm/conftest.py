"""Servers on loopback for the methods that ask a chat model."""

from tests.groundscope.chat.clients.conftest import fresh, serve

__all__ = ["fresh", "serve"]
