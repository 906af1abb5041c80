"""Rows to keep in a pair cache, and what another process finds of them."""

import sqlite3
import subprocess
from contextlib import closing
from hashlib import shake_256
from pathlib import Path

from groundscope.storage.support_cache import PairCache, digest, pair_key

TEXT = "The landlord Aurelia Quist kept the deposit."


def key_of(name: object) -> bytes:
    return pair_key(digest("signature"), digest(TEXT), digest(str(name)))


def noise(size: int, seed: str = "noise") -> bytes:
    return shake_256(seed.encode()).digest(size)


def noisy_keys(count: int, seed: str) -> list[bytes]:
    found = noise(16 * count, seed)
    return [found[i : i + 16] for i in range(0, len(found), 16)]


def rows_of(count: int, name: str = "") -> dict[bytes, float]:
    return {key_of(f"{name}{i}"): i / count for i in range(count)}


def found_anew(path: Path, wanted: dict[bytes, float]) -> dict[bytes, float]:
    """What a process that starts now finds."""
    with closing(PairCache(path)) as other:
        return other.get(list(wanted))


def in_table(path: Path, table: str) -> set[bytes]:
    with closing(sqlite3.connect(path)) as db:
        return {key for (key,) in db.execute(f"SELECT key FROM {table}")}  # noqa: S608 - a table's name


def logged(child: "subprocess.Popen[str]") -> str:
    """What a child of `experiments.jobs` logged until its end."""
    _, err = child.communicate("go\n", timeout=60)
    assert child.returncode == 0, err
    return str(err)
