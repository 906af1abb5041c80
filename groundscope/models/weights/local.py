"""Base of all methods with local weights: availability, downloads, and folders copied by hand."""

import shutil
from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path

from groundscope.errors import OutOfMemory, ScorerUnavailable
from groundscope.methods import Method, Requirement
from groundscope.models.weights.files import MINILM, WeightFiles, check_ordinary, named_folders, trying
from groundscope.paths import set_setting, settings
from groundscope.runtime import extras
from groundscope.runtime.progress import listening
from groundscope.text.alignment import not_assessable, nothing_to_assess
from groundscope.types import Case, Judgement, Status


class LocalModel(Method):
    """A method that loads weights from this machine."""

    weights: WeightFiles

    @property
    def needed(self) -> tuple[WeightFiles, ...]:
        """Weights that the method loads, the model's own first."""
        return (self.weights,)

    @abstractmethod
    def prepare(self) -> None:
        """Load the weights, so that the first score does not wait for them."""

    def score(self, case: Case) -> Judgement:
        """Judge one case; `seconds` leaves out the loading of models."""
        if note := nothing_to_assess(case):
            return not_assessable(note)
        try:
            self.prepare()
            return self.judge_case(case)
        except ScorerUnavailable as error:
            return Judgement(Status.FAILED, note=str(error), context_seen=0.0)

    def judge_case(self, case: Case) -> Judgement:
        """Judge a case with a context and a response by the loaded model; `ScorerUnavailable` says why it cannot."""
        raise NotImplementedError

    def verify(self) -> None:
        """Load the weights and check their numbers as far as possible; `ScorerUnavailable` if they are another method's."""
        self.prepare()

    def unavailable(self) -> str:
        """Why this method cannot run here and what to do; empty if it can."""
        try:
            extras.require("models")
            for weights in self.needed:
                weights.folder()
        except ScorerUnavailable as error:
            return str(error)
        return ""

    def requirements(self) -> tuple[Requirement, ...]:
        """Weights that must be on this machine, and where they are."""
        return tuple(_requirement(weights) for weights in self.needed)

    def fetch(self) -> None:
        """Download missing weights, then load and check them. Reports progress and can be cancelled."""
        extras.require("models")
        from groundscope.models.weights.download import fetch

        # What has no page on the hub cannot come from there; the check says how it is got.
        fetch([w for w in self.needed if (r := _requirement(w)).missing and r.page])
        _forget_gone(self.needed)
        # It would report pairs, and the listener shows megabytes.
        with listening(lambda done, total: None):
            self._verify_download()

    def _verify_download(self) -> None:
        """Check what came; what turns out to be another model goes again, so that the method does not count as ready."""
        try:
            self.verify()
        except OutOfMemory:
            raise
        except ScorerUnavailable:
            for weights in self.needed:
                if not (weights.package or weights.shipped) and _requirement(weights).where == str(weights.own_folder()):
                    shutil.rmtree(weights.own_folder(), ignore_errors=True)
            raise

    def accept(self, name: str, path: str) -> None:
        """Use a folder that the user chose."""
        marker = next((w.marker for w in self.needed if w.name == name), "")
        if not marker:
            raise ScorerUnavailable(f"This method needs no weights called {name}; choose one of those it names.")
        if not path.strip():
            _set_folders({k: v for k, v in named_folders().items() if k != name})
            return
        folder = named_folder(path, marker)
        if folder is None:
            raise ScorerUnavailable(f"There is no folder with a {marker} at this path; give the folder that holds the weights.")
        check_ordinary(folder, name)
        # Kept when it has been checked, not before: a check that is stopped, or dies for want of memory, must leave no trace.
        with trying(name, folder):
            # With other weights still missing nothing can be loaded yet; these are then checked when the last has come.
            if not self.unavailable():
                self.verify()
        _set_folders({**named_folders(), name: str(folder)})


def named_folder(path: str, marker: str = "config.json") -> Path | None:
    """The absolute path of a folder that a user wrote down, with `~` for home; None if it lacks `marker` or is no path."""
    try:
        folder = Path(path.strip()).expanduser().resolve()
        return folder if (folder / marker).is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None


def _forget_gone(needed: Sequence[WeightFiles]) -> None:
    """Named folders that hold nothing any more would stand before what was just downloaded."""
    gone = {w.name for w in needed if (named := w.named_folder()) and not (named / w.marker).is_file()}
    if gone:
        _set_folders({k: v for k, v in named_folders().items() if k not in gone})


def _set_folders(folders: dict[str, str]) -> None:
    if folders or "folders" in settings():
        save_choice("folders", folders or None)


def save_choice(name: str, value: object) -> None:
    """Save a setting of the user's; `ScorerUnavailable` if the data folder cannot be written."""
    try:
        set_setting(name, value)
    except OSError as error:
        raise ScorerUnavailable(
            f"The choice cannot be saved ({error.strerror}); check that the data folder can be written."
        ) from error


def _requirement(weights: WeightFiles) -> Requirement:
    where, missing = "", ""
    try:
        where = str(weights.folder())
    except ScorerUnavailable as error:
        missing = str(error)
    comes_along = bool(weights.package or weights.shipped)
    page = "" if comes_along or weights.revision == "folder" else f"https://huggingface.co/{weights.model}"
    return Requirement(weights.name, weights.revision, weights.megabytes, weights.pickled, where, missing, page, comes_along)


def base_folder(line: str) -> Path:
    """Find the folder, with a config.json, of `minilm`, a folder, or a hub id with `@revision` unless it is main."""
    if line == "minilm":
        return MINILM.folder()
    if path := named_folder(line):
        check_ordinary(path, path.name)
        return path
    model, _, revision = line.partition("@")
    try:
        if model.count("/") == 1 and not model.startswith((".", "/", "~")):
            return WeightFiles(model, revision or "main").folder()
    except ValueError:
        pass  # no hub id either: said below
    raise ScorerUnavailable(f"There is no folder {line!r} with a config.json; write minilm, a folder, or a hub id.")
