"""`rag-run` as a user types it: what is told, what is refused before anything begins, and what comes of it."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from groundscope.experiments.listing import Listed, listed
from groundscope.grounding.rules.frozen_rules import Decision, freeze
from groundscope.grounding.tuning import Objective, Rule, Tuned
from groundscope.methods import registry
from groundscope.rag import experiments
from groundscope.rag.records import read_results
from tests.groundscope.commands.conftest import Shell
from tests.llm_server import LLMServer

QUICK = ("--embedders", "bm25", "--models", "similar", "--judge", "offline:overlap", "--quiet")
TEXTS = {"rent": "Rent is due on Mondays.", "pets": "No pets are kept in the house."}


@pytest.fixture
def files(shell: Shell) -> tuple[str, ...]:
    """A corpus with questions, as options."""
    rows = [{"id": i, "title": f"Lease, {i}", "text": text} for i, text in TEXTS.items()]
    asked = [{"id": f"q-{i}", "question": f"What of {i}?", "answer": t, "relevant_passage_id": i} for i, t in TEXTS.items()]
    for name, all_ in (("corpus.jsonl", rows), ("questions.jsonl", asked)):
        (shell.home / name).write_text("\n".join(map(json.dumps, all_)), encoding="utf-8")
    return "--corpus", "corpus.jsonl", "--questions", "questions.jsonl"


def begun(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> list[Listed]:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(shell.home / "data"))
    return listed(experiments.KIND)[0]


def test_an_experiment_on_the_sample_set_runs_to_its_end(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    said = shell("rag-run", "--limit", "2", "--k", "2", *QUICK, "--name", "Mine", "--out", "a.jsonl.gz")
    assert (said.code, said.out) == (0, "a.jsonl.gz\n"), said.err
    assert "passages, 2 questions, 2 answers. Judged offline: grounded by Overlap" in said.err
    answers = read_results("a.jsonl", gzip.decompress((shell.home / "a.jsonl.gz").read_bytes())).answers
    assert [(a.embedder, a.model, len(a.context)) for a in answers] == [("BM25", "Nearest sentences", 2)] * 2
    (one,) = begun(shell, monkeypatch)
    assert (one.name, one.plan.k, bool(one.finished)) == ("Mine", 2, True)
    by_file, by_id = (shell.done("rag-report", given).out for given in ("a.jsonl.gz", one.id))
    assert by_file == by_id
    assert "2 answers" in by_id


def test_a_corpus_of_ones_own_is_asked_and_what_it_lacks_is_said(
    shell: Shell, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with (shell.home / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write('\n{"id": "void", "text": ""}')
    said = shell.done("rag-run", *files, "--limit", "1", "--licence", "CC0", *QUICK)
    assert "corpus.jsonl: row 3 has no text (left out)." in said.err
    assert "2 passages, 1 question, 1 answer. Judged" in said.err
    (one,) = begun(shell, monkeypatch)
    assert (one.plan.licence, one.wanted) == ("CC0", 1)
    (answer,) = experiments.answers(experiments.FOLDER.open(one.id))
    assert (answer.correct, answer.grounded, answer.hit) == (True, True, True)


def test_documents_are_cut_at_their_headings_and_asked(
    shell: Shell, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    (shell.home / "lease.md").write_text("# Rent\n\nRent is due on Mondays.\n\n# Pets\n\nNo pets are kept.", "utf-8")
    asked = [{"id": "q", "question": "What of pets?", "answer": "No pets are kept.", "relevant_passage_id": "lease.md-s2"}]
    (shell.home / "asked.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    given = ("--documents", "lease.md", "--questions", "asked.jsonl", "--k", "1,2", "--out", "a.jsonl")
    said = shell.done("rag-run", *given, *QUICK)
    assert "2 passages, 1 question, 2 answers." in said.err
    answers = read_results("a.jsonl", (shell.home / "a.jsonl").read_bytes()).answers
    assert [(a.embedder, a.hit, [p.source for p in a.context]) for a in answers] == [
        ("BM25, k = 1", True, ["lease.md, Pets"]),
        ("BM25, k = 2", True, ["lease.md, Pets", "lease.md, Rent"]),
    ]
    for wrong, words in (
        (("--documents", "lease.md"), "--documents needs --questions"),
        (("--documents", "lease.md", *files), "Name documents or a corpus, not both."),
        (("--rerankers", "best"), "nothing ranks sentences by 'best': similar or support:METHOD"),
    ):
        assert words in shell.refuses("rag-run", *QUICK, *wrong)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--corpus", "corpus.jsonl"), "--corpus and --questions belong together"),
        (("--embedders", "bm26"), "An embedder is written minilm"),
        (("--prompts", "bold"), "must be one of benchmark, cautious"),
        (("--judge", "offline:direct"), "direct asks a chat model; use chat:SPEC."),
        (("--out", "corpus.jsonl"), "corpus.jsonl already exists; name another file."),
        (("--out", "gone/a.jsonl"), "gone/a.jsonl cannot be written; name a file elsewhere"),
        (("--models", "chat:openai:gpt-4o"), "OPENAI_API_KEY"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_begins(
    options: tuple[str, ...], words: str, shell: Shell, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = () if "--corpus" in options else files
    assert words in shell.refuses("rag-run", *own, *QUICK, *options)
    assert begun(shell, monkeypatch) == []


def test_a_second_judge_reads_by_the_threshold_named_or_frozen_for_it_or_its_starting_one(
    shell: Shell, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def judged(second: str) -> str:
        said = shell.done("rag-run", *files, *QUICK, "--limit", "1", "--second-judge", second).err
        return said.partition("Second judge: ")[2].partition("\n")[0]

    monkeypatch.setenv("GROUNDSCOPE_DATA", str(shell.home / "data"))
    about, signature = registry.load("overlap").about, registry.load("overlap").signature
    assert judged("overlap") == f"Overlap from {about.threshold:g} on, its starting threshold."
    for name, rule in (("Ours", Rule("own", 0.625)), ("Theirs", Rule("own", 0.5)), ("By mean", Rule("mean", 0.5))):
        tuned = {"overlap": Tuned(rule, "dev", 0.6, 48)}
        decision = Decision(name, f"2026-11-2{len(name)}", "Run", "hash", Objective(), tuned, {"overlap": signature})
        freeze(decision if name != "Theirs" else replace(decision, signatures={"overlap": "of other parameters"}))
        starting = name == "By mean"
        words = f"from {about.threshold:g} on, its starting threshold" if starting else "from 0.625 on, frozen as Ours"
        assert judged("overlap") == f"Overlap {words}."
    assert judged("overlap@0.4") == "Overlap from 0.4 on."
    assert "must lie in 0..1" in shell.refuses("rag-run", *files, *QUICK, "--second-judge", "overlap@4")


def test_nothing_goes_to_another_host_without_a_word(
    shell: Shell, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    err = shell.refuses("rag-run", *files, *QUICK, "--models", "chat:server:m@https://models.invalid/v1")
    for words in ("models.invalid", "2 calls", "Nothing was sent. Add --yes to send it."):
        assert words in err
    assert begun(shell, monkeypatch) == []


def test_a_server_of_this_machine_needs_no_word(shell: Shell, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    with LLMServer(lambda asked: "Rent is due on Mondays.") as server:
        said = shell.done("rag-run", *files, *QUICK, "--models", f"chat:server:scripted-1@{server.openai}", "--limit", "1")
    assert "this machine" in said.err
    (one,) = begun(shell, monkeypatch)
    (answer,) = experiments.answers(experiments.FOLDER.open(one.id))
    assert (answer.model, answer.answer) == ("scripted-1", "Rent is due on Mondays.")


def test_passages_that_are_not_read_whole_are_reported_and_stay_reported(
    shell: Shell, files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    with (shell.home / "corpus.jsonl").open("a", encoding="utf-8") as corpus:
        corpus.write("\n" + json.dumps({"id": "long", "text": "word " * 300}))
    said = shell.done("rag-run", *files, *QUICK, "--embedders", "bm25,minilm", "--limit", "1")
    note = "all-MiniLM-L6-v2: 1 of 3 passages is longer than it reads; its end is not searched (choose at most 254 tokens)."
    assert note in said.err
    assert begun(shell, monkeypatch)[0].plan.notes == (note,)


def test_what_is_left_is_gone_on_with(shell: Shell, files: tuple[str, ...], tmp_path: Path) -> None:
    with LLMServer(lambda asked: "Rent is due on Mondays.") as server:
        chat = f"chat:server:scripted-1@{server.openai}"
        said = shell("rag-run", *files, *QUICK, "--models", chat, "--calls", "1", "--out", "a.jsonl")
        assert (said.code, said.out) == (3, ""), said.err
        on = said.err.splitlines()[-1]
        assert on.startswith("To resume: python -m groundscope resume ")
        assert not (shell.home / "a.jsonl").exists()
        said = shell("resume", on.split()[-1], "--quiet")
        assert (said.code, said.out) == (3, ""), "the limit is the experiment's own"
        said = shell("resume", on.split()[-1], "--quiet", "--calls", "2", "--out", "a.jsonl")
        assert (said.code, len(server.asked)) == (0, 2), said.err
    assert len((shell.home / "a.jsonl").read_text("utf-8").splitlines()) == 2
