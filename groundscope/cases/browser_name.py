"""Browser id stored in a cookie, under which its pasted cases are found again. Imported first, so it imports nothing heavy."""

import re
import secrets

COOKIE = "groundscope_browser"
"""Name of the cookie that holds it."""
DAYS = 90
"""Days from the last visit on for which the cookie and the cases stored under it are kept."""

_NAME = re.compile(r"[A-Za-z0-9_-]{43}")


def new_name() -> str:
    """Draw a random browser id."""
    return secrets.token_urlsafe(32)


def is_name(text: str) -> bool:
    """Whether a cookie's value can be an id that `new_name` drew."""
    return _NAME.fullmatch(text) is not None
