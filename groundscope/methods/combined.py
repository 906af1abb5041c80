"""Methods made of other methods: their fitted file, and the methods that it names."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from groundscope.errors import DataError, ScorerUnavailable
from groundscope.methods import Method, same_method
from groundscope.methods.registry import load
from groundscope.runtime.retention import reused
from groundscope.types import Case, Judgement

T = TypeVar("T")


class Member(NamedTuple):
    """A method as it was fitted: id in the registry, parameters, and signature; an empty one is not compared."""

    method: str
    options: Mapping[str, Any]
    signature: str


@lru_cache(maxsize=32)
def _kept(path: Path, _version: tuple[int, int], read: Callable[[Path], Any]) -> Any:
    return read(path)


def fitted(path: Path, read: Callable[[Path], T], what: str) -> T:
    """Read a fitted file, once while it stays as it is.

    Raises:
        ScorerUnavailable: there is none, or it cannot be read.
    """
    try:
        found = path.stat()
        # Two that are written within one tick of the clock differ in their number on the disk.
        made: T = _kept(path, (found.st_mtime_ns, found.st_ino), read)
    except OSError:
        named = "" if path.parent == Path() else f" called {path.stem}"
        raise ScorerUnavailable(
            f"No {what}{named} is here; run `python -m groundscope fit-{what}` to fit one, which then appears as {what}:NAME."
        ) from None
    except DataError as error:
        raise ScorerUnavailable(str(error)) from None
    return made


def judged(method: Method, case: Case) -> Judgement:
    """Let a method judge a case: once for all who ask, in a block of `groundscope.runtime.retention.reusing`."""
    known = reused()
    if known is None or method.asks:
        return method.score(case)
    try:
        found: Judgement | None = known.get((method, case))
    except TypeError:  # a parameter that cannot be compared, such as a list
        return method.score(case)
    if found is None:
        known[method, case] = found = method.score(case)
    return found


def members(wanted: Mapping[str, Member], what: str, unfit: Callable[[str, Method], str]) -> dict[str, Method]:
    """Build the methods of a fitted file.

    Raises:
        ScorerUnavailable: one is not here, is unfit, or has other weights or settings than when the file was fitted.
    """
    try:
        found = {name: load(member.method, **member.options) for name, member in wanted.items()}
    except ValueError as error:
        raise ScorerUnavailable(f"A method of this {what} is not here: {error}.") from None
    if why := next((why for name, scorer in found.items() if (why := unfit(name, scorer))), ""):
        raise ScorerUnavailable(why)
    for name, scorer in found.items():
        if not same_method(wanted[name].signature or scorer.signature, scorer.signature):
            raise ScorerUnavailable(
                f"This {what} was fitted over {name} with other weights or settings than it has now; put those back, or fit "
                f"the {what} again with `python -m groundscope fit-{what} --replace`."
            )
    return found
