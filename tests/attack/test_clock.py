"""The clock jumps back by a day while a run is worked on: a real process with a real shifted clock."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from groundscope.experiments.listing import one, seconds_left
from groundscope.experiments.plan import Count, Start
from groundscope.grounding.runs.store import KIND
from groundscope.storage.sqlite import now
from tests.attack.conftest import ROOT, Open, sound
from tests.attack.tally import Tally
from tests.attack.test_kills import begun, rows, until

COUNT = 300


@pytest.fixture(scope="module")
def shifted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    assert compiler, "There is no C compiler, which the shifted clock is made with; install one (apt-get install gcc libc6-dev)."
    library = tmp_path_factory.mktemp("clock") / "shifted.so"
    source = Path(__file__).parent / "shifted.c"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"], check=True)
    return library


def _environment(shifted: Path, jump: Path) -> dict[str, str]:
    return {**os.environ, "LD_PRELOAD": str(shifted), "CLOCK_BACK": str(jump)}


def test_the_shifted_clock_is_shifted(shifted: Path, tmp_path: Path, tried: Tally) -> None:
    jump = tmp_path / "jump"
    ask = [sys.executable, "-c", "import time, datetime; print(time.time(), datetime.datetime.now().timestamp())"]
    for there in (False, True):
        if there:
            jump.touch()
        said = subprocess.run(ask, env=_environment(shifted, jump), capture_output=True, text=True, check=True).stdout.split()
        for number in said:
            with tried("clock", f"control {there}"):
                assert (time.time() - float(number) > 80_000) is there


def test_a_run_over_which_the_clock_jumps_back_is_whole(shifted: Path, opened: Open, tmp_path: Path, tried: Tally) -> None:
    run, jump = begun(COUNT), tmp_path / "jump"
    command = [sys.executable, "-m", "groundscope", "resume", run.id, "--quiet"]

    def work(happens: Callable[[], object]) -> None:
        with subprocess.Popen(command, cwd=ROOT, env=_environment(shifted, jump)) as process:
            until(happens)
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)

    def turns() -> bool:
        jump.touch()
        return True

    with tried("clock", "it jumps during the work"):
        work(lambda: len(rows(run)) > 5 and turns() and len(rows(run)) > 15)
        kept = rows(run)
        assert 15 < len(kept) < COUNT
    with tried("clock", "the page of a run that was paused a day before it began"):
        sound(opened("runs"))
        assert not run.busy()
    with tried("clock", "it resumes a day earlier, the clock jumps forward, and it finishes"):
        work(lambda: len(rows(run)) > len(kept) + 5)
        assert run.starts()[-1].started < run.starts()[0].started
        jump.unlink()
        work(run.finished)
        final = rows(run)
        assert sorted(final) == [(0, -1, i) for i in range(COUNT)]
        assert {place: final[place] for place in kept} == kept
    with tried("clock", "the list and the page of the finished run"):
        assert all((part.seconds or 0) >= 0 for part in one(KIND, run).parts)
        sound(opened("runs"))
        sound(opened("compare"))
    with tried("clock", "the time left while the clock is before the start"):
        later = Start("2999-01-01T00:00:00+00:00", (), {}, (0,))
        assert seconds_left({0: Count(10)}, {0: 20}, later) == {0: None}
        assert seconds_left({0: Count(10)}, {0: 20}, Start(now(), (), {}, (0,)))[0] is not None
