"""A reader of long texts or large files, in a child process: a page waits for it, the server does not.

Arguments go to the child as a pickle. Its answer is a pickle too, of which only plain values and classes of this project are
accepted, so that a child that a hostile file took over cannot run anything in the app.
"""

import builtins
import io
import os
import pickle
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any, ParamSpec, TypeVar, cast

from groundscope.errors import DataError, GroundscopeError
from groundscope.files.child_process import child, limit

FILES = 500_000
"""Bytes of files that are read in the server; of the shortest rows, which are the slowest, they take 0.15 s."""
CITING = 25_000
"""Bytes of texts whose citations are read in the server: full of citations, they take 0.2 s."""
SECONDS = 60
_MEMORY = 2_000_000_000
_MOST_OUT = 300_000_000
"""Bytes that an answer may have: they go into the app's own memory."""
_PACKED = (b"\x1f\x8b\x08", b"PAR1")
"""How gzip and Parquet begin: small ones may be large inside."""
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Threads reserve address space, which counts as memory."""
_PLAIN = {"set", "frozenset", "ValueError", "RuntimeError"}

_SLOW = f"This took longer than {SECONDS} seconds to read; split it into smaller parts."
_HEAVY = "This takes more memory than the app may use to read; split it into smaller parts."

P = ParamSpec("P")
T = TypeVar("T")


def apart(most: int, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a reader: in a child process if what it gets is large or compressed, else here.

    Raises:
        Exception: a `GroundscopeError` or ValueError of the function, or a RuntimeError that names its fault.
    """
    sent = pickle.dumps((function.__module__, function.__qualname__, arguments, named))
    if len(sent) <= most and not any(mark in sent for mark in _PACKED):
        return function(*arguments, **named)
    ended = child("groundscope.files.apart", data=sent, seconds=SECONDS, environment=_ONE_THREAD)
    if ended.code is None:
        raise DataError(_SLOW)
    if ended.code:
        raise DataError(_HEAVY)
    raised, answer = _Answer(io.BytesIO(ended.out)).load()
    if raised:
        raise answer
    return cast(T, answer)


class _Answer(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """Refuse everything but plain values and this project's own: making one of these opens and starts nothing."""
        if module == "builtins" and name in _PLAIN:
            return getattr(builtins, name)
        if (module, name) == ("collections", "Counter"):
            return Counter
        found = super().find_class(module, name) if module.partition(".")[0] in ("groundscope", "components") else None
        if not isinstance(found, type) or found.__module__ != module or not _is_value(found):
            raise pickle.UnpicklingError(f"{module}.{name} is no value")
        return found


def _is_value(found: type) -> bool:
    return is_dataclass(found) or issubclass(found, (tuple, Enum, GroundscopeError))


def _main() -> int:
    limit(_MEMORY, SECONDS)
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
    sys.exit(_main())
