"""Exact character n-gram lookup at array speed: normalised codes, a rolling hash, and proof by comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint32]
Positions = NDArray[np.int64]
Offsets = NDArray[np.int32]
Flags = NDArray[np.bool_]

_BASE = np.uint32(0x9E3779B1)
_BITMAP_BITS = 20
_BORDER = np.uint32(0xFFFFFFFF)
"""No character: an n-gram that touches it equals none of the response's."""


@dataclass(frozen=True)
class Normalised:
    """Normalised text as code points, and where each stood in the original (both of length n_characters)."""

    codes: Codes
    origin: Offsets


@dataclass(frozen=True)
class NgramIndex:
    """Several normalised texts in one array, with a border after each.

    `origin`: (n_characters,) offset in the text that the character came from; `starts`: (n_texts,) where each begins in `codes`.
    """

    codes: Codes
    origin: Offsets
    starts: Positions
    owners: tuple[int, ...]

    def owner(self, position: int) -> int:
        """Return which text stands at a position of `codes` that is no border, by the index that it was given in `join`."""
        return self.owners[int(np.searchsorted(self.starts, position, "right")) - 1]


@lru_cache(maxsize=1)
def _is_space() -> Flags:
    table = np.zeros(0x3002, dtype=np.bool_)
    table[[c for c in range(0x3001) if chr(c).isspace()]] = True
    return table


def normalise(text: str, start: int = 0) -> Normalised:
    """Normalise white space as data-portraits does, and give each character's offset in the original, from `start` on.

    Runs of line breaks become one newline, runs of other white space one space; white space after a newline and at both ends
    is removed.
    """
    codes: NDArray[Any]
    if text.isascii():
        # A quarter of the memory to walk through, and no character beyond the table.
        codes = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
        space = _is_space()[codes]
    else:
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        space = _is_space()[np.minimum(codes, 0x3001)]
    solid = ~space
    if not solid.any():
        return Normalised(np.empty(0, np.uint32), np.empty(0, np.int32))
    first, last = int(solid.argmax()), len(solid) - int(solid[::-1].argmax())
    codes, space = codes[first:last], space[first:last]
    newline = (codes == 10) | (codes == 13)
    run_start = space.copy()
    run_start[1:] &= ~space[:-1]
    keep = ~space | run_start
    inner = np.flatnonzero(newline & ~run_start)
    if inner.size:
        # In a run that opens with a space and holds a newline, that newline stays too: " \n\n " -> " \n".
        run = np.cumsum(run_start)[inner]
        opening = np.flatnonzero(run_start)[run - 1]
        earliest = np.concatenate(([True], run[1:] != run[:-1]))
        keep[inner[earliest & ~newline[opening]]] = True
    # Most texts have single spaces only: then everything between the ends stays where it is.
    plain = bool(keep.all())
    chosen: Any = slice(None) if plain else np.flatnonzero(keep)
    normal = codes[chosen].astype(np.uint32)
    odd = space & (codes != 32)
    if odd.any():
        normal[space[chosen]] = 32
        normal[newline[chosen]] = 10
    origin = np.arange(len(codes), dtype=np.int32) if plain else chosen.astype(np.int32)
    return Normalised(normal, origin + np.int32(start + first))


def join(texts: Sequence[Normalised], owners: Sequence[int]) -> NgramIndex:
    """Concatenate texts with a border before the first and after each, where `origin` is -1; several texts may share an owner."""
    border, nowhere = np.array([_BORDER]), np.array([-1], dtype=np.int32)
    codes, origin = [border], [nowhere]
    for text in texts:
        codes += [text.codes, border]
        origin += [text.origin, nowhere]
    starts = 1 + np.cumsum([0, *(len(t.codes) + 1 for t in texts)])[:-1]
    return NgramIndex(np.concatenate(codes), np.concatenate(origin), starts, tuple(owners))


class SharedRun(NamedTuple):
    """`length` characters that stand at `response` in the response's codes and at `context` in the corpus's."""

    response: int
    context: int
    length: int


@dataclass(frozen=True)
class Hits:
    """Which n-grams of the response are members of the corpus, (n_characters - n + 1,) with repetition, and where.

    `gram`: id of each n-gram's text; equal text, equal id. `groups`: (n_ids + 1,) borders of the groups in `places`.
    """

    n: int
    member: Flags
    gram: Positions
    places: Positions
    groups: Positions


def find(response: Codes, corpus: Codes, n: int) -> Hits:
    """Look up every n-gram of the response in the corpus, character by character; empty arrays if the response is shorter."""
    count = len(response) - n + 1
    if count < 1:
        empty = np.empty(0, np.int64)
        return Hits(n, np.empty(0, np.bool_), empty, empty, np.zeros(1, np.int64))
    windows = np.lib.stride_tricks.sliding_window_view(response, n)
    # A void view makes equal text equal ids without a hash; the response is short, so sorting it is cheap.
    rows = np.ascontiguousarray(windows).view(np.dtype((np.void, 4 * n))).ravel()
    _, first, gram = np.unique(rows, return_index=True, return_inverse=True)
    found_at, found_gram = _lookup(windows[first], corpus, n)
    order = np.lexsort((found_at, found_gram))
    places, ids = found_at[order], found_gram[order]
    groups = np.searchsorted(ids, np.arange(len(first) + 1))
    member = (np.diff(groups) > 0)[gram]
    return Hits(n, member, gram, places, groups)


def _lookup(grams: Codes, corpus: Codes, n: int) -> tuple[Positions, Positions]:
    """Positions in the corpus that hold one of the distinct n-grams (n_grams, n), and which one."""
    if len(corpus) < n:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    gram_hashes = _hash(grams)[:, 0]
    order = np.argsort(gram_hashes, kind="stable")
    ordered = gram_hashes[order]
    hashes = _hash(corpus, n)
    shift = np.uint32(32 - _BITMAP_BITS)
    bitmap = np.zeros(1 << _BITMAP_BITS, dtype=np.bool_)
    bitmap[ordered >> shift] = True
    near = np.flatnonzero(bitmap[hashes >> shift])
    low = np.searchsorted(ordered, hashes[near], "left")
    high = np.searchsorted(ordered, hashes[near], "right")
    windows = np.lib.stride_tricks.sliding_window_view(corpus, n)
    at: list[Positions] = []
    which: list[Positions] = []
    # Distinct n-grams with one hash are next to each other: try the first, then the second, ... of each group.
    while (alive := low < high).any():
        near, low, high = near[alive], low[alive], high[alive]
        candidate = order[low]
        same = _equal(windows, near, grams, candidate)
        at.append(near[same])
        which.append(candidate[same])
        low = np.where(same, high, low + 1)
    none = np.empty(0, np.int64)
    return (np.concatenate(at), np.concatenate(which)) if at else (none, none)


def _equal(windows: Codes, rows: Positions, grams: Codes, candidates: Positions, chunk: int = 1 << 16) -> Flags:
    parts = [(windows[rows[i : i + chunk]] == grams[candidates[i : i + chunk]]).all(axis=1) for i in range(0, len(rows), chunk)]
    return np.concatenate(parts) if parts else np.empty(0, np.bool_)


def _hash(codes: Codes, n: int | None = None) -> Codes:
    """Polynomial hash modulo 2^32 of every window of n codes along the last axis, in log2(n) passes.

    h(a + b) = h(a) * base^len(b) + h(b), so windows of length 2k and k + 1 follow from those of length k and 1.
    """
    n = codes.shape[-1] if n is None else n
    single = codes * np.uint32(0x85EBCA6B) + np.uint32(1)
    window, length = single, 1
    for bit in bin(n)[3:]:
        window = window[..., :-length] * np.uint32(pow(int(_BASE), length, 1 << 32)) + window[..., length:]
        length *= 2
        if bit == "1":
            window = window[..., :-1] * _BASE + single[..., length:]
            length += 1
    # Multiplying once more carries the low bits into the high ones, which index the bitmap.
    return (window ^ (window >> np.uint32(15))) * np.uint32(0x2C1B3C6D)


def runs(response: Codes, corpus: Codes, hits: Hits, start: int, end: int, *, most: int = 50) -> list[SharedRun]:
    """Find verbatim runs of `response[start:end]`, left to right, each the longest where it begins, by what `find` returned.

    They have at least n characters, and two neighbours overlap by less than n. At most so many places are tried per n-gram, so
    that repetitive text stays fast.
    """
    longest: list[SharedRun] = []
    i = start
    while i + hits.n <= end:
        if not hits.member[i]:
            i += 1
            continue
        group = hits.places[hits.groups[hits.gram[i]] : hits.groups[hits.gram[i] + 1]][:most]
        best = max((SharedRun(i, int(p), _common(response[i:end], corpus[p:])) for p in group), key=lambda run: run.length)
        longest.append(best)
        i += best.length - hits.n + 1
    return longest


def _common(a: Codes, b: Codes) -> int:
    """Length of the common beginning."""
    size = min(len(a), len(b))
    differs = np.flatnonzero(a[:size] != b[:size])
    return int(differs[0]) if differs.size else size
