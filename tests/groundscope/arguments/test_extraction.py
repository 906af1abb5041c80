"""The exact extractor: mentions with their places, and of which case they are said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.arguments.catalogue import TRADE_SECRETS, read_catalogue
from groundscope.arguments.extraction import exact
from groundscope.arguments.mentions import find, keys_of, read_keys
from groundscope.arguments.types import CASES

FACTORS = TRADE_SECRETS.factors


def keys(text: str) -> list[str]:
    return [f.key for f in find(text, TRADE_SECRETS)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("F4", ["F4"]), ("f4 and F-6, F 8, F.12", ["F4", "F6", "F8", "F12"]), ("F04", ["F4"]),
        ("Factor 4", ["F4"]), ("factor no. 4", ["F4"]), ("factor #4", ["F4"]), ("Factor number 14", ["F14"]),
        ("factors 4, 6, and 12", ["F4", "F6", "F12"]), ("Factors 4 & 6", ["F4", "F6"]),
        ("factors 4 and 2 other facts", ["F4"]), ("factors 4, 6 and 3 cases", ["F4", "F6"]),
        ("Factor Six", ["F6"]), ("factor twenty-six", ["F26"]), ("Factor One", ["F1"]), ("a factor one must weigh", []),
        ("Agreed-not-to-disclose", ["F4"]), ("agreed not to disclose", ["F4"]), ("AGREED NOT-TO_DISCLOSE", ["F4"]),
        ("agreed\nnot to  disclose", ["F4"]), ("Info‑reverse‑engineered", ["F25"]), ("Info-reverse-engineerable", ["F16"]),
        ("No-security-measures", ["F19"]), ("no security measures", ["F19"]), ("Security-measures", ["F6"]),
        ("non-security-measures", []), ("Security-measures-plus", []), ("Deception", ["F26"]), ("deceptions", []),
        ("F4 Agreed-not-to-disclose (P)", ["F4"]), ("Agreed-not-to-disclose (F4)", ["F4"]),
        ("**F4**: Agreed-not-to-disclose", ["F4"]),
        ("F4 (Agreed-not-to-disclose)", ["F4"]), ("Factor 4, Agreed-not-to-disclose", ["F4", "F4"]),
        ("F4 Agreed-not-to-disclose (P), F6 Security-measures (P)", ["F4", "F6"]),
        ("F9", ["F9"]), ("F99", ["F99"]), ("F42", ["F42"]), ("F4 Security-measures (P)", ["F4 security-measures"]),
        ("F4 Brand-new-name (P)", ["F4 brand-new-name"]), ("Trade-licence (P)", ["trade-licence"]), ("a well-known rule", []),
        ("F13 Non-competition-agreement (P)", ["F13"]), ("Non-competition-agreement", ["F13"]), ("F13 Noncompete (P)", ["F13"]),
        ("F25 Reverse-engineered (D)", ["F25"]), ("F16 Reverse-engineered (D)", ["F16 reverse-engineered"]),
        ("F19 Security-measures (D)", ["F19 security-measures"]), ("F6 Security (P)", ["F6"]), ("F6 Secrecy (P)", ["F6 secrecy"]),
        ("factors: 4, 6", ["F4", "F6"]), ("factors (4, 6)", ["F4", "F6"]), ("Factors F4, 6 and 12", ["F4", "F6", "F12"]),
        ("F4, 6 and 12 were present", ["F4", "F6", "F12"]), ("F4 and 6.", ["F4", "F6"]), ("F4-F8", ["F4", "F8"]),
        ("Factors 4 through 6", ["F4", "F6"]), ("Factors #4, #6", ["F4", "F6"]), ("factor-6", ["F6"]), ("Factor6", ["F6"]),
        ("F_6", ["F6"]), ("F6s", ["F6"]), ("F4, 6 employees", ["F4"]), ("F4 and 6 others left", ["F4"]), ("F4, 1995.", ["F4"]),
        ("factors (2 of 5)", []), ("the factors (1) whether, (2) when", []), ("two-factor 6", []), ("3 factors: 2 of them", []),
        ("F12345", []), ("XF4", []), ("F4b", []), ("pdf4", []), ("", []), ("F", []), ("factor", []), ("Plaintiff (P) argues", []),
    ],
)  # fmt: skip
def test_mentions_are_found_and_none_is_of_another_factor(text: str, wanted: list[str]) -> None:
    assert keys(text) == wanted


def test_the_offsets_of_a_mention_cover_number_name_and_side() -> None:
    text = "So F4 Agreed-not-to-disclose (P), then Deception (F26)."
    assert [text[f.start : f.end] for f in find(text, TRADE_SECRETS)] == ["F4 Agreed-not-to-disclose (P)", "Deception (F26)"]


@given(
    st.lists(
        st.sampled_from(
            [f.written for f in FACTORS]
            + [f.name for f in FACTORS]
            + " |, |TSC1| not |😀|\n|F|4|(P)|-|¤|factors: |, 6| and 12.|-F8|]|[".split("|")
        ),
        max_size=12,
    )
)
def test_mentions_are_in_order_never_overlap_and_lie_inside(parts: list[str]) -> None:
    text = "".join(parts)
    found = exact((text,), TRADE_SECRETS)
    at = 0
    for m in found.mentions:
        assert at <= m.start < m.end <= len(text)
        at = m.end
    for i, case in enumerate(CASES):
        assert found.sets[i] == {m.key for m in found.mentions if case in m.cases}


@given(st.sampled_from(FACTORS), st.sampled_from(["written", "name", "key"]), st.sampled_from([str, str.lower, str.upper]))
def test_every_factor_is_found_however_it_is_written(factor: object, how: str, case: object) -> None:
    assert keys(case(getattr(factor, how))) == [factor.key]  # type: ignore[operator, attr-defined]
    assert keys(case(getattr(factor, how)).replace("-", " ")) == [factor.key]  # type: ignore[operator, attr-defined]


def test_a_factor_that_is_mentioned_twice_counts_once() -> None:
    found = exact(("TSC1 had F4. TSC1 had Agreed-not-to-disclose.", "In TSC1, factor 4."), TRADE_SECRETS)
    assert found.sets == (frozenset(), frozenset({"F4"}), frozenset())
    assert [(m.ply, m.key) for m in found.mentions] == [(0, "F4"), (0, "F4"), (1, "F4")]


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("F4 Agreed-not-to-disclose (P)", "F4"), ("agreed not to disclose", "F4"), ("4", "F4"), ("#4", "F4"), ("Factor 4", "F4"),
        ("F9", "F9"), ("Something new", "something-new"), ("", ""), ("<b>x</b>", "b-x-b"), ("6.", "F6"), ("(6)", "F6"),
        ("F4, F6", "F4 F6"), ("F4 and F6", "F4 F6"), ("F4 Agreed-not-to-disclose (P); Security-measures (F6)", "F4 F6"),
        ("Agreed-not-to-disclose / F4", "F4"), ("F4 but not F6", "f4-but-not-f6"), ("None", ""), ("none.", ""), ("N/A", ""),
        ("No factors", ""), ("no factors are mentioned", ""), ("-", ""), ("No-security-measures", "F19"),
        ("None-at-all", "none-at-all"),
    ],
)  # fmt: skip
def test_what_a_model_lists_is_brought_to_factors_or_stays_a_stranger(written: str, key: str) -> None:
    assert keys_of(written, TRADE_SECRETS) == tuple(key.split())


@given(
    st.one_of(st.text(max_size=60), st.lists(st.sampled_from(["F4", "f4", "F9", "and", "-", "Security-measures", "x", "none"])))
)
def test_a_key_that_was_made_of_an_entry_stays_what_it_is(written: object) -> None:
    line = written if isinstance(written, str) else " ".join(written)  # type: ignore[arg-type]
    for key in keys_of(line, TRADE_SECRETS):
        assert read_keys(key, TRADE_SECRETS) == (key,)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("[F4 Agreed-not-to-disclose]", "F4 Agreed-not-to-disclose"),
        ("F4 [Agreed-not-to-disclose]", "F4 [Agreed-not-to-disclose]"),
        ("Deception [F26] was", "Deception [F26]"),
        ("F4-F8", "F4 F8"),
        ("F4 (Agreed-not-to-disclose)", "F4 (Agreed-not-to-disclose)"),
    ],
)
def test_the_bracket_of_a_mention_is_marked_with_it(text: str, marked: str) -> None:
    assert " ".join(text[f.start : f.end] for f in find(text, TRADE_SECRETS)) == marked


def test_a_wrong_side_is_reported_and_the_factor_counts() -> None:
    found = exact(("TSC1 had F6 Security-measures (D), F4 (P) and Deception (pro-plaintiff).",), TRADE_SECRETS)
    assert found.sets[1] == {"F6", "F4", "F26"}
    assert found.note == "1 of its mentions give a factor the wrong side; they count as that factor."


def test_names_of_another_domain_may_hold_any_word() -> None:
    rows = "1,Not-present,P,x\n2,TSC1-case,D,x\n3,F4-clause,P,x\n4,Which-shared,D,x\n"
    own = read_catalogue("a.csv", f"number,name,side,description\n{rows}".encode())
    text = f"TSC2 had {', '.join(f.written for f in own.factors)}."
    assert exact((text,), own).sets == (frozenset(), frozenset(), frozenset({"F1", "F2", "F3", "F4"}))
