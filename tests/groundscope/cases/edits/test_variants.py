"""Variants of a grounded response: one marked error each, everything else as it was."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.cases.edits.source import EditSource
from groundscope.cases.edits.variants import CONTROLS, OPERATORS, Adapted, adapt
from groundscope.cases.edits.whole_set import EDITS, card, vary
from groundscope.cases.parents import replaced_words
from groundscope.cases.validation import ValidationOutcome, validate
from groundscope.commands.case_files import read_cases
from groundscope.errors import DataError
from groundscope.text.sentences import split
from groundscope.types import Case, ErrorSpan, ErrorType, EvidenceSpan, Passage
from tests.growth import growth
from tests.loops import each

RESPONSE = (
    "The tenant must give notice within 30 days under section 7. "
    "In Roe v. Wade the Ninth Circuit awarded $5,000 on May 3, 2020. "
    "Justice Scalia did not agree, and the contract is void if the buyer leaves. "
    "Some courts weigh three factors, unless the parties agreed otherwise. "
    "A residential tenant must prove it by clear and convincing evidence. "
    "The form or rent is settled within six weeks, except where a lease says otherwise."
)
CONTEXT = (
    Passage("p1", "A tenant has 30 days. Smith v. Jones is of no help here, as Justice Breyer said.", "Lease Act"),
    Passage("p2", "The award was $5,000. Under section 31 it takes 11 weeks or three days."),
)
CASE = Case(
    "lease",
    "What must the tenant do?",
    CONTEXT,
    RESPONSE,
    grounded=True,
    # One span a sentence, as wide as the sentence.
    evidence=tuple(EvidenceSpan(s.start, s.end, i % 2, 0, 21) for i, s in enumerate(split(RESPONSE))),
    split="dev",
    group="g1",
    area="lease",
)
WORDS = (
    "The tenant must may shall not does is carry within 30 days before of section 7(b) § 12 Rule 3 $5,000 $1.5 million May 3, "
    "2020 1998 Roe v. Wade Smith Jones, Ninth Circuit Supreme Court Justice Scalia “ ” some all usually only if the unless "
    "plaintiff void an a waiver three 12 material in good faith and . . ? : \n \n\n # - é 😀 İ ſ 12 F.3d 34 "
    "when where except or who federal burden on prove for clear error de novo"
).split(" ")
TEXTS = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=25).map(" ".join),
    st.text(max_size=60),
    st.text(alphabet="aAdnot 1230$§().,“”'’\n-v", max_size=60),
)


def responses(adapted: Adapted) -> list[str]:
    return [v.case.response for v in adapted.variants]


def test_every_operator_applies_to_a_response_that_has_something_of_all() -> None:
    found = adapt(CASE)
    assert [v.operator for v in found.variants] == list(OPERATORS)
    assert found.skipped == ()


@each("seed", range(5))
def test_a_variant_is_its_parent_but_for_the_one_marked_span(seed: int) -> None:
    for v in adapt(CASE, seed=seed).variants:
        (error,) = v.case.errors
        assert replaced_words(v.case, RESPONSE) == (v.before,)
        new, end = v.case.response[error.start : error.end], v.parent_start + len(v.before)
        assert error.start == v.parent_start
        assert RESPONSE[: error.start] + new + RESPONSE[end:] == v.case.response != RESPONSE
        # Evidence still covers the same sentences.
        sentences = [(s.start, s.end) for s in split(v.case.response)]
        assert [(e.response_start, e.response_end) for e in v.case.evidence] == sentences
        assert [(e.passage, e.start, e.end) for e in v.case.evidence] == [(e.passage, e.start, e.end) for e in CASE.evidence]


def test_a_variant_is_labelled_and_keeps_what_its_parent_has() -> None:
    for v in adapt(CASE).variants:
        (error,) = v.case.errors
        assert (v.case.grounded, v.case.parent, v.case.id) == (False, "lease", f"lease-{v.operator.name}")
        assert (error.type, bool(error.why)) == (v.operator.type, True)
        kept = ("query", "context", "split", "group", "area")
        assert [getattr(v.case, name) for name in kept] == [getattr(CASE, name) for name in kept]
    assert {v.case.group for v in adapt(replace(CASE, group=None)).variants} == {"lease"}


def test_evidence_for_the_words_that_are_replaced_moves_to_the_new_words() -> None:
    start = RESPONSE.index("$5,000")
    inside = replace(CASE, evidence=(EvidenceSpan(start, start + 6, 1, 14, 20), EvidenceSpan(start + 1, start + 2, 1, 14, 20)))
    (v,) = adapt(inside, names=["money"]).variants
    (error,) = v.case.errors
    assert [(e.response_start, e.response_end) for e in v.case.evidence] == [(error.start, error.end)] * 2


def test_the_operators_asked_for_are_used_and_one_that_does_not_apply_says_why() -> None:
    found = adapt(replace(CASE, response="It costs $5.", evidence=()), names=["money", "judge"])
    assert [v.operator.name for v in found.variants] == ["money"]
    assert [operator.name for operator, _ in found.skipped] == ["judge"]
    found = adapt(replace(CASE, response="It holds.", evidence=()))
    assert found.variants == ()
    assert list(found.skipped) == [(o, o.absent) for o in OPERATORS]
    assert all(o.absent.endswith(".") for o in OPERATORS)


def test_an_edit_that_the_context_supports_is_not_made() -> None:
    # The one other court of its kind is the one that the context speaks of.
    case = Case("c", "q", (Passage("p", "The Court of Justice held so."),), "The General Court held so.", grounded=True)
    found = adapt(case, names=["court"])
    assert found.variants == ()
    assert "supported" in found.skipped[0][1]


@each(("seed", "words"), [(0, ["May 3, 2021", "21", "Second Circuit"]), (7, ["June 3, 2020", "14", "Seventh Circuit"])])
def test_a_seed_gives_the_same_variants_in_every_process(seed: int, words: list[str]) -> None:
    """Worked out once: what rests on the built-in hash of a text differs from one process to the next."""
    cases = [v.case for v in adapt(CASE, seed=seed, names=["date", "deadline", "court"]).variants]
    assert [case.response[e.start : e.end] for case in cases for e in case.errors] == words


def test_another_seed_gives_other_variants_with_other_ids() -> None:
    one, other = adapt(CASE, seed=1), adapt(CASE, seed=2)
    assert responses(one) != responses(other)
    assert {v.case.id for v in one.variants} & {v.case.id for v in other.variants} == set()
    assert all(v.case.id == f"lease-{v.operator.name}-2" for v in other.variants)


@each(
    "wrong",
    [
        replace(CASE, grounded=False),
        # Its variant would carry the old error unmarked.
        replace(CASE, grounded=None, errors=(ErrorSpan(0, 3, ErrorType.MISATTRIBUTION),)),
        replace(CASE, grounded=None, unsupported=((0, 3),)),
    ],
)
def test_a_response_that_is_labelled_or_marked_as_wrong_is_refused(wrong: Case) -> None:
    with pytest.raises(DataError, match="labelled as wrong"):
        adapt(wrong)


def test_an_unlabelled_response_is_taken_to_be_grounded() -> None:
    assert responses(adapt(replace(CASE, grounded=None))) == responses(adapt(CASE))


@given(TEXTS, st.lists(TEXTS, max_size=2), st.integers(0, 3), st.data())
def test_whatever_the_text_a_variant_differs_in_its_span_alone(
    response: str, texts: list[str], seed: int, data: st.DataObject
) -> None:
    passages = (Passage("p", "A text."), *(Passage(f"p{i}", text) for i, text in enumerate(texts)))
    before = split(response)
    covered = data.draw(st.lists(st.sampled_from(before), max_size=2)) if before else []
    evidence = tuple(EvidenceSpan(s.start, s.end, 0, 0, 7) for s in covered)
    case = Case("c", "q", passages, response, grounded=True, evidence=evidence)
    found = adapt(case, seed=seed)
    assert [o.name for o in OPERATORS] == sorted(
        [v.operator.name for v in found.variants] + [operator.name for operator, _ in found.skipped],
        key=[o.name for o in OPERATORS].index,
    )
    for v in found.variants:
        (error,) = v.case.errors
        after = split(v.case.response)
        assert replaced_words(v.case, response) == (v.before,)
        assert v.case.response != response
        assert len([s for s in after if not s.heading]) == len([s for s in before if not s.heading])
        moved = [(e.response_start, e.response_end) for e in v.case.evidence]
        claims = dict(zip((s for s in before if not s.heading), (s for s in after if not s.heading), strict=True))
        assert [m for s, m in zip(covered, moved, strict=True) if s in claims] == [
            (claims[s].start, claims[s].end) for s in covered if s in claims
        ]
        assert any(s.start <= error.start and error.end <= s.end for s in after if not s.heading)


SAMPLES = read_cases(None)[0]
SOUND = [c for c in SAMPLES if c.grounded][:24]


def test_each_answer_is_followed_by_its_variants_and_every_check_of_labels_passes() -> None:
    made = vary([*SOUND, *(c for c in SAMPLES if c.grounded is False)], per_answer=3, seed=5)
    assert made.answers == len(SOUND)
    parents = [c for c in made.cases if c.parent is None]
    assert [c.id for c in parents] == [c.id for c in SOUND]
    for case in made.cases:
        if case.parent:
            assert case.grounded is False
            assert case.group is not None
    counts = Counter(c.parent for c in made.cases if c.parent)
    assert max(counts.values()) == 3
    assert made.writers == {EDITS: sum(counts.values())}
    assert len({c.response for c in made.cases}) == len(made.cases)
    checks = validate(made.cases)
    assert [c.title for c in checks[:4] if c.outcome is not ValidationOutcome.PASSED] == []
    assert made == vary(SOUND, per_answer=3, seed=5)
    assert made.cases != vary(SOUND, per_answer=3, seed=6).cases


def test_error_types_are_as_even_as_the_answers_allow() -> None:
    types = Counter(e.type for c in vary(SOUND, per_answer=2).cases for e in c.errors)
    assert len(types) == 6
    assert max(types.values()) - min(types.values()) <= 2
    # The first variant that each rule makes would not be.
    alone = {o.name: o.type for o in OPERATORS}
    one = next(name for name, kind in alone.items() if kind)
    assert {e.type for c in vary(SOUND, names=(one,)).cases for e in c.errors} == {alone[one]}


def test_answers_that_are_not_sound_are_left_out_and_nothing_to_do_is_refused() -> None:
    wrong = next(c for c in SAMPLES if c.grounded is False)
    with pytest.raises(DataError, match="No answer of this set is labelled as grounded"):
        vary([wrong, replace(SOUND[0], grounded=None)])
    # An error type without a span says as much as a span.
    typed = replace(SOUND[0], id="typed", error_types=(ErrorType.MISATTRIBUTION,))
    assert "typed" not in {c.id for c in vary([SOUND[1], typed]).cases}
    with pytest.raises(DataError, match="No writer of variants is chosen"):
        vary(SOUND, edits=False)
    bare = Case("a", "q", SOUND[0].context, "Yes.", grounded=True)
    with pytest.raises(DataError, match="No variant could be made"):
        vary([bare])


def test_the_card_has_counts_settings_and_checks_and_no_markup_of_a_title() -> None:
    made = vary(SOUND, per_answer=1)
    checks = validate(made.cases)
    text = card(made, "a|b <img src=x>\n# c", {"Seed": "7"}, checks)
    assert text.startswith("# Variants of a/b &lt;img src=x> # c\n")
    assert f"{len(SOUND):,} grounded answers and {sum(made.writers.values()):,} ungrounded variants" in text
    assert "| Seed | 7 |" in text
    assert f"| {EDITS} | {made.writers[EDITS]} |" in text
    for check in checks:
        assert f"| {check.title} | {check.outcome.value}: " in text


PIECES = (
    "if he pays the rent, ", "The rent is due unless he pays ", "except as ", "the tenant who pays the landlord that ",
    "the tenant must prove that ", "the burden of ", "of proof on the tenant ", "for abuse of discretion ", "rent and costs or ",
    "between rent and ", "federal person ", "will ", "must show ", "shall, ", "“rent” ", "Roe v. Wade ", "$1,000 ",
)  # fmt: skip
LONG_CONTEXT = (
    Passage("p", "The tenant paid $2,000 and costs. Roe v. Wade held so.", "Doe v. Roe"),
    Passage("q", "Nothing.", "Act"),
)


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.release)])
@each("number, operator", enumerate([*OPERATORS, *CONTROLS]))
def test_an_edit_takes_no_quadratic_time(step: int, number: int, operator) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    def read(text: str) -> object:
        return operator.edits(EditSource(Case("c", "Who pays?", LONG_CONTEXT, text)))

    assert [wrong for piece in PIECES[number % step :: step] if (wrong := growth(read, piece, 20_000))] == []
