"""How many processes score for the users of one app, from the environment. No streamlit."""

import os

from groundscope.errors import GroundscopeError

VARIABLE = "GROUNDSCOPE_WORKERS"
"""Environment variable with the number of processes that score; each holds models of its own in memory."""
MOST = 64


def processes() -> int:
    """How many processes may score at a time: 1 unless the variable says more.

    Raises:
        GroundscopeError: it says something else than such a number.
    """
    text = os.environ.get(VARIABLE, "").strip() or "1"
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 4 else 0
    if not 1 <= number <= MOST:
        raise GroundscopeError(
            f"{VARIABLE} is {text[:40]!r}. Set it to a whole number from 1 to {MOST}, the processes that score for all users "
            "together, or leave it out."
        )
    return number
