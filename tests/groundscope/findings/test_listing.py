"""The one list of findings: its order, its counts of sentences and its headline."""

import pytest

from groundscope.findings import Certainty, MethodReading, findings_of
from groundscope.findings.finding import FindingKind, worth
from groundscope.findings.listing import nearest_sentences
from groundscope.types import Case, Judgement, Passage, SentenceScore, Status

SOURCES = (
    "The Tenant may end the lease on sixty days' notice to the Landlord. The rent is $900 a month, due on the first day.",
    "The Landlord may enter the flat after one day's notice.",
)
SENTENCES = (
    "The rent is $950 a month, due on the first day.",
    "The Tenant must end the lease on sixty days' notice to the Landlord.",
    "Pets are welcome.",
    "The flat may be entered after a day's notice.",
)
ONLY = "checked for figures, names, citations and quotations only."
ANSWER = " ".join(SENTENCES)
CASE = Case("c", "q", tuple(Passage(f"p{i}", text, "") for i, text in enumerate(SOURCES)), ANSWER)


def reading(*supports: float | None, threshold: float | None = 0.5) -> MethodReading:
    starts = [ANSWER.index(s) for s in SENTENCES]
    scores = tuple(SentenceScore(a, a + len(s), x) for a, s, x in zip(starts, SENTENCES, supports, strict=True))
    lowest = min((x for x in supports if x is not None), default=None)
    return MethodReading("m", "m|1", Judgement(Status.SCORED, lowest, scores), threshold, title="Judge")


def test_exact_findings_come_first_then_differences_then_doubts_from_the_least_supported_on() -> None:
    listed = findings_of(CASE, reading(0.1, 0.2, 0.4, 0.3))
    assert [(f.sentence, str(f.certainty)) for f in listed.findings] == [
        (0, "exact"), (1, "differs"), (0, "doubtful"), (1, "doubtful"), (3, "doubtful"), (2, "doubtful"),
    ]  # fmt: skip
    assert listed.order == (0, 1, 3, 2)
    assert [listed.certainty(i) for i in range(4)] == [Certainty.EXACT, Certainty.DIFFERS, Certainty.DOUBTFUL, Certainty.DOUBTFUL]
    assert [f.text for f in listed.of(0)] == ["$950", SENTENCES[0]]


@pytest.mark.parametrize(
    ("of", "headline"),
    [
        (reading(0.9, 0.9, 0.1, 0.9),
         "1 of 4 sentences does not match the sources: $950. 1 more differs from the passage beside it: must (there: may). "
         "1 more is doubtful. The other one was compared, not cleared."),
        (reading(0.9, 0.9, 0.9, 0.9),
         "1 of 4 sentences does not match the sources: $950. 1 more differs from the passage beside it: must (there: may). "
         "The other 2 were compared, not cleared."),
        (reading(0.9, 0.9, None, 0.9),
         "1 of 4 sentences does not match the sources: $950. 1 more differs from the passage beside it: must (there: may). "
         "The other 2 were " + ONLY),
        (None,
         "1 of 4 sentences does not match the sources: $950. 1 more differs from the passage beside it: must (there: may). "
         "The other 2 were " + ONLY),
    ],
)  # fmt: skip
def test_the_headline_counts_each_sentence_once_and_clears_none(of: MethodReading | None, headline: str) -> None:
    assert findings_of(CASE, of).headline == headline


@pytest.mark.parametrize(
    ("answer", "working", "headline"),
    [
        ("The Landlord may enter the flat.", False, f"Nothing flagged. The sentence was {ONLY}"),
        ("The Landlord may enter the flat. It is so.", True, "Nothing flagged so far. All 2 sentences are still being compared."),
        ("Rent is $1.", True, "1 of 1 sentence does not match the sources: $1."),
        ("", False, "No sentence to check."),
    ],
)  # fmt: skip
def test_the_headline_without_a_method(answer: str, working: bool, headline: str) -> None:
    assert findings_of(Case("c", "q", CASE.context, answer), working=working).headline == headline


def test_a_method_that_names_no_sentence_doubts_the_answer_as_a_whole() -> None:
    whole = MethodReading("m", "m|1", Judgement(Status.SCORED, 0.2, ()), 0.5)
    assert "The answer as a whole is doubtful" in findings_of(CASE, whole).headline


def test_the_passage_beside_a_doubt_is_most_like_it_in_words_and_not_the_first_of_zeros() -> None:
    listed = findings_of(CASE, reading(0.0, 0.0, 0.0, 0.0))
    places = {f.sentence: f.place for f in listed.findings if f.kind is FindingKind.SUPPORT}
    assert places[3] is not None
    assert places[3].passage == 1
    assert nearest_sentences(CASE) == [1, 0, -1, 2]


def test_what_a_kind_is_worth_is_counted_beside_all_sentences() -> None:
    # 24 wrong and 9 sound sentences name another source; 299 of 2,851 sentences are wrong: 10 %.
    assert worth(FindingKind.SOURCE) == "On the samples 24 of 33 such sentences are wrong, of all 10 %."
    assert "was not measured" in worth(FindingKind.MODAL)
