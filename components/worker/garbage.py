"""Imported modules are excluded from garbage collection.

Streamlit collects all garbage after every run of a page. Going through all classes and functions of a hundred packages takes
0.15 s each time, in which no other session is served.
"""

import gc
import sys

_MORE = 20
"""Modules by which the imported ones must have grown: frozen objects include current garbage."""
_imported = 0


def pass_over_imports() -> None:
    """Freeze the objects that exist now, if many modules were imported since the last time."""
    global _imported
    if len(sys.modules) < _imported + _MORE:
        return
    _imported = len(sys.modules)
    # Streamlit has just collected what was garbage.
    gc.freeze()
