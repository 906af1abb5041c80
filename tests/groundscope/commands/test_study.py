"""A study from a file: the paper's figures from known verdicts, a stop, another row, what is refused."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.grounding.parts import named
from groundscope.grounding.rules.frozen_rules import frozen
from groundscope.grounding.runs.listing import find
from groundscope.grounding.study import preset, read_study, study_of, study_text
from groundscope.methods import registry
from groundscope.types import Case, Passage
from tests.groundscope.commands.conftest import Shell
from tests.llm_server import Asked, LLMServer

RIGHT = {"first": (51, 65), "second": (52, 57)}
"""Right verdicts on 75 grounded and 75 ungrounded responses, by model: what table 3 prints of GPT-4o and Sonnet 3.5 on dev comes
from these counts alone (tables of facts, found by trying all)."""
PRINTED = {"first": ("0.783", "0.773", "0.771", "0.773"), "second": ("0.728", "0.727", "0.726", "0.727")}


def cases() -> list[Case]:
    return [
        Case(
            f"{split}-{i}",
            f"Question {split} {i // 2}?",
            (Passage("p", f"The rent of flat {split} {i} is due on May 1."),),
            f"Rent {'sound' if i % 2 == 0 else 'wrong'} number {i // 2} is due.",
            grounded=i % 2 == 0,
            split=split,
        )
        for split in ("dev", "test", "train")
        for i in range(150)
    ]


def verdict(asked: Asked) -> str:
    model = str(asked.body["model"])
    kind, number = re.findall(r"Rent (sound|wrong) number (\d+)", asked.user)[-1]
    sound, wrong = RIGHT[model]
    passed = (int(number) < sound) if kind == "sound" else int(number) >= wrong
    return json.dumps({"reasons": ["So it is."], "unsupported": [], "verdict": "PASS" if passed else "FAIL"})


def study(shell: Shell, *rows: str) -> Path:
    text = "\n".join(['name = "Known verdicts"', 'cases = ["cases.jsonl"]', *rows])
    (shell.home / "known.toml").write_text(text, encoding="utf-8")
    return Path("known.toml")


def row(title: str, address: str) -> str:
    return f'[[row]]\ntitle = "{title}"\nmethod = "direct"\nmodel = "server:{title}@{address}"'


def cells(text: str) -> dict[str, list[str]]:
    """Cells by the first one of their row, as they stand in the Markdown table."""
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line.startswith("| ")]
    return {line[0]: line[1:] for line in lines}


@pytest.mark.parametrize("stopped", [False, True])
def test_known_verdicts_give_the_papers_figures_and_another_row_is_judged_alone(shell: Shell, stopped: bool) -> None:
    shell.write("cases.jsonl", cases())
    with LLMServer(verdict) as server:
        path = study(shell, row("first", server.openai))
        if stopped:
            ended = shell("study", path, "--yes", "--quiet", "--calls", "100")
            assert (ended.code, "The same command continues." in ended.err) == (3, True), ended
            assert 100 <= len(server.asked) < 110
        # A higher limit continues what a lower one stopped.
        table = cells(shell.done("study", path, "--yes", "--quiet", "--calls", "1000").out)
        assert tuple(c.strip("*_") for c in table["first"][:8]) == PRINTED["first"] * 2
        before = len(server.asked)
        assert before == 300, "train is not judged"
        path = study(shell, row("first", server.openai), row("second", server.openai), '[[row]]\nmethod = "overlap"')
        table = cells(shell.done("study", path, "--yes", "--quiet").out)
        assert {str(a.body["model"]) for a in server.asked[before:]} == {"second"}
        assert len(server.asked) == 600
    for title, figures in PRINTED.items():
        assert tuple(c.strip("*_") for c in table[title][:8]) == figures * 2
        assert table[title][8].endswith("(the method's own)"), "verdicts stand"
        assert table[title][9:11] == ["150", "150"]
    assert table["first"][2] == "**0.771**"
    assert table["second"][2] == "_0.726_"
    folder = shell.home / "known"
    assert "<strong>0.771</strong>" in (folder / "table.html").read_text("utf-8")
    assert r"\textbf{0.771}" in (folder / "table.tex").read_text("utf-8")
    assert json.loads((folder / "decision.json").read_text("utf-8"))["beyond"] is False
    figure = (folder / "figure2.html").read_text("utf-8")
    for words in (
        "F1 against latency, dev: 150 responses",
        "F1 against latency, test: 150 responses",
        "its own dev, 150 responses",
    ):
        assert words in figure
    again = shell.done("study", path, "--yes", "--quiet")
    assert cells(again.out) == table
    assert len(frozen()) == 2, "of each run once, however often the study is read"
    name = next(name for name in frozen() if f"frozen as {name}." in again.err)
    run = next(line.split()[0] for line in shell.done("runs").out.splitlines() if line.endswith("finished") and " 3 " in line)
    assert f"frozen as {name}, the newest" in shell.done("report", run, "--split", "test").err


def test_with_more_cases_only_these_are_judged_and_seconds_stay(shell: Shell) -> None:
    shell.write("cases.jsonl", cases())
    overlap = '[[row]]\nmethod = "overlap"'
    shell.done("study", study(shell, "limit = 20", overlap), "--yes", "--quiet")
    first = read_run(shell)
    done = shell.done("study", study(shell, overlap), "--yes", "--quiet")
    assert f"300 responses of cases.jsonl; 1 part to judge, {len(first)} judgements from before." in done.err
    whole = read_run(shell)
    assert len(whole) == 300
    assert {name: whole[name] for name in first} == first, "supports and seconds are those of the first time"


def read_run(shell: Shell) -> dict[str, tuple[float, float]]:
    """Support and seconds by case, of the newest run."""
    run = shell.done("runs").out.splitlines()[2].split()[0]
    data = find(run)
    return {case: (float(data.support[0, i]), float(data.seconds[0, i])) for i, case in enumerate(data.ids)}


def test_a_table_says_which_value_of_a_sweep_was_chosen_and_unlabelled_cases_are_not_judged(shell: Shell) -> None:
    rows = [c for c in cases() if c.split != "train"]
    shell.write("cases.jsonl", [*rows, replace(rows[0], id="more", grounded=None)])
    path = study(shell, '[[row]]\ntitle = "Q"\nmethod = "quip"\nsweep = { n = "5,9" }')
    done = shell.done("study", path, "--yes", "--quiet")
    assert cells(done.out)["Q"][8].endswith((", n=5", ", n=9"))
    assert "300 responses of cases.jsonl" in done.err
    assert "SelfCheckGPT" not in done.out
    shell.write("cases.jsonl", [replace(c, grounded=None) for c in rows])
    assert "No labelled case is in dev or test." in shell.refuses("study", path)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "has no row"),
        ("[[row]", "cannot be read"),
        ('[[row]]\nmethod = "overlp"', "write 'overlap'"),
        ('[[row]]\nmethod = "quip"\nset = { m = 9 }', "quip has no parameter 'm'"),
        ('[[row]]\nmethod = "overlap"\nmodle = "x"', "write 'model'"),
        ('[[row]]\nmethod = "overlap"\nmodel = "server:m@http://localhost:1/v1"', "overlap has no parameter 'model'"),
        ('seed = "x"\n[[row]]\nmethod = "overlap"', "seed is 'x', which is of another kind"),
        ('[[row]]\nmethod = "overlap"\n[[row]]\nmethod = "overlap"', "give each a title"),
        ('[[row]]\nmethod = "direct"\nmodel = "NAME-THE-MODEL"', "Row 1 of the study: no model is named yet"),
        ('tune = "test"\n[[row]]\nmethod = "overlap"', "tunes on test and reads it"),
        ('splits = { dev = "a" }\n[[row]]\nmethod = "overlap"', "shares of splits are numbers"),
        ('limit = -3\n[[row]]\nmethod = "overlap"', "numbers of 0 or more"),
        ('[[row]]\nmethod = "quip"\nsweep = { n = "9..5" }', "its sweep has no value"),
        ('missed = -1\n[[row]]\nmethod = "overlap"', "write a number above 0"),
    ],
)
def test_what_means_nothing_is_refused_with_the_nearest_word(text: str, words: str, shell: Shell) -> None:
    (shell.home / "odd.toml").write_text(text, encoding="utf-8")
    assert words in " ".join(shell.refuses("study", "odd.toml").split())


def test_a_folder_that_cannot_be_is_refused_before_anything_is_judged(shell: Shell) -> None:
    shell.write("cases.jsonl", cases())
    (shell.home / study(shell, '[[row]]\nmethod = "overlap"')).rename(shell.home / "known")
    assert "name another one by --out" in shell.refuses("study", "known", "--yes", "--quiet")


def test_every_row_that_cannot_run_is_named_at_once(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    path = study(shell, *(f'[[row]]\nmethod = "{m}"' for m in ("overlp", "quip", "refcheker", "grounding_classifier:ours")))
    shell.write("cases.jsonl", cases())
    said = shell.refuses("study", path)
    assert "Row 1 of the study: there is no method 'overlp'; write 'overlap'." in said
    assert "Row 2" not in said
    assert "Row 3 of the study: there is no method 'refcheker'; write 'refchecker'." in said
    assert "Row 4 of the study: there is no method 'grounding_classifier:ours'; write 'grounding_classifier'." in said
    monkeypatch.delenv("GROUNDSCOPE_MODELS", raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(shell.home / "hub"))
    sweep = '[[row]]\nmethod = "nli:modernbert"\nsweep = { context_unit = "passage,sentence" }'
    said = shell.refuses("study", study(shell, '[[row]]\nmethod = "bart_score"', sweep, '[[row]]\nmethod = "factkb"'))
    for title in (
        "BARTScore",
        "NLI ModernBERT-large (context_unit=passage), NLI ModernBERT-large (context_unit=sentence)",
        "FactKB",
    ):
        assert said.count(f"{title}: The weights of ") == 1


def test_the_preset_sweeps_quip_and_asks_for_each_model(shell: Shell) -> None:
    text = shell.done("study", "--preset", "paper").out
    named = text.replace("NAME-THE-MODEL", "anthropic:claude-haiku-5-5").replace(
        'method = "grounding_classifier:anthropic:claude-haiku-5-5"', 'method = "grounding_classifier"'
    )
    rows = read_study(named).rows
    assert [dict(r.sweep) for r in rows if r.method == "quip"] == [{"n": "5..40"}]
    assert sum(bool(r.model) for r in rows) == 7, "LYNX, two direct ones, two of RefChecker, Claims Verify, Multi-Gen"
    assert [r.prompt for r in rows if r.method == "direct"] == ["lynx", "lynx"], "section 5.3"
    (shell.home / "preset.toml").write_text(text, encoding="utf-8")
    assert "Rows 6, 7, 8, 9, 10, 11, 12 and 13 of the study: no model is named yet" in shell.refuses("study", "preset.toml")
    assert "your own" in preset()


def test_what_was_chosen_for_a_run_is_a_study_with_the_same_parts() -> None:
    hostile = 'x"\\\n\x7f\U0001f600 [row]'
    chosen = ("quip", "overlap:<b>$a$</b>", "quip:by hand", "direct:a, b")
    settings = (f"direct:a, b.model={hostile}", "direct:a, b.prompt=standard")
    parts = named(chosen, registry.names(), settings, ("quip.n=9..11", "quip.scope=sentence,passage", "quip:mine.n=9,21"))
    study = study_of(f"{hostile} = 1", parts, cases=("a b.jsonl",), splits={"dev": 0.5, "a b": 0.5}, calls=0, dollars=1e-5)
    read = read_study(study_text(study))
    assert (read, [row.set for row in read.rows], read.splits) == (study, [row.set for row in study.rows], study.splits)
    again = {p.id: p for row in read.rows for p in row.parts()}
    # A sweep beside a row of the same name is told apart by what it varies; all else keeps its name.
    renamed = {p.id: p.id.replace("quip:", f"quip:{p.sweep[5:]} varied,", 1) if p.sweep[:5] == "quip." else p.id for p in parts}
    assert set(again) == set(renamed.values())
    assert all(dict(again[renamed[p.id]].options) == dict(p.options) for p in parts)
