"""Files by their path or their address (s3://, gs://), by pyarrow's file systems: reached in bounded time, named without keys."""

import pickle
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from groundscope.errors import DataError

FIRST = 30.0
"""Seconds in which a store must answer at all."""
_RETRY = 60
"""Seconds in which gs:// is asked again after a fault; pyarrow's own limit is 15 minutes."""
_ADDRESS = re.compile(r"(\w{2,}):/")
_USER = re.compile(r"^(?:[^/]*:.*@|[^/]*@)")
"""A name and a password; one with a stroke in it is wrong, and is hidden all the same. A bucket's name has no colon."""
_GONE = re.compile(r"NETWORK_CONNECTION|curl|UNAVAILABLE|DEADLINE|HTTP status 5|resolve", re.IGNORECASE)
_REFUSED = re.compile(
    r"ACCESS_DENIED|AccessDenied|PERMISSION_DENIED|UNAUTHENTICATED|HTTP status (?:code: )?40[13]|INVALID_ACCESS_KEY|"
    r"InvalidAccessKeyId|SIGNATURE|MISSING_AUTHENTICATION"
)
_KEYS = {
    "s3": "see AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile in ~/.aws, on every machine",
    "gs": "see GOOGLE_APPLICATION_CREDENTIALS on every machine; a bucket that everyone may read is gs://anonymous@BUCKET/...",
}

T = TypeVar("T")


def is_address(path: str) -> bool:
    """Check whether a path is an address, also where its two strokes have become one, as in a `pathlib.Path`."""
    return bool(_ADDRESS.match(path))


def whole(path: Path) -> str:
    """Write a path as it was typed: of the two strokes of an address `Path` keeps one."""
    return re.sub(r"(\w{2,}):/(?!/)", r"\1://", str(path)) if is_address(str(path)) else str(path)


def shown(path: str) -> str:
    """Name a file or an address where people read it."""
    if not is_address(path):
        return path
    scheme, _, rest = path.partition(":")
    return f"{scheme}://{_USER.sub('', rest.lstrip('/')).partition('?')[0]}"


def without_keys(path: str) -> None:
    """Refuse an address with a key in it, which would stand in the shell's history and in the results."""
    if not is_address(path):
        return
    scheme, _, rest = path.partition("://")
    user = _USER.match(rest)
    if user and (scheme not in {"gs", "gcs"} or user[0] != "anonymous@"):
        raise DataError(f"{shown(path)} was typed with a name or a key in it; leave it out and {_KEYS.get(scheme, _KEYS['s3'])}.")


def file_system(path: str, *, quick: bool = False) -> tuple[Any, str]:
    """Find the file system of a path."""
    from pyarrow import ArrowInvalid, fs

    without_keys(path)
    if not is_address(path):
        return fs.LocalFileSystem(), str(Path(path).resolve())
    try:
        if urlsplit(path).scheme in {"gs", "gcs"} and "retry_limit_seconds=" not in path:
            path += f"{'&' if '?' in path else '?'}retry_limit_seconds={10 if quick else _RETRY}"
        system, place = fs.FileSystem.from_uri(path)
    except (ArrowInvalid, OSError, ValueError) as error:
        raise unreadable(path, error) from None
    # Of an address pyarrow asks eleven times, 100 s in all where nothing answers; of a copy, three times.
    return (pickle.loads(pickle.dumps(system)) if quick else system), str(place)  # noqa: S301 - just made


def files_at(path: str, endings: Sequence[str]) -> list[str]:
    """Find the files that a path or an address names: itself, or all in it."""
    from pyarrow import fs

    def look() -> tuple[Any, str, Any]:
        system, place = file_system(path, quick=True)
        return system, place, system.get_file_info(place)

    try:
        system, place, info = _answered(look, path) if is_address(path) else look()
        if info.type == fs.FileType.NotFound:
            raise DataError(f"{shown(path)} is not there.{_bucket(path, system, place)}")
        if info.type != fs.FileType.Directory:
            return [path if is_address(path) else place]
        inside = system.get_file_info(fs.FileSelector(place, recursive=True))
    except OSError as error:
        raise unreadable(path, error) from None
    names = sorted(f.path for f in inside if f.type == fs.FileType.File and f.path.endswith(tuple(endings)))
    if not names:
        raise DataError(f"{shown(path)} has no file that ends in {', '.join(endings)}.")
    return [_beside(path, name) for name in names] if is_address(path) else names


def _answered(function: Callable[[], T], path: str) -> T:
    """Call what waits for a store outside of Python, where nothing stops it, and give up after `FIRST` seconds."""
    answer: Future[T] = Future()

    def work() -> None:
        try:
            answer.set_result(function())
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=work, daemon=True).start()
    try:
        return answer.result(FIRST)
    except TimeoutError:
        raise unreadable(path, TimeoutError(f"no answer within {FIRST:.0f} s, UNAVAILABLE")) from None


def unreadable(path: str, error: Exception) -> DataError:
    """Say why a file cannot be read, and what to do."""
    why = re.sub(r"\S*@\S*", "...", str(error).replace(path, shown(path)).partition("\n")[0])[:300]
    scheme = urlsplit(path).scheme.replace("gcs", "gs") if is_address(path) else ""
    if scheme in _KEYS and _REFUSED.search(why):
        return DataError(f"{shown(path)} cannot be read: the store refuses the key of this machine; {_KEYS[scheme]}.")
    if scheme in _KEYS and _GONE.search(why):
        return DataError(
            f"{shown(path)} cannot be read: the store does not answer ({_cause(why)}). See that every machine reaches it, and "
            "that endpoint_override or AWS_ENDPOINT_URL, where one is set, names it."
        )
    return DataError(f"{shown(path)} cannot be read ({why.rstrip('.')}).")


def _cause(why: str) -> str:
    for words in ("Could not connect to server", "Timeout was reached", "no answer within [0-9]+ s", "Could not resolve host"):
        if match := re.search(words, why):
            return match[0].lower()
    status = re.search(r"HTTP status (?:code: )?(\d+)", why)
    return f"HTTP status {status[1]}" if status else "no connection"


def _bucket(path: str, system: Any, place: str) -> str:
    """Say so where the bucket itself is missing; those that may not ask get nothing."""
    from pyarrow import fs

    bucket = place.partition("/")[0]
    try:
        gone = is_address(path) and system.get_file_info(bucket).type == fs.FileType.NotFound
    except OSError:
        return ""
    return f" There is no bucket {bucket} at this store; see its name and endpoint_override." if gone else ""


def _beside(path: str, name: str) -> str:
    """The address of a file of the same store."""
    scheme, _, rest = path.partition("://")
    _, mark, options = rest.partition("?")
    user = _USER.match(rest)
    return f"{scheme}://{user[0] if user else ''}{quote(name)}{mark}{options}"
