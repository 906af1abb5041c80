"""`python -m benchmarks.runs`: a whole run of the offline methods, and the pages of stored runs, small and large."""

import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.bootstrap import peak_megabytes
from benchmarks.machine import describe
from groundscope.cases.dataset import to_row
from groundscope.experiments.plan import Place, Result
from groundscope.grounding.runs.arrays import STATUSES, RunData
from groundscope.grounding.runs.folder import export
from groundscope.grounding.runs.reader import read_store
from groundscope.grounding.runs.store import CASES, CONTEXTS, FOLDER, JUDGEMENT, RunPlan, place
from groundscope.paths import ROOT
from tests.groundscope.grounding.runs import made_cases, made_run

PAGES = ("compare", "errors", "thresholds")


def whole_run() -> str:
    """Three quick methods over the whole sample set, from the command to the exported files."""
    methods = ["--methods", "cos_sim:minilm,quip,overlap"]
    with tempfile.TemporaryDirectory() as data:
        started = time.perf_counter()
        subprocess.run(  # noqa: S603 - our own interpreter and module
            [sys.executable, "-m", "groundscope", "run", "--quiet", *methods, "--out", f"{data}/out"],
            check=True,
            cwd=ROOT,
            env={**os.environ, "GROUNDSCOPE_DATA": data},
            capture_output=True,
        )
        return f"run of cos_sim:minilm, quip and overlap over the sample set: {time.perf_counter() - started:.1f} s"


def made_folder(responses: int, methods: int, folder: Path) -> str:
    """A run with made-up supports, as files; says how long it took to write and to read it from its own file."""
    cases = made_cases(responses)
    run = made_run(cases, methods)
    plan = RunPlan(f"Made-up, {responses:,}", "made-up cases", "0" * 16, responses, run.methods)
    results = (kept for method in range(methods) for kept in _kept(run, method))
    marks = [time.perf_counter()]
    rows = [to_row(c) for c in cases]
    inputs = {CASES: [{**row, "context": i} for i, row in enumerate(rows)], CONTEXTS: [row["context"] for row in rows]}
    file = FOLDER.open(FOLDER.create(asdict(plan), inputs, results))
    file.finish()
    marks.append(time.perf_counter())
    read_store(file)
    marks.append(time.perf_counter())
    export(file, folder)
    marks.append(time.perf_counter())
    file.close()
    FOLDER.delete(file.id)
    written, read, exported = (later - earlier for earlier, later in pairwise(marks))
    return f"kept in {written:.1f} s, read in {read:.1f} s, exported in {exported:.1f} s"


def _kept(run: RunData, method: int) -> Iterator[tuple[Place, Result]]:
    table = run.read_sentences(method)
    order = np.split(np.arange(len(table.case)), np.searchsorted(table.case, np.arange(1, len(run.ids))))
    for row, inside in enumerate(order):
        support = run.support[method, row]
        content = {
            "support": None if np.isnan(support) else float(support),
            "seconds": float(run.seconds[method, row]),
            "calls": int(run.calls[method, row]),
            "tokens": int(run.tokens[method, row]),
            "cost": float(run.cost[method, row]),
            "context_seen": float(run.context_seen[method, row]),
            "cached": 0.0,
            "note": "",
            "raw": "",
            "claims": [],
            "sentences": [[int(table.start[i]), int(table.end[i]), float(table.support[i]), []] for i in inside],
        }
        status = STATUSES[run.status[method, row]].value
        yield place(method, row), Result(JUDGEMENT, content, status, bool(run.timed[method, row]))


def page(name: str, folder: Path) -> str:
    """A page on a stored run: its first drawing, which reads the run, and the next one; in this process."""
    from streamlit.testing.v1 import AppTest

    logging.getLogger("streamlit").setLevel(logging.ERROR)
    test = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120).run()
    for module in ("sklearn.metrics", "sklearn.isotonic", "scipy.stats"):
        # The app imports these behind the first page.
        import_module(module)
    test.session_state["run_folders"] = {str(folder): None}
    test.session_state["run_choices"] = {"run": str(folder)}
    test.switch_page(f"pages/{name}.py")
    seconds = []
    for _ in range(3):
        started = time.perf_counter()
        test.run()
        seconds.append(time.perf_counter() - started)
        if test.exception:
            raise RuntimeError(test.exception)
    return f"{name}: first {seconds[0]:.2f} s, then {min(seconds[1:]):.2f} s, peak memory of the process {peak_megabytes()} MB"


def main(arguments: Sequence[str]) -> None:
    """Print line by line as they come; each page in a process of its own."""
    if arguments:
        print(page(arguments[0], Path(arguments[1])), flush=True)
        return
    print(describe(), flush=True)
    print(whole_run(), flush=True)
    with tempfile.TemporaryDirectory() as data:
        for responses in (2_000, 50_000):
            folder = Path(data) / str(responses)
            os.environ["GROUNDSCOPE_STORE"] = f"{data}/runs"
            print(f"{responses:,} responses x 15 methods: {made_folder(responses, 15, folder)}", flush=True)
            for name in PAGES:
                command = [sys.executable, "-m", "benchmarks.runs", name, str(folder)]
                subprocess.run(  # noqa: S603 - our own interpreter and module
                    command, check=True, cwd=ROOT, env={**os.environ, "GROUNDSCOPE_DATA": data}
                )


if __name__ == "__main__":
    main(sys.argv[1:])
