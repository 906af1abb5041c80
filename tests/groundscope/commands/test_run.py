"""`run` from a shell: what it judges, what it writes where, and what it refuses with a sentence."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.grounding.runs.reader import read_folder
from groundscope.methods.defaults import DEFAULTS
from groundscope.models.weights import files
from tests.groundscope.chat.clients.scripts import passes
from tests.groundscope.commands.conftest import HOSTILE, Shell
from tests.groundscope.grounding.runs import made_cases
from tests.groundscope.grounding.runs.scripted import cases_of
from tests.llm_server import Asked, LLMServer

CASES = made_cases(9)


def test_a_run_ends_with_its_folder_on_standard_output_alone(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", CASES)
    given = ("run", "--cases", cases, "--methods", "quip,overlap", "--set", "quip.n=8")
    said = shell.done(*given)
    folder = Path(said.out.removesuffix("\n"))
    run = read_folder(folder)
    assert folder == shell.home / "data" / "runs" / run.id
    assert (run.name, run.source, [m.id for m in run.methods]) == ("cases", "cases.jsonl", ["quip", "overlap"])
    assert run.read_cases(range(9)) == CASES
    assert "9 responses of cases.jsonl." in said.err
    assert re.search(r"^QUIP +not known +no call +this machine +\$0.00$", said.err, re.M)
    assert f"Job {run.id}: cases" in said.err
    assert re.search(r"^18 of 18 judgements, [\d.]+ s so far$", said.err, re.M)
    # The next one knows how long it takes.
    assert re.search(r"^QUIP +[\d.]+ s +no call", shell(*map(str, given)).err, re.M)


@pytest.mark.parametrize(("model", "known"), [("gemini-2.5-flash", True), ("gemini-unheard-of", False)])
def test_a_price_that_is_not_known_is_said_before_anything_is_sent(shell: Shell, model: str, known: bool) -> None:
    cases = shell.write("cases.jsonl", CASES)
    shell.environment["GEMINI_API_KEY"] = "none"
    said = shell("run", "--cases", cases, "--methods", "direct", "--set", f"direct.model=google:{model}")
    price = r"\$\d\.\d+" if known else "price not known"
    assert re.search(rf"^Direct prompting +9 calls +generativelanguage.googleapis.com +{price}$", said.err, re.M)
    assert ("The price of a model is not known. Enter it under Prices" in said.err) is not known
    assert "Nothing was sent. Add --yes to send it." in said.err
    assert (said.out, shell.runs()) == ("", [])


def test_split_limit_parameters_name_and_folder_are_heard(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", CASES)
    said = shell(
        *("run", "--cases", cases, "--methods", " quip , overlap,quip", "--split", "test", "--limit", "4", "--quiet"),
        *("--set", "quip.n=5", "--set", "overlap.aggregation=mean", "--name", "Mine", "--out", "out/mine"),
    )
    assert (said.code, said.out) == (0, "out/mine\n")
    assert "judged" not in said.err
    run = read_folder(shell.home / "out" / "mine")
    assert run.name == "Mine"
    assert run.ids.tolist() == [c.id for c in CASES if c.split == "test"][:4]
    assert [m.signature for m in run.methods] == ["quip|n=5|scope=sentence|aggregation=min", "overlap|bigrams|aggregation=mean"]
    assert [m.options for m in run.methods] == [{"n": 5}, {"aggregation": "mean"}]


@pytest.mark.parametrize("shipped", [True, False])
def test_methods_that_no_one_named_are_those_that_can_run(
    shipped: bool, shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shipped:
        monkeypatch.setattr(files, "SHIPPED", tmp_path)
    cases = shell.write("cases.jsonl", CASES)
    shell.done("run", "--cases", str(cases), "--limit", "2", "--quiet", "--out", "out")
    run = read_folder(shell.home / "out")
    expected = ["overlap", "grounding_classifier", "cos_sim:minilm", "quip"]
    assert list(DEFAULTS) == expected
    assert [m.id for m in run.methods] == [m for m in expected if shipped or m != "grounding_classifier"]
    # None at all is something else.
    assert "there is nothing to judge by" in shell("run", "--cases", str(cases), "--methods", "").err


def test_the_sample_set_is_judged_where_no_file_is_named(shell: Shell) -> None:
    shell.done("run", "--methods", "quip", "--split", "dev", "--limit", "2", "--out", "out")
    assert shell.manifest("out")["name"] == "legal_qa, dev"


def test_several_files_make_one_run(shell: Shell) -> None:
    one, two = shell.write("one.jsonl", CASES[:3]), shell.write("two.jsonl", CASES[3:5])
    assert shell("run", "--cases", one, two, "--methods", "quip", "--out", "out").code == 0
    assert (shell.manifest("out")["source"], shell.manifest("out")["cases"]) == ("one.jsonl, two.jsonl", 5)
    assert "cases with the same id; run them one by one" in shell.refuses("run", "--cases", one, one, "--methods", "quip")


def test_rows_that_cannot_be_used_are_named_and_the_others_judged(shell: Shell) -> None:
    bad = "".join(f'{{"query": "q", "response": "r", "id": "bad-{i}"}}\n' for i in range(25))
    path = shell.write("cases.jsonl", CASES)
    (shell.home / path).write_text(bad + (shell.home / path).read_text("utf-8"), encoding="utf-8")
    said = shell.done("run", "--cases", path, "--methods", "quip", "--out", "out")
    assert "cases.jsonl: 34 rows read, 9 usable cases; recognised as Groundscope; 25 left out;" in said.err
    assert "  left out, rows 1, 2, 3, 4, 5 and 20 more: The format is not recognised." in said.err
    assert shell.manifest("out")["cases"] == 9


def test_one_method_stands_in_a_run_many_times_under_its_parts_names(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", made_cases(30))
    given = ("--methods", "quip,quip:n=9,quip:long", "--sweep", "quip.n=12,15", "--set", "quip:long.n=20", "--set", "quip.n=7")
    said = shell.done("run", "--cases", str(cases), *given, "--quiet", "--name", "Parts", "--out", "out")
    for part in ("QUIP (n=9)", "QUIP (long)", "QUIP (n=12)", "QUIP (n=15)"):
        assert re.search(rf"^{re.escape(part)} ", said.err, re.M), said.err
    run = read_folder(shell.home / "out")
    ids = ["quip", "quip:n=9", "quip:long", "quip:n=12", "quip:n=15"]
    assert [m.id for m in run.methods] == ids
    assert [m.options for m in run.methods] == [{"n": n} for n in (7, 9, 20, 12, 15)]
    assert [m.sweep for m in run.methods] == ["", "", "", "quip.n", "quip.n"]
    assert [m.signature for m in run.methods] == [f"quip|n={n}|scope=sentence|aggregation=min" for n in (7, 9, 20, 12, 15)]
    titles = ["QUIP", "QUIP (n=9)", "QUIP (long)", "QUIP (n=12)", "QUIP (n=15)"]
    assert [m.title for m in run.methods] == titles
    tuned = shell.done("tune", "out", "--split", "dev", "--freeze", "Ours")
    assert all(title in tuned.out for title in titles)
    # Of the sweep, tuning takes one; the other one is read on no other split.
    (chosen,) = (n for n in (12, 15) if f"Of the sweep quip.n QUIP (n={n}) is chosen" in tuned.err)
    rejected = json.loads(shell.frozen("Ours") or "")["rejected"]
    assert rejected == [f"quip:n={27 - chosen}"]
    on_test = shell("report", "out", "--rules", "Ours", "--split", "test", "--format", "csv").out
    assert f"QUIP (n={chosen})" in on_test
    assert f"QUIP (n={27 - chosen})" not in on_test


def _a_passes_and_b_fails(asked: Asked) -> str:
    if asked.body["model"] == "a":
        return passes(asked)
    return json.dumps({"reasons": ["None of it is there."], "unsupported": [], "verdict": "FAIL"})


def test_two_chat_models_judge_by_one_method_in_one_run(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", cases_of(3))
    with LLMServer(_a_passes_and_b_fails) as server:
        models = [("--set", f"direct:{name}.model=server:{name}@{server.openai}") for name in "ab"]
        said = shell(
            "run", "--cases", str(cases), "--methods", "direct:a,direct:b", *models[0], *models[1], "--quiet", "--out", "out"
        )
        assert said.code == 0, said.err
    assert Counter(asked.body["model"] for asked in server.asked) == {"a": 3, "b": 3}
    run = read_folder(shell.home / "out")
    assert [(m.id, m.loads) for m in run.methods] == [("direct:a", "direct"), ("direct:b", "direct")]
    assert [str(m.options["model"]).partition("@")[0] for m in run.methods] == ["server:a", "server:b"]
    assert run.support.tolist() == [[1.0] * 3, [0.0] * 3]
    report = shell("report", "out", "--format", "csv").out
    assert "Direct prompting (a)" in report
    assert "Direct prompting (b)" in report


BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no file": (("--cases", "nowhere.jsonl"), "nowhere.jsonl cannot be read (No such file or directory)."),
    "a folder": (("--cases", "."), ". cannot be read (Is a directory)."),
    "an endless device": (("--cases", "/dev/zero"), "/dev/zero is a device and no file."),
    "garbage": (("--cases", "garbage.parquet"), "The Parquet file is damaged or not Parquet."),
    "a text that is no table": (("--cases", "notes.txt"), "The file has no rows."),
    "an unknown method": (
        ("--methods", "quip,no_such"),
        "no method 'no_such'; there are alignscore:base, alignscore:large, bart_score, cascade, claims_verify",
    ),
    "the same name twice": (("--methods", "quip:x,quip", "--sweep", "quip.n=9,9"), "--sweep takes PART.OPTION=VALUE,VALUE"),
    "no method": (("--methods", ","), "name a method with --methods"),
    "an unknown split": (("--split", "Dev2"), "No case has the split Dev2; there are dev, test."),
    "no limit": (("--limit", "0"), "Invalid value for '--limit': 0 is not in the range x>=1."),
    "no sum": (("--dollars", "nan"), "Invalid value for '--dollars': nan is not in the range x>0."),
    "a parameter of another form": (("--set", "n=3"), "--set takes PART.OPTION=VALUE with one of quip, got 'n=3'"),
    "a parameter called as the method is": (("--set", "quip.method=3"), "quip has no parameter method; there are n"),
    "an unknown parameter": (("--set", "quip.m=3"), "quip has no parameter m; there are n, scope, aggregation"),
    "a parameter that means nothing": (("--set", "quip.n=-1"), "n must be a whole number of at least 1, such as 21, got -1"),
    "a method without a model": (("--methods", "direct"), "Direct prompting: Choose a model"),
    "batches without kept replies": (("--batches", "--no-keep"), "leave one of the two out"),
    "a taken folder": (("--out", "."), ". is not empty, and a run's files are never overwritten; name a new folder."),
    "a folder below a file": (("--out", "empty.jsonl/a/b"), "cannot be written; name a folder elsewhere."),
    "scores that are none": (("--scores", "useless.jsonl"), "No score of Ragas, DeepEval, TruLens or Phoenix was found."),
    "a deep parameter": (("--set", f"quip.n={'[' * 9_000}"), "n must be a whole number of at least 1"),
    "weights in words": (
        ("--methods", "grounding_classifier", "--set", "grounding_classifier.weights=/not/there"),
        "weights must be left out",
    ),
}


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    shell = Shell(tmp_path_factory.mktemp("bad"))
    shell.write("cases.jsonl", CASES)
    (shell.home / "empty.jsonl").touch()
    (shell.home / "garbage.parquet").write_bytes(b"PAR1 nothing")
    (shell.home / "notes.txt").write_text("notes", encoding="utf-8")
    (shell.home / "useless.jsonl").write_text('{"query": "q", "context": "c", "response": 5}\n', encoding="utf-8")
    return shell


@pytest.mark.parametrize("what", BAD)
def test_what_means_nothing_is_refused_with_a_sentence(bad: Shell, what: str) -> None:
    given, says = BAD[what]
    # The last of two options with one name counts.
    assert says in bad.refuses("run", "--cases", "cases.jsonl", "--methods", "quip", *given)
    assert bad.runs() == []


def test_texts_go_nowhere_without_a_word(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", CASES)
    # Nobody listens there: a text that went out would fail, and be kept as such.
    model = "server:m@http://192.0.2.1:9/v1"
    given = ("run", "--cases", cases, "--methods", "direct", "--model", model)
    for answer in ("", "y\n"):
        err = shell.refuses(*given, stdin=answer)
        assert "192.0.2.1" in err
        assert "Nothing was sent. Add --yes to send it." in err
    assert shell.runs() == []


def test_hostile_names_and_rows_reach_no_terminal(shell: Shell) -> None:
    hostile = [replace(c, id=f"{HOSTILE} {i}", query=HOSTILE) for i, c in enumerate(CASES)]
    (shell.home / "\x1b[31mcases.jsonl").write_text(
        "".join(json.dumps({"query": HOSTILE, HOSTILE: 1}) + "\n" for _ in range(2)), encoding="utf-8"
    )
    cases = shell.write("good.jsonl", hostile)
    hostile_file = "\x1b[31mcases.jsonl"
    refused = [shell("run", "--cases", hostile_file, cases), shell("run", "--methods", HOSTILE), shell("report", HOSTILE)]
    said = shell.done("run", "--cases", cases, "--methods", "quip", "--name", HOSTILE, "--out", "\x1b[31mout")
    shown = said.out + said.err + shell("runs").out + "".join(one.err for one in refused)
    run = shell.runs()[0].id
    for verb in (("report", run, "--format", "csv"), ("tune", run, "--split", "dev"), ("compare", run, run)):
        again = shell.done(*verb)
        shown += again.out + again.err
    assert "\N{REPLACEMENT CHARACTER}[31m" in shown
    assert not {c for c in shown if not c.isprintable()} - {"\n"}
    assert read_folder(shell.home / "\x1b[31mout").read_cases(range(9)) == hostile


def test_characters_that_a_terminal_does_not_know_stop_nothing(shell: Shell) -> None:
    cases = shell.write("cases.jsonl", CASES)
    shell.environment = {"PYTHONIOENCODING": "ascii"}
    said = shell.child("run", "--cases", cases, "--methods", "quip", "--name", "Fälle § 5 ≥ 合", "--out", "out")
    assert said.code == 0
    assert "F?lle ? 5 ? ?" in said.err
    assert shell.manifest("out")["name"] == "Fälle § 5 ≥ 合"
    shell.environment = {}
    odd = b"\xff\xfe name"
    said = shell.child(
        "run", "--cases", cases, "--methods", "quip", "--name", odd.decode("utf-8", "surrogateescape"), "--out", "odd"
    )
    assert said.code == 0
    assert shell.manifest("odd")["name"] == "\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER} name"
