"""Create, open, list and delete the jobs of a kind: one folder per kind, one file per job."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

from groundscope.chat.budget import NO_LIMITS, Limits
from groundscope.errors import StoreError
from groundscope.experiments.plan import Content, Place, Result
from groundscope.experiments.store import JobFile
from groundscope.paths import Variable, data_folder
from groundscope.storage.team import Role, audit, require
from groundscope.storage.team.members import hidden_jobs, restrict_job


@dataclass(frozen=True, slots=True)
class JobDirectory:
    """Where the jobs of a kind are; `older`: a file in the data folder that an older Groundscope wrote; empty = there is none."""

    name: str
    noun: str
    variable: Variable | None = None
    older: str = ""

    @property
    def path(self) -> Path:
        """It may not exist yet."""
        return Path(self._named) if self._named else data_folder() / self.name

    @property
    def _named(self) -> str:
        return self.variable.read() if self.variable else ""

    def problems(self) -> list[str]:
        """Look for files that an older Groundscope wrote here."""
        places = [self.path, *([data_folder() / self.older] if self.older and not self._named else [])]
        return [
            f"An older Groundscope wrote {path}; this one leaves it alone: move it away, or delete it."
            for path in places
            if _is_file(path)
        ]

    def file(self, job: str) -> JobFile:
        """Name the file of a job; nothing is opened or checked."""
        return JobFile(self.path / f"{job}.sqlite", self.variable if self.variable and self._named else Variable.DATA)

    def create(
        self,
        plan: Content,
        inputs: Mapping[str, Sequence[Content]],
        results: Iterable[tuple[Place, Result]] = (),
        limits: Limits = NO_LIMITS,
        cases: Iterable[str] = (),
    ) -> str:
        """Make a job; all of it is kept, or nothing."""
        require(Role.REVIEWER)
        at = datetime.now(UTC)
        # Names sort by time: those of one second, too.
        name = f"{at:%Y%m%d-%H%M%S}-{at.microsecond:05x}{uuid4().hex[:3]}"
        file = self.file(name)
        # Before the file is there: a list that is drawn meanwhile must not show it.
        restrict_job(name, cases)
        try:
            file.fill(plan, inputs, results, limits)
        except BaseException:
            # Why it could not be made matters, not that half a file of it may lie there.
            with suppress(StoreError):
                _remove(file)
            raise
        finally:
            file.close()
        return name

    def open(self, job: str) -> JobFile:
        """Find the file of a job."""
        file = self.file(job)
        if Path(job).name != job or not _is_file(file.path) or job in hidden_jobs():
            raise StoreError(f"There is no {self.noun} {job!r} here; choose another one.")
        return file

    def files(self) -> list[JobFile]:
        """List the files of all jobs; nothing of them is read yet."""
        try:
            hidden = hidden_jobs()
            jobs = [path.stem for path in sorted(self.path.glob("*.sqlite"), reverse=True)]
            return [self.file(job) for job in jobs if job not in hidden]
        except OSError:
            return []

    def listing(self) -> tuple[list[JobFile], list[str]]:
        """List the files of all jobs where that can be done."""
        problems = self.problems()
        try:
            return self.files(), problems
        except StoreError as error:
            return [], [*problems, str(error)]

    def delete(self, job: str, least: Role = Role.LEAD) -> None:
        """Delete a job with everything of it, also the folders that it was exported to here.

        `least`: the role that may; a reviewer's is enough where what the job gave was taken over.
        """
        require(least)
        try:
            file = self.open(job)
        except StoreError:
            return
        with file.working():
            audit.note(f"deleted a {self.noun}", job=job)
            for folder in (self.path / job, *self.path.glob(f"{job}.*")):
                if folder.is_dir():
                    shutil.rmtree(folder, ignore_errors=True)
                    if folder.exists():
                        raise StoreError(f"{folder} cannot be deleted; make it writable, then delete it again.")
            _remove(file)
        with suppress(OSError):
            file.lock_path.unlink(missing_ok=True)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _remove(file: JobFile) -> None:
    file.close()
    for ending in ("", "-wal", "-shm"):
        path = file.path.with_name(file.path.name + ending)
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be deleted ({error.strerror}); make it writable, then delete it again.") from None
