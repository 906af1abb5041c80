"""`fit-ensemble` that is stopped, while it judges or while it fits: nothing is kept."""

import os
import signal
import sys
import time
from dataclasses import replace
from threading import Event, Thread, main_thread

import pytest

from groundscope.types import Passage
from tests.groundscope.commands.conftest import Shell
from tests.groundscope.commands.ensemble_cases import CASES, FIT, made_cases

PATIENCE = 60.0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_keeps_nothing(number: signal.Signals, shell: Shell) -> None:
    text = " ".join(f"Clause {i} binds the tenant of house {i % 70} alone." for i in range(150))
    shell.write("cases.jsonl", [replace(c, context=(Passage("p", text),)) for c in made_cases(300)])
    child = shell.start(*FIT)
    assert child.stderr is not None
    assert child.stderr.readline().startswith(b"1 of 480 responses judged")
    child.send_signal(number)
    out, err = child.communicate(timeout=PATIENCE)
    assert child.returncode == 3
    assert (out, err.decode()) == (b"", "Stopped; nothing was kept.\n")
    assert not (shell.home / "data" / "models").exists()


def _stop_in_the_fit(ended: Event) -> None:
    """Send Ctrl-C to this process once its first thread fits."""
    while not ended.is_set():
        frame = sys._current_frames().get(main_thread().ident or 0)
        while frame and not (frame.f_code.co_name == "fit" and frame.f_code.co_filename.endswith("ensembles.py")):
            frame = frame.f_back
        if frame:
            os.kill(os.getpid(), signal.SIGINT)
            return
        time.sleep(0.001)


def test_a_stop_when_all_is_judged_keeps_nothing_either(shell: Shell) -> None:
    shell.write("cases.jsonl", CASES)
    ended = Event()
    watching = Thread(target=_stop_in_the_fit, args=(ended,))
    watching.start()
    said = shell.here(*FIT, "--quiet")
    ended.set()
    watching.join()
    assert (said.code, said.out, said.err) == (3, "", "Stopped; nothing was kept.\n")
    assert not (shell.home / "data" / "models").exists()


def test_a_second_signal_ends_it_at_once(shell: Shell) -> None:
    shell.write("cases.jsonl", made_cases(300))
    child = shell.start(*FIT)
    assert child.stderr is not None
    child.stderr.readline()
    child.send_signal(signal.SIGSTOP)
    child.send_signal(signal.SIGINT)
    child.send_signal(signal.SIGTERM)
    child.send_signal(signal.SIGCONT)
    child.communicate(timeout=PATIENCE)
    assert child.returncode in (128 + signal.SIGTERM, 128 + signal.SIGINT)
    assert not (shell.home / "data" / "models").exists()
    assert [p.name for p in shell.home.iterdir()] == ["cases.jsonl"]
