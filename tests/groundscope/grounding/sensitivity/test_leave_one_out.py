"""Each source and each context sentence left out once, by methods whose supports are counted by hand."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.errors import Cancelled, ModelUnavailable
from groundscope.experiments.plan import Part
from groundscope.experiments.task import TaskSteps
from groundscope.experiments.work import work
from groundscope.grounding.sensitivity import leave_one_out as module
from groundscope.grounding.sensitivity.leave_one_out import (
    LEAVING_OUT,
    UNRELATED,
    WHOLE,
    begin,
    differs,
    frame,
    leave_one_out,
    scored_in,
    versions,
    without_sentence,
    without_source,
)
from groundscope.methods import Method, registry
from groundscope.runtime.progress import listening
from groundscope.text.sentences import context_sentences
from groundscope.types import Case, EvidenceSpan, Judgement, Passage, Status
from tests.groundscope.grounding.sensitivity.counted import RENT, SharedWords
from tests.loops import each

_TEXTS = st.lists(
    st.sampled_from(["The rent is due. ", "Cats sleep! ", "1. The lease ends.\n", "\n\n", "A heading\n\n", " ", "Id. at 4. "])
).map("".join)


def texts(case: Case) -> list[str]:
    return [case.context[u.passage].text[u.start : u.end] for u in context_sentences(case.context)]


def test_without_each_source_and_sentence_the_support_is_what_can_be_counted() -> None:
    method = SharedWords()
    result = leave_one_out(method, RENT)
    assert result.full.supports == (1.0, 0.0)
    assert {p: s.supports[0] for p, s in result.sources.items()} == {0: 0.5, 1: 0.75, 2: 1.0}
    # The other sources are one sentence each, and gone without it.
    assert {j: s.supports[0] for j, s in result.sentences.items()} == {0: 0.5, 1: 1.0}
    assert [differs(s, result.full) for s in result.sources.values()] == [True, True, False]
    assert result.notes == ()
    assert len(method.seen) == 1 + 3 + 2
    assert {c.response for c in method.seen} == {RENT.response}
    # In place of the only source stands an unrelated text.
    method.seen.clear()
    result = leave_one_out(method, replace(RENT, context=RENT.context[:1]))
    assert method.seen[1].context == (UNRELATED,)
    assert result.sources[0].supports[0] == 0.0


@given(st.lists(_TEXTS, min_size=1, max_size=4), st.data())
def test_what_is_left_out_is_gone_and_nothing_else(parts: list[str], data: st.DataObject) -> None:
    case = Case("x", "", tuple(Passage(str(i), t) for i, t in enumerate(parts)), "An answer.")
    units = context_sentences(case.context)
    if not units:
        return
    j = data.draw(st.sampled_from(range(len(units))))
    joined = "\n".join(p.text for p in without_sentence(case, units[j]).context)
    left, position = [t for i, t in enumerate(texts(case)) if i != j], 0
    for text in left:
        position = joined.index(text, position) + len(text)
    assert sum(map(str.isalpha, joined)) == sum(map(str.isalpha, "".join(left)))


def test_sources_that_are_whole_stay_as_they_are_and_labels_go() -> None:
    whole = Passage("a", "  One stands. Two stand.\n", "A", pages=((0, 4),))
    case = Case("x", "q", (whole, Passage("b", "Three goes. Four stays.")), "One.", True, evidence=(EvidenceSpan(0, 4, 1, 0, 5),))
    units = context_sentences(case.context)
    assert without_sentence(case, units[2]) == Case("x", "q", (whole, Passage("b", "Four stays.")), "One.")
    assert without_source(case, 1) == Case("x", "q", (whole,), "One.")
    # No sentence is made of two halves.
    case = Case("x", "", (Passage("a", "See Roe v. Wade. It was late. Nothing else was said."),), "It was.")
    middle = context_sentences(case.context)[1]
    assert texts(without_sentence(case, middle)) == ["See Roe v. Wade.", "Nothing else was said."]


@each("case", [replace(RENT, context=()), replace(RENT, response=" \n")])
def test_without_a_source_or_a_sentence_there_is_only_the_reason(case: Case) -> None:
    method = SharedWords()
    result = leave_one_out(method, case)
    assert result.full.note == "Nothing to assess."
    assert (result.sources, result.sentences, len(method.seen)) == ({}, {}, 1)
    assert frame(case, result, 0.5).empty


def test_a_method_that_names_no_sentence_is_judged_by_its_whole() -> None:
    class Whole(SharedWords):
        def score(self, case: Case) -> Judgement:
            return replace(super().score(case), sentences=())

    case = replace(RENT, response="Tenants pay rent monthly.")
    result = leave_one_out(Whole(), case)
    assert result.full.assessed == (WHOLE,)
    assert result.sources[0].of(WHOLE) == 0.5
    assert set(frame(case, result, 0.9)["sentence"]) == {None}


def test_states_stay_states() -> None:
    refused = Judgement(Status.INVALID, note="The reply could not be read.")
    method = SharedWords(does=lambda c: refused if len(c.context) == 2 and c.context[0].id == "b" else None)
    result = leave_one_out(method, RENT)
    assert result.sources[0].supports == (None, None)
    assert result.sources[0].note == "The reply could not be read."
    table = frame(RENT, result, 0.7)
    rows = table[(table["left_out"] == "passage") & (table["sentence"] == 1)]
    assert rows["without"].isna().tolist() == [True, False, False]
    assert rows["verdict_changes"].tolist() == [None, False, False]


@each("sentences", [True, False])
def test_as_a_job_it_gives_the_same_of_each_source_and_where_that_is_wanted_of_each_sentence(sentences: bool) -> None:
    method = registry.load("overlap")
    job = begin(Part("overlap", title="Overlap"), RENT, method.score(RENT), sentences=sentences)
    file = LEAVING_OUT.folder.open(job)
    assert work(file, TaskSteps(LEAVING_OUT, file)).finished
    result, whole = scored_in(file), leave_one_out(method, RENT)
    assert result == (whole if sentences else replace(whole, sentences={}))
    assert LEAVING_OUT.items(file) == versions(RENT, method.score(RENT), sentences=sentences)[1]


def test_a_version_that_failed_in_a_job_has_no_support_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    method = registry.load("overlap")
    job = begin(Part("overlap", title="Overlap"), RENT, method.score(RENT), sentences=False)

    def fails(self: Method, case: Case) -> Judgement:
        if len(case.context) == 2 and case.context[0].id == "b":
            raise ModelUnavailable("The server does not answer.")
        return score(self, case)

    score = type(method).score
    monkeypatch.setattr(type(method), "score", fails)
    file = LEAVING_OUT.folder.open(job)
    assert work(file, TaskSteps(LEAVING_OUT, file)).finished
    without = scored_in(file).sources
    assert (without[0].supports, without[0].note) == ((None, None), "The server does not answer.")
    assert None not in without[1].supports


def test_it_stops_where_the_user_wants_and_says_how_far_it_is() -> None:
    heard: list[tuple[int, int]] = []

    def hear(done: int, total: int) -> None:
        heard.append((done, total))
        if done == 4:
            raise Cancelled("enough")

    method = SharedWords()
    with listening(hear), pytest.raises(Cancelled):
        leave_one_out(method, RENT)
    assert len(method.seen) == 4
    assert heard == [(1, 1), (2, 6), (3, 6), (4, 6)]


def test_of_very_many_sources_some_are_tried_and_the_others_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MOST_SOURCES", "MOST_SENTENCES"):
        monkeypatch.setattr(module, name, 4)
    case = replace(RENT, context=tuple(replace(RENT.context[i % 3], id=str(i)) for i in range(12)))
    method = SharedWords()
    result = leave_one_out(method, case)
    assert [note.partition(" that ")[0] for note in result.notes] == ["8 passages", "4 context sentences"]
    assert (len(result.sources), len(result.sentences)) == (4, 4)
    assert len(method.seen) == 1 + 4 + 4


def test_the_table_has_a_row_for_each_part_and_sentence_with_places_in_the_original() -> None:
    table = frame(RENT, leave_one_out(SharedWords(), RENT), 0.7)
    assert table.groupby("left_out").size().to_dict() == {"context sentence": 4, "passage": 6}
    units = table[table["left_out"] == "context sentence"]
    parts = [RENT.context[p - 1].text[a:b] for p, a, b in zip(units["passage"], units["start"], units["end"], strict=True)]
    assert parts[::2] == ["Tenants pay rent.", "Cats sleep."]
    row = table[(table["left_out"] == "passage") & (table["passage"] == 1) & (table["sentence"] == 1)].iloc[0]
    assert (row["support"], row["without"], row["change"], bool(row["verdict_changes"])) == (1.0, 0.5, -0.5, True)
