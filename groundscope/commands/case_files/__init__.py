"""Files that a user names: read, and written; cases from them, and without any, the sample set."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from groundscope.cases.dataset import LoadedDataset, Rejected, read_many
from groundscope.cases.mapping.kept_mappings import named
from groundscope.commands.terminal import say
from groundscope.errors import DataError
from groundscope.files.addresses import is_address, shown
from groundscope.files.private import users_umask
from groundscope.paths import ROOT
from groundscope.types import Case

_SAMPLES = ROOT / "sample_data" / "legal_qa.jsonl"
_SHOWN = 20
"""Rows that cannot be used; of more, only the number is shown."""


def read_cases(paths: Sequence[Path] | None, mapping: str | None = None) -> tuple[Sequence[Case], str]:
    """Read the cases of files, without any those of the sample set; rows that cannot be used are listed on standard error.

    `mapping` is what the user typed after `--map`. Gives the cases in the order of the files and their rows, and the names of the
    files, parted by commas. Raises `DataError` where a file cannot be read, no case comes out, or two files hold a case with the
    same id.
    """
    files = read_files(paths or [_SAMPLES])
    cases = [case for found in read_sets(files, mapping) for case in found.cases]
    if len({c.id for c in cases}) < len(cases):
        raise DataError("Several files have cases with the same id; run them one by one.")
    return cases, ", ".join(name for name, _ in files)


def read_sets(files: Sequence[tuple[str, bytes]], mapping: str | None) -> tuple[LoadedDataset, ...]:
    """Read cases from files; what cannot be used is listed on standard error. Raises `DataError` where no case comes out."""
    sets = read_many(files, named(mapping) if mapping else None)
    for found in sets:
        if found.unknown and not mapping:
            say(f'{found.name}: say what its fields are, such as --map "question=FIELD,context=FIELD,answer=FIELD,label=FIELD".')
        tell_rejected(found.rejected)
        for note in found.notes:
            say(note)
    if not any(found.cases for found in sets):
        raise DataError("No row of the files can be used.")
    return sets


def tell_rejected(rejected: Sequence[Rejected], most: int | None = _SHOWN) -> None:
    """List on standard error which rows cannot be used, and why; of more than `most`, the others are only counted."""
    for row in rejected[:most]:
        say(f"{row.file}, row {row.row}: {row.reason}")
    if most is not None and len(rejected) > most:
        say(f"... and {len(rejected) - most:,} rows more that cannot be used.")


def read_files(paths: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Read files: the name without its folder, and the bytes of each; raises `DataError` where one cannot be read."""
    return [(path.name, content(path)) for path in paths]


def content(path: Path, wanted: str = "") -> bytes:
    """Read the bytes of a file or a pipe; raises `DataError` where it cannot be read, which asks to name what is wanted."""
    hint = f"; name {wanted}" if wanted else ""
    if is_address(str(path)):
        raise DataError(f"{shown(str(path))} is an address, which `run --on ray` alone reads; copy the file here first.")
    try:
        # Some devices never end.
        if path.is_char_device() or path.is_block_device():
            raise DataError(f"{path} is a device and no file{hint}.")
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path} cannot be read ({error.strerror}){hint}.") from None


def write(path: Path, data: bytes, hint: str = "", mode: Literal["wb", "xb"] = "wb") -> str:
    """Write a file and give its path as text; raises `DataError` where it cannot be written, with a hint what to do.

    With the mode `xb` it must be a new one, and `FileExistsError` says that it is not. The user named it (`--out`), so that a new
    one follows her own umask.
    """
    try:
        with users_umask(), path.open(mode) as file:
            file.write(data)
    except FileExistsError:
        raise
    except OSError as error:
        raise DataError(f"{path} cannot be written ({error.strerror}){hint}.") from None
    return str(path)
