"""Cases from the files that a user names; without any, the sample set."""

from collections.abc import Sequence
from pathlib import Path

from groundscope.cases.dataset import Rejected, read_many
from groundscope.commands.terminal import say
from groundscope.errors import DataError
from groundscope.paths import ROOT
from groundscope.types import Case

_SAMPLES = ROOT / "sample_data" / "legal_qa.jsonl"
_SHOWN = 20
"""Rows that cannot be used; of more, only the number is shown."""


def read_cases(paths: Sequence[Path] | None) -> tuple[Sequence[Case], str]:
    """Read the cases of files, and list the rows that cannot be used on standard error.

    Args:
        paths: files of cases; None or none at all = the sample set.

    Returns:
        The cases in the order of the files and their rows, and the names of the files, parted by commas.

    Raises:
        DataError: a file cannot be read, no case comes out, or two files hold a case with the same id.
    """
    files = read_files(paths or [_SAMPLES])
    cases: list[Case] = []
    for found in read_many(files):
        tell_rejected(found.rejected)
        for note in found.notes:
            say(note)
        cases += found.cases
    if not cases:
        raise DataError("No row of the files can be used.")
    if len({c.id for c in cases}) < len(cases):
        raise DataError("Several files have cases with the same id; run them one by one.")
    return cases, ", ".join(name for name, _ in files)


def tell_rejected(rejected: Sequence[Rejected]) -> None:
    """List on standard error which rows cannot be used, and why.

    Args:
        rejected: in the order of the rows; of more than 20, the others are only counted.
    """
    for row in rejected[:_SHOWN]:
        say(f"{row.file}, row {row.row}: {row.reason}")
    if len(rejected) > _SHOWN:
        say(f"... and {len(rejected) - _SHOWN:,} rows more that cannot be used.")


def read_files(paths: Sequence[Path]) -> list[tuple[str, bytes]]:
    """Read the names and bytes of files.

    Args:
        paths: as the user names them.

    Returns:
        (name without its folder, content) of each file, in the order given.

    Raises:
        DataError: one cannot be read; the message names it.
    """
    try:
        return [(path.name, path.read_bytes()) for path in paths]
    except OSError as error:
        raise DataError(f"{error.filename} cannot be read ({error.strerror}).") from None
