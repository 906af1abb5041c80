"""The terminal of a command: messages, tables, a progress line, and graceful shutdown."""

import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TextIO
from unicodedata import category

from groundscope.errors import DataError
from groundscope.experiments.listing import TELLING
from groundscope.experiments.steps import Tick
from groundscope.text.humanize import plural, spell
from groundscope.types import Status

DONE, CHANGED, REFUSED, STOPPED, NOTHING = 0, 1, 2, 3, 4
"""Exit codes: done; what was checked is not as it was, or not as it should be; nothing was done, and standard error says why;
something is left and can be resumed; everything failed."""

_ODD = "\N{REPLACEMENT CHARACTER}"
_EVERY = 0.2
_EVERY_IN_A_FILE = 30.0


def plain(text: str) -> str:
    """Replace what could steer a terminal, or what no encoding takes, sign by sign; line ends and tabs stay."""
    return "".join(c if c in "\n\t" or c.isprintable() or category(c) == "Zs" else _ODD for c in text)


def say(text: str) -> None:
    """Write to the user on standard error; standard output is for results alone."""
    # A reader that has gone away must not stop hours of work.
    with suppress(OSError):
        print(plain(text), file=sys.stderr, flush=True)


def show(text: str) -> None:
    """Write a result to standard output."""
    try:
        print(plain(text.replace("\r\n", "\n")).rstrip("\n"), flush=True)
    except OSError as error:
        # Python would else try once more at its end, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise DataError(f"Standard output cannot be written ({error.strerror}).") from None


def agreed() -> bool:
    """Ask whether texts may be sent; without a terminal the answer is no."""
    if not sys.stdin.isatty():
        return False
    print("Send the texts there? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write columns of text: a line of titles, one of dashes, and one a row; columns of numbers stand to the right."""
    lines = [[" ".join(plain(cell).split()) for cell in line] for line in (head, *rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    right = [bool(rows) and all(_number(line[i]) for line in lines[1:]) for i in range(len(head))]
    cells = [
        "  ".join(cell.rjust(w) if r else cell.ljust(w) for cell, w, r in zip(line, widths, right, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([cells[0], "  ".join("-" * w for w in widths), *cells[1:]])


def _number(cell: str) -> bool:
    return not cell or cell[0] in "0123456789-+–.$" or cell == "nan"


class Line:
    """One line on standard error that rewrites itself, and lines that stay; without a terminal all of them stay."""

    def __init__(self, out: TextIO | None = None, *, quiet: bool = False) -> None:
        """Show nothing yet; with `quiet` nothing at all. Without `out` it writes to standard error."""
        self._out, self._quiet, self._shown = out or sys.stderr, quiet, 0.0
        self._every = _EVERY if self._out.isatty() else _EVERY_IN_A_FILE

    def show(self, words: str | Callable[[], str]) -> None:
        """Rewrite the line: at most every 0.2 seconds on a terminal; elsewhere write one, at most every 30 seconds."""
        if time.monotonic() - self._shown >= self._every:
            self._shown = time.monotonic()
            self._write(words if isinstance(words, str) else words(), "" if self._out.isatty() else "\n")

    def keep(self, words: str) -> None:
        """Write a line that stays, at once."""
        self._write(words, "\n")

    def _write(self, words: str, ending: str) -> None:
        if not self._quiet:
            with suppress(OSError):
                self._out.write(("\r\x1b[2K" if self._out.isatty() else "") + plain(words) + ending)
                self._out.flush()


class ProgressLine:
    """How far a job is, on standard error; safe to call from several threads."""

    def __init__(
        self, left: Mapping[str, int], unit: str, stage: str, out: TextIO | None = None, *, quiet: bool = False,
        far: Callable[[int, int], str] = "{:,} of {:,}".format,
    ) -> None:  # fmt: skip
        """Show nothing yet.

        `left` has the results of the last `stage` that each part has to make now, by its title, and `unit` names one; `far` says
        how far a long step is.
        """
        self._line, self._stage, self._far = Line(out, quiet=quiet), stage, far
        self._left, self._done, self._unit = dict(left), dict.fromkeys(left, 0), unit
        self._failed = self._invalid = 0
        self._began = self._loaded = time.monotonic()
        self._first: dict[str, float] = {}
        self._lock = Lock()
        self._step = ""

    def hear(self, tick: Tick) -> None:
        """Count what happened, and show it now and then; a result of an earlier stage is not counted."""
        with self._lock:
            self._step = "" if tick.status else self._step_words(tick) if tick.total else f"Loading {tick.part}"
            if not (tick.status or self._first):
                self._loaded = time.monotonic()
            if tick.status and tick.stage == self._stage:
                self._first.setdefault(tick.part, time.monotonic())
                self._done[tick.part] = self._done.get(tick.part, 0) + 1
                self._failed += tick.status == Status.FAILED
                self._invalid += tick.status == Status.INVALID
            self._line.show(self.line)

    def end(self) -> None:
        """Show where it ended."""
        with self._lock:
            self._step = ""
            if any(self._left.values()):
                self._line.keep(self.line())

    @property
    def done(self) -> int:
        """Results so far."""
        return sum(self._done.values())

    def line(self) -> str:
        """Describe how far the job is: results, time so far and left, failures; before the first result the step."""
        total, done = sum(self._left.values()), self.done
        if self._step and not done:
            return self._step
        slowest = max(self._left, key=lambda m: self._left[m] - self._done[m], default="")
        parts = [f"{done:,} of {plural(total, self._unit)}", f"{spell(time.monotonic() - self._began)} so far"]
        if 0 < done < total:
            parts += self._forecast(slowest)
            parts += [f"most to do: {slowest}, {self._left[slowest] - self._done[slowest]:,}"] * (len(self._left) > 1)
        parts += [f"{self._failed} failed"] * bool(self._failed) + [f"{self._invalid} invalid"] * bool(self._invalid)
        return ", ".join(parts)

    def _step_words(self, tick: Tick) -> str:
        """How far a long step of a part is, and the time left once it can be estimated."""
        forecast = "" if tick.left is None else f", about {spell(tick.left)} left"
        return f"{tick.part}, {self._far(tick.done, tick.total)}{forecast}"

    def _forecast(self, part: str) -> list[str]:
        """When a part is done, from its pace with its first result, which may have warmed up for all, and without it.

        Nothing is said until these agree within a factor of two: the first results of a long job say little of the rest.
        """
        done, now = self._done[part], time.monotonic()
        if done < TELLING:
            return []
        left = self._left[part] - done
        least, most = sorted((left * (now - self._loaded) / done, left * (now - self._first[part]) / (done - 1)))
        return [f"about {' to '.join(dict.fromkeys(map(spell, (least, most))))} left"] if most <= 2 * least else []


def stop_event(*, with_parent: bool) -> Event:
    """Make an event that the first Ctrl-C or SIGTERM sets; the second one ends the process."""
    stop = Event()

    def handle(number: int, _frame: object) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, handle)
    if with_parent:
        Thread(target=_watch, args=(stop,), daemon=True).start()
    return stop


def _watch(stop: Event) -> None:
    """Stop when the program that began this one is gone, however it went."""
    # Without one, its number may be that of any file by now.
    if sys.stdin is None:
        say("There is no standard input to watch.")
    else:
        while os.read(sys.stdin.fileno(), 1):
            pass
    stop.set()
