"""What the heatmap draws: pieces that join to the original, offsets as JavaScript counts them."""

import json
import resource
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.board import MATRIX_CELLS, MethodRow, board, citation_layer, prepared, read_case
from groundscope.methods import About, registry
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Judgement, Match, Passage, SentenceScore, Status

TEXTS = st.text(alphabet="aA1. \n-#*😀\u200b<é", max_size=80)
# Sentences: "First fact here." 0 to 16, "Second fact here." 17 to 34.
CONTEXT = "First fact here. Second fact here."


def case(response: str, *context: str) -> Case:
    return Case("c", "q", tuple(Passage(f"p{i}", t, f"S{i}") for i, t in enumerate(context)), response)


def row(judgement: Judgement | None, threshold: float | None = 0.5, state: str = "") -> MethodRow:
    return MethodRow("m", About("M", "means"), judgement, threshold, state)


def key(one: Case) -> str:
    return str(board(one, [])["caseKey"])


def scored(*sentences: SentenceScore, matrix: Any = None) -> Judgement:
    return Judgement(Status.SCORED, support=0.5, sentences=sentences, matrix=matrix)


def joined(cut: dict[str, Any]) -> str:
    return "".join([*(u["b"] + u["t"] for u in cut["units"]), cut["tail"]])


def utf16(text: str, start: int, end: int) -> str:
    """`text.slice(start, end)` as a browser does it."""
    return text.encode("utf-16-le", "surrogatepass")[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


@given(TEXTS, st.lists(TEXTS, max_size=3))
def test_joined_pieces_are_the_original_texts(response: str, context: list[str]) -> None:
    drawn = board(case(response, *context), [])
    assert joined(drawn["response"]) == response
    assert [joined(p) for p in drawn["context"]] == context
    json.dumps(drawn, allow_nan=False)


def test_headings_are_marked() -> None:
    units = board(case("# Rule\n\nIt holds so.", CONTEXT), [])["response"]["units"]
    assert [(u["b"], u["t"], u.get("h", False)) for u in units] == [("# ", "Rule", True), ("\n\n", "It holds so.", False)]


def test_markdown_goes_with_units_in_utf16_and_a_row_knows_its_cells() -> None:
    text = "- It **is** 😀 *so*.\n\n| | A |\n|---|---|\n| x | b [1] |\n"
    (item, head, line), tail = (drawn := board(case(text, CONTEXT), [])["response"])["units"], drawn["tails"]
    assert item["bs"] == [[0, 0, "open", "md-item", 0], [0, 2, "md-marker", "• "]]
    # "It **is** 😀 *so*.": the emoji takes two units.
    assert item["ts"] == [
        [3, 5, "gone"],
        [5, 7, "md-bold"],
        [7, 9, "gone"],
        [13, 14, "gone"],
        [14, 16, "md-italic"],
        [16, 17, "gone"],
    ]
    assert (head["t"], head["h"], head["c"]) == ("A", True, 1)
    assert (line["t"], line["c"], line["ts"]) == ("x | b", 0, [[1, 4, "border"]])
    assert [look[2] for look in tail if look[2] != "gone"] == ["md-mark"]


def test_a_case_without_markdown_has_no_looks() -> None:
    drawn = board(case("It is. It was.", CONTEXT), [])
    assert drawn["response"]["units"] == [{"b": "", "t": "It is."}, {"b": " ", "t": "It was."}]


@given(TEXTS)
def test_looks_are_in_order_inside_their_piece(text: str) -> None:
    drawn = board(case(text, text), [])
    for part in (drawn["response"], drawn["context"][0]):
        looked = [(u["b"], u.get("bs", [])) for u in part["units"]] + [(u["t"], u.get("ts", [])) for u in part["units"]]
        for piece, looks in [*looked, (part["tail"], part["tails"])]:
            places = [n for look in looks for n in look[:2]]
            assert places == sorted(places)
            assert all(0 <= n <= len(piece.encode("utf-16-le")) // 2 for n in places)


def test_spans_after_an_emoji_count_utf16_units() -> None:
    response, context = "It is. The 😀 court ruled.", "So 😀😀 the court ruled."
    # Code points: "court" begins at 13, 6 into the sentence at 7; the emoji takes two units, so 7 to 12 there.
    # In the context "the" begins at 6, behind two emoji: 8; "court" ends at 15, so 17.
    sentence = SentenceScore(7, 25, 0.5, (Match(0, 6, 15, 0.5),), ((13, 18),))
    (method,) = board(case(response, context), [row(scored(SentenceScore(0, 6, 0.5), sentence))])["methods"]
    assert method["verbatim"] == [[], [[7, 12]]]
    assert method["quoted"] == [[], [[0, 8, 17]]]
    assert utf16(response[7:], 7, 12) == "court"
    assert utf16(context, 8, 17) == "the court"


@given(st.text(alphabet="a😀é ", min_size=1, max_size=12), st.data())
def test_item_spans_slice_in_utf16_as_in_python(before: str, data: st.DataObject) -> None:
    number = data.draw(st.integers(11, 99))
    response = f"Then{before} {number} days passed."
    judged = scored(SentenceScore(0, len(response), 0.5, (Match(0, 0, 16, 0.5),)))
    pair = board(case(response, CONTEXT), [row(judged)])["differences"]["0:0"]
    assert any(str(number) in utf16(response, *span) for span in pair["r"])


def test_a_run_over_two_sentences_is_shared_between_them() -> None:
    # Characters 6 to 23 are 17: 10 in the first sentence, 6 in the second, 1 between; of 0.85 that is 0.5 and 0.3.
    sentence = SentenceScore(0, 6, 0.85, (Match(0, 6, 23, 0.85),), ((0, 6),))
    (method,) = board(case("It is.", CONTEXT), [row(scored(sentence))])["methods"]
    assert method["near"] == [[[0, 0.5], [1, 0.3]]]
    assert method["best"] == [0]
    assert method["quoted"] == [[[0, 6, 16], [1, 0, 6]]]


def test_runs_in_one_sentence_add_up_and_the_sum_leads() -> None:
    matches = (Match(0, 0, 5, 0.4), Match(0, 17, 23, 0.3), Match(0, 24, 28, 0.3), Match(0, 29, 33, 0.5))
    (method,) = board(case("It is.", CONTEXT), [row(scored(SentenceScore(0, 6, 1.0, matches)))])["methods"]
    # Second sentence: 0.3 + 0.3 + 0.5 = 1.1, held at 1.
    assert method["near"] == [[[1, 1.0], [0, 0.4]]]


def test_real_quip_runs_lead_to_the_sentence_they_quote() -> None:
    context = "Nothing is said in this one. The board may remove a director without cause."
    judged = case("The board may remove a director without cause. Nobody ever said anything like that.", "Other.", context)
    (method,) = board(judged, [row(registry.load("quip").score(judged))])["methods"]
    # Units: "Other." is 0, then the two sentences of the second passage.
    # What is doubtful is shown beside what is most like it: "said".
    assert method["best"] == [2, 1]
    # The quoted sentence has 46 characters.
    assert method["quoted"] == [[[2, 0, 46]], []]
    assert method["verbatim"] == [[[0, 46]], []]


def test_differences_say_where_else_a_fact_stands() -> None:
    judged = case("It took 77 days in Boston.", "It took 88 days.", "Boston is far.")
    sentence = SentenceScore(0, 26, 0.5, (Match(0, 0, 16, 0.5),))
    drawn = board(judged, [row(scored(sentence))])
    rows = {r["kind"]: r for r in drawn["differences"]["0:0"]["rows"]}
    ours, theirs = {"text": "77 days", "where": "not in the sources"}, {"text": "88 days", "where": ""}
    assert rows["Numbers"] == {"kind": "Numbers", "r": [ours], "c": [theirs]}
    assert rows["Names"]["r"] == [{"text": "Boston", "where": "elsewhere in the sources"}]
    why = "“77 days” is not in the sources; the nearest sentence has “88 days”."
    ((check,),) = drawn["checks"]
    place = {"p": 0, "at": [[0, 8, 15]]}
    assert (check["kind"], check["text"], check["why"]) == ("figure", "77 days", why)
    assert (check["at"], check["place"], check["certainty"]) == ([[0, 8, 15]], place, "exact")
    assert drawn["remarks"] == [[]]


@pytest.mark.parametrize(("cells", "sent"), [(MATRIX_CELLS, True), (MATRIX_CELLS + 1, False)])
def test_only_a_matrix_of_reasonable_size_is_sent(cells: int, sent: bool) -> None:
    matrix = np.full((1, cells), 0.5, dtype=np.float32)
    (method,) = board(case("It is.", CONTEXT), [row(scored(SentenceScore(0, 6, 0.5), matrix=matrix))])["methods"]
    assert method["matrix"] == ([[500] * cells] if sent else None)


@pytest.mark.parametrize(
    ("judgement", "state", "words"),
    [(None, "scoring ...", "scoring ..."), (None, "", ""), (Judgement(Status.FAILED, note="n"), "", "could not run")],
)
def test_a_method_without_a_score_has_words_and_no_numbers(judgement: Judgement | None, state: str, words: str) -> None:
    (method,) = board(case("It is.", CONTEXT), [row(judgement, state=state)])["methods"]
    assert words in method["words"]
    assert method["s"] is None
    assert not {"support", "near", "matrix"} & method.keys()


def test_the_key_follows_the_content_and_the_version_the_states_and_thresholds() -> None:
    one, other = case("It is.", CONTEXT), case("It was.", CONTEXT)
    assert key(one) == key(case("It is.", CONTEXT)) != key(other)
    # What is doubtful is another list at another threshold.
    assert len({board(one, [row(None, t)])["version"] for t in (0.5, 0.6, None)}) == 3
    waiting = MethodRow("m", row(None, 0.5).about, None, 0.5, "Scoring, 50 %")
    assert board(one, [waiting])["version"] != board(one, [row(None, 0.5)])["version"]


def test_a_case_without_gold_labels_has_no_gold() -> None:
    assert board(case("It is.", CONTEXT), [])["gold"] is None
    assert board(replace(case("It is.", CONTEXT), grounded=True), [])["gold"] is None


def test_gold_errors_are_drawn_in_each_sentence_that_they_reach() -> None:
    # "It is." is 0 to 6, "It was." 7 to 14; the first span begins at "is" and ends behind the next sentence's "It".
    errors = ErrorSpan(3, 9, ErrorType.FACTUAL_INACCURACY, "w1", contradicted=True), ErrorSpan(10, 13, ErrorType.MISATTRIBUTION)
    first, second = board(replace(case("It is. It was.", CONTEXT), errors=errors, unsupported=((10, 14),)), [])["gold"]
    stance = {"type": "Factual inaccuracy", "why": "w1", "stance": "the sources say otherwise"}
    assert first == {"e": [{"span": [3, 6], **stance}], "u": [], "c": []}
    assert second["e"] == [{"span": [0, 2], **stance}, {"span": [3, 6], "type": "Misattribution", "why": "", "stance": ""}]
    assert second["u"] == [[3, 7]]


def test_gold_evidence_names_the_context_sentences_as_they_are_drawn() -> None:
    # Units: "Other." is 0, the two sentences of the second passage 1 and 2.
    evidence = (EvidenceSpan(0, 6, 1, 17, 34), EvidenceSpan(7, 14, 0, 0, 6), EvidenceSpan(7, 14, 1, 0, 16))
    drawn = board(replace(case("It is. It was.", "Other.", CONTEXT), evidence=evidence), [])
    assert [g["c"] for g in drawn["gold"]] == [[2], [0, 1]]


@given(st.text(alphabet="aA. 😀𝕬é\n", min_size=1, max_size=40), st.integers(0, 39), st.integers(1, 40))
def test_gold_spans_slice_in_utf16_as_in_python(response: str, start: int, length: int) -> None:
    start = min(start, len(response) - 1)
    end = min(len(response), start + length)
    error = ErrorSpan(start, end, ErrorType.REASONING_ERROR, "w")
    drawn = board(replace(case(response, CONTEXT), errors=(error,), unsupported=((start, end),)), [])
    json.dumps(drawn, allow_nan=False)
    # A text without a sentence has nothing to mark.
    for gold, unit, s in zip(drawn["gold"] or [], drawn["response"]["units"], split(response), strict=True):
        inside = response[max(start, s.start) : min(end, s.end)] if start < s.end and s.start < end else None
        spans = [e["span"] for e in gold["e"]]
        assert spans == gold["u"]
        assert [utf16(unit["t"], *span) for span in spans] == ([] if inside is None else [inside])


def test_the_key_follows_the_gold_labels() -> None:
    plain = case("It is.", CONTEXT)
    error, evidence = ErrorSpan(0, 2, ErrorType.REASONING_ERROR, "w"), EvidenceSpan(0, 2, 0, 0, 5)
    labelled = [
        plain,
        replace(plain, grounded=True),
        replace(plain, errors=(error,)),
        replace(plain, errors=(replace(error, contradicted=True),)),
        replace(plain, unsupported=((0, 2),)),
        replace(plain, evidence=(evidence,)),
    ]
    assert len({key(c) for c in labelled}) == len(labelled)


def test_a_long_case_is_read_in_a_child_process_and_gives_the_same() -> None:
    text = " ".join(f"Rent number {i} is due. See Smith v. Jones, {i} F.3d {i}, {i + 4} (9th Cir. 1999)." for i in range(1, 900))
    long = case(text, text)
    own, theirs = time.process_time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    found = prepared(long)
    own, theirs = time.process_time() - own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - theirs
    assert own < 0.3 * theirs
    assert found == read_case(long)
    assert board(long, [])["citations"] == found.data["citations"]


def test_a_short_case_is_read_at_once() -> None:
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    prepared(case("Rent is due. See 17 U.S.C. § 107.", "Rent is due."))
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == theirs


def test_marked_words_and_contradictions_go_with_their_sentence() -> None:
    # "😀" counts two units in a browser.
    response = "One 😀 is. Two is wrong. Three."
    first, second, third = split(response)
    wrong = (response.index("wrong"), response.index("wrong") + 5)
    one = SentenceScore(first.start, first.end, 0.2, contradiction=0.1)
    two = SentenceScore(second.start, second.end, 0.3, contradiction=0.7, unsupported=(wrong,))
    (drawn,) = board(case(response, CONTEXT), [row(scored(one, two, SentenceScore(third.start, third.end, 0.2)))])["methods"]
    assert drawn["against"] == [0.1, 0.7, None]
    assert drawn["otherwise"] == [False, True, None]
    assert drawn["unsupported"][0] == []
    assert [utf16(response[second.start :], *span) for span in drawn["unsupported"][1]] == ["wrong"]


CITED_CONTEXT = (
    Passage("p1", "😀 See Roe v. Wade, 410 U.S. 113 (1973). The tenant shall give notice.", "28 U.S.C. § 1331"),
    Passage("p2", "Nothing is cited."),
)


def _layer(response: str) -> dict[str, Any]:
    found = citation_layer(Case("c", "", CITED_CONTEXT, response), context_sentences(CITED_CONTEXT))
    assert found is not None
    return found


def test_spans_places_and_marks_are_in_utf_16_units_inside_their_sentences() -> None:
    response = "😀😀 It is so under Roe v. Wade, 410 U.S. 113 (1974). 28 U.S.C. § 1331."
    item, other = _layer(response)["items"]
    for name, year in (("at", "Roe v. Wade, 410 U.S. 113 ({})"), ("marks", "{}")):
        ((u, a, b),) = item[name]
        sentence = split(response)[u]
        assert utf16(response[sentence.start : sentence.end], a, b) == year.format(1974)
        ((j, c, d),) = item["place"][name]
        unit = context_sentences(CITED_CONTEXT)[j]
        assert utf16(CITED_CONTEXT[0].text[unit.start : unit.end], c, d) == year.format(1973)
    assert (item["state"], item["differs"]) == ("different", "year 1974, in the sources 1973")
    assert other["marks"] == []


def test_a_place_in_what_a_passage_is_called_has_no_sentence() -> None:
    (item,) = _layer("Courts have power, 28 U.S.C. § 1331.")["items"]
    assert item["place"] == {"p": 0, "at": []}


def test_quotations_go_with_the_citations_of_their_sentence() -> None:
    found = _layer("It says “shall give notice”, 28 U.S.C. § 1331. And “shall not give notice”.")
    assert [i["quotes"] for i in found["items"]] == [[0]]
    assert [q["ok"] for q in found["quotes"]] == [True, False]
    assert found["summary"].startswith("1 citation: 1 in the sources.")


def test_without_citation_and_quotation_there_is_no_layer() -> None:
    assert citation_layer(Case("c", "", CITED_CONTEXT, "Nothing."), context_sentences(CITED_CONTEXT)) is None


@given(
    st.lists(
        st.sampled_from(["😀", "410 U.S. 113 (1973)", " “shall give", "notice” ", ". ", "Id. at 5", "\n\n"])
        | st.text(max_size=6),
        max_size=8,
    ).map("".join)
)
def test_all_spans_lie_in_their_sentences(response: str) -> None:
    found = citation_layer(Case("c", "", CITED_CONTEXT, response), context_sentences(CITED_CONTEXT))
    sentences = split(response)
    for entry in [*found["items"], *found["quotes"]] if found else []:
        for u, a, b in [*entry["at"], *entry.get("marks", [])]:
            assert 0 <= a < b <= len(response[sentences[u].start : sentences[u].end].encode("utf-16-le", "surrogatepass")) // 2
