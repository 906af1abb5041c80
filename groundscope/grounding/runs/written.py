"""The files of a finished run that was made here: found, and written where they are not there."""

import json
from contextlib import closing
from pathlib import Path
from uuid import uuid4

from groundscope.errors import DataError
from groundscope.grounding.runs.folder import MANIFEST, export
from groundscope.grounding.runs.store import FOLDER, exported
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role


def files(run: str) -> Path:
    """Find the folder of a finished run's files, which are written where they are not there."""
    with closing(FOLDER.open(run)) as file:
        finished = file.finished()
    # What failed may have been judged again since the files were written.
    return exported(run) if finished and written_at(exported(run)) == finished else write_again(run)


def written_at(folder: Path) -> str:
    """Read when the run was finished whose files lie in a folder."""
    try:
        finished = json.loads((folder / MANIFEST).read_text("utf-8"))["finished"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return str(finished)


def write_again(run: str) -> Path:
    """Write a run's files again; those that were there are set aside."""
    require(Role.REVIEWER)
    with closing(FOLDER.open(run)) as file:
        folder = exported(run)
        try:
            if file.finished() and folder.exists():
                folder.rename(folder.with_name(f"{folder.name}.{uuid4().hex[:6]}.aside"))
        except OSError as error:
            raise DataError(f"{folder} cannot be set aside ({error.strerror}); check the disk.") from None
        return export(file, folder)
