"""Mappings that were kept under a name, in the settings of the data folder."""

import threading
from collections.abc import Callable
from dataclasses import asdict

from groundscope.cases.mapping.field_mapping import FieldMapping, from_line
from groundscope.errors import DataError
from groundscope.paths import set_setting, settings
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role

_SETTING = "mappings"
_LONGEST = 60

_keeping = threading.Lock()


def named(text: str) -> FieldMapping:
    """Find a mapping that was kept, or read one from a line."""
    there = kept()
    if text.strip() in there:
        return there[text.strip()]
    if "=" in text:
        return from_line(text)
    raise DataError(f"No mapping is kept under the name {text!r}; there are {', '.join(there) or 'none yet'}.")


def kept() -> dict[str, FieldMapping]:
    """Read the mappings that were kept."""
    found = settings().get(_SETTING)
    lines = found if isinstance(found, dict) else {}
    read: dict[str, FieldMapping] = {}
    for name in sorted(lines):
        try:
            values = dict(lines[name])
            read[name] = FieldMapping(**{**values, "grounded": tuple(values.get("grounded", ()))})
        except (TypeError, ValueError):
            continue
    return read


def check_name(name: str) -> None:
    """Check the name of a mapping.

    Raises:
        DataError: it is empty, longer than 60 characters, or has an equals sign, which only a mapping has.
    """
    if not name.strip() or len(name) > _LONGEST or "=" in name:
        raise DataError("A mapping's name has 1 to 60 characters and no equals sign.")


def keep(name: str, mapping: FieldMapping) -> None:
    """Keep a mapping."""
    require(Role.REVIEWER)
    check_name(name)
    _set(lambda found: found | {name.strip(): mapping})


def forget(name: str) -> None:
    """Forget a mapping; one that is not there is no error."""
    require(Role.LEAD)
    _set(lambda found: {n: m for n, m in found.items() if n != name})


def _set(change: Callable[[dict[str, FieldMapping]], dict[str, FieldMapping]]) -> None:
    with _keeping:
        try:
            set_setting(_SETTING, {name: asdict(mapping) for name, mapping in change(kept()).items()} or None)
        except OSError as error:
            raise DataError(f"The mapping cannot be kept ({error.strerror}); make the data folder writable.") from None
