"""Sources of methods: the files of the folder `scorers`, and the entry points of installed packages."""

import importlib
import re
import traceback
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from groundscope.errors import ScorerUnavailable

GROUP = "groundscope.methods"
FILES = "scorers"
_ID = re.compile(r"[A-Za-z0-9][\w.-]*")
_ID_WORDS = "an id begins with a letter or a digit and has no other characters than letters, digits, `_`, `.` and `-`"
_LONGEST = 200
"""Longest part of a third-party error message that is shown, in characters."""


class MethodSource(NamedTuple):
    """Where a method comes from."""

    name: str
    module: str
    read: Callable[[], object]
    repair: str


def files() -> dict[str, MethodSource]:
    """Sources of the folder `scorers` by id, without files with a leading underscore.

    Read at each call, so that new and corrected files count at once.
    """
    spec = find_spec(FILES)
    folders = (spec.submodule_search_locations or ()) if spec else ()
    stems = {p.stem for folder in folders for p in Path(folder).glob("*.py") if not p.stem.startswith("_")}
    return {stem: _file(stem) for stem in stems}


def _file(stem: str) -> MethodSource:
    module = f"{FILES}.{stem}"
    repair = f"run `make app` again or use pip to install what it needs, or correct scorers/{stem}.py"
    return MethodSource(f"scorers/{stem}.py", module, lambda: importlib.import_module(module), repair)


@lru_cache(maxsize=1)
def announced() -> tuple[dict[str, MethodSource], tuple[str, ...]]:
    """Methods of installed packages; read once, so that a package installed later needs a restart."""
    try:
        points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, _package(point)))
    except Exception as error:  # one damaged package must not affect the others
        return {}, (f"Installed packages cannot be searched for methods ({_words(error)}); install the damaged one again.",)
    by_id: dict[str, MethodSource] = {}
    problems = []
    for point in points:
        source = _point(point)
        if not _ID.fullmatch(point.name):
            problems.append(f"{source.name} is left out: {_ID_WORDS}; report this to its author.")
        elif point.name in by_id:
            problems.append(f"{source.name} is left out: another package has one of this id; uninstall one of the two.")
        else:
            by_id[point.name] = source
    return by_id, tuple(problems)


def sources() -> dict[str, MethodSource]:
    """All sources by id; a file goes before a package's method of the same id."""
    return {**announced()[0], **files()}


def _point(point: EntryPoint) -> MethodSource:
    package = _package(point)
    repair = f"install a version of {package} that fits, or uninstall it"
    return MethodSource(f"The method {point.name} of the package {package}", point.value.partition(":")[0], point.load, repair)


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else "of no name"


def read(source: MethodSource) -> object:
    """Import a method: a module, or the object that a package's entry point names."""
    try:
        return source.read()
    except (Exception, SystemExit) as error:  # whatever it raises must not affect other methods
        raise broken(source, error) from error


def broken(source: MethodSource, error: BaseException) -> ScorerUnavailable:
    """The error for a method that cannot be loaded: what fails, why, in which line, and what to do."""
    return ScorerUnavailable(f"{source.name} cannot be loaded ({_words(error)}{_line(source, error)}); {source.repair}.")


def _words(error: BaseException) -> str:
    """Its type and the first line of its message."""
    text = traceback.format_exception_only(error)[-1].strip().partition("\n")[0].rstrip(".")
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _line(source: MethodSource, error: BaseException) -> str:
    """The line of the method's own module that failed, in words."""
    stem = source.module.rpartition(".")[2]
    lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if Path(f.filename).stem == stem]
    if isinstance(error, SyntaxError) and Path(error.filename or "").stem == stem:
        lines.append(error.lineno)
    return f" in line {lines[-1]}" if lines and lines[-1] else ""
