"""Pairs from labelled cases: the paper's recipe on cases worked out by hand, and each departure from it."""

from dataclasses import replace

import numpy as np
import pytest

from groundscope.cases.edits.variants import adapt
from groundscope.errors import DataError
from groundscope.training.pairs import Pair, Recipe, SentenceChange, changes, pairs
from groundscope.types import Case, ErrorSpan, ErrorType, Matrix, Passage
from tests.groundscope.training.samples import by_hash

LATE, PAID, COSTS = "The notice was served late.", "The tenant paid all of the rent.", "The landlord bears the costs."
VECTORS = {
    LATE: (1.0, 0.0, 0.0),
    PAID: (0.0, 1.0, 0.0),
    COSTS: (0.0, 0.0, 1.0),
    "The notice came too late.": (0.8, 0.6, 0.0),
    "The rent was paid.": (0.1, 0.9, 0.2),
    "The costs fall on the landlord.": (0.0, 0.28, 0.96),
}
CONTEXT = (Passage("p1", f"{LATE} {PAID}"), Passage("p2", COSTS))
SOUND = Case(
    "a",
    "q",
    CONTEXT,
    "The notice came too late. The rent was paid. The costs fall on the landlord.",
    grounded=True,
    split="train",
    group="g",
)
WRONG = replace(
    SOUND,
    id="b",
    response="The notice came in time. The rent was paid. The costs fall on the tenant.",
    grounded=False,
    parent="a",
)


def embed(texts: list[str]) -> Matrix:
    """The vectors above; a text that has none is one that nobody may look at."""
    return np.array([VECTORS[t] for t in texts], dtype=np.float32)


def rounded(found: list[Pair]) -> list[Pair]:
    return [p._replace(label=round(p.label, 4)) for p in found]


def test_the_papers_recipe_pairs_both_sentences_with_the_grounded_ones_nearest_context_sentence() -> None:
    # The ungrounded sentences have no vector: they take the grounded one's evidence, and 1 - its cosine.
    assert rounded(pairs([SOUND, WRONG], Recipe(), embed)) == [
        Pair(LATE, "The notice came too late.", 0.8, "g", supported=True),
        Pair(LATE, "The notice came in time.", 0.2, "g", supported=False),
        Pair(COSTS, "The costs fall on the landlord.", 0.96, "g", supported=True),
        Pair(COSTS, "The costs fall on the tenant.", 0.04, "g", supported=False),
    ]
    # By the true sides the same pairs have labels that say so themselves.
    assert pairs([SOUND, WRONG], Recipe(labels="sides"), embed) == [
        Pair(LATE, "The notice came too late.", 1.0, "g"),
        Pair(LATE, "The notice came in time.", 0.0, "g"),
        Pair(COSTS, "The costs fall on the landlord.", 1.0, "g"),
        Pair(COSTS, "The costs fall on the tenant.", 0.0, "g"),
    ]


def test_a_sentence_that_several_variants_change_is_one_supported_pair() -> None:
    third = replace(WRONG, id="c", response=SOUND.response.replace("too late", "on Monday"))
    found = pairs([SOUND, WRONG, third], Recipe(), embed)
    assert [p.sentence for p in found if p.label > 0.5] == ["The notice came too late.", "The costs fall on the landlord."]
    assert [p.sentence for p in found if p.evidence == LATE and p.label < 0.5] == [
        "The notice came in time.",
        "The notice came on Monday.",
    ]


def test_several_sentences_of_evidence_are_joined_as_methods_read_them() -> None:
    found = pairs([SOUND, WRONG], Recipe(evidence=2), embed)
    # The most alike stands last; what is much less alike than it is left out.
    assert [p.evidence for p in found] == [f"{PAID} {LATE}"] * 2 + [COSTS] * 2
    assert [round(p.label, 2) for p in found] == [0.8, 0.2, 0.96, 0.04]
    assert {p.evidence for p in pairs([SOUND, WRONG], Recipe(evidence=9), embed)} == {f"{PAID} {LATE}", COSTS}


def test_smoothed_labels_stand_for_cosines() -> None:
    found = pairs([SOUND, WRONG], Recipe(labels="smoothed", smoothing=0.25), embed)
    assert [p.label for p in found] == [0.75, 0.25, 0.75, 0.25]


def test_a_cosine_below_0_is_a_label_of_0() -> None:
    away = dict.fromkeys(("The notice came too late.", "The costs fall on the landlord."), (0.0, 0.0, -1.0))
    only = replace(SOUND, context=(Passage("p", COSTS),))
    found = pairs(
        [only, replace(WRONG, context=only.context)],
        Recipe(),
        lambda texts: np.array([{**VECTORS, **away}[t] for t in texts], dtype=np.float32),
    )
    assert [p.label for p in found] == [0.0, 1.0, 0.0, 1.0]


def test_of_equally_near_context_sentences_the_first_is_the_evidence() -> None:
    found = pairs([SOUND, WRONG], Recipe(), lambda texts: np.ones((len(texts), 1), dtype=np.float32))
    assert {p.evidence for p in found} == {LATE}


def test_sentences_of_equal_blocks_are_aligned_in_order_though_others_are_more_alike() -> None:
    ours = "All is well. The lease ends in May. The rent is due in June. So it was."
    theirs = "All is well. The rent is due in July. The lease ends in April. So it was."
    assert changes(ours, theirs) == [
        SentenceChange("The lease ends in May.", "The rent is due in July."),
        SentenceChange("The rent is due in June.", "The lease ends in April."),
    ]


def test_sentences_of_unequal_blocks_go_to_the_most_alike_and_what_is_like_none_is_left_out() -> None:
    ours = "All is well. The lease ends in May. The rent is due in June. So it was."
    theirs = "All is well. Brexit! Wow, 42 zygotes quickly jumped. The rent is due in July. The lease ends in April. So it was."
    assert changes(ours, theirs) == [
        SentenceChange("The lease ends in May.", "The lease ends in April."),
        SentenceChange("The rent is due in June.", "The rent is due in July."),
    ]
    # Each has one counterpart at most: of two like sentences the more alike takes it.
    one = changes("The rent is due in June. The rent is due on 1 June.", "The rent is due on 1 July.")
    assert one == [SentenceChange("The rent is due on 1 June.", "The rent is due on 1 July.")]


def test_what_is_only_added_only_dropped_or_a_heading_makes_no_pair() -> None:
    text = "The lease ends in May. The rent is due in June."
    assert changes(text, text) == []
    assert changes(text, f"{text} The tenant may object.") == []
    assert changes(f"{text} The tenant may object.", text) == []
    assert changes(f"# The lease\n\n{text}", f"# Another lease\n\n{text}") == []


def test_a_variant_finds_its_parent_by_name_or_else_the_grounded_response_of_its_group() -> None:
    assert pairs([SOUND, replace(WRONG, group=None)], Recipe(), embed)[1].group == "a"
    assert len(pairs([SOUND, replace(WRONG, parent=None)], Recipe(), embed)) == 4
    other = replace(SOUND, id="first", response="The rent was paid. It is so.")
    assert rounded(pairs([other, SOUND, WRONG], Recipe(), embed)) == rounded(pairs([SOUND, WRONG], Recipe(), embed))


@pytest.mark.parametrize(
    "cases",
    [
        [],
        [SOUND],
        [SOUND, replace(WRONG, grounded=None)],
        [SOUND, replace(WRONG, parent="elsewhere")],
        [SOUND, replace(WRONG, parent=None, group=None)],
        # What a response that is itself wrong says is not support for anything.
        [replace(SOUND, grounded=False, parent="elsewhere"), WRONG],
        [SOUND, replace(WRONG, response=SOUND.response)],
    ],
)
def test_cases_without_a_grounded_response_and_its_variant_make_no_pairs(cases: list[Case]) -> None:
    with pytest.raises(DataError, match=r"^No pairs can be made of these cases: they need grounded responses .*\.$"):
        pairs(cases, Recipe(), embed)


def test_a_case_without_context_is_named() -> None:
    with pytest.raises(DataError, match="Case a has a label but no context sentence; leave it out"):
        pairs([replace(SOUND, context=()), WRONG], Recipe(), embed)


def test_scope_all_learns_from_every_labelled_sentence_and_error_spans_tell_which_are_wrong() -> None:
    response = f"# The tenant\n\n{WRONG.response}"
    costs, rent = response.index("the tenant"), response.index("The rent")
    case = replace(
        WRONG,
        response=response,
        errors=(ErrorSpan(costs, costs + 3, ErrorType.FACTUAL_INACCURACY), ErrorSpan(0, 5, ErrorType.MISATTRIBUTION)),
        unsupported=((rent + 4, rent + 9),),
    )
    found = pairs([case], Recipe(scope="all", labels="smoothed", smoothing=0.0), by_hash)
    assert [(p.sentence, p.label) for p in found] == [
        ("The notice came in time.", 1.0),
        ("The rent was paid.", 0.0),
        ("The costs fall on the tenant.", 0.0),
    ]


def test_scope_all_takes_the_sentences_own_cosines() -> None:
    found = rounded(pairs([SOUND], Recipe(scope="all"), embed))
    rent = np.dot(VECTORS["The rent was paid."], VECTORS[PAID])
    assert [(p.evidence, p.label) for p in found] == [(LATE, 0.8), (PAID, round(float(rent), 4)), (COSTS, 0.96)]


def test_scope_all_leaves_out_what_no_one_labelled() -> None:
    recipe = Recipe(scope="all")
    assert {p.sentence for p in pairs([SOUND, WRONG, replace(SOUND, id="c", grounded=None)], recipe, embed)} == {
        "The notice came too late.",
        "The rent was paid.",
        "The costs fall on the landlord.",
    }
    with pytest.raises(DataError, match="No pairs"):
        pairs([WRONG], recipe, embed)


STATUTE = Case(
    "s",
    "When must the tenant object?",
    (
        Passage("p1", "The tenant must object within 14 days of the notice. The landlord may extend the period once."),
        Passage(
            "p2", "The Court of Appeal in Hart v. Moss held in 2011 that no late objection counts, unless all parties agree."
        ),
    ),
    "The tenant must object within 14 days of the notice. The Court of Appeal held in 2011 that no late objection counts, "
    "unless all parties agree. The landlord may extend the period once.",
    grounded=True,
    group="g",
)


def test_edits_make_negatives_of_the_edited_sentence_alone() -> None:
    said = set(STATUTE.response.replace(". The", ".|The").split("|"))
    recipe = Recipe(scope="all", labels="smoothed", edits=4)
    plain, more = pairs([STATUTE], replace(recipe, edits=0), by_hash), pairs([STATUTE], recipe, by_hash)
    assert {p.sentence for p in plain} == said
    assert more[: len(plain)] == plain
    edited = more[len(plain) :]
    assert len(edited) == 4
    for pair in edited:
        assert (round(pair.label, 9), pair.made_by, pair.group) == (0.1, "edit", "g")
        assert pair.sentence not in said
    changed = pairs([STATUTE], Recipe(edits=4), by_hash)
    assert {p.sentence for p in changed if p.made_by == "edit"} == {p.sentence for p in edited}
    assert {p.sentence for p in changed if p.made_by == "response"} <= said


def test_the_seed_chooses_among_all_operators_that_apply() -> None:
    seen = set()
    for seed in range(12):
        recipe = Recipe(scope="all", edits=1, seed=seed)
        (edited,) = (p.sentence for p in pairs([STATUTE], recipe, by_hash) if p.made_by == "edit")
        assert edited in {p.sentence for p in pairs([STATUTE], recipe, by_hash)}
        seen |= {v.operator.name for v in adapt(STATUTE, seed=seed).variants if edited in v.case.response}
    names = [v.operator.name for v in adapt(STATUTE).variants]
    assert len(names) > 5
    assert len(seen) > len(names) // 2
    assert seen & set(names[4:])


def test_a_grounded_response_with_spans_of_what_is_wrong_is_not_edited() -> None:
    span = ErrorSpan(0, 10, ErrorType.FACTUAL_INACCURACY)
    found = pairs([replace(STATUTE, errors=(span,))], Recipe(scope="all", edits=4), by_hash)
    assert {p.made_by for p in found} == {"response"}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"evidence": 0}, "evidence must be at least 1"),
        ({"edits": -1}, "edits at least 0"),
        ({"smoothing": 0.5}, "smoothing must lie from 0 up to below 0.5, got 0.5"),
        ({"smoothing": float("nan")}, "smoothing"),
    ],
)
def test_a_recipe_that_means_nothing_is_refused(values: dict[str, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Recipe(**values)  # type: ignore[arg-type]
