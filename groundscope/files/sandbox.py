"""Read long texts and large files in a child process with limits on memory and time, so that the server is never blocked.

Arguments go to the child as a pickle. Its answer is a pickle too, of which only plain values and classes of this project are
accepted, so that a child that a hostile file took over cannot run anything in the app. One child works at a time; others wait in
turn, so that many large files together cannot fill the machine.
"""

import builtins
import io
import os
import pickle
import subprocess
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from threading import Thread, get_ident
from typing import Any, BinaryIO, ParamSpec, TypeVar, cast

from groundscope.errors import DataError, GroundscopeError
from groundscope.paths import ROOT
from groundscope.runtime.progress import still_wanted

_LOOK = 0.2
"""Seconds between two checks whether the child is still wanted."""
_line: deque[int] = deque()
"""The threads that wait for their child, the one whose child works first."""


def _give(to: BinaryIO, data: bytes) -> None:
    # The child may end before it has read everything.
    with suppress(OSError), to:
        to.write(data)


@contextmanager
def _turn() -> Iterator[None]:
    _line.append(mine := get_ident())
    try:
        while _line[0] != mine:
            still_wanted()
            time.sleep(_LOOK)
        yield
    finally:
        _line.remove(mine)


FILES = 500_000
"""Bytes of files that are read in the server; of the shortest rows, which are the slowest, they take 0.15 s."""
CITING = 25_000
"""Bytes of texts whose citations are read in the server: full of citations, they take 0.2 s."""
SECONDS = 60
_MEMORY = 2_000_000_000
_MOST_OUT = 300_000_000
"""Bytes that an answer may have: they go into the app's own memory."""
_PACKED = (b"\x1f\x8b\x08", b"PAR1", b"PK\x03\x04")
"""How gzip, Parquet and Excel workbooks begin: small ones may be large inside."""
_ENVIRONMENT = {
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), "1"),
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""Threads and Arrow's own allocators reserve address space ahead, which counts as memory."""
_PLAIN = {"set", "frozenset", "ValueError", "RuntimeError"}

_SLOW = f"This took longer than {SECONDS} seconds to read; split it into smaller parts."
_HEAVY = "This takes more memory than the app may use to read; split it into smaller parts."

P = ParamSpec("P")
T = TypeVar("T")


def sandboxed(most: int, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a reader: in a child process if what it gets is large or compressed, else here.

    What it raises, a `GroundscopeError` or ValueError, comes back, or a RuntimeError that names another fault.
    """
    sent = pickle.dumps((function.__module__, function.__qualname__, arguments, named))
    if len(sent) <= most and not any(mark in sent for mark in _PACKED):
        return function(*arguments, **named)
    return cast(T, _answer_to(sent, SECONDS, _SLOW, _HEAVY))


def in_child(function: Callable[..., T], *arguments: object, seconds: float = SECONDS, slow: str, heavy: str) -> T:
    """Call a reader in a child process, as `sandboxed`; what it says of one that ended for want of time, and of memory."""
    sent = pickle.dumps((function.__module__, function.__qualname__, arguments, {}))
    return cast(T, _answer_to(sent, seconds, slow, heavy))


def _answer_to(sent: bytes, seconds: float, slow: str, heavy: str) -> Any:
    with _turn():
        code, out = _run(sent, seconds)
    if code is None:
        raise DataError(slow)
    if code:
        raise DataError(heavy)
    raised, answer = _Answer(io.BytesIO(out)).load()
    if raised:
        raise answer
    return answer


def _run(data: bytes, seconds: float) -> tuple[int | None, bytes]:
    """The exit code of a child, None if it ran out of time, and its output."""
    command, pipe, deadline = [sys.executable, "-m", "groundscope.files.sandbox"], subprocess.PIPE, time.monotonic() + seconds
    # What libraries print quotes the file, and a broken one makes them print without end.
    with subprocess.Popen(  # noqa: S603 - our own interpreter and module, no shell
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={**os.environ, **_ENVIRONMENT}, cwd=ROOT
    ) as process:
        # Python 3.11's `communicate` does not send the rest of its input once it has timed out.
        Thread(target=_give, args=(process.stdin, data), daemon=True).start()
        process.stdin = None
        try:
            while time.monotonic() < deadline:
                still_wanted()
                with suppress(subprocess.TimeoutExpired):
                    out, _ = process.communicate(timeout=min(_LOOK, seconds))
                    return process.returncode, out
            return None, b""
        finally:
            process.kill()


class _Answer(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything but plain values and this project's own: making one of these opens and starts nothing."""
        if module == "builtins" and name in _PLAIN:
            return getattr(builtins, name)
        if (module, name) == ("collections", "Counter"):
            return Counter
        value_type = super().find_class(module, name) if module.partition(".")[0] in ("groundscope", "components") else None
        ours = value_type if isinstance(value_type, type) and value_type.__module__ == module else None
        if ours is None or not (is_dataclass(ours) or issubclass(ours, (tuple, Enum, GroundscopeError))):
            raise pickle.UnpicklingError(f"{module}.{name} is no value")
        return ours


def _limit() -> None:
    """Limit this process, on systems that support it: it ends also if the app that started it is gone."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    except (ImportError, ValueError, OSError):
        pass  # No such limit on this system: the time and the sizes that are counted still hold.


def _main() -> int:
    _limit()
    out = os.fdopen(os.dup(1), "wb")
    # What libraries print is no part of the answer.
    os.dup2(2, 1)
    module, name, arguments, named = pickle.load(sys.stdin.buffer)  # noqa: S301 - our own parent's
    try:
        answer = pickle.dumps((False, getattr(import_module(module), name)(*arguments, **named)))
    except GroundscopeError as error:
        answer = pickle.dumps((True, error))
    except ValueError as error:
        answer = pickle.dumps((True, ValueError(str(error))))
    except MemoryError:
        return 1
    except Exception as error:  # A fault of the reader, which may quote the text: the name is all that may be said.
        answer = pickle.dumps((True, RuntimeError(f"{module}.{name} stopped with {type(error).__name__}")))
    if len(answer) > _MOST_OUT:
        return 1
    out.write(answer)
    out.flush()
    return 0


if __name__ == "__main__":
    # Arrow's threads sometimes abort an interpreter that takes itself down, after all was written.
    os._exit(_main())
