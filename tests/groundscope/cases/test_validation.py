"""Checks of a labelled set: each passes on a sound set and, with one thing planted, names the case at fault."""

from dataclasses import replace

from groundscope.cases.validation import Embed, ValidationOutcome, validate
from groundscope.types import Case, Passage
from tests.groundscope.labelled import NAMES, SOUND, apart, check
from tests.loops import each

LABELS = "Labels and error spans agree"
PARENTS = "Variants name a grounded parent"
EDITS = "Variants differ only in and next to their spans"
SOURCES = "Wrong sentences stand in no source"
EVIDENCE = "Every grounded sentence has gold evidence"
SPLITS = "Splits share no group and no sentence"
HABITS = "Both labels look alike: length, sentences, hedging, figures"
BAG = "The words of a response alone do not give its label away"
COPIES = "No query or passage is a near-copy of another query's"
ALL = [LABELS, PARENTS, EDITS, SOURCES, EVIDENCE, SPLITS, HABITS, BAG, COPIES]


OK, BAD = SOUND[0], SOUND[1]
OTHER_OK, OTHER_BAD = SOUND[-2], SOUND[-1]


def planted(*changed: Case) -> list[Case]:
    by_id = {c.id: c for c in changed}
    return [by_id.get(c.id, c) for c in SOUND]


def test_a_sound_set_passes_every_check() -> None:
    found = validate(SOUND, apart)
    assert [c.title for c in found] == ALL
    assert [(c.title, c.findings) for c in found if c.outcome is not ValidationOutcome.PASSED] == []
    assert found[0].figure == "80 labelled cases, none at fault"


@each("cases", [[], SOUND, SOUND[:2], [replace(OK, grounded=None)]])
@each("embed", [None, apart])
def test_there_are_as_many_checks_as_announced(cases: list[Case], embed: Embed | None) -> None:
    assert len(validate(cases, embed)) == len(ALL)


FAR = replace(BAD, response=BAD.response.replace("each month", "every month"))
SHARED = "Nobody ever asked for that rent."

PLANTED: list[tuple[str, str, tuple[Case, ...], str, str]] = [
    ("grounded with a span", LABELS, (replace(OK, errors=BAD.errors),), OK.id, "grounded and yet has an error span"),
    ("grounded and unsupported", LABELS, (replace(OK, unsupported=((0, 3),)),), OK.id, "grounded and yet has an error span"),
    ("ungrounded without a span", LABELS, (replace(BAD, errors=()),), BAD.id, "no span says where"),
    ("without a reason", LABELS, (replace(BAD, errors=(replace(BAD.errors[0], why=""),)),), BAD.id, "lacks the reason"),
    ("no such parent", PARENTS, (replace(BAD, parent="nobody"),), BAD.id, "not in the set"),
    ("ungrounded parent", PARENTS, (replace(BAD, parent=OTHER_BAD.id),), BAD.id, "parent is labelled ungrounded"),
    ("another query", PARENTS, (replace(BAD, query="Who?"),), BAD.id, "query or context"),
    ("another context", PARENTS, (replace(BAD, context=OTHER_OK.context),), BAD.id, "query or context"),
    ("another group", PARENTS, (replace(BAD, group="none"),), BAD.id, "group or split"),
    ("another split", PARENTS, (replace(BAD, split="test"),), BAD.id, "group or split"),
    ("edited elsewhere", EDITS, (FAR,), BAD.id, "elsewhere"),
    ("in the context", SOURCES, (replace(BAD, context=(Passage("p", BAD.response.upper()),)),), BAD.id, "in the context"),
    ("in a grounded response", SOURCES, (replace(OK, response=BAD.response),), BAD.id, "in a grounded response"),
    ("no evidence", EVIDENCE, (replace(OK, evidence=OK.evidence[:1]),), OK.id, "1 of its sentences has"),
    ("no evidence at all", EVIDENCE, (replace(OK, evidence=()),), OK.id, "2 of its sentences have"),
    ("group in two splits", SPLITS, (replace(OTHER_OK, group=OK.group),), OTHER_OK.id, "group has cases in another split"),
    (
        "sentence in two splits",
        SPLITS,
        (replace(OK, response=f"{OK.response} {SHARED}"), replace(OTHER_OK, context=(Passage("p", SHARED.upper()),))),
        OTHER_OK.id,
        "1 of its sentences stands in another split",
    ),
]


@each(("title", "changed", "at_fault", "words"), [row[1:] for row in PLANTED])
def test_a_planted_fault_is_found_and_names_its_case(title: str, changed: tuple[Case, ...], at_fault: str, words: str) -> None:
    found = check(title, planted(*changed))
    assert found.outcome is ValidationOutcome.FAILED
    assert {case for case, _ in found.findings} == {at_fault}
    assert any(words in finding for _, finding in found.findings)
    assert ", 1 at fault" in found.figure


def test_a_short_sentence_may_recur_in_another_split() -> None:
    short = [replace(c, response=f"{c.response} The answer is no.") for c in (OK, OTHER_OK)]
    assert check(SPLITS, planted(*short)).outcome is ValidationOutcome.PASSED


def test_words_next_to_a_narrow_span_may_change_too() -> None:
    # The span marks the colour alone, the edit took the word after it as well.
    near = replace(BAD, response=BAD.response.replace("tenant", "lodger"))
    assert check(EDITS, planted(near)).outcome is ValidationOutcome.PASSED


def test_no_finding_quotes_the_data() -> None:
    for _, title, changed, _, _ in PLANTED:
        for case, words in check(title, planted(*changed)).findings:
            assert not any(name in words for name in NAMES if not case.startswith(name))


@each(
    ("title", "reason"),
    [
        (LABELS, "There are no labelled cases."),
        (PARENTS, "There are no variants."),
        (EDITS, "There are no variants."),
        (SOURCES, "There are no cases with error spans."),
        (EVIDENCE, "There are no grounded cases."),
        (SPLITS, "There are no cases with a split."),
        (HABITS, "There are too few cases of one label."),
        (BAG, "There are too few labels, groups or words for five folds."),
        (COPIES, "Not measured yet: it needs a model, and a little time."),
    ],
)
def test_what_cannot_be_asked_of_a_set_says_why(title: str, reason: str) -> None:
    bare = [Case(f"c{i}", "q", (Passage("p", "A text."),), "It holds.") for i in range(50)]
    found = check(title, bare, None)
    assert (found.outcome, found.figure, found.findings) == (ValidationOutcome.NOT_APPLICABLE, reason, ())


def test_a_set_without_any_evidence_is_not_blamed_for_it() -> None:
    found = check(EVIDENCE, [replace(c, evidence=()) for c in SOUND])
    assert (found.outcome, found.figure) == (ValidationOutcome.NOT_APPLICABLE, "The set carries no gold evidence.")
