"""The sample set keeps the promises of its data card: size, shape, balance, gold labels, and hardness."""

import json
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import get_args

import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy.stats import chi2_contingency

from benchmarks.sample_set import hardness, sentence_supports
from groundscope.cases.dataset import read, to_jsonl
from groundscope.cases.error_types import TITLES, type_counts
from groundscope.cases.gold import gold_sentences
from groundscope.cases.splitting import split_counts
from groundscope.cases.validation import BAG_OF_WORDS_LIMIT, ValidationOutcome, bag_of_words, habits, near_copies, validate
from groundscope.methods import registry
from groundscope.statistics.decision import SentenceRule
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorType
from scorers.cos_sim import MINILM, CosSim

FOLDER = Path(__file__).resolve().parents[3] / "sample_data"
PATH = FOLDER / "legal_qa.jsonl"


@cache
def cases() -> tuple[Case, ...]:
    found = read(PATH.name, PATH.read_bytes())
    assert found.rejected == ()
    return found.cases


@cache
def by_query() -> dict[str, list[Case]]:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in cases():
        groups[case.group or ""].append(case)
    return dict(groups)


def test_the_file_is_in_the_apps_own_format_to_the_byte() -> None:
    assert PATH.read_text(encoding="utf-8") == to_jsonl(cases())


def test_there_are_120_queries_in_20_areas_and_360_responses() -> None:
    assert len({c.query for c in cases()}) == len(by_query()) >= 120
    assert len({c.area.split(" · ")[0] for c in cases()}) >= 20
    assert len(cases()) >= 360


def test_every_query_has_its_passages_distractors_grounded_responses_and_variants() -> None:
    for name, group in by_query().items():
        context = group[0].context
        assert 4 <= len(context) <= 8, name
        assert all(c.context == context for c in group), name
        assert all(60 <= len(p.text.split()) <= 160 and p.source for p in context), name
        sound = [c for c in group if c.grounded]
        assert len(context) - len({e.passage for c in sound for e in c.evidence}) >= 2, name
        assert 1 <= len(sound) <= 2, name
        assert 1 <= len(group) - len(sound) <= 3, name
        assert all(4 <= sum(not s.heading for s in split(c.response)) <= 8 for c in sound), name


def test_forty_queries_have_a_second_grounded_response_in_other_words() -> None:
    shares = {}
    for group in by_query().values():
        for case in [c for c in group if c.grounded][1:]:
            evidence = " ".join(case.context[e.passage].text[e.start : e.end] for e in case.evidence)
            words, theirs = ({w for w in re.findall(r"\w+", t.casefold()) if len(w) > 3} for t in (case.response, evidence))
            shares[case.group] = len(words & theirs) / len(words)
    assert len(shares) >= 40
    assert max(shares.values()) < 0.6
    assert sum(shares.values()) / len(shares) < 0.35


@pytest.mark.parametrize("name", ["legal_qa", "legal_nli"])
def test_an_id_is_a_topic_and_a_letter_that_tells_no_label(name: str) -> None:
    rows = [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    letters = [row["id"].removeprefix(f"{row['group']}-") for row in rows]
    counts = pd.crosstab(letters, [row.get("label") or row["grounded"] for row in rows])
    assert all(re.fullmatch("[a-f]", letter) for letter in letters)
    # Both labels have every letter, as often as chance gives it.
    assert counts.min().min() >= 3
    assert chi2_contingency(counts).pvalue > 0.05


def test_every_error_says_why_and_how_the_context_stands() -> None:
    for error in (e for c in cases() for e in c.errors):
        assert error.contradicted is not None
        assert re.search(r"\bp[1-8]\b", error.why)


def test_every_error_type_stands_forty_times_and_in_every_split() -> None:
    for found in type_counts(cases()):
        assert found.total >= 40, found.type
        assert set(found.by_split) == {"train", "dev", "test"}, found.type


def test_four_of_five_variants_have_one_edit_and_some_have_three() -> None:
    edits = Counter(len(c.errors) for c in cases() if c.grounded is False)
    assert edits[1] / edits.total() >= 0.8
    assert edits[3] >= 5
    assert set(edits) == {1, 2, 3}


def test_splits_are_70_10_20_by_query() -> None:
    counts = {s.split: s.queries for s in split_counts(cases())}
    total = counts["all"]
    assert [round(100 * counts[s] / total) for s in ("train", "dev", "test")] == [70, 10, 20]


def test_a_variants_sentences_keep_their_parents_evidence() -> None:
    known = {c.id: c for c in cases()}
    for case in cases():
        if case.parent:
            ours, theirs = gold_sentences(case), gold_sentences(known[case.parent])
            assert [g.evidence for g in ours] == [g.evidence for g in theirs]


def test_every_check_of_a_set_passes() -> None:
    failed = [(c.title, c.figure, c.findings[:3]) for c in validate(cases())[:-1] if c.outcome is not ValidationOutcome.PASSED]
    assert failed == []


@pytest.mark.parametrize("step", [12, pytest.param(1, marks=pytest.mark.release)])
def test_no_text_is_a_near_copy_of_another_querys(step: int) -> None:
    looked_at = [case for group in list(by_query().values())[::step] for case in group]
    check = near_copies(looked_at, CosSim(weights=MINILM).embed)
    assert check.outcome is ValidationOutcome.PASSED, check.findings


def shipped_supports(method: str) -> list[tuple[Case, list[float | None]]]:
    """What `sentence_supports` gives, from the run that comes with the app; its own test holds that it is still of this set."""
    run = FOLDER / "runs" / "offline-methods"
    number = [m["id"] for m in json.loads((run / "manifest.json").read_text("utf-8"))["methods"]].index(method)
    supports = defaultdict(list)
    for row in pq.read_table(run / "sentences.parquet", filters=[("method", "=", number)]).to_pylist():
        supports[row["row"]].append(row["support"])
    return [(c, supports[i]) for i, c in enumerate(cases()) if c.split in {"dev", "test"} and c.grounded is not None]


def test_methods_that_compare_words_do_not_solve_it() -> None:
    by_meaning = shipped_supports("cos_sim:minilm")
    for judged in (sentence_supports(registry.load("overlap"), cases()), by_meaning):
        for rule in get_args(SentenceRule):
            _, _, on_test = hardness(judged, rule)
            assert on_test <= 0.65, rule
    # What was stored is what the method says: the precision is that of the machine.
    some = by_meaning[::40]
    for (case, stored), (_, now) in zip(
        some, sentence_supports(registry.load("cos_sim:minilm"), [c for c, _ in some]), strict=True
    ):
        assert now == pytest.approx(stored, abs=0.02), case.id


def test_the_card_gives_the_counts_of_the_file() -> None:
    card = (FOLDER / "README.md").read_text(encoding="utf-8")
    counts = {s.split: s for s in split_counts(cases())}
    for what in ("queries", "responses", "grounded", "ungrounded", "sentences", "errors"):
        figures = " | ".join(f"{getattr(counts[s], what):,}" for s in ("train", "dev", "test", "all"))
        assert f"| {figures} |" in card, what
    for found in type_counts(cases()):
        figures = " | ".join(str(found.by_split[s]) for s in ("train", "dev", "test"))
        assert f"| {TITLES[ErrorType(found.type)]} | {figures} | {found.total} | {found.contradicted} |" in card
    score = bag_of_words(cases())
    assert score is not None
    assert f"{score:.3f}" in card
    assert score <= BAG_OF_WORDS_LIMIT
    for habit in habits(cases()):
        assert f"| {habit.name} | {habit.grounded:.4g} | {habit.ungrounded:.4g} | {habit.d:+.2f} |" in card
