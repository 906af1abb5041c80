"""The training of the shipped classifier, with stages of seconds: one after the other, stopped, and gone on with."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from groundscope.commands.terminal import DONE, STOPPED
from models.train import STAGES
from tests.groundscope.training.test_training import on_pairs, same, weights
from tests.models.short import STAGES as SHORT
from tests.scorers import tiny

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    return tiny.bert_cross_encoder(tmp_path_factory.mktemp("bases") / "base")


def begin(out: Path, base: Path) -> subprocess.Popen[bytes]:
    """All stages in a process of their own; in one thread, which always gives the same numbers."""
    code = (
        "import sys, torch; from pathlib import Path; from models.train import main; from tests.models.short import STAGES; "
        "torch.set_num_threads(1); sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]), STAGES))"
    )
    return subprocess.Popen([sys.executable, "-c", code, str(out), str(base)], cwd=ROOT)


@pytest.fixture(scope="module")
def whole(base: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where all stages were run at one go."""
    out = tmp_path_factory.mktemp("trained")
    assert begin(out, base).wait(120) == DONE
    return out


def test_each_stage_starts_from_the_one_before(whole: Path, base: Path) -> None:
    assert sorted(p.name for p in whole.iterdir()) == ["one", "two"]
    assert not same(whole / "one", whole / "two")
    records = [json.loads((whole / name / "training.json").read_text("utf-8")) for name in ("one", "two")]
    _, dev = SHORT[1].pairs(np.asarray, 0)
    assert records[1]["dev_before"]["auroc"] == pytest.approx(on_pairs(whole / "one", dev)["auroc"])
    assert records[1]["dev_before"]["auroc"] != pytest.approx(on_pairs(base, dev)["auroc"])
    assert [r["about"]["Stage"] for r in records] == [s.told for s in SHORT]
    assert records[1]["about"]["evidence"] == 4
    assert weights(whole / "two").keys() == weights(base).keys()


def test_a_stopped_stage_goes_on_to_the_same_weights(whole: Path, base: Path, tmp_path: Path) -> None:
    first = begin(tmp_path / "out", base)
    progress = tmp_path / "out" / "two.partial" / "progress.jsonl"
    until = time.monotonic() + 120
    while not progress.is_file() and time.monotonic() < until:
        time.sleep(0.02)
    first.send_signal(signal.SIGINT)
    assert first.wait(60) == STOPPED
    assert (tmp_path / "out" / "two.partial").is_dir()
    assert begin(tmp_path / "out", base).wait(120) == DONE
    assert same(tmp_path / "out" / "two", whole / "two")


def test_the_stages_that_ship_follow_one_another() -> None:
    assert [s.name for s in STAGES] == ["contrast", "edits", "entailment"]
    assert all(s.options.bf16_weights and s.options.words and s.options.longest <= 512 for s in STAGES)
