"""What carries a sentence in words and bars, by methods whose supports are counted by hand."""

from dataclasses import replace

import pytest

from components.heatmap.evidence import bars, lead, unused
from groundscope.grounding.sensitivity.leave_one_out import WHOLE, leave_one_out
from groundscope.types import Judgement, Passage, Status
from tests.groundscope.grounding.sensitivity.counted import RENT, SharedWords

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        (0.9, "It falls below the threshold when any one of passages 1 and 2 is left out."),
        (0.6, "It falls below the threshold when passage 1 is left out."),
        (0.5, "Without any one passage it stays above the threshold."),
        (None, "No threshold is set for this method, so there is no verdict to keep."),
    ],
)
def test_what_carries_it_is_said_in_a_sentence(threshold: float | None, words: str) -> None:
    assert lead(leave_one_out(SharedWords(), RENT), 0, threshold) == words


def test_a_flagged_sentence_names_the_source_without_which_it_would_pass() -> None:
    class Distracted(SharedWords):
        def support(self, sentence: str, known: set[str]) -> float:
            return 0.1 if "dogs" in known else super().support(sentence, known)

    result = leave_one_out(Distracted(), RENT)
    assert lead(result, 0, 0.9) == "It is below the threshold with all sources. It would be above without passage 3."
    assert "Without any one passage it stays there." in lead(leave_one_out(SharedWords(), RENT), 1, 0.9)


def test_sources_that_change_nothing_alone_are_named() -> None:
    assert unused(leave_one_out(SharedWords(), RENT)) == ["Passage 3, left out alone, changes no support by more than 0.01."]
    same = replace(RENT, context=(*RENT.context, Passage("d", RENT.context[1].text)))
    (words,) = unused(leave_one_out(SharedWords(), same))
    assert words == "Each of passages 2, 3 and 4, left out alone, changes no support by more than 0.01."
    assert unused(leave_one_out(SharedWords(), replace(RENT, context=RENT.context[:2]))) == []


def test_each_bar_is_as_long_as_its_support_and_says_it() -> None:
    html = bars(RENT, leave_one_out(SharedWords(), RENT), 0, 0.6)
    lines = html.split("<tr>")[2:]
    assert ["Cats" in line for line in lines] == [False] * len(lines), "a sentence that changes nothing has no line"
    assert "style='width:100.0%'" in lines[0]
    assert "<span class='turned' style='width:50.0%'></span><i style='left:60.0%'></i>" in lines[1]
    assert "<b>0.50, below the threshold</b>" in lines[1]
    assert "a.1 <q dir='auto'>Tenants pay rent.</q>" in lines[2]
    assert "0.75, above the threshold" in lines[3]


def test_texts_of_others_are_escaped_and_long_ones_cut() -> None:
    passage = Passage("a", f"Tenants pay rent {HOSTILE} monthly {'and more ' * 60}. Cats sleep.", HOSTILE)
    html = bars(replace(RENT, context=(passage,)), leave_one_out(SharedWords(), replace(RENT, context=(passage,))), 0, 0.6)
    assert HOSTILE not in html
    assert html.count("&lt;img src=x onerror=alert(1)&gt;") == 2
    assert "…</q>" in html
    assert "and more " * 40 not in html


def test_a_state_is_no_figure() -> None:
    refused = Judgement(Status.INVALID, note="The reply could not be read.")
    method = SharedWords(does=lambda c: refused if len(c.context) == 2 and c.context[0].id == "b" else None)
    html = bars(RENT, leave_one_out(method, RENT), 0, 0.6)
    assert "style='width:0.0%'></span><i style='left:60.0%'></i></div></td><td>The reply could not be read.</td>" in html
    nothing = leave_one_out(SharedWords(), replace(RENT, context=()))
    assert lead(nothing, WHOLE, 0.5) == "Nothing to assess."
