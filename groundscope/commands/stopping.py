"""Stopping long work kindly: by Ctrl-C, by SIGTERM, or because the program that began it is gone."""

import os
import signal
import sys
from threading import Event, Thread

from groundscope.commands.terminal import say


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
