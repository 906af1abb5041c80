"""Trainings that the app has begun: each is a process of its own, the same command as in a shell. No streamlit."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from filelock import FileLock, Timeout

from components import training_request as request
from components.processes import REFUSED, STOPPED, Processes
from components.training_request import Wish
from evaluation.errors import DataError
from evaluation.finetuning import discard, partial_folder, reports
from evaluation.own_models import folder_of, own_models, unfinished
from evaluation.types import Case

Stage = Literal["preparing", "training", "judging"]

_LOCK = "lock"


@dataclass
class Trainer(Processes):
    """The processes that train, by the name of the model."""

    _reported: dict[str, int] = field(default_factory=dict)
    _seen: set[str] = field(default_factory=set)

    def begin(self, wish: Wish, title: str, cases: Sequence[Case] | None) -> None:
        """Begin a training.

        Args:
            wish: what is trained.
            title: of the set, for people.
            cases: all of the set; None are the samples.

        Raises:
            DataError: the name is none or taken, or the cases cannot be written.
        """
        if wish.name in own_models() or wish.name in self.open() or folder_of(wish.name).exists():
            raise DataError(
                f"There is a model or an unfinished training {wish.name} already; choose another name, or discard it."
            )
        for name in self.refused():
            with self._lock:
                self._forget(name)
        request.write(wish, title, cases)
        self._seen.discard(wish.name)
        self.go_on(wish.name)

    def go_on(self, name: str) -> None:
        """Go on with a training that this app, or an earlier one, has begun; where it cannot, nothing happens."""
        if not (arguments := request.arguments(name)):
            return
        self._reported[name] = len(reports(folder_of(name)))
        self.start(name, ["finetune", *arguments, "--quiet"], self.tidy)

    def open(self) -> tuple[str, ...]:
        """Every training that is not finished: at work, or stopped; also those that a shell began."""
        named = dict.fromkeys((*self.at_work(), *sorted({*unfinished(), *filter(self.can_go_on, request.names())})))
        return tuple(n for n in named if self.works(n) or n not in own_models())

    @staticmethod
    def can_go_on(name: str) -> bool:
        """Whether it was begun in the app, and so can be gone on with from there."""
        return bool(request.arguments(name))

    @staticmethod
    def title(name: str) -> str:
        """What its set is called; empty where that is not known."""
        return request.title(name)

    def at_work(self) -> tuple[str, ...]:
        """The names that this app trains now."""
        return tuple(name for name in list(self._processes) if self.works(name))

    def stage(self, name: str) -> Stage:
        """What the process is at."""
        if name in own_models():
            return "judging"
        return "training" if len(reports(folder_of(name))) > self._reported.get(name, 0) else "preparing"

    def trouble(self, name: str) -> str:
        """Why a training ended before it was finished, in a sentence; empty where it was stopped, is at work, or is done."""
        ended = self.ended(name)
        if ended is None or ended.code == 0:
            return ""
        if ended.code in (REFUSED, STOPPED) and ended.said:
            return "" if ended.said[-1].startswith("Stopped. ") else ended.said[-1]
        return "" if ended.stopped else "Its process ended (memory may have run out). What was reached is kept: go on with it."

    def unjudged(self, name: str) -> str:
        """Why a model that is there has no figures on whole responses, if the app knows."""
        ended = self.ended(name)
        return ended.said[-1] if ended is not None and ended.code == 0 and ended.said else ""

    def refused(self) -> dict[str, str]:
        """Trainings that never began to learn, and why; told until another one is begun."""
        there = {*own_models(), *self.open()}
        found = {name: self.trouble(name) for name in list(self._processes) if name not in there}
        return {name: why for name, why in found.items() if why}

    def new(self, name: str) -> bool:
        """Whether this app has just trained it, and nobody has kept it yet."""
        ended = self.ended(name)
        return ended is not None and name in own_models() and name not in self._seen

    def seen(self, name: str) -> None:
        """It is kept: no longer new."""
        self._seen.add(name)

    def discard(self, name: str) -> None:
        """Remove a model, or what is left of an unfinished training.

        Raises:
            DataError: it is at work, or cannot be removed.
        """
        if self.works(name):
            raise DataError(f"{name} is being trained now; stop it first.")
        discard(folder_of(name))
        if not elsewhere(name):
            # What a kill left before anything stood in it.
            shutil.rmtree(partial_folder(folder_of(name)), ignore_errors=True)
        request.remove(name)
        with self._lock:
            self._forget(name)

    def tidy(self) -> None:
        """Remove the requests of trainings that are finished, or were refused before they reached anything."""
        for name in request.names():
            if self.works(name):
                continue
            ended = self.ended(name)
            refused = ended is not None and ended.code == REFUSED and name not in unfinished()
            if refused or name in own_models():
                request.remove(name)


def elsewhere(name: str) -> bool:
    """Whether a process trains it now; where this app has none, it was begun in a shell, or by an app that was closed."""
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
