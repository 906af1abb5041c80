"""RefChecker's triplets and rules, on examples worked out from its rules (shared methods, section 6)."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorers.refchecker import LABELS, Label, Triplet, cleaned, majority, merged, parsed, soft, strict
from tests.loops import each

E, N, C = "Entailment", "Neutral", "Contradiction"
T = Triplet("court", "held", "no waiver")

PARSED: dict[str, tuple[str, list[Triplet]]] = {
    "double quotes": ('("court", "held", "no waiver")', [T]),
    "single quotes": ("('court', 'held', 'no waiver')", [T]),
    "an apostrophe": ('("court\'s rule", "is", "5 days")', [Triplet("court's rule", "is", "5 days")]),
    "an escaped mark": (r'("court", "held", "\"no\" waiver")', [Triplet("court", "held", '"no" waiver')]),
    "a comma inside": ('("a, b", "(c)", "d)")', [Triplet("a, b", "(c)", "d)")]),
    "a list": ('- ("court", "held", "no waiver")\n* ("a", "b", "c")', [T, Triplet("a", "b", "c")]),
    "the header": ('("subject", "predicate", "object")\n("court", "held", "no waiver")', [T]),
    "two parts": ('("court", "held")\n("court", "held", "no waiver")', [T]),
    "an empty part": ('("court", "", "no waiver")\n("court", " ", "x")', []),
    "a number": ('("court", "held", 5)', []),
    "twice": ('("court", "held", "no waiver")\n("a", "b", "c")\n("court", "held", "no waiver")', [T, Triplet("a", "b", "c")]),
    "after a header": ('("x", "y", "z")\n### Triplets\n("court", "held", "no waiver")', [T]),
    "prose around": ('Here they are:\n("court", "held", "no waiver")\nThat is all ("a", "b", "c") I found.', [T]),
    "a call": ("(print('x'), 'held', 'x')", []),
    "an escape that names half an emoji": (r"('\ud83d', 'b', 'c')", [Triplet("\ufffd", "b", "c")]),
    "open": ("('a', 'b', 'c'", []),
    "nothing at all": ("", []),
}  # fmt: skip


@each("form", PARSED)
def test_triplets_are_read(form: str) -> None:
    text, expected = PARSED[form]
    assert parsed(text) == expected


def test_nothing_is_run() -> None:
    ran: list[str] = []
    __builtins__["_tests_ran"] = ran.append  # type: ignore[index]
    try:
        assert (
            parsed("(_tests_ran('1'), 'b', 'c')\n(f'{_tests_ran(2)}', 'b', 'c')\n([_tests_ran('3') for _ in 'x'], 'b', 'c')")
            == []
        )
    finally:
        del __builtins__["_tests_ran"]  # type: ignore[attr-defined]
    assert ran == []


@each(
    "text",
    [" " * 300_000 + "x", "(" + ")" * 50_000 + " " * 50_000 + "x", "(" * 100_000, "(" + ") " * 50_000 + "x", "###\n" * 50_000],
)
def test_a_reply_of_a_model_that_got_stuck_is_read_to_its_end(text: str) -> None:
    assert parsed(text) == []
    assert parsed(f"{text}\n('court', 'held', 'no waiver')") == [T]


@given(
    st.text(st.characters())
    | st.lists(st.sampled_from(["(", ")", "'", '"', ",", "a", "\n", "#", "{", "[]", ":", "*", "f'", "\\"]), max_size=25).map(
        "".join
    )
)
def test_any_text_gives_whole_triplets(text: str) -> None:
    for t in parsed(text):
        assert all(isinstance(part, str) and part == part.strip() != "" for part in t[:3])
        assert t.sentence == 0


parts = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1).map(str.strip).filter(bool)


@given(st.lists(st.tuples(parts, parts, parts), max_size=6, unique=True))
def test_what_is_written_as_literals_is_read_again(rows: list[tuple[str, str, str]]) -> None:
    rows = [r for r in rows if tuple(map(str.lower, r)) != ("subject", "predicate", "object")]
    assert [tuple(t[:3]) for t in parsed("\n".join(map(repr, rows)))] == rows


def test_cleaning_keeps_the_first_of_equals_with_its_sentence() -> None:
    found = cleaned(
        [Triplet("a", "b", "c", 2), Triplet(" a", "b", "c ", 1), Triplet("a", "", "c"), Triplet("SUBJECT", "predicate", "object")]
    )
    assert found == [Triplet("a", "b", "c", 2)]
    assert found[0].text == "a b c"


@each(
    ("labels", "strict_", "majority_", "merged_"),
    [
        ([], None, None, N),
        ([E], E, E, E),
        ([E, E, N], N, E, E),
        ([E, N, C], C, E, E),
        ([N, N, E], N, N, E),
        ([N, C], C, N, C),
        ([C, N], C, C, C),
        ([C, C, N, N, E], C, C, E),
        ([N, N], N, N, N),
    ],
)
def test_the_rules(labels: list[Label], strict_: Label | None, majority_: Label | None, merged_: Label) -> None:
    assert strict(labels) == strict_
    assert majority(labels) == majority_
    assert merged(labels) == merged_


@given(st.lists(st.sampled_from(LABELS), min_size=1, max_size=12))
def test_the_rules_be_consistent(labels: list[Label]) -> None:
    assert soft([]) == {E: 0.0, N: 0.0, C: 0.0, "Abstain": 1.0}
    shares = soft(labels)
    assert shares[N] == labels.count(N) / len(labels)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert (strict(labels) == E) == (shares[E] == 1.0)
    assert (strict(labels) == C) == (shares[C] > 0.0)
    assert (merged(labels) == E) == (shares[E] > 0.0)
    most = majority(labels)
    assert most is not None
    assert Counter(labels)[most] == max(Counter(labels).values())
