"""The name that a browser bears in a cookie, so that it finds its pasted cases again; loaded before anything else is."""

import re
import secrets

COOKIE = "groundscope_browser"
"""Name of the cookie that holds it."""
DAYS = 90
"""How long it is kept, and what is kept under it, from the last visit on."""

_NAME = re.compile(r"[A-Za-z0-9_-]{43}")


def new_name() -> str:
    """Draw a name for a browser."""
    return secrets.token_urlsafe(32)


def is_name(text: str) -> bool:
    """Check whether a cookie's value can be a name that `new_name` drew."""
    return _NAME.fullmatch(text) is not None
