"""The scripts of `components/static/` by Node's own test runner; the Node is Playwright's, so that none has to be installed."""

import os
import subprocess
from pathlib import Path

from playwright._impl._driver import compute_driver_executable

from components.heatmap import view

HERE = Path(__file__).resolve().parent / "js"


def test_the_scripts_of_the_heatmap() -> None:
    node = compute_driver_executable()[0]
    files = sorted(map(str, HERE.glob("*.test.mjs")))
    assert files
    done = subprocess.run(
        [node, "--test", *files],
        env={**os.environ, "SCRIPTS": ",".join(view._SCRIPTS)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
