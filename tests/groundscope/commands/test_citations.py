"""`citations` as a user types it."""

import json
import re
from math import nan
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from scipy.stats import spearmanr

from groundscope.citations.fresco import Link, scored
from groundscope.citations.whole_texts import BARTSCORE
from groundscope.commands.citations import left_out
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import STAGE
from scorers.bart_score import WEIGHTS
from tests.components.processes import until
from tests.groundscope.arguments.scripted import spec
from tests.groundscope.commands.conftest import Said, Shell
from tests.llm_server import Asked, Fault, LLMServer
from tests.scorers.judges import folders
from tests.scorers.judges.test_bart_score import original

CATS, BIRDS = "Cats may roam. 28 U.S.C. § 1331.", "Birds always sing. Roe v. Wade, 410 U.S. 113 (1973)."
ROWS = [
    {"id": "a", "system": "one", "reference": CATS, "generated": "Cats may roam. 28 USC 1331.", "rating": 3},
    {"id": "a", "system": "two", "reference": CATS, "generated": "Nothing is cited.", "rating": 1},
    {"id": "b", "system": "one", "reference": BIRDS, "generated": "Birds always sing. 410 U.S. 113.", "rating": 4},
    {"id": "b", "system": "two", "reference": BIRDS, "generated": "Fish never do. 1 F.3d 2.", "rating": 1},
    {"reference": "alone"},
]


@pytest.fixture
def file(shell: Shell) -> str:
    (shell.home / "analyses.jsonl").write_text("\n".join(json.dumps(r) for r in ROWS), encoding="utf-8")
    return "analyses.jsonl"


@pytest.fixture(scope="module")
def scored_rows(tmp_path_factory: pytest.TempPathFactory) -> tuple[Said, dict[str, Any]]:
    """What the command shows of the rows, and the same as JSON."""
    shell = Shell(tmp_path_factory.mktemp("scored"))
    (shell.home / "analyses.jsonl").write_text("\n".join(json.dumps(r) for r in ROWS), encoding="utf-8")
    return shell("citations", "analyses.jsonl"), json.loads(shell("citations", "analyses.jsonl", "--json", "--quiet").out)


def test_systems_are_shown_with_intervals_and_bad_rows_are_said(scored_rows: tuple[Said, dict[str, Any]]) -> None:
    shown, content = scored_rows
    assert shown.code == 0
    assert "1.000 (1.000 to 1.000)" in shown.out
    assert "Recall by ROUGE-L, from 0.4 on" in shown.out
    assert "analyses.jsonl, row 5: 'generated' is missing." in shown.err
    # The second system cites nothing in one text, and something else in the other.
    assert "0.000 (0.000 to 0.000) n=2" in shown.out
    assert (content["systems"][1]["f1"]["texts"], content["systems"][1]["precision"]["texts"]) == (2, 1)
    assert [s["recall"]["value"] for s in content["systems"]] == [1.0, 0.0]


def test_rank_correlations_carry_their_intervals(scored_rows: tuple[Said, dict[str, Any]]) -> None:
    agreement = scored_rows[1]["agreement"]
    assert [(a["first"], a["second"], a["of"]) for a in agreement] == [
        ("Recall by ROUGE-L, from 0.4 on", "Human rating", 4),
        ("ROUGE-L of the whole texts", "Human rating", 4),
        ("Citation recall", "Human rating", 4),
        ("Citation precision", "Human rating", 3),
    ]
    for rho in (found[name] for found in agreement[:3] for name in ("spearman", "kendall")):
        assert -1.0 <= rho["low"] <= rho["value"] <= rho["high"] <= 1.0


def test_without_weights_bartscore_says_what_to_do(scored_rows: tuple[Said, dict[str, Any]]) -> None:
    shown = scored_rows[0].out
    assert "BARTScore is left out. The weights of facebook/bart-large-cnn are not on this machine; get them" in shown
    assert "BARTScore recall" not in shown


def test_bartscore_stands_beside_ratings_where_its_weights_are(shell: Shell, file: str, tmp_path: Path) -> None:
    folder = folders.bart(tmp_path / "models" / WEIGHTS.name)
    shell.environment["GROUNDSCOPE_MODELS"] = str(tmp_path / "models")
    made = json.loads(shell("citations", file, "--json", "--quiet").out)
    figures = {a["first"]: a for a in made["agreement"]}
    assert {name for name in figures if "BARTScore" in name} == set(BARTSCORE.values())
    assert made["bartscore"] == ""
    precision = [original(folder, r["reference"], r["generated"]) for r in ROWS[:4]]  # type: ignore[arg-type]
    rho = spearmanr(precision, [r["rating"] for r in ROWS[:4]])[0]
    assert figures["BARTScore precision"]["spearman"]["value"] == pytest.approx(rho)


@pytest.mark.parametrize(
    ("metric", "reference", "words"),
    [
        ("best", "Nothing is cited.", "1 text has no score: the reference cites nothing that could be read."),
        ("points", "", "1 text has no score: the reference holds no point."),
    ],
)
def test_why_a_text_has_no_score_is_said(shell: Shell, metric: str, reference: str, words: str) -> None:
    rows = [{"id": "a", "reference": CATS, "generated": CATS}, {"id": "b", "reference": reference, "generated": CATS}]
    (shell.home / "two.jsonl").write_text("\n".join(json.dumps(r) for r in rows), encoding="utf-8")
    said = shell("citations", "two.jsonl", "--metric", metric, "--quiet").out
    assert words in said
    assert said.count("no score") == 1


def test_claims_that_could_not_be_compared_are_no_empty_reference() -> None:
    unknown = scored([Link(0, 0, nan, 1.0, False)], 1, 1)
    half = scored([Link(0, 0, nan, 1.0, False), Link(1, 1, 0.9, 1.0, True)], 2, 2)
    assert [line for line in left_out([unknown, half], "best") if line] == [
        "1 text has no score: the similarity of no claim could be computed.",
        "Reference claims left out, as no similarity could be computed: 2.",
    ]


def test_the_literal_sum_has_no_f1_and_bartscore_can_be_left_out(shell: Shell, file: str) -> None:
    shown = shell("citations", file, "--metric", "sum", "--no-bartscore", "--quiet").out
    assert "The literal sum is no share, so it has no F1." in shown
    assert "BARTScore" not in shown


def test_claims_are_compared_by_the_embedding_model_that_comes_with_it(shell: Shell, file: str) -> None:
    said = shell.done("citations", file, "--b-sim", "cosine", "--json", "--quiet")
    made = json.loads(said.out)
    assert made["similarity"].startswith("cosine|")
    # Equal claims are alike by any measure; the other system cites none of the authorities.
    assert [s["recall"]["value"] for s in made["systems"]] == [1.0, 0.0]


def test_several_similarities_stand_beside_the_ratings_of_texts(shell: Shell, file: str) -> None:
    content = json.loads(shell("citations", file, "--b-sim", "rouge", "--b-sim", "2*rouge+2*cosine", "--json", "--quiet").out)
    assert [a["first"] for a in content["agreement"][:2]] == [
        "Recall by ROUGE-L, from 0.4 on",
        "Recall by 0.5 ROUGE-L + 0.5 Embedding cosine, all-MiniLM-L6-v2, from 0.5 on",
    ]
    assert content["similarity"].startswith("rouge_l|")


def test_pairs_of_claims_are_held_against_their_ratings_in_one_table(shell: Shell) -> None:
    reference = "Cats may roam by day."
    rows = [
        {"reference": reference, "generated": g, "rating": r} for g, r in ((reference, 5), ("Cats may roam.", 4), ("Fish.", 1))
    ]
    (shell.home / "claims.jsonl").write_text("\n".join(map(json.dumps, [*rows, {**rows[0], "rating": None}])), "utf-8")
    claims = ("citations", "claims.jsonl", "--metric", "claims", "--b-sim", "rouge", "--b-sim", ".5*rouge+.5*cosine")
    assert "Without --same-from only ranks are compared" in shell.done(*claims, "--quiet").out
    shown = shell.done(*claims, "--same-from", "4", "--quiet").out
    assert "0.5 ROUGE-L + 0.5 Embedding cosine" in shown
    rouge, mixed = json.loads(shell.done(*claims, "--same-from", "4", "--json", "--quiet").out)["similarities"]
    # The ROUGE-L of the three is 1, 6 / 8 and 0, so the order is that of the ratings; the pair without a rating does not count.
    assert (rouge["of"], rouge["spearman"]["value"], rouge["agreement"]["best_threshold"]) == (3, 1.0, 6 / 8 / 2)
    assert rouge["agreement"]["share"] == mixed["agreement"]["share"] == 1.0
    (shell.home / "claims.jsonl").write_text(json.dumps({"reference": "a", "generated": "b"}), "utf-8")
    assert "No pair of claims has a rating" in shell.refuses(*claims)


@pytest.mark.parametrize("metric", ["sum", "fresco", "points"])
def test_everything_is_shown_as_json(shell: Shell, file: str, metric: str) -> None:
    made = json.loads(shell("citations", file, "--metric", metric, "--json", "--quiet").out)
    assert (made["metric"], made["similarity"]) == (metric, "rouge_l|rouge-score 0.1.2|fmeasure|stemmer")
    assert [t["id"] for t in made["texts"]] == ["a", "a", "b", "b"]
    if metric != "points":
        assert [s["recall"]["value"] for s in made["systems"]] == [1.0, 0.0]
    if metric == "sum":
        assert all(t["f1"] is None for t in made["texts"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("analyses.jsonl", "--b-sim", "magic"), "no similarity 'magic'"),
        (("analyses.jsonl", "--b-sim", "entails:magic"), "no method 'magic'"),
        (("analyses.jsonl", "--b-sim", ".5*rouge+.5*magic"), "no similarity 'magic'"),
        (("analyses.jsonl", "--b-sim", "0*rouge"), "weights must be numbers above 0"),
        (("nowhere.jsonl",), "nowhere.jsonl cannot be read"),
    ],
)
@pytest.mark.usefixtures("file")
def test_what_is_not_there_is_named(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    assert words in shell.refuses("citations", *arguments, "--quiet")


def test_a_chat_model_takes_the_texts_apart_and_what_it_fails_on_is_left_out(shell: Shell, file: str) -> None:
    def answer(asked: Asked) -> str:
        if "Fish" in asked.data["analysis"]:
            return "no claims"
        return json.dumps({"claims": [{"claim": "Cats may roam and birds sing.", "citations": [1]}]})

    with LLMServer(answer) as server:
        said = shell("citations", file, "--decompose", spec(server), "--json", "--quiet")
    assert said.code == 0, said.err
    made = json.loads(said.out)
    assert made["claims"].startswith("decomposed|")
    assert [(t["id"], t["system"]) for t in made["texts"]] == [("a", "one"), ("a", "two"), ("b", "one")]
    assert [t["recall"] for t in made["texts"]] == [1.0, 0.0, 1.0]
    assert "b, two: left out, its claims could not be read." in said.err
    # Two references, each once, three texts that cite something, and one of them once more; what cites nothing is not sent.
    assert len(server.asked) == 2 + 3 + 1


CITING = 5
"""Texts of the rows that cite something, each counted once."""


def splits(asked: Asked) -> str:
    """Give the first citation of a text the claim of the text."""
    return json.dumps({"claims": [{"claim": asked.data["analysis"].split(".")[0], "citations": [1]}]})


def left_behind(shell: Shell) -> list[Path]:
    """Files of the data folder that hold a text of the rows, besides the saved replies, which a button deletes."""
    files = [path for path in (shell.home / "data").rglob("*") if path.is_file() and not path.name.startswith("replies.")]
    return [path for path in files if b"Cats may roam" in path.read_bytes()]


def test_a_job_that_is_killed_resumes_and_asks_no_finished_text_again(shell: Shell, file: str) -> None:
    gate, at_the_gate = Event(), Event()

    def waits(asked: Asked) -> str:
        if "Fish" in asked.data["analysis"] and not gate.is_set():
            at_the_gate.set()
            gate.wait(60)
        return splits(asked)

    with LLMServer(waits) as server:
        verb = ("citations", file, "--decompose", spec(server), "--json")
        child = shell.start(*verb)
        assert at_the_gate.wait(60)
        (path,) = (shell.home / "data" / "recall").glob("*.sqlite")
        until(lambda: len(JobFile(path).done(STAGE)) == 1)
        child.kill()
        child.communicate(timeout=60)
        gate.set()
        assert re.search(rf"{path.stem} +recall +Citation recall of analyses.jsonl +paused +1 of 2", shell("jobs").out)
        resumed = shell.done("resume", path.stem, "--quiet")
        asked = [a.data["analysis"] for a in server.asked]
        assert (len(asked), len(set(asked))) == (CITING + 1, CITING)
        assert "Fish" in asked[-1]
        whole = json.loads(resumed.out)
        assert whole == json.loads(shell.done(*verb, "--quiet").out)
        assert [t["id"] for t in whole["texts"]] == ["a", "a", "b", "b"]
    assert left_behind(shell) == []


def test_a_result_that_cannot_be_written_stays_with_its_job(shell: Shell, file: str) -> None:
    with Path("/dev/full").open("wb") as full:
        child = shell.start("citations", file, "--json", "--quiet", stdout=full)
        (job,) = re.findall(r"To try again: python -m groundscope resume (\S+)", child.communicate(timeout=60)[1].decode())
    assert child.returncode == 3
    assert len(json.loads(shell.done("resume", job, "--quiet").out)["texts"]) == 4
    assert "No jobs yet" in shell("jobs").err


def test_a_budget_stops_the_job_and_holds_over_its_starts(shell: Shell, file: str) -> None:
    with LLMServer(splits) as server:
        stopped = shell("citations", file, "--decompose", spec(server), "--calls", "2", "--quiet")
        assert (stopped.code, stopped.out) == (3, "")
        job = re.findall(r"To resume: python -m groundscope resume (\S+)", stopped.err)[-1]
        assert shell("resume", job, "--quiet").code == 3
        assert len(server.asked) == 2
        said = shell.done("resume", job, "--calls", str(CITING), "--quiet")
        assert len(server.asked) == CITING
    assert said.out.startswith("l-fresco, claims compared by ROUGE-L, match from 0.4 on.")
    assert left_behind(shell) == []


def test_a_text_that_failed_is_left_out_until_it_is_retried(shell: Shell, file: str) -> None:
    with LLMServer(splits, [Fault("status", status=413, times=1)]) as server:
        said = shell.done("citations", file, "--decompose", spec(server, at_once=1), "--json", "--quiet")
        job = re.findall(r"1 reference failed. To retry: python -m groundscope resume (\S+) --retry-failed", said.err)[-1]
        assert len(re.findall(r"^\w, \w+: left out, it could not be scored. ", said.err, re.M)) == 2
        assert len(json.loads(said.out)["texts"]) == 2
        again = shell.done("resume", job, "--retry-failed", "--quiet", "--out", "again.json")
        assert (again.out, len(server.asked)) == ("again.json\n", CITING + 1)
    assert len(json.loads((shell.home / "again.json").read_text("utf-8"))["texts"]) == 4
    assert left_behind(shell) == []


def test_a_method_that_cannot_run_says_why_and_no_text_is_scored(shell: Shell, file: str) -> None:
    said = shell("citations", file, "--b-sim", "entails:hem_v1", "--quiet")
    assert (said.code, said.out) == (4, "")
    assert "2 times: Entailment by " in said.err
    assert "No text could be scored; see above for why." in said.err


def test_rows_of_one_reference_stay_where_the_file_has_them(shell: Shell) -> None:
    by_system = sorted(ROWS[:4], key=lambda row: str(row["system"]))
    (shell.home / "sorted.jsonl").write_text("\n".join(json.dumps(r) for r in by_system), encoding="utf-8")
    made = json.loads(shell.done("citations", "sorted.jsonl", "--no-bartscore", "--json", "--quiet").out)
    assert [(t["id"], t["system"]) for t in made["texts"]] == [(r["id"], r["system"]) for r in by_system]
    assert [t["recall"] for t in made["texts"]] == [1.0, 1.0, 0.0, 0.0]


def test_a_pair_of_claims_without_a_rating_is_not_compared(shell: Shell) -> None:
    rows = [{"reference": f"Cats {n}.", "generated": "Cats.", "rating": n if n < 4 else None} for n in range(6)]
    (shell.home / "claims.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with LLMServer(lambda asked: json.dumps({"same": "2" in str(asked.data)})) as server:
        said = shell.done("citations", "claims.jsonl", "--metric", "claims", "--b-sim", f"chat:{spec(server)}", "--json")
    assert len(server.asked) == 4
    assert json.loads(said.out)["similarities"][0]["of"] == 4
