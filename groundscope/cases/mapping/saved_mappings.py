"""Field mappings saved under a name in the user's settings."""

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict

from groundscope.cases.formats import FieldMapping
from groundscope.cases.mapping.field_mapping import from_line
from groundscope.errors import DataError
from groundscope.files.typed import stored
from groundscope.paths import set_setting, settings

_SETTING = "mappings"
_LONGEST = 60

_saving = threading.Lock()


def named(text: str) -> FieldMapping:
    """Look up a saved mapping by name, or read one from a line such as `context=FIELD,answer=FIELD`."""
    mappings = saved()
    if text.strip() in mappings:
        return mappings[text.strip()]
    if "=" in text:
        return from_line(text)
    raise DataError(f"There is no saved mapping called {text!r}; there are {', '.join(mappings) or 'none yet'}.")


def saved() -> dict[str, FieldMapping]:
    """All saved mappings by name; damaged ones are left out."""
    setting = settings().get(_SETTING)
    lines = setting if isinstance(setting, dict) else {}
    read: dict[str, FieldMapping] = {}
    for name in sorted(lines):
        with suppress(ValueError):
            read[name] = stored(FieldMapping, lines[name])
    return read


def check_name(name: str) -> None:
    """Refuse a name of a mapping that is empty, too long, or has an equals sign, which only a mapping has."""
    if not name.strip() or len(name) > _LONGEST or "=" in name:
        raise DataError("A mapping's name has 1 to 60 characters and no equals sign.")


def save(name: str, mapping: FieldMapping) -> None:
    """Save a mapping under a name; an earlier one of that name is replaced."""
    check_name(name)
    _set(lambda mappings: mappings | {name.strip(): mapping})


def delete(name: str) -> None:
    """Delete a saved mapping, if there is one of this name."""
    _set(lambda mappings: {n: m for n, m in mappings.items() if n != name})


def _set(change: Callable[[dict[str, FieldMapping]], dict[str, FieldMapping]]) -> None:
    with _saving:
        try:
            set_setting(_SETTING, {name: asdict(mapping) for name, mapping in change(saved()).items()} or None)
        except OSError as error:
            raise DataError(f"The mapping cannot be saved ({error.strerror}); make the data folder writable.") from None
