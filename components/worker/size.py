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
    said = os.environ.get(VARIABLE, "").strip() or "1"
    number = int(said) if said.isascii() and said.isdigit() and len(said) < 4 else 0
    if not 1 <= number <= MOST:
        raise GroundscopeError(
            f"{VARIABLE} is {said[:40]!r}. Set it to a whole number from 1 to {MOST}, the processes that score for all users "
            "together, or leave it out."
        )
    return number
