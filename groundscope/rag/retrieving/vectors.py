"""Vectors of passages kept on disk by content, so that nothing is embedded twice, nor paid for twice.

They are kept text by text under the embedder's signature: a corpus that grows or is cut again costs its new passages only, and a
run that was killed resumes where it was. Texts are embedded in slices, and each slice is kept as it comes, as one file, written
whole and named after a hash of its bytes: a damaged file is known by that, and its texts are embedded again.

A file holds hashes of texts and their vectors. Texts can be guessed from vectors, so vectors reach the disk only where texts may
leave a trace (`groundscope.runtime.retention`); elsewhere they live as long as the search. `forget` deletes them.
"""

import io
import logging
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundscope.errors import DataError
from groundscope.paths import data_folder, replacing
from groundscope.runtime.retention import may_keep
from groundscope.storage.support_cache import digest
from groundscope.text.embedding import Embedder, Hear
from groundscope.types import Matrix

SLICE = 256
"""Texts that are embedded and kept at once, and so what a kill may cost, where the embedder names no `slice_size` of its own."""

_DIGEST = 16
_LENGTH = 1e-3
"""How far from 1 the length of a vector may be; services round theirs."""
_LAYOUT = b"vectors-1"
"""Goes into every file's hash, so that a file of another layout is not believed."""
_log = logging.getLogger("groundscope")

Content = NDArray[np.void]
"""(m,) records of a text's hash and its vector."""


def folder() -> Path:
    """Find the folder where vectors are kept, inside the data folder; it may not exist yet."""
    return data_folder() / "vectors"


def size() -> int:
    """Measure how much the kept vectors take."""
    total = 0
    for path in folder().rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def forget() -> bool:
    """Delete kept vectors; whether all are gone."""
    shutil.rmtree(folder(), ignore_errors=True)
    with suppress(OSError):
        return not folder().exists()
    return False


def embedded(embedder: Embedder, texts: Sequence[str], hear: Hear) -> Matrix:
    """The (n, d) float32 vectors of passages, of length 1: kept ones are read, the others embedded in slices, equal ones once.

    `hear` gets how many of the distinct texts have a vector; it may raise `Cancelled`, and what was embedded until then stays
    kept. Two dimensions under one signature mean that it does not say all, so a `DataError` is raised and neither is thrown
    away unasked.
    """
    distinct = {digest(text): text for text in texts}
    vectors, home = _Vectors(list(distinct)), _home(embedder.signature)
    for content in _read_all(home):
        vectors.take(content)
        if not vectors.missing:
            break
    total, left, keep = len(distinct), list(vectors.missing), may_keep()
    hear(total - len(left), total)
    step = int(getattr(embedder, "slice_size", SLICE))
    for start in range(0, len(left), step):
        keys = left[start : start + step]
        done = total - len(left) + start
        batch = embedder.passages([distinct[key] for key in keys], partial(_tell, hear, done, len(keys), total))
        content = _content(keys, checked(batch, len(keys)))
        vectors.take(content)
        # After one slice that cannot be written the others could not be either.
        keep = keep and _write(home, content)
        hear(done + len(keys), total)
    return vectors.of([digest(text) for text in texts])


def checked(vectors: Any, count: int, dimension: int | None = None) -> Matrix:
    """Refuse what are no unit vectors."""
    if not isinstance(vectors, np.ndarray) or vectors.dtype != np.float32 or vectors.ndim != 2 or not vectors.shape[1]:
        raise DataError("The embedder gave no table of float32 vectors, so that nothing can be found with it; choose another.")
    if len(vectors) != count:
        raise DataError(f"The embedder gave {len(vectors):,} vectors for {count:,} texts; run again, or choose another.")
    if dimension is not None and vectors.shape[1] != dimension:
        raise _other_dimension(vectors.shape[1], dimension)
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))
    # A row with NaN or an infinite number in it has no length near 1 either.
    wrong = int((~(np.abs(lengths - 1.0) <= _LENGTH)).sum())
    if wrong:
        raise DataError(
            f"The embedder gave {wrong:,} of {count:,} vectors that are not finite or not of length 1; choose another."
        )
    return vectors


class _Vectors:
    """Rows of distinct texts that are filled as vectors come.

    `missing`: the hashes of texts without a vector yet, with their rows.
    """

    def __init__(self, keys: list[bytes]) -> None:
        self._rows = {key: row for row, key in enumerate(keys)}
        self.missing = dict(self._rows)
        self._matrix: Matrix | None = None

    def take(self, content: Content) -> None:
        """Fill the rows that these records are for."""
        vectors: Matrix = content["vector"]
        if self._matrix is None:
            self._matrix = np.empty((len(self._rows), vectors.shape[1]), dtype=np.float32)
        if vectors.shape[1] != self._matrix.shape[1]:
            raise _other_dimension(vectors.shape[1], self._matrix.shape[1])
        raw = content["text"].tobytes()
        rows = [self.missing.pop(raw[i : i + _DIGEST], -1) for i in range(0, len(raw), _DIGEST)]
        present = [i for i, row in enumerate(rows) if row >= 0]
        self._matrix[[rows[i] for i in present]] = vectors[present]

    def of(self, keys: Sequence[bytes]) -> Matrix:
        """The rows of these texts, without a copy where they are all rows in their order."""
        if self._matrix is None:
            return np.empty((0, 0), dtype=np.float32)
        if len(keys) == len(self._rows):
            return self._matrix
        return self._matrix[[self._rows[key] for key in keys]]


def _tell(hear: Hear, before: int, part: int, total: int, done: int, of: int) -> None:
    hear(before + part * done // max(of, 1), total)


def _other_dimension(new: int, old: int) -> DataError:
    return DataError(
        f"The embedder gives vectors of {new:,} dimensions, and those of the index have {old:,}: choose that dimension again, "
        "or delete all kept vectors on the Methods page, under Kept results."
    )


def _home(signature: str) -> Path:
    return folder() / digest(signature).hex()


def _content(keys: Sequence[bytes], vectors: Matrix) -> Content:
    layout = np.dtype([("text", np.uint8, (_DIGEST,)), ("vector", "<f4", (vectors.shape[1],))])
    content = np.empty(len(keys), dtype=layout)
    content["text"] = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, _DIGEST)
    content["vector"] = vectors
    return content


def _name(data: bytes) -> str:
    return blake2b(data, digest_size=_DIGEST, person=_LAYOUT).hexdigest()


def _read_all(home: Path) -> Iterator[Content]:
    """The records of every sound file, in the order of the files' names; damaged files are deleted."""
    for path in sorted(home.glob("*.npy")):
        try:
            data = path.read_bytes()
        except OSError as error:
            _log.warning("stored vectors are not used: %s", error.strerror)
            continue
        if _name(data) == path.stem:
            yield np.load(io.BytesIO(data), allow_pickle=False)
            continue
        _log.warning("stored vectors were damaged and are computed again")
        with suppress(OSError):
            path.unlink()


def _write(home: Path, content: Content) -> bool:
    """Whether it is on disk now."""
    buffer = io.BytesIO()
    np.save(buffer, content, allow_pickle=False)
    data = buffer.getvalue()
    path = home / f"{_name(data)}.npy"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with replacing(path) as new:
            new.write_bytes(data)
    except OSError as error:
        _log.warning("vectors cannot be stored: %s", error.strerror)
        return False
    return True
