"""Parquet -> JSON lines, in a child process with a memory limit.

A 500 KB Parquet file can decode to gigabytes while its own metadata says otherwise, so no check beforehand is enough:
the child may fall over its limit, the app does not.
"""

import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Any

from groundscope.errors import DataError
from groundscope.files.sandbox import child, limit

_MEMORY = 2_000_000_000
_SECONDS = 60
_TOO_LARGE = "The Parquet file decodes to more than this app reads; split it into smaller files."
MAX_FIELDS = 10_000
"""Fields of a row, or of an object in it, and columns of a table."""
TOO_WIDE = f"The table has more than {MAX_FIELDS:,} columns; leave out those that are not needed."
_DAMAGED = "The Parquet file is damaged or not Parquet."


def parquet_rows(data: bytes, *, max_rows: int, max_bytes: int) -> Iterator[bytes]:
    """Convert Parquet to JSON lines; columns with text, numbers, booleans, and lists and records of those."""
    # Arrow's own allocators reserve address space ahead and would trip over the limit with small files.
    environment = {"ARROW_DEFAULT_MEMORY_POOL": "system", "OMP_NUM_THREADS": "1"}
    limits = (str(max_rows), str(max_bytes))
    ended = child("groundscope.files.parquet", *limits, data=data, seconds=_SECONDS, environment=environment)
    if ended.code == 0:
        return iter(io.BytesIO(ended.out))
    raise DataError({1: _DAMAGED, 3: _DAMAGED, 5: TOO_WIDE}.get(ended.code or 0, _TOO_LARGE))


def _main(max_rows: int, max_bytes: int) -> int:
    limit(_MEMORY, _SECONDS)
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(sys.stdin.buffer.read()))
    except (pa.ArrowInvalid, OSError):
        return 3
    if file.metadata.num_columns > MAX_FIELDS:
        return 5
    if file.metadata.num_rows > max_rows:
        return 4
    columns = [f.name for f in file.schema_arrow if not _is_bytes(f.type)]
    written = 0
    try:
        for batch in file.iter_batches(batch_size=16, use_threads=False, columns=columns):
            if batch.nbytes > max_bytes:
                return 4
            for row in batch.to_pylist():
                line = json.dumps(row, default=str).encode() + b"\n"
                written += len(line)
                if written > max_bytes:
                    return 4
                sys.stdout.buffer.write(line)
    except (pa.ArrowMemoryError, MemoryError):
        return 4
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return 3
    return 0


def _is_bytes(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


if __name__ == "__main__":
    code = _main(int(sys.argv[1]), int(sys.argv[2]))
    sys.stdout.flush()
    # Arrow's threads sometimes abort an interpreter that takes itself down, after all was written.
    os._exit(code)
