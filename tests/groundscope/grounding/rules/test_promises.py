"""Promises from runs: counted again by hand, read on test, doubted on other cases, and refused in words."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.grounding.results import results
from groundscope.grounding.rules.frozen_rules import Decision, from_json, to_json
from groundscope.grounding.rules.generalization import retuned
from groundscope.grounding.rules.promises import keep_promises, promised_rules, query_figures, seek_promises
from groundscope.grounding.runs.arrays import RunData
from groundscope.grounding.tables import caption, frame, html_table, to_csv, written
from groundscope.grounding.tuning import tune_all, verdicts
from groundscope.statistics.risk import MissLimit
from groundscope.types import Case
from tests.groundscope.grounding.runs import decided, made_cases, made_run

LIMIT = MissLimit(0.3, 0.9)
PHRASE = "misses at most 30 % of wrong sentences, 90 % confidence, fixed on dev of Made-up run"


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return made_cases(450)


@pytest.fixture(scope="module")
def run(cases: list[Case]) -> RunData:
    return made_run(cases, 3)


@pytest.fixture(scope="module")
def decision(run: RunData) -> Decision:
    tuned, promises = promised_rules(run, seek_promises(run, LIMIT)[0])
    return replace(decided(run, tuned=tuned), promises=promises)


def _passes(run: RunData, cases: list[Case], method: int, split: str, threshold: float) -> dict[str, list[bool]]:
    """Whether each wrong sentence passes, by query; a made-up response has one wrong sentence or none."""
    table = run.read_sentences(method)
    supports = {(c, s): x for c, s, x in zip(table.case, table.start, table.support, strict=True)}
    found: dict[str, list[bool]] = {}
    for row, case in enumerate(cases):
        for error in case.errors if case.split == split else ():
            passes = not supports.get((row, error.start), np.nan) < threshold
            found.setdefault(case.group, []).append(passes)
    return found


def test_misses_are_those_counted_by_hand_on_dev_and_on_test(run: RunData, cases: list[Case], decision: Decision) -> None:
    assert list(decision.promises) == [m.id for m in run.methods]
    kept = keep_promises(run, decision, "test")
    for place, method in enumerate(run.methods):
        promise = decision.promises[method.id]
        for split, seen in (("dev", promise.seen), ("test", kept[method.id].seen)):
            passes = _passes(run, cases, place, split, promise.threshold)
            assert seen is not None
            assert seen.rate == pytest.approx(np.mean([np.mean(p) for p in passes.values()]))
            assert (seen.queries, seen.missed) == (len(passes), sum(map(sum, passes.values())))
            assert seen.sound == sum(4 for c in cases if c.split == split and c.grounded) + 3 * seen.wrong
        assert decision.tuned[method.id].rule.how == "min"
        assert decision.tuned[method.id].rule.threshold == promise.threshold
    # The better the method, the fewer false alarms the same promise costs.
    assert decision.promises["method_2"].seen.alarms < decision.promises["method_0"].seen.alarms


def test_a_promise_comes_back_from_its_file_whole(decision: Decision) -> None:
    assert from_json(to_json(decision)) == decision
    assert decision.aim == "a promise about misses: at most 30 % missed, with 90 % confidence"
    assert decision.promised == dict.fromkeys(decision.promises, PHRASE)
    # A file from before there were promises is read.
    old = from_json(to_json(replace(decision, promises={})).replace('"promises": {}', '"else": {}'))
    assert (old.promises, old.aim, old.tuned) == ({}, "macro-F1", decision.tuned)


def test_results_of_a_run_name_the_promise_of_each_threshold(run: RunData, decision: Decision) -> None:
    kept = replace(decision, promises=dict(list(decision.promises.items())[:2]))
    rules, rows = decision.rules(run), run.rows("test")
    found = results(run, verdicts(run, rules), rules, rows, "test", promised=kept.promised)
    assert frame(found)["promise"].tolist() == [PHRASE, PHRASE, ""]
    assert caption(found).endswith(f"Method 0, Method 1: {PHRASE}.")
    assert PHRASE.encode() in to_csv(found)
    assert PHRASE in written(found, html_table)
    other = {found.methods[2].id: rules[found.methods[2].id]}
    lone = results(run, verdicts(run, other), other, rows, "test", promised=kept.promised)
    assert {m.promise for m in lone.methods} == {""}, "a method without a rule has no threshold that promises"


def test_labels_of_whole_answers_make_promises_about_answers(run: RunData, cases: list[Case]) -> None:
    bare = [replace(case, errors=()) for case in cases]
    answers = replace(run, read_cases=lambda rows: [bare[i] for i in rows])
    tuned, promises = promised_rules(answers, seek_promises(answers, LIMIT)[0])
    decision = from_json(to_json(replace(decided(answers, tuned=tuned), promises=promises)))
    promise = decision.promises["method_2"]
    assert decision.promised["method_2"].startswith("misses at most 30 % of wrong answers, 90 % confidence")
    kept = keep_promises(answers, decision, "test")["method_2"]
    for split, seen in (("dev", promise.seen), ("test", kept.seen)):
        passes: dict[str, list[bool]] = {}
        for row, case in enumerate(cases):
            if case.split == split and case.grounded is False:
                passes.setdefault(case.group or "", []).append(not run.lowest[2, row] < promise.threshold)
        assert seen is not None
        assert seen.rate == pytest.approx(np.mean([np.mean(p) for p in passes.values()]))
        assert (seen.missed, seen.wrong) == (sum(map(sum, passes.values())), sum(map(len, passes.values())))
    # Read on a set with spans, it is still a promise about answers.
    assert keep_promises(run, decision, "test")["method_2"].seen == kept.seen


def test_queries_of_one_population_are_not_called_different_and_others_are(run: RunData, decision: Decision) -> None:
    assert not keep_promises(run, decision, "test")["method_2"].likeness.different
    shifted = replace(run, lowest=run.lowest / 2, mean=run.mean / 2, data_hash="1" * 16)
    assert keep_promises(shifted, decision, None)["method_2"].likeness.different


def test_without_labels_the_supports_are_compared_and_nothing_is_said_of_misses(run: RunData, decision: Decision) -> None:
    unlabelled = replace(run, gold=np.full_like(run.gold, -1), data_hash="1" * 16)
    kept = keep_promises(unlabelled, decision, None)["method_2"]
    assert kept.seen is None
    assert "not known" in kept.words
    assert kept.likeness.queries == (30, 150)


def test_words_say_whether_it_held(run: RunData, decision: Decision) -> None:
    kept = keep_promises(run, decision, "test")["method_2"]
    assert kept.seen is not None
    words = [kept._replace(seen=kept.seen._replace(rate=rate)).words for rate in (0.3, 0.33, 0.6)]
    assert words == ["held here", "missed more; may be chance", "broken, more than chance"]


def test_figures_of_a_query_are_means_over_its_responses(run: RunData) -> None:
    rows = np.arange(3, dtype=np.int32)
    values = np.stack([run.lowest[0, :3], run.mean[0, :3]], axis=1)
    assert query_figures(run, 0, rows)[0] == pytest.approx(np.nanmean(values, axis=0), abs=1e-6)


def test_too_few_queries_promise_nothing_and_say_what_could_be_promised(run: RunData) -> None:
    found, failed = seek_promises(run, MissLimit(0.02, 0.99))
    assert failed == {}
    for sought in found.values():
        assert sought.control.promise is None
        assert sought.control.least is not None
        assert sought.control.least.limit.most > 0.02
    assert promised_rules(run, found) == ({}, {})


def test_what_cannot_be_searched_says_what_to_do(run: RunData, cases: list[Case]) -> None:
    _, failed = seek_promises(run, LIMIT, "train")
    assert "Tune on another split" in failed["method_0"]
    sound = replace(run, gold=np.ones_like(run.gold), read_cases=lambda rows: [replace(cases[i], errors=()) for i in rows])
    _, failed = seek_promises(sound, LIMIT)
    assert failed["method_0"].startswith("No answer here is labelled ungrounded")
    table = run.read_sentences(0)
    silent = replace(run, read_sentences=lambda m: table._replace(support=np.full(len(table.case), np.nan)))
    _, failed = seek_promises(silent, LIMIT)
    assert "judges the response as a whole" in failed["method_0"]


def test_intervals_of_promised_rules_are_given_the_rule(run: RunData, decision: Decision) -> None:
    assert retuned(run, decision) == {}
    # Even where the promised threshold is the one that tuning finds.
    tuned, _ = tune_all(run, allowed=("min",))
    decision = replace(decision, ways=("min",))
    assert list(retuned(run, replace(decision, tuned=tuned, promises={}), 20)) == [m.id for m in run.methods]
    assert retuned(run, replace(decision, tuned=tuned), 20) == {}
