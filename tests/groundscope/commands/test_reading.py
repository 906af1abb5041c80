"""`runs`, `methods`, `prompts`, `export`, `report`: results on standard output alone, in every form; the rest is told."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from groundscope.cases.dataset import to_row
from groundscope.grounding.runs.folder import check
from groundscope.grounding.runs.reader import read_folder
from groundscope.grounding.runs.store import FOLDER, create, plan_of
from groundscope.methods import registry
from tests.groundscope.commands.conftest import Shell
from tests.groundscope.grounding.runs import made_cases

STARTING = "Thresholds of Made: those that methods start with, since no frozen ones hold for all of its methods.\n"


def _id(shell: Shell) -> str:
    return str(shell.manifest("run")["id"])


def test_runs_are_listed_with_how_far_they_are(made: Shell) -> None:
    said = made("runs")
    assert (said.code, said.err) == (0, "")
    head, rule, *rows = said.out.splitlines()
    assert head.split() == ["run", "name", "responses", "methods", "state", "failed"]
    assert set(rule) == {"-", " "}
    assert re.fullmatch(rf"{_id(made)} +Made +60 +2 +finished", rows[0])
    assert "comes with the app" in rows[-1]


def test_methods_are_listed_with_what_they_lack(made: Shell) -> None:
    said = made.done("methods")
    table, _, reasons = said.out.partition("\n\n")
    rows = {line.split()[0]: line for line in table.splitlines()[2:]}
    assert set(rows) == set(registry.names())
    assert rows["quip"].split() == ["quip", "QUIP", "ready"]
    assert re.search(r" needs [\d,]+ MB$", rows["cos_sim"])
    assert rows["direct"].endswith("  cannot run")
    assert "set GROUNDSCOPE_MODEL in the environment." in " ".join(reasons.split())
    assert "groundscope methods --get METHOD" in reasons
    assert max(map(len, said.out.splitlines())) <= 100


def test_a_run_is_exported_once_into_a_folder(made: Shell) -> None:
    said = made("export", _id(made), "--out", "copies/one")
    assert (said.code, said.out, said.err) == (0, "copies/one\n", "")
    assert check(made.home / "copies" / "one") == check(made.home / "run") | {"id": _id(made)}
    assert "copies/one is not empty" in made.refuses("export", _id(made), "--out", "copies/one")
    assert "There is no run 'nobody'" in made.refuses("export", "nobody", "--out", "copies/two")
    assert "is a folder already" in made.refuses("export", "offline-methods", "--out", "copies/two")
    assert made("export", _id(made)).code == 2
    assert made("export", _id(made), "--out", "copies/two", "--findings").code == 0
    lines = [json.loads(line) for line in (made.home / "copies" / "two" / "findings.jsonl").read_text("utf-8").splitlines()]
    assert [line["case"] for line in lines] == read_folder(made.home / "run").ids.tolist()
    assert all({f["sentence"] for f in line["findings"]} and " of " in line["headline"] for line in lines if line["findings"])


def test_the_results_come_in_four_forms_that_agree(made: Shell) -> None:
    forms = {form: made("report", "run", "--format", form) for form in ("markdown", "html", "latex", "csv")}
    assert all((said.code, said.err) == (0, STARTING) for said in forms.values())
    rows = list(csv.DictReader(io.StringIO(forms["csv"].out)))
    assert [row["method"] for row in rows] == ["QUIP", "Overlap"]
    for row in rows:
        f1 = f"{float(row['macro_f1']):.3f}"
        assert re.search(rf"^\| {row['method']} \|.*\| {f1} \|", forms["markdown"].out, re.M)
        assert re.search(rf"^{row['method']} &.*& {f1} &", forms["latex"].out, re.M)
        assert {row["method"], f1} <= set(re.findall(">([^<>]+)<", forms["html"].out))
    assert forms["latex"].out.startswith(r"\begin{table}")
    assert "60 responses to 20 queries" in forms["markdown"].out
    assert made("report", "run").out == made("report", _id(made)).out == forms["markdown"].out


@pytest.mark.parametrize("form", ["markdown", "csv"])
def test_a_report_is_written_to_a_file(made: Shell, form: str) -> None:
    said = made("report", "run", "--format", form, "--out", f"report.{form}")
    assert (said.code, said.out, said.err) == (0, "", STARTING)
    with (made.home / f"report.{form}").open(encoding="utf-8", newline="") as file:
        text = file.read()
    assert text.replace("\r\n", "\n").rstrip("\n") + "\n" == made("report", "run", "--format", form).out
    assert ("\r\n" in text) == (form == "csv")


def test_a_split_is_chosen(made: Shell) -> None:
    assert "12 responses to 4 queries" in made("report", "run", "--split", "dev").out
    assert "48 responses to 16 queries" in made("report", "run", "--split", "test").out


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "unknown run": (("report", "nobody"), "There is no run 'nobody'; `python -m groundscope runs` lists them"),
    "no folder": (("report", "no/where"), "no/where contains no run: there is no manifest.json"),
    "unknown split": (("report", "run", "--split", "train"), "has the split train; there are dev, test."),
    "unknown rules": (("report", "run", "--rules", "mine"), "There are no frozen thresholds named 'mine'; available: none yet"),
    "no file": (("report", "run", "--out", "no/where.md"), "no/where.md cannot be written (No such file or directory)"),
    "a folder": (("report", "run", "--out", "."), ". cannot be written (Is a directory); name a file elsewhere."),
    "no run": (("report",), "Missing argument 'RUN'"),
    "no verb": ((), "Missing command"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_there_is_reported(made: Shell, what: str) -> None:
    given, says = REFUSED[what]
    assert says in made.refuses(*given)


def test_files_of_no_use_are_named_and_hide_nothing(made: Shell, tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    (tmp_path / "data" / "runs").mkdir(parents=True)
    (tmp_path / "data" / "runs.sqlite").write_bytes(b"of an older version")
    (tmp_path / "data" / "runs" / "20260101-000000-abcdef.sqlite").write_bytes(b"damaged" * 1_000)
    assert shell("report", "offline-methods").code == 0
    said = shell.done("runs")
    assert "offline-methods" in said.out
    assert "An older Groundscope wrote" in said.err
    assert "is damaged or not a file of a job; move it away" in said.err


def test_a_run_under_way_is_read_as_far_as_it_is(made: Shell) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDSCOPE_DATA", str(made.home / "data"))
        run = create(plan_of(FOLDER.open(_id(made))), [to_row(case) for case in made_cases(60)])
    said = made.done("report", run)
    assert "resume the run" in said.out
    rows = made("runs").out
    assert re.search(rf"^{run} .* 0 %$", rows, re.M)
    assert "not finished; resume it first, then export it" in made.refuses("export", run, "--out", "early")
    made.runs()[0].path.unlink()


def test_a_prompt_is_shown_edited_saved_and_deleted(made: Shell) -> None:
    listed = made("prompts").out
    assert [line.split()[:2] for line in listed.splitlines() if line.startswith("direct ")][:2] == [
        ["direct", "standard"],
        ["direct", "lynx"],
    ]
    said = made.done("prompts", "direct", "--show", "standard")
    (made.home / "strict.toml").write_text(said.out.replace("You check", "You check with care"), encoding="utf-8")
    saved = made("prompts", "direct", "--save", "strict", "--file", "strict.toml")
    assert (saved.code, saved.err) == (0, "direct asks with it by --set direct.prompt=strict.\n")
    assert "You check with care whether" in made("prompts", "direct", "--show", "strict").out
    assert "There is a prompt strict already" in made.refuses("prompts", "direct", "--save", "strict", "--file", "strict.toml")
    assert "write 'rag_judge'" in made.refuses("prompts", "rag_juge")
    assert made("prompts", "direct", "--delete", "strict").code == 0
    assert "There is no prompt strict;" in made.refuses("prompts", "direct", "--show", "strict")


def test_a_prompt_of_a_task_that_is_no_method_is_saved_and_named_in_its_verb(made: Shell) -> None:
    listed = [line.split()[:2] for line in made("prompts").out.splitlines()]
    assert [name for task, name in listed if task == "rag_judge"] == ["benchmark", "as-printed"]
    text = made.done("prompts", "rag_judge", "--show", "as-printed").out
    (made.home / "mine.toml").write_text(text.replace("You judge", "You judge with care"), encoding="utf-8")
    saved = made("prompts", "rag_judge", "--save", "mine", "--file", "mine.toml")
    assert (saved.code, saved.err) == (0, "rag_judge asks with it by rag-run --judge chat/mine:SPEC.\n")
    assert "You judge with care" in made("prompts", "rag_judge", "--show", "mine").out
    assert "comes with the program" in made.refuses("prompts", "rag_judge", "--delete", "benchmark")
    assert made("prompts", "rag_judge", "--delete", "mine").code == 0


def test_a_message_is_taken_from_a_text_file(made: Shell) -> None:
    (made.home / "card.txt").write_text("Q: {question}\nD: {context}\nA: {answer}\n{{}}", encoding="utf-8")
    assert made("prompts", "lynx", "--save", "trained", "--file", "card.txt").code == 0
    assert "D: {document}\nA: {answer}\n{}" in made("prompts", "lynx", "--show", "trained").out
    assert made("prompts", "lynx", "--delete", "trained").code == 0


def test_what_makes_no_sense_is_refused_with_a_sentence(made: Shell) -> None:
    for arguments, words in {
        ("--show", "standard"): "name the method or task whose prompt it is",
        ("quip",): "quip asks no chat model by a prompt.",
        ("nothing",): "no method or task 'nothing'",
        ("direct", "--show", "a", "--delete", "b"): "give one of --show, --save and --delete",
        ("direct", "--save", "a"): "--save and --file go together",
        ("direct", "--delete", "lynx"): "lynx comes with the program and cannot be deleted.",
        ("direct:granite-guardian", "--delete", "published"): "comes with the program",
    }.items():
        assert words in made.refuses("prompts", *arguments)
