"""File permissions: this user alone may read what Groundscope writes. Jobs, exports and stored replies hold texts of cases."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from groundscope.paths import ROOT, Variable, data_folder

_PRIVATE, _OTHERS = 0o077, 0o077
_POSIX = os.name == "posix"
_users: list[int] = []
"""The umask that this process was started with, once it is known."""


def begin() -> str:
    """Let this process and its children write files for this user alone, and close folders of earlier versions to others.

    Folders are closed once: an outer folder that is closed already is not looked through again.
    """
    if not _POSIX:
        return ""
    before = os.umask(_PRIVATE)
    if not _users:
        _users.append(before)
    store = Variable.STORE.read()
    named = [(data_folder(), Variable.DATA), *([(Path(store), Variable.STORE)] if store else [])]
    return " ".join(filter(None, (_closed(folder, variable) for folder, variable in named)))


@contextmanager
def users_umask() -> Iterator[None]:
    """Write a file that the user named with the umask that she has: it may be meant for others.

    It holds for the whole process, so that no other thread may write meanwhile.
    """
    if not _users:
        yield
        return
    before = os.umask(_users[0])
    try:
        yield
    finally:
        os.umask(before)


def _closed(folder: Path, variable: str) -> str:
    """Close a folder with everything in it to other users; what to say of it."""
    with suppress(OSError):
        if not folder.is_dir() or not folder.stat().st_mode & _OTHERS:
            return ""
        if _is_only_ours(folder):
            for path, folders, files in os.walk(folder, topdown=False):
                for name in (*folders, *files):
                    _close(Path(path, name))
            _close(folder)
            return f"{folder} was open to other users of this machine; now only you can read it."
    return f"{folder} is open to other users of this machine; name a folder of its own in {variable}, and start again."


def _is_only_ours(folder: Path) -> bool:
    """Whether it may be closed: it is this user's, and holds neither her home nor this program."""
    place = folder.resolve()
    return place.stat().st_uid == os.getuid() and not any(inner.is_relative_to(place) for inner in (Path.home(), ROOT))


def _close(path: Path) -> None:
    # A link's own mode means nothing, and what it leads to may be others'.
    if not path.is_symlink():
        path.chmod(path.stat().st_mode & 0o7777 & ~_OTHERS)
