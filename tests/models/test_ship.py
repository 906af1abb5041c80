"""Shipping a trained adapter: what goes along, the threshold that is found, and that nothing is ever half in its place."""

import argparse
import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from groundscope.commands.terminal import DONE, REFUSED
from groundscope.errors import DataError, ScorerUnavailable
from groundscope.methods import registry
from groundscope.models.weights import files
from groundscope.models.weights.grounding import SMOLLM2
from groundscope.training.pair_figures import on_responses
from groundscope.training.pairs import parts
from models import ship as shipping
from models.ship import CARD, MODE, NEEDED, RECORD, WEIGHTS, ship
from models.smollm2 import TERMS
from tests.groundscope.training.samples import labelled
from tests.scorers.judges import tiny_llama

DEV = parts(labelled()).dev


@pytest.fixture(scope="module", autouse=True)
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A finished training, with files beside it that loading does not need."""
    root = tmp_path_factory.mktemp("trained")
    with pytest.MonkeyPatch.context() as patch:
        tiny_llama.install(root / "base", patch)
        folder = tiny_llama.adapter(root / "legal")
        (folder / "notes.txt").write_text("not wanted", encoding="utf-8")
        (folder / "checkpoints").mkdir()
        (folder / WEIGHTS).chmod(0o600)
        yield folder


@pytest.fixture(autouse=True)
def own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("GROUNDSCOPE_MODELS", raising=False)


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the weights that ship, in an empty project."""
    (tmp_path / "project").mkdir()
    monkeypatch.setattr(files, "SHIPPED", tmp_path / "project")
    return tmp_path / "project" / SMOLLM2.shipped


def contents(folder: Path) -> dict[str, str]:
    """Every file's hash; of the two that tell seconds, the text without them."""
    found = {}
    for path in folder.iterdir():
        data = path.read_bytes()
        if path.name == RECORD:
            data = re.sub(rb'"seconds": [\d.]+', b"", data)
        if path.name == CARD:
            data = re.sub(rb"\| [\d.]+ \|$", b"", data, flags=re.MULTILINE)
        found[path.name] = hashlib.sha256(data).hexdigest()
    return found


def test_it_goes_where_the_app_looks_and_only_what_loading_needs(trained: Path, out: Path) -> None:
    told = ship(trained, out, DEV)
    assert {p.name for p in out.iterdir()} == set(NEEDED)
    assert {p.stat().st_mode & 0o777 for p in out.iterdir()} == {MODE}
    assert [p.name for p in out.parent.iterdir()] == [out.name]
    assert (out / WEIGHTS).read_bytes() == (trained / WEIGHTS).read_bytes()
    scorer: Any = registry.load("grounding_classifier")
    assert scorer.weights == SMOLLM2
    assert scorer.unavailable() == ""
    assert (scorer.context_unit, scorer.window) == ("nearest", 6)
    assert scorer.about.licence == TERMS
    assert scorer.score(DEV[0]).support is not None
    expected = on_responses("grounding_classifier", scorer, DEV)
    assert told["threshold"] == expected["threshold"]
    record = json.loads((out / RECORD).read_text(encoding="utf-8"))
    before = json.loads((trained / RECORD).read_text(encoding="utf-8"))
    assert {k: v for k, v in record.items() if k not in ("responses", "sha256")} == before
    assert record["responses"] == told
    assert told["responses"] == len(DEV)
    assert [r["method"] for r in told["beside"]] == ["grounding_classifier", "cos_sim:minilm", "quip", "overlap"]  # type: ignore[attr-defined]
    assert record["sha256"] == hashlib.sha256((out / WEIGHTS).read_bytes()).hexdigest()
    assert scorer.card().startswith(f"# {SMOLLM2.name}\n")


def test_the_same_folder_gives_the_same_files(trained: Path, out: Path, tmp_path: Path) -> None:
    ship(trained, out, DEV)
    first = contents(out)
    # Also from the place itself, where no training lies about any more, and with a card that was written by hand.
    (tmp_path / "own.md").write_text("# grounding-smollm2\n\nBy hand.\n", encoding="utf-8")
    ship(out, out, DEV, tmp_path / "own.md")
    card = hashlib.sha256((tmp_path / "own.md").read_bytes()).hexdigest()
    assert contents(out) == {**first, CARD: card}


DAMAGE: dict[str, tuple[Any, type[Exception], str]] = {
    "no record": (lambda f: (f / RECORD).unlink(), DataError, r"has no training\.json"),
    "half the weights": (
        lambda f: (f / WEIGHTS).write_bytes((f / WEIGHTS).read_bytes()[:5_000]),
        (DataError, ScorerUnavailable),  # type: ignore[dict-item]
        "cannot be read",
    ),
    "too large": (lambda f: (f / WEIGHTS).write_bytes(bytes(20_000_001)), DataError, "20 MB is the most that ships"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_what_cannot_ship_is_refused_and_what_was_there_stays(name: str, trained: Path, out: Path, tmp_path: Path) -> None:
    damage, error, words = DAMAGE[name]
    shutil.copytree(trained, out, ignore=shutil.ignore_patterns("checkpoints"))
    before = contents(out)
    folder = shutil.copytree(trained, tmp_path / "damaged")
    damage(folder)
    with pytest.raises(error, match=words):
        ship(folder, out, DEV)
    assert contents(out) == before
    assert [p.name for p in out.parent.iterdir()] == [out.name]


def test_responses_of_one_kind_find_no_threshold(trained: Path, out: Path) -> None:
    with pytest.raises(DataError, match="could assess no grounded or no ungrounded response of dev"):
        ship(trained, out, [c for c in DEV if c.grounded])
    assert list(out.parent.iterdir()) == []


def test_the_command_says_what_came_of_it(
    trained: Path, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shipping, "MODELS", out.parent)
    monkeypatch.setattr(shipping, "parts", lambda _: parts(labelled()))
    monkeypatch.chdir(out.parent)
    assert shipping.main(argparse.Namespace(folder=out, card=None)) == REFUSED
    assert capsys.readouterr().err.startswith("Nothing was shipped. T")
    assert shipping.main(argparse.Namespace(folder=trained, card=None)) == DONE
    said = capsys.readouterr()
    assert said.out == f"{SMOLLM2.shipped}\n"
    assert re.search(r"macro-F1 [01]\.\d{3} at 0\.\d{3}, AUROC [01]\.\d{3}\.", said.err)
