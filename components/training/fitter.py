"""Ensembles that the app fits: each in a process, by the same command as in a shell. No streamlit."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path

from components.experiments.processes import REFUSED, STOPPED, Processes
from components.training.request import file_name
from groundscope.cases.dataset import to_jsonl
from groundscope.errors import DataError
from groundscope.paths import data_folder
from groundscope.storage.team.acting import require
from groundscope.storage.team.roles import Role
from groundscope.training.own_models import ensembles, own_ensemble
from groundscope.types import Case

_PROGRESS = " judged, "


@dataclass
class Fitter(Processes):
    """The processes that fit, by the name of the ensemble."""

    _titles: dict[str, str] = field(default_factory=dict)

    def begin(self, name: str, methods: Sequence[str], title: str, cases: Sequence[Case] | None) -> None:
        """Start a fit on a set with this title; no cases = the samples.

        Raises:
            DataError: the name is invalid or taken, or the cases cannot be saved.
        """
        require(Role.REVIEWER)
        own_ensemble(name)
        if name in ensembles() or self.works(name):
            raise DataError(f"An ensemble {name} exists already. Choose another name, or delete it.")
        for ended in self.failed():
            self.forget(ended)
        arguments = ["fit-ensemble", f"--name={name}", f"--methods={','.join(methods)}"]
        if cases is not None:
            arguments += ["--cases", str(_written(name, title, cases))]
        self._titles[name] = title
        self.start(name, arguments, partial(_remove, name))

    def under_way(self) -> tuple[str, ...]:
        """The names that this app fits now."""
        return tuple(name for name in list(self._processes) if self.works(name))

    def title(self, name: str) -> str:
        """The set that it learns from."""
        return self._titles.get(name, "")

    def progress(self, name: str) -> str:
        """How far a fit is; empty before its first line."""
        return next((line for line in reversed(self.lines(name)) if _PROGRESS in line), "")

    def failed(self) -> dict[str, str]:
        """Fits that made no ensemble, and why; those that the user stopped are not among them."""
        found = {}
        for name in list(self._processes):
            ended = self.ended(name)
            if ended is None or ended.code == 0 or ended.stopped or ended.code == STOPPED:
                continue
            found[name] = (
                ended.said[-1] if ended.code == REFUSED and ended.said else "Its process ended; memory may have run out."
            )
        return found


def _written(name: str, title: str, cases: Sequence[Case]) -> Path:
    place = _place(name)
    try:
        place.mkdir(parents=True, mode=0o700, exist_ok=True)
        file = place / file_name(title)
        file.write_text(to_jsonl(cases), encoding="utf-8")
    except OSError as error:
        _remove(name)
        raise DataError(
            f"The cases cannot be saved for the fit ({error.strerror}). Check the data folder and its free space."
        ) from error
    return file


def _place(name: str) -> Path:
    return data_folder() / "fits" / name


def _remove(name: str) -> None:
    shutil.rmtree(_place(name), ignore_errors=True)


@lru_cache(maxsize=1)
def fitter() -> Fitter:
    """The one fitter of this app; copies of cases that an app left behind when it ended are deleted."""
    shutil.rmtree(_place(""), ignore_errors=True)
    return Fitter()
