"""Where Groundscope keeps what outlives a session: downloaded weights, the pair cache, and the user's settings.

One folder, the operating system's usual place for an application's data; `GROUNDSCOPE_DATA` names another.
"""

import json
import os
import threading
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

DATA_VARIABLE = "GROUNDSCOPE_DATA"

_setting = threading.Lock()


def data_folder() -> Path:
    """The folder; it may not exist yet."""
    named = os.environ.get(DATA_VARIABLE)
    return Path(named) if named else user_data_path("groundscope", appauthor=False)


def settings() -> dict[str, Any]:
    """What the user set; empty where nothing was, or where the file cannot be read."""
    try:
        found = json.loads((data_folder() / "settings.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def set_setting(name: str, value: Any) -> None:
    """Keep one setting; None forgets it. Written whole, so that a reader never sees half a file.

    Raises:
        OSError: the folder cannot be written.
    """
    # Sessions are threads: two that wrote at once would share the new file, and one would lose what the other set.
    with _setting:
        kept = {**settings(), name: value}
        if value is None:
            del kept[name]
        folder = data_folder()
        folder.mkdir(parents=True, exist_ok=True)
        new = folder / f"settings.{os.getpid()}.new"
        new.write_text(json.dumps(kept, indent=1), encoding="utf-8")
        new.replace(folder / "settings.json")
