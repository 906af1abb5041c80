"""`finetune` as users type it: a model that is then a method, what is refused, and stopping and going on."""

import json
import re
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread, main_thread

import pytest

from groundscope.cases.dataset import to_jsonl
from groundscope.experiments.work import STOPPED
from groundscope.models.weights.grounding import record
from groundscope.training.finetuning import reports
from groundscope.types import Case
from tests.groundscope.commands.conftest import Said, Shell
from tests.groundscope.training.samples import labelled
from tests.scorers import tiny

CASES = labelled(10, 4, 2)
BRIEF = ("--longest", "64", "--epochs", "1", "--rate", "1e-3", "--quiet")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny.quiet()
    return tiny.bert_cross_encoder(tmp_path_factory.mktemp("bases") / "base")


def finetune(shell: Shell, base: Path, *more: str, cases: Sequence[Case] = CASES, brief: Sequence[str] = BRIEF) -> Said:
    if not (shell.home / "cases.jsonl").exists():
        shell.write("cases.jsonl", cases)
    files = () if "--cases" in more else ("--cases", "cases.jsonl")
    return shell("finetune", *files, "--base", str(base), *brief, *more)


@pytest.fixture(scope="module")
def done(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Shell, Said, Path]:
    """A shell with a model of one's own, what was said, and its folder."""
    shell = Shell(tmp_path_factory.mktemp("done"))
    said = finetune(shell, base, "--name", "leases", "--recipe", "evidence", "--edits", "1")
    return shell, said, shell.home / "data" / "models" / "finetuned" / "leases-folder"


def test_standard_output_is_the_folder_of_the_model_alone(done: tuple[Shell, Said, Path]) -> None:
    _, said, folder = done
    assert (said.code, said.out) == (0, f"{folder}\n"), said.err
    assert (folder / "model.safetensors").is_file()
    assert [p.name for p in folder.parent.iterdir()] == [folder.name]
    told = said.err.splitlines()
    # The counts of the file come first.
    place = told.index(
        "cases.jsonl: 20 training responses, 8 validation ones. 4 are not used: the test split, and responses without a label."
    )
    assert re.fullmatch(r"[\d,]+ training pairs, [\d,]+ validation ones\.", told[place + 1])
    assert re.fullmatch(r"Job \S+: leases", told[place + 2])
    assert re.fullmatch(r"dev: macro-F1 0\.\d{3} at 0\.\d\d, AUROC [01]\.\d{3}; .*\.", told[place + 3])
    for line, method in zip(told[place + 4 :], ("grounding_classifier:leases", "cos_sim:minilm"), strict=True):
        assert re.fullmatch(rf"{method}, 8 responses of dev: macro-F1 0\.\d{{3}}, AUROC [01]\.\d{{3}}\.", line)
    # The job, which held a copy of the cases, is gone.
    assert list((folder.parents[2] / "trainings").iterdir()) == []


def test_the_model_is_a_method(done: tuple[Shell, Said, Path]) -> None:
    shell, _, folder = done
    listed = shell.done("methods")
    assert re.search(r"^grounding_classifier:leases +.*Grounding classifier leases", listed.out, re.M)
    said = shell.done("run", "--cases", "cases.jsonl", "--split", "test", "--methods", "grounding_classifier:leases", "--quiet")
    threshold = record(folder)["responses"]["threshold"]
    report = shell("report", Path(said.out.strip()).name, "--format", "csv").out
    assert f"{threshold:.3f}"[:4] in report


def test_the_card_has_recipe_data_and_figures(done: tuple[Shell, Said, Path]) -> None:
    _, _, folder = done
    card, made = (folder / "README.md").read_text("utf-8"), record(folder)
    assert card.startswith("# leases\n")
    for line in ("- Data: cases.jsonl", "- Recipe: evidence", "- evidence: 4", "- Labels: smoothed", "- Sentences: all"):
        assert line in card
    assert "- Legal edits a response: 1" in card
    assert "8 whole responses of dev, each method at the threshold that is best there" in card
    for row in made["responses"]["beside"]:
        assert f"| {row['method']} | {row['macro_f1']:.3f} | {row['threshold']:.3f} | {row['auroc']:.3f} |" in card


def test_cosines_of_another_embedder_are_learned_from_on_request_and_warn(base: Path, shell: Shell) -> None:
    # Evidence in quite other words than the answers: cosines by MiniLM are low.
    cases = [replace(c, context=(replace(c.context[0], text="Bananas ripen in the warm sun."),)) for c in CASES]
    said = finetune(shell, base, "--name", "cosines", "--labels", "cosine", cases=cases)
    assert said.code == 0, said.err
    assert "Labels are the true sides" not in said.err
    words = re.search(
        r"[\d,]+ of [\d,]+ grounded sentences have a label below 0\.8, .* lie on the wrong side of 0\.5\.", said.err
    )
    assert words
    made = record(shell.home / "data" / "models" / "finetuned" / "cosines-folder")
    assert (made["about"]["Labels"], made["about"]["Labels, a warning"]) == ("cosine", words.group())


def test_the_same_name_again_is_refused_and_the_model_stays(done: tuple[Shell, Said, Path], base: Path) -> None:
    shell, _, folder = done
    before = {p.name: p.stat().st_mtime_ns for p in folder.iterdir()}
    said = finetune(shell, base, "--name", "leases")
    assert (said.code, said.out) == (2, "")
    assert said.err.endswith("There is a folder leases-folder already; choose another name or discard the old model.\n")
    assert {p.name: p.stat().st_mtime_ns for p in folder.iterdir()} == before


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("--split", "test"), "A test split is for the last look only: nothing is trained on it. Choose train."),
        (("--name", "../leases"), "A model's name has 1 to 40 small letters, figures and hyphens, such as leases-2026."),
        (("--epochs", "5000"), "epochs must lie above 0 and up to 1000"),
        (("--longest", "200"), "The base reads 128 tokens at most, not 200; lower the longest input."),
        (("--base", "no/such/folder"), "There is no folder 'no/such/folder' with a config.json"),
        (("--base", "some/model"), "The weights of some/model are not on this machine"),
        (("--embedder", "quip"), "--embedder must be a method that embeds sentences, such as cos_sim:minilm; quip does not"),
        (("--teacher", "no-run/quip"), "There is no run 'no-run'"),
        (("--pairs", "missing.jsonl"), "missing.jsonl cannot be read (No such file or directory)."),
        (("--cases", "missing.jsonl"), "missing.jsonl cannot be read (No such file or directory)."),
        (("--out", "cases.jsonl/m"), "The model's folder cannot be written (File exists); check the folder for models."),
        (("--out", "."), "already; choose another name or discard the old model."),
        (("--out", "..", "--discard"), "holds no model that was fine-tuned here, so it is not removed."),
    ],
)
def test_what_is_refused_is_reported_and_makes_nothing(given: tuple[str, ...], words: str, shell: Shell, base: Path) -> None:
    shell = Shell(shell.home / "work")
    shell.home.mkdir()
    name = () if "--name" in given else ("--name", "m")
    said = finetune(shell, base, *name, *given)
    assert (said.code, said.out) == (2, "")
    assert words in said.err
    assert "Traceback" not in said.err
    assert not list((shell.home / "data").glob("models/*/*"))
    assert sorted(p.name for p in shell.home.parent.iterdir()) == ["work"]


def test_a_folder_of_ones_own_and_a_file_name_that_is_no_text(shell: Shell, base: Path) -> None:
    name = "a|<b>`[x](y)\udcff.jsonl"
    (shell.home / name).write_text(to_jsonl([replace(c, split=None) for c in labelled(30, 0, 0)]), encoding="utf-8")
    said = finetune(shell, base, "--name", "m", "--cases", name, "--out", "here", "--seed", "3")
    assert (said.code, said.out) == (0, "here\n"), said.err
    assert "Dev was drawn from it by query, as the file has no splits." in said.err
    card = (shell.home / "here" / "README.md").read_text("utf-8")
    assert "- Data: a/&lt;b>'(x)(y)\ufffd.jsonl\n" in card
    assert not (shell.home / "here.new").exists()
    # Outside of where the app finds models it is no method.
    listed = [line.split()[0] for line in shell("methods").out.splitlines() if line.startswith("grounding_classifier:")]
    assert listed == []


def test_a_model_that_is_discarded_is_made_again(shell: Shell, base: Path) -> None:
    folder = shell.home / "here"
    folder.mkdir()
    (folder / "training.json").write_text("{}", encoding="utf-8")
    # Only when all else is in order.
    assert finetune(shell, base, "--name", "m", "--out", "here", "--discard", "--pairs", "missing.jsonl").code == 2
    assert record(folder) == {}
    assert (folder / "training.json").exists()
    assert finetune(shell, base, "--name", "m", "--out", "here", "--discard", "--seed", "1").code == 0
    assert record(folder)["options"]["seed"] == 1


def test_labelled_pairs_and_a_teacher_add_to_what_is_learned(shell: Shell, base: Path) -> None:
    def pairs(said: Said) -> tuple[int, int]:
        assert said.code == 0, said.err
        assert "Labels are the true sides, 1 and 0. The paper's labels are cosines by legal-bert: --embedder cos_sim." in said.err
        found = re.search(r"^(\d+) training pairs, (\d+) validation ones\.$", said.err, re.M)
        assert found
        return int(found[1]), int(found[2])

    rows = [{"evidence": "A.", "statement": f"B {i}.", "label": i % 2, "split": "train", "group": "x"} for i in range(5)]
    rows += [{"evidence": "A.", "statement": "B.", "label": 1, "split": split, "group": split} for split in ("dev", "test")]
    (shell.home / "more.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    shell.write("cases.jsonl", CASES)
    assert shell("run", "--cases", "cases.jsonl", "--methods", "quip,overlap", "--quiet", "--out", "run").code == 0
    train, dev = pairs(finetune(shell, base, "--name", "a", "--out", "a"))
    taught = finetune(shell, base, "--name", "b", "--out", "b", "--pairs", "more.jsonl", "--teacher", "run/overlap")
    # The teacher adds four sentences of each of the twenty responses.
    assert pairs(taught) == (train + 5 + 80, dev + 1)
    card = (shell.home / "b" / "README.md").read_text("utf-8")
    assert all(line in card for line in ("- Recipe: paper\n", "- Labels: sides\n", "- Teacher: run/overlap\n"))
    shell.write("cases.jsonl", [replace(c, response=f"{c.response} Well.") for c in CASES])
    for line, words in (
        ("run/overlap", "The run judged other texts under the ids of these cases; give a run of these cases."),
        ("run/direct", "--teacher is written RUN/METHOD; the methods of that run are quip, overlap"),
        ("overlap", "There is no run ''"),
    ):
        said = finetune(shell, base, "--name", "d", "--out", "d", "--teacher", line)
        assert (said.code, said.out) == (2, "")
        assert words in said.err


def test_a_search_prints_its_table_and_leaves_what_was_typed_as_it_is(shell: Shell, base: Path) -> None:
    typed = ("--longest", "64", "--rate", "1e-3", "--batch", "16", "--quiet")
    said = finetune(shell, base, "--name", "m", "--search", "--out", "here", brief=typed)
    assert (said.code, said.out) == (0, "here\n"), said.err
    assert "4 are not used: the test split, and responses without a label." in said.err
    made = record(shell.home / "here")
    # Only the epochs are searched.
    assert [row["setting"] for row in made["search"]] == [f"learning rate 0.001, {n} epochs, batches of 16" for n in (2, 5)]
    table = said.err[said.err.index("| | precision | recall | F1 | accuracy |") :].splitlines()[2:4]
    for line, row in zip(table, made["search"], strict=True):
        figures = " | ".join(f"{row[name]:.3f}" for name in ("precision", "recall", "f1", "accuracy"))
        assert line == f"| {row['setting']}{', chosen' * row['chosen']} | {figures} |"
    assert sum(row["chosen"] for row in made["search"]) == 1


def test_responses_that_cannot_be_judged_cost_the_card_its_figures_and_nothing_else(shell: Shell, base: Path) -> None:
    # Of dev, no grounded response has a word to assess.
    cases = [replace(c, response="...") if c.split == "dev" and c.grounded else c for c in CASES]
    (shell.home / "more.jsonl").write_text(
        "\n".join(
            json.dumps({"evidence": "A.", "statement": f"B {i}.", "label": i % 2, "split": split, "group": split})
            for i, split in enumerate(["train"] * 8 + ["dev"] * 8)
        ),
        encoding="utf-8",
    )
    said = finetune(shell, base, "--name", "m", "--pairs", "more.jsonl", "--scope", "all", cases=cases)
    assert said.code == 0, said.err
    assert said.out.endswith("m-folder\n")
    assert "The model's card has no figures on whole responses: grounding_classifier:m could assess no grounded or no" in said.err
    assert "whole responses of dev" not in (Path(said.out.strip()) / "README.md").read_text("utf-8")


LONG = ("--longest", "64", "--epochs", "4", "--batch", "1", "--rate", "1e-3", "--patience", "99", "--quiet", "--name", "m")


def place(shell: Shell) -> Path:
    """Where the one job trains."""
    return next((shell.home / "data" / "trainings").glob("*.sqlite"), Path("none.sqlite")).with_suffix("")


def stopped(base: Path, shell: Shell) -> tuple[str, Path]:
    """A training that Ctrl-C paused after its first report: its job, and the folder of its model."""
    ended = Event()

    def press() -> None:
        while not ended.wait(0.01):
            if reports(place(shell)):
                signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)
                return

    # Without a handler of its own the command fails here, and not the program of the tests.
    before = signal.signal(signal.SIGINT, lambda *_: None)
    hand = Thread(target=press)
    hand.start()
    try:
        said = finetune(shell, base, brief=LONG)
    finally:
        ended.set()
        hand.join()
        signal.signal(signal.SIGINT, before)
    assert (said.code, said.out) == (3, ""), said.err
    why, on = said.err.splitlines()[-2:]
    assert why == STOPPED
    assert not list((shell.home / "data" / "models").glob("*/*"))
    assert 0 < reports(place(shell))[-1].step < reports(place(shell))[-1].steps
    return on.removeprefix("To resume: python -m groundscope resume "), shell.home / "data" / "models" / "finetuned" / "m-folder"


@pytest.mark.parametrize("way", ["resume", "the same command"])
def test_ctrl_c_pauses_it_and_it_goes_on_where_it_was(way: str, base: Path, shell: Shell) -> None:
    job, folder = stopped(base, shell)
    reached = reports(place(shell))[-1]
    assert re.search(rf"^{job} +training +m +paused +Training, [1-9]\d* of \d+ ", shell("jobs").out, re.M)
    assert "grounding_classifier:m" not in shell("methods").out
    resumed = shell("resume", job, "--quiet") if way == "resume" else finetune(shell, base, brief=LONG)
    assert (resumed.code, resumed.out) == (0, f"{folder}\n"), resumed.err
    assert f"Job {job}: m" in resumed.err
    assert record(folder)["steps"] == reached.steps
    assert record(folder)["seconds"] > reached.seconds
    assert [p.name for p in folder.parent.iterdir()] == ["m-folder"]
    assert shell("jobs").out == ""


def test_an_unfinished_training_is_in_the_way_of_others_of_its_name_until_it_is_deleted(base: Path, shell: Shell) -> None:
    job, _ = stopped(base, shell)
    before = {p: p.stat().st_mtime_ns for p in place(shell).rglob("*")}
    said = finetune(shell, base, brief=(*LONG, "--seed", "1"))
    assert (said.code, said.out) == (2, "")
    assert said.err.endswith("an unfinished training m with other data or options; discard it, or choose another name.\n")
    said = shell("resume", job, "--out", "here")
    assert (said.code, said.out) == (2, "")
    assert "resume it without --out" in said.err
    assert {p: p.stat().st_mtime_ns for p in place(shell).rglob("*")} == before
    assert shell("delete", job).code == 0
    assert list((shell.home / "data" / "trainings").iterdir()) == []


def test_discarding_an_unfinished_training_begins_again(base: Path, shell: Shell) -> None:
    job, folder = stopped(base, shell)
    said = finetune(shell, base, "--discard", brief=(*LONG, "--epochs", "1"))
    assert (said.code, said.out) == (0, f"{folder}\n"), said.err
    assert job not in said.err
    assert record(folder)["options"]["epochs"] == 1
