"""Copies of cases, their figures by hand, and a run with a scripted model that changes its mind by design."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from threading import Lock

import numpy as np
import pytest

from groundscope.chat import replies
from groundscope.errors import DataError
from groundscope.experiments.plan import Part
from groundscope.grounding.parts import described
from groundscope.grounding.runs import planning
from groundscope.grounding.runs.arrays import STATUSES, Integers, RunData, SentenceTable
from groundscope.grounding.runs.reader import read_store
from groundscope.grounding.runs.store import FOLDER
from groundscope.grounding.stability.copies import SOURCE, CaseCopies, copies_of, make, places_of, rewordings_of
from groundscope.grounding.stability.figures import Stability, case_frame, frame, measured, worst_first
from groundscope.grounding.tuning import Rule, starting_rules, verdicts
from groundscope.methods import Method, registry
from groundscope.statistics.significance import clustered_wilson
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage, Status
from tests.groundscope.grounding.runs import made_run
from tests.groundscope.grounding.runs.scripted import judge
from tests.llm_server import Answer, Asked, LLMServer

NAN = float("nan")
RULES = {"method_0": Rule("own", 0.5)}
SENTENCES = ("The appeal was dismissed.", "Costs went to the tenant.", "The notice was late.")
CASES = [
    Case(f"c{i}", f"Question {i}?", (Passage("p", f"Text {i}."), Passage("q", "More.")), " ".join(SENTENCES), grounded=True)
    for i in range(4)
]


def run_of(supports: list[list[float]], statuses: dict[tuple[int, int], Status] | None = None) -> RunData:
    """Four cases, each asked three times: supports by case and reading."""
    made = make(CASES, 3, ["repeats"])
    run = made_run(made.cases, 1, invalid=0)
    status = np.full((1, 12), STATUSES.index(Status.SCORED), dtype=np.int8)
    for (case, reading), name in (statuses or {}).items():
        status[0, 3 * case + reading] = STATUSES.index(name)
    return replace(run, support=np.array(supports, dtype=float).reshape(1, 12), status=status)


def stability(run: RunData, rules: dict[str, Rule] = RULES, rows: Integers | None = None) -> Stability:
    figures = measured(run, verdicts(run, rules), rules, rows)
    assert figures is not None
    return figures


def test_figures_by_hand() -> None:
    run = run_of(
        [[0.9, 0.9, 0.9], [0.9, 0.1, 0.9], [0.1, 0.9, NAN], [NAN, 0.2, NAN]],
        {(2, 2): Status.INVALID, (3, 0): Status.FAILED, (3, 2): Status.ABSTAINED},
    )
    found = stability(run)
    assert (found.kinds, found.methods) == (("repeats",), ("method_0",))
    cell = found.cells["repeats", "method_0"]
    assert (cell.cases, cell.readings, cell.invalid, cell.failed, cell.other) == (3, 12, 1, 1, 1)
    assert cell.flipped.value == pytest.approx(2 / 3)
    assert cell.flipped.interval == clustered_wilson([0, 1, 1], [1, 1, 1])
    # Pairs that differ: 0 of 3, 2 of 3, 1 of 1.
    assert cell.differing.value == pytest.approx((0 + 2 / 3 + 1) / 3)
    assert cell.deviation.value == pytest.approx((0 + np.std([0.9, 0.1, 0.9], ddof=1) + np.std([0.1, 0.9], ddof=1)) / 3)
    assert np.isnan(cell.added.value)
    # Krippendorff (2011) by hand: ratings of the pairable readings are 6 of yes and 2 of no, and 0, 1 and 1 pairs differ.
    observed = (2 * 2 / 2 + 2 * 1 / 1) / 8
    expected = 2 * 6 * 2 / (8 * 7)
    assert cell.alpha.value == pytest.approx(1 - observed / expected)


def test_the_worst_case_comes_first_with_a_reading_of_each_verdict() -> None:
    run = run_of([[0.9, 0.8, 0.9], [0.9, 0.1, 0.9], [0.1, 0.9, NAN], [NAN, 0.2, NAN]])
    said, found = verdicts(run, RULES), stability(run)
    worst = worst_first(run, said, found.readings["repeats"], 0)
    assert [c.readings.case for c in worst] == ["c2", "c1", "c0", "c3"]
    assert [(c.grounded, c.ungrounded) for c in worst] == [(1, 1), (2, 1), (3, 0), (0, 1)]
    assert [(c.grounded_at, c.ungrounded_at) for c in worst] == [(7, 6), (3, 4), (0, -1), (-1, 10)]
    table = case_frame(run, said, found.readings)
    assert list(table["case"]) == ["c2", "c1", "c0", "c3"]
    assert list(table["grounded"]) == [1, 2, 3, 0]


def test_a_method_that_is_always_certain_never_flips_and_has_no_alpha() -> None:
    cell = stability(run_of([[1.0] * 3] * 4)).cells["repeats", "method_0"]
    assert (cell.flipped.value, cell.differing.value, cell.deviation.value) == (0, 0, 0)
    assert np.isnan(cell.alpha.value)
    # Four cases that never flip do not show that none would.
    assert cell.flipped.interval.high > 0.4


def test_without_a_threshold_supports_still_vary_and_without_readings_there_is_nothing() -> None:
    run = run_of([[0.9, 0.1, 0.9]] * 4)
    cell = stability(run, {}).cells["repeats", "method_0"]
    assert cell.cases == 0
    assert np.isnan([cell.flipped.value, cell.differing.value, cell.alpha.value]).all()
    assert cell.deviation.value == pytest.approx(np.std([0.9, 0.1, 0.9], ddof=1))
    assert measured(made_run(CASES, 1), np.zeros((1, 4), dtype=np.int8), RULES) is None
    assert measured(run, verdicts(run, RULES), RULES, np.array([1])) is None
    alone = stability(run, rows=np.array([0])).cells["repeats", "method_0"]
    assert alone.cases == 1
    assert np.isnan(alone.flipped.interval.low)


def test_sentences_are_the_same_ones_wherever_they_stand() -> None:
    made = make(CASES[:1], 3, ["sentences"])
    run = made_run(made.cases, 1, invalid=0)
    # The last sentence is flagged wherever it stands, the second one only in the last copy.
    flagged = {(row, SENTENCES[2]) for row in range(3)} | {(2, SENTENCES[1])}
    places = [(row, case.response.index(text), text) for row, case in enumerate(made.cases) for text in SENTENCES]
    spans = np.array([(row, at, at + len(text)) for row, at, text in places], dtype=np.int32).T
    supports = np.array([0.1 if (row, text) in flagged else 0.9 for row, _, text in places])
    table = SentenceTable(*spans, supports, np.full(len(places), np.nan))
    cell = stability(replace(run, read_sentences=lambda method: table)).cells["sentences", "method_0"]
    assert cell.sentences == 3
    assert cell.sentence_flips.value == pytest.approx(1 / 3)


def test_the_table_has_a_row_for_each_kind_and_method() -> None:
    made = make(CASES, 3)
    run = made_run(made.cases, 2)
    table = frame(run, stability(run, starting_rules(run)))
    assert list(table["kind"]) == ["repeats", "repeats", "passages", "passages", "sentences", "sentences"]
    assert {"flipped", "flipped_low", "added_high", "alpha", "deviation", "sentence_flips", "title"} <= set(table)


@pytest.fixture
def flipping(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LLMServer:
    monkeypatch.setenv("GROUNDSCOPE_DATA", str(tmp_path))
    monkeypatch.setenv("GROUNDSCOPE_STORE", str(tmp_path / "runs"))
    return LLMServer(changing_its_mind())


def changing_its_mind() -> Answer:
    """A judge of five ways: steady, failing every second asking, and going by the first passage, sentence and words."""
    asked_before: Counter[str] = Counter()
    lock = Lock()

    def answer(asked: Asked) -> str:
        number = re.search(r"Question (\d)", asked.data["question"])
        assert number
        with lock:
            asked_before[asked.unmarked] += 1
            again = asked_before[asked.unmarked]
        passed = {
            "0": True,
            "1": again % 2 == 1,
            "2": asked.data["document"].index("Text") < asked.data["document"].index("More"),
            "3": asked.data["answer"].startswith(SENTENCES[0]),
            "4": asked.task.startswith("Decide whether"),
        }[number[1]]
        quotes = [] if passed else [{"quote": SENTENCES[1], "why": "It says otherwise."}]
        return json.dumps({"reasons": ["So it is."], "unsupported": quotes, "verdict": "PASS" if passed else "FAIL"})

    return answer


def test_flip_rates_of_a_model_that_flips_by_design_are_found_exactly(flipping: LLMServer) -> None:
    cases = [
        replace(CASES[0], id=f"c{i}", query=f"Question {i}?", context=(Passage("p", "Text."), Passage("q", "More.")))
        for i in range(5)
    ]
    with flipping as server:
        line = f"server:scripted-1@{server.openai}"
        method = registry.load("direct", model=line)
        scorers: dict[str, Method] = {"direct": method, "overlap": registry.load("overlap")}
        made = make(cases, 4, wordings=rewordings_of(scorers.values()))
        parts = [(described(Part(name), scorer), scorer) for name, scorer in scorers.items()]
        takes = planning.forecast(made.cases, parts, {}, made.wordings)
        begun = planning.begin(
            "Flips", f"{SOURCE}x", made.cases, [part for part, _ in parts], timed=False, afresh=True,
            wordings=made.wordings,
        )  # fmt: skip
        file = FOLDER.open(begun)
        assert judge(file, scorers).finished
        asked = len(server.asked)
    # A case: four repeats, the one other order of two passages, three orders of sentences, two rewordings.
    assert takes["direct"].calls == asked == 5 * (4 + 1 + 3 + 2)
    assert replies.default().models() == {}
    run = read_store(file)
    rules = starting_rules(run)
    said, found = verdicts(run, rules), stability(run, rules)
    cells = {kind: found.cells[kind, "direct"] for kind in found.kinds}
    moved = [c for c in made.cases if c.id.startswith("c3~sentences-") and not c.response.startswith(SENTENCES[0])]
    flipped = {
        kind: {c.readings.case: c.differing for c in worst_first(run, said, found.readings[kind], 0) if c.differing > 0}
        for kind in found.kinds
    }
    first = 1 / 5 * (4 / 6)
    assert flipped["repeats"] == {"c1": pytest.approx(4 / 6)}
    assert cells["repeats"].flipped.value == pytest.approx(1 / 5)
    assert cells["repeats"].differing.value == pytest.approx(first)
    assert flipped["passages"].keys() - {"c1"} == {"c2"}
    assert flipped["sentences"].keys() - {"c1"} == {"c3"}
    assert flipped["wording"].keys() - {"c1"} == {"c4"}
    assert flipped["passages"]["c2"] == 1
    assert flipped["sentences"]["c3"] == pytest.approx(len(moved) * (4 - len(moved)) / 6)
    assert flipped["wording"]["c4"] == pytest.approx(2 / 3)
    assert [len(found.readings[kind]) for kind in found.kinds] == [5, 5, 5, 5]
    steady = [found.cells[kind, "overlap"] for kind in found.kinds]
    assert [c.flipped.value for c in steady[:3]] == [0, 0, 0]
    # A method without prompts has no other words for them.
    assert (steady[3].cases, steady[3].other) == (0, 10)


RESPONSE = "# Outcome\n\nThe appeal was dismissed.\n\n1. Costs went to the tenant.\n2. The notice was late.\n"
CASE = Case(
    "a",
    "What was decided?",
    tuple(Passage(f"p{i}", f"Text {i} of the court.") for i in range(3)),
    RESPONSE,
    grounded=False,
    errors=(ErrorSpan(RESPONSE.index("tenant"), RESPONSE.index("tenant") + 6, ErrorType.FACTUAL_INACCURACY),),
    evidence=(EvidenceSpan(RESPONSE.index("notice"), RESPONSE.index("notice") + 6, 2, 0, 4),),
)


def test_each_kind_has_the_case_as_it_is_and_so_many_copies() -> None:
    made = make([CASE], 4, wordings=2)
    assert [c.id for c in made.cases] == [
        "a~repeats-1", "a~repeats-2", "a~repeats-3", "a~repeats-4",
        "a~passages-1", "a~passages-2", "a~passages-3",
        "a~sentences-1", "a~sentences-2", "a~sentences-3",
        "a~wording-1", "a~wording-2",
    ]  # fmt: skip
    assert made.wordings == (0,) * 10 + (1, 2)
    assert (made.counts, made.of) == ({"repeats": 1, "passages": 1, "sentences": 1, "wording": 1}, 1)
    assert all(replace(c, id="a") == CASE for c in (*made.cases[:4], *made.cases[-2:]))
    assert copies_of(c.id for c in made.cases) == (
        CaseCopies("a", "repeats", (0, 1, 2, 3)),
        CaseCopies("a", "passages", (0, 4, 5, 6)),
        CaseCopies("a", "sentences", (0, 7, 8, 9)),
        CaseCopies("a", "wording", (0, 10, 11)),
    )


def test_orders_differ_and_labels_move_with_their_texts() -> None:
    made = {c.id: c for c in make([CASE], 6).cases}
    passages = [c for name, c in made.items() if "passages" in name]
    assert len({tuple(p.id for p in c.context) for c in passages} | {("p0", "p1", "p2")}) == 6
    assert all(c.context[c.evidence[0].passage].id == "p2" and c.response == RESPONSE for c in passages)
    sentences = [c for name, c in made.items() if "sentences" in name]
    assert len({c.response for c in sentences} | {RESPONSE}) == 6
    for copy in sentences:
        assert copy.response.startswith("# Outcome\n\n")
        assert sorted(copy.response[s.start : s.end] for s in split(copy.response)) == sorted(
            RESPONSE[s.start : s.end] for s in split(RESPONSE)
        )
        assert copy.response[copy.errors[0].start : copy.errors[0].end] == "tenant"
        assert copy.response[copy.evidence[0].response_start : copy.evidence[0].response_end] == "notice"
        texts = [RESPONSE[s.start : s.end] for s in split(RESPONSE)]
        assert [texts[i] for i in places_of(RESPONSE, copy.response)] == [
            copy.response[s.start : s.end] for s in split(copy.response)
        ]


def test_where_there_are_fewer_orders_there_are_fewer_copies() -> None:
    two = replace(CASE, context=CASE.context[:2], response="One is so.", errors=(), evidence=())
    made = make([two], 9, ["passages", "sentences"])
    assert [c.id for c in made.cases] == ["a~repeats-1", "a~passages-1"]
    assert made.counts == {"passages": 1, "sentences": 0}
    # The case as it is alone is no repeat.
    assert copies_of(c.id for c in made.cases) == (CaseCopies("a", "passages", (0, 1)),)


def test_the_same_seed_gives_the_same_cases_and_orders() -> None:
    cases = [replace(CASE, id=f"c{i}") for i in range(30)]
    assert make(cases, 3, most=5, seed=1) == make(cases, 3, most=5, seed=1)
    assert make(cases, 3, most=5, seed=1) != make(cases, 3, most=5, seed=2)
    assert make(cases, 3, most=5).of == 5
    mixed = [replace(c, split="dev" if i % 3 else "test") for i, c in enumerate(cases)]
    for seed in range(5):
        drawn = {c.id.partition("~")[0]: c.split for c in make(mixed, 3, most=6, seed=seed).cases}
        assert sorted(drawn.values(), key=str) == ["dev"] * 4 + ["test"] * 2
    assert make(cases, 3, most=50).of == 30


def test_equal_sentences_are_found_in_their_order() -> None:
    assert places_of("It is so. It is not. It is so.", "It is so. It is so. It is not.") == (0, 2, 1)
    assert places_of("It is so.", "It is not.") == (-1,)


def test_cases_without_a_question_are_not_all_one_group() -> None:
    bare = [replace(CASE, id=f"c{i}", query="", group=None) for i in range(2)]
    assert {c.group for c in make(bare, 2).cases} == {"c0", "c1"}
    assert {c.group for c in make([CASE, replace(CASE, id="b", group="g")], 2).cases} == {None, "g"}


def test_what_cannot_be_copied_says_why() -> None:
    with pytest.raises(DataError, match="There is no case"):
        make([], 3)
    with pytest.raises(DataError, match="Two cases have one id"):
        make([CASE, CASE], 3)
    with pytest.raises(DataError, match="an order needs two passages or two sentences"):
        make([replace(CASE, context=CASE.context[:1], evidence=())], 3, ["passages", "wording"])
    with pytest.raises(ValueError, match="there is no kind 'mood'"):
        make([CASE], 3, ["mood"])  # type: ignore[list-item]
    for times in (1, 51):
        with pytest.raises(ValueError, match="a case is asked 2 to 50 times"):
            make([CASE], times)


def test_rewordings_are_counted_by_the_method_that_has_most() -> None:
    assert rewordings_of([registry.load("quip")]) == 0
    assert rewordings_of([registry.load("quip"), registry.load("direct"), registry.load("lynx")]) == 2
