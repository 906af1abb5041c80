"""Trainings started by the app: each is a process, the same command as in a shell. No streamlit.

What a training needs to resume after the app was closed, its options and its cases but the samples, is stored under `trainings`
in the data folder, readable only by the user, until the training is finished or deleted.
"""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout

from components.experiments.jobs import REFUSED, STOPPED, Processes
from groundscope.cases.dataset import to_jsonl
from groundscope.errors import DataError
from groundscope.files.rows import ENDINGS
from groundscope.paths import data_folder
from groundscope.storage.team import Role, use_case
from groundscope.training.finetuning import discard, partial_folder, reports
from groundscope.training.own_models import folder_of, own_models, unfinished
from groundscope.types import Case

_REQUEST, _CASES, _FILES = "request.json", "cases", "pairs"
_ENDING = re.compile(rf"\.({'|'.join(ENDINGS)})$", re.IGNORECASE)


def write_request(name: str, options: Sequence[str], title: str, cases: Sequence[Case] | None) -> None:
    """Store the request: the options of the command, the title of the set and all its cases; no cases = the samples."""
    place = _request_folder(name)
    try:
        place.mkdir(parents=True, mode=0o700)
        if cases is not None:
            (place / _CASES).mkdir()
            (place / _CASES / file_name(title)).write_text(to_jsonl(cases), encoding="utf-8")
        # After an equals sign, a value that begins with a hyphen is not read as an option.
        written = {"title": title, "arguments": [f"--name={name}", *options]}
        (place / _REQUEST).write_text(json.dumps(written) + "\n", encoding="utf-8")
    except OSError as error:
        shutil.rmtree(place, ignore_errors=True)
        why = error.strerror or type(error).__name__
        raise DataError(
            f"The cases cannot be saved for the training ({why}). Check the data folder and its free space."
        ) from error


def remove_request(name: str) -> None:
    """Delete the request and its copy of the cases."""
    shutil.rmtree(_request_folder(name), ignore_errors=True)


def request_names() -> list[str]:
    """The names with a request, or with remains of one."""
    return [path.name for path in _request_folder("").glob("*") if is_name(path.name)]


def request_arguments(name: str) -> list[str]:
    """Arguments of the command, with the cases; empty if there is no request.

    Requests of earlier versions have files of pairs, too.
    """
    stored = _read_request(name).get("arguments", [])
    folders = (
        {"--cases": (_request_folder(name) / _CASES).glob("*"), "--pairs": (_request_folder(name) / _FILES).glob("*/*")}
        if stored
        else {}
    )
    files = {option: sorted(map(str, paths)) for option, paths in folders.items()}
    return [*stored, *(word for option, paths in files.items() if paths for word in (option, *paths))]


def request_title(name: str) -> str:
    """The name of the set; empty if unknown."""
    return str(_read_request(name).get("title", ""))


def is_name(name: str) -> bool:
    """Whether a name is valid for a model."""
    try:
        folder_of(name)
    except DataError:
        return False
    return True


def file_name(title: str) -> str:
    """The file name of a set's cases; the model card shows it."""
    bare = title
    while (shorter := _ENDING.sub("", bare)) != bare:
        bare = shorter
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', bare).strip('-.')[:60] or 'cases'}.jsonl"


def _request_folder(name: str) -> Path:
    return data_folder() / "trainings" / name


def _read_request(name: str) -> dict[str, Any]:
    try:
        parsed = json.loads((_request_folder(name) / _REQUEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    good = isinstance(parsed, dict) and isinstance(parsed.get("arguments"), list)
    return parsed if good and all(isinstance(a, str) for a in parsed["arguments"]) else {}


Stage = Literal["preparing", "training", "judging"]

_LOCK = "lock"


@dataclass
class Trainer(Processes):
    """The processes that train, by the name of the model."""

    _reported: dict[str, int] = field(default_factory=dict)

    @use_case(Role.REVIEWER)
    def begin(self, name: str, options: Sequence[str], title: str, cases: Sequence[Case] | None) -> None:
        """Start a training on a set with this title, by options of the command `finetune`; no cases = the samples."""
        if name in own_models() or name in self.open() or folder_of(name).exists():
            raise DataError(f"A model or an unfinished training {name} exists already. Choose another name, or delete it.")
        for earlier in self.refused():
            self.forget(earlier)
        write_request(name, options, title, cases)
        self.resume(name)

    def resume(self, name: str) -> None:
        """Resume a training started in this app or an earlier one; do nothing if that is not possible."""
        if not (arguments := request_arguments(name)):
            return
        self._reported[name] = len(reports(folder_of(name)))
        self.start(name, ["finetune", *arguments, "--quiet"], self.tidy)

    def open(self) -> tuple[str, ...]:
        """Every unfinished training, running or paused; also those started in a shell."""
        named = dict.fromkeys((*self.at_work(), *sorted({*unfinished(), *filter(request_arguments, request_names())})))
        return tuple(n for n in named if self.works(n) or n not in own_models())

    def at_work(self) -> tuple[str, ...]:
        """The names that this app trains now."""
        return tuple(name for name in list(self._processes) if self.works(name))

    def stage(self, name: str) -> Stage:
        """The stage of the process."""
        if name in own_models():
            return "judging"
        # Not more: the next setting of a search begins with none.
        return "training" if len(reports(folder_of(name))) != self._reported.get(name, 0) else "preparing"

    def trouble(self, name: str) -> str:
        """Why a training ended too early, in a sentence; empty if it was paused, is running or is done."""
        ended = self.ended(name)
        if ended is None or ended.code == 0:
            return ""
        if ended.code in (REFUSED, STOPPED) and ended.said:
            return "" if ended.said[-1].startswith("Stopped. ") else ended.said[-1]
        return "" if ended.stopped else "Its process ended (memory may have run out). The steps so far are saved: resume it."

    def unjudged(self, name: str) -> str:
        """Why a finished model has no figures on whole responses, if known."""
        ended = self.ended(name)
        return ended.said[-1] if ended is not None and ended.code == 0 and ended.said else ""

    def refused(self) -> dict[str, str]:
        """Trainings that failed before the first step, and why; shown until another one starts."""
        there = {*own_models(), *self.open()}
        reasons = {name: self.trouble(name) for name in list(self._processes) if name not in there}
        return {name: why for name, why in reasons.items() if why}

    def new(self, name: str) -> bool:
        """Whether this app has trained it since it was started."""
        return self.ended(name) is not None and name in own_models()

    def delete(self, name: str) -> None:
        """Delete a model, or an unfinished training."""
        if self.works(name):
            raise DataError(f"{name} is training now. Pause it first.")
        discard(folder_of(name))
        if not elsewhere(name):
            # A kill left an empty folder.
            shutil.rmtree(partial_folder(folder_of(name)), ignore_errors=True)
        remove_request(name)
        self.forget(name)

    def tidy(self) -> None:
        """Delete the requests of trainings that are finished, or were refused before the first step."""
        for name in request_names():
            if self.works(name):
                continue
            ended = self.ended(name)
            refused = ended is not None and ended.code == REFUSED and name not in unfinished()
            if refused or name in own_models():
                remove_request(name)


def elsewhere(name: str) -> bool:
    """Whether a process outside this app trains it: started in a shell, or by an app that was closed."""
    path = partial_folder(folder_of(name)) / _LOCK
    if not path.exists():
        return False
    try:
        with FileLock(path, timeout=0, is_singleton=False):
            return False
    except Timeout:
        return True
    except OSError:
        return False


@lru_cache(maxsize=1)
def trainer() -> Trainer:
    """The one trainer of this app."""
    return Trainer()
