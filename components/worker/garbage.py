"""Garbage collections pass over what was imported, which is none.

Streamlit collects all garbage after every run of a page. Going through all classes and functions of a hundred packages takes
0.15 s each time, in which no other session is served.
"""

import gc
import sys

_MORE = 20
"""Modules by which the imported ones must have grown: what is kept from collection also keeps the garbage of that moment."""
_imported = 0


def pass_over_imports() -> None:
    """Keep what lives now from collection, if much was imported since the last time."""
    global _imported
    if len(sys.modules) < _imported + _MORE:
        return
    _imported = len(sys.modules)
    # Streamlit has just collected what was garbage.
    gc.freeze()
