"""Pasted cases, and a reviewer's name, from one session to the next: files of a browser in the data folder, for this user alone.

Each browser has a random id in a cookie. Its files are named by a hash of that id, so the folder reveals no valid cookie.
"""

import os
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from groundscope.cases.browser_name import DAYS, is_name
from groundscope.cases.dataset import read, to_jsonl
from groundscope.errors import DataError, StoreError
from groundscope.files.fields import MAX_CHARACTERS
from groundscope.paths import data_folder, replace_text
from groundscope.types import Case

MOST = 200
"""Cases a browser; the oldest go first."""

_MOST_CHARACTERS = 2 * MAX_CHARACTERS
# Two tabs of one browser are two threads here, and share one file.
_lock = threading.Lock()


class PastedCases:
    """What is kept of one browser."""

    def __init__(self, browser: str) -> None:
        name = sha256(browser.encode()).hexdigest()[:32] if is_name(browser) else ""
        self._file = _folder() / f"{name}.jsonl" if name else None
        self._off = _folder() / f"{name}.off" if name else None
        self._reviewer = _folder() / f"{name}.reviewer" if name else None

    @property
    def possible(self) -> bool:
        """Whether this browser has a name, so that it can find its cases again."""
        return self._file is not None

    @property
    def on(self) -> bool:
        """Whether cases pasted from now on are kept."""
        return self._off is not None and not self._off.exists()

    def cases(self) -> tuple[Case, ...]:
        """Read the kept cases; files of all browsers that were not opened for `DAYS` are deleted."""
        with _lock:
            for path in filter(None, (self._file, self._off, self._reviewer)):
                with suppress(OSError):
                    os.utime(path)
            _drop_old()
            return self._read()

    def add(self, case: Case) -> None:
        """Keep a case, if this browser keeps any."""
        if self._file is None or not self.on:
            return
        if (size := len(to_jsonl([case]))) > MAX_CHARACTERS:
            raise DataError(
                f"This case is not saved for your next visit: it has {size:,} of at most {MAX_CHARACTERS:,} characters."
            )
        with self._writing():
            _write(self._file, [*(c for c in self._read() if c.id != case.id), case])

    def forget(self, case_id: str | None = None) -> None:
        """Delete kept cases."""
        if self._file is None:
            return
        with self._writing():
            left = [c for c in self._read() if c.id != case_id] if case_id is not None else []
            if left:
                _write(self._file, left)
            else:
                self._file.unlink(missing_ok=True)

    def keep(self, on: bool) -> None:
        """Set whether cases pasted from now on are kept; off also deletes those that are."""
        if self._off is None:
            return
        with self._writing():
            if on:
                self._off.unlink(missing_ok=True)
            else:
                replace_text(self._off, "")
        if not on:
            self.forget()

    def reviewer(self) -> str:
        """Read the name under which this browser reviews; empty where none is kept."""
        with suppress(OSError, UnicodeDecodeError):
            if self._reviewer is not None:
                return self._reviewer.read_text(encoding="utf-8")
        return ""

    def keep_reviewer(self, name: str) -> None:
        """Keep the name under which this browser reviews; an empty one forgets it."""
        if self._reviewer is None:
            return
        with self._writing():
            if name:
                replace_text(self._reviewer, name)
            else:
                self._reviewer.unlink(missing_ok=True)

    def _read(self) -> tuple[Case, ...]:
        with suppress(OSError, DataError):
            if self._file is not None and self._file.exists():
                return read(self._file.name, self._file.read_bytes()).cases
        return ()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            with _lock:
                yield
        except OSError as error:
            raise StoreError(
                f"What this browser keeps cannot be saved or deleted in {_folder()}: {error.strerror}. "
                "Free some space or make it writable."
            ) from None


def _folder() -> Path:
    return data_folder() / "pasted"


def _write(path: Path, cases: Sequence[Case]) -> None:
    """The newest cases that fit."""
    lines = [to_jsonl([case]) for case in cases][-MOST:]
    while len(lines) > 1 and sum(map(len, lines)) > _MOST_CHARACTERS:
        del lines[0]
    replace_text(path, "".join(lines))


def _drop_old() -> None:
    oldest = time.time() - DAYS * 24 * 3600
    with suppress(OSError):
        for path in _folder().iterdir():
            with suppress(OSError):
                if path.stat().st_mtime < oldest:
                    path.unlink()
