"""Two analyses as HTML: every text escaped and whole, every pair with its number and state."""

import csv
import io
import json
import re
import resource
from dataclasses import dataclass
from html import unescape
from math import isnan, nan
from typing import NoReturn

from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from components.citations import messages, outcomes, page, systems, texts
from groundscope.citations.claims import document
from groundscope.citations.comparing import compare
from groundscope.citations.fresco import FrescoScore, fresco, l_fresco
from groundscope.citations.points import general_fresco, key_points
from groundscope.citations.similarity import RougeL, Texts
from tests.loops import each

REFERENCE = (
    "Dogs bite. Roe v. Wade, 410 U.S. 113 (1973). Cats roam free. 28 U.S.C. § 1331. Birds sing. Doe v. Roe, 1 F.3d 2 (1993)."
)
GENERATED = (
    "Dogs bite. Roe v. Wade, 410 U.S. 113 (1973). Fish can swim. 28 U.S.C. § 1331. More. Poe v. Poe, 5 F.4th 6 (2d Cir. 2021)."
)


def test_rows_say_what_became_of_each_authority() -> None:
    generated, reference = document(GENERATED), document(REFERENCE)
    score = l_fresco(generated, reference, RougeL(), 0.9)
    found = outcomes.rows(generated, reference, score)
    states = [outcomes.MATCHED, outcomes.DIFFERS, outcomes.MISSING, outcomes.EXTRA]
    assert [(r.number, r.state) for r in found] == list(enumerate(states, 1))
    assert messages.lead(outcomes.states(generated, reference, score)[1]) == (
        "Of the reference's 3 citations, 1 is there and cited for the same; 1 is there but cited for something else; "
        "1 is missing."
    )


def test_an_id_is_named_by_its_authority() -> None:
    found = document("Dogs bite. Roe v. Wade, 410 U.S. 113 (1973). Cats roam free. Id. at 120.")
    assert outcomes.cited(found, found.pairs[1]) == "Id. at 120 (Roe, 410 U.S. 113)"


@dataclass(frozen=True)
class Untold:
    """A measure that cannot tell how alike two claims are."""

    title: str = "untold"
    signature: str = "untold"
    threshold: float = 0.5

    def of(self, pairs: Texts) -> list[float]:
        return [nan] * len(pairs)


def test_claims_that_could_not_be_compared_are_not_called_different() -> None:
    both = document("Cats may roam. 28 U.S.C. § 1331."), document("Cats may roam. 28 U.S.C. § 1331.")
    score = l_fresco(*both, Untold())
    assert [r.state for r in outcomes.rows(*both, score)] == [outcomes.UNTOLD]
    assert messages.lead(outcomes.states(*both, score)[1]) == (
        "Of the reference's 1 citation, 0 are there and cited for the same; 0 are there but cited for something else; "
        "1 is there, but the claims could not be compared; 0 are missing."
    )
    drawn = texts.side_by_side(*both, score)
    assert drawn.count("gs-cited untold") == 2
    assert "differs" not in drawn
    points = key_points("Notice\n\nIt must be written."), key_points("Notice\n\nIt must be written.")
    compared = general_fresco(*points, RougeL(), Untold())
    assert "1 is there, but the contents could not be compared" in messages.points_lead(compared)
    assert "gs-cited untold" in texts.points_html(*points, compared)


def test_what_is_cited_once_and_twice_is_neither_missing_nor_extra() -> None:
    once = document("Cats may roam. 28 U.S.C. § 1331.")
    twice = document("Cats may roam. 28 U.S.C. § 1331. Cats sleep all day. 28 U.S.C. § 1331.")
    said_again = fresco(twice, once, RougeL())
    assert [r.state for r in outcomes.rows(twice, once, said_again)] == [outcomes.MATCHED, outcomes.UNPAIRED]
    score = fresco(once, twice, RougeL())
    assert [r.state for r in outcomes.rows(once, twice, score)] == [outcomes.MATCHED, outcomes.UNPAIRED]
    assert messages.lead(outcomes.states(once, twice, score)[1]).endswith(
        "1 is in both texts, but matched with nothing; 0 are missing."
    )


def _scores(**recalls: dict[str, float]) -> dict[str, dict[str, FrescoScore]]:
    return {s: {i: FrescoScore(r, r, r, (), 0 if isnan(r) else 2, 2) for i, r in by_id.items()} for s, by_id in recalls.items()}


@each(
    ("scores", "said"),
    [
        (_scores(A={"x": 0.5}, B={"x": 1.0}), "B recalls most: 1.00 on average over 1 text."),
        (_scores(A={"x": 0.5, "y": 0.5}, B={"x": 1.0, "y": 0.0}), "A and B recall alike: 0.50 on average over 2 texts."),
        # B is better on the one text that both have, though its mean over all of its own is lower.
        (
            _scores(A={"x": 0.5}, B={"x": 0.6, "y": 0.0}),
            "B recalls most: 0.60 on average over 1 text that all systems have.",
        ),
        (
            _scores(A={"x": 0.5, "y": nan}, B={"y": 1.0}),
            "No text has a score from every system, so the systems cannot be ranked.",
        ),
        (_scores(A={"x": nan}), "No text has a score."),
    ],
)
def test_a_system_is_called_best_only_on_the_same_texts(scores: dict[str, dict[str, FrescoScore]], said: str) -> None:
    assert messages.systems_lead(scores) == said


def test_notes_count_and_end_as_sentences_do() -> None:
    one = document("Smith v. Jones, 12 Zyx. Rep. 34 (1999). Roe v. Wade, 410 U.S. 113 (1973).")
    (unread, alone) = messages.notes(one, "reference")
    assert alone == "1 citation of the reference text has no claim before it and is not counted."
    assert unread.endswith(".")
    assert not re.search(r"\.[;.]", unread)
    two = document("410 U.S. 113 (1973). 1 F.3d 2 (1993).")
    assert messages.notes(two, "reference") == [
        "2 citations of the reference text have no claim before them and are not counted."
    ]


def test_an_offer_names_the_host_as_text() -> None:
    assert "1 pair of claims would go to <b>&lt;b&gt;host&lt;/b&gt;</b>." in messages.offer(
        "1 pair of claims", "compared", "<b>host</b>"
    )
    assert "would be split by a model on this machine." in messages.offer("2 texts", "split", "")


HOSTILE = st.lists(
    st.sampled_from(["<script>", "&amp;", "'>", '"', "Dogs bite. ", "Roe v. Wade, 410 U.S. 113 (1973). ", "Id. ", "\n\n"])
    | st.text(max_size=5),
    max_size=8,
).map("".join)


def _visible(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<sup class='gs-number'>.*?</sup>", "", html)))


@given(HOSTILE)
def test_texts_are_escaped_and_whole(text: str) -> None:
    pair = document(text), document(f"{REFERENCE}{text}")
    score = l_fresco(*pair, RougeL())
    points = key_points(text), key_points(text)
    compared = general_fresco(*points, RougeL(), RougeL())
    for drawn in (texts.side_by_side(*pair, score), texts.points_html(*points, compared)):
        assert "<script" not in drawn
        assert text in _visible(drawn)
    assert "<script" not in texts.rows_html(outcomes.rows(*pair, score))


def test_the_table_for_other_programs_says_how_it_was_made_and_has_no_nan() -> None:
    pair = document(GENERATED), document(REFERENCE)
    score = l_fresco(*pair, Untold())
    rows = outcomes.rows(*pair, score)
    made = page.CitationSettings("=id", "system", "best", "rouge_l|x", 0.4, {"claim": "last"})

    def no_constant(name: str) -> NoReturn:
        raise AssertionError(f"{name} is not JSON")

    data = json.loads(page.as_json(rows, score, made), parse_constant=no_constant)
    how = {"metric": "best", "similarity": "rouge_l|x", "threshold": 0.4, "options": {"claim": "last"}}
    assert data.items() >= how.items()
    # Two of three authorities are cited, for what could not be compared; the third is missing.
    assert (data["unknown"], data["recall"], data["authorities"][0]["similarity"]) == (2, 0.0, None)
    lines = list(csv.DictReader(io.StringIO(page.as_csv(rows).decode(), newline=""), strict=True))
    assert [line["similarity"] for line in lines] == ["", "", "", ""]
    assert lines[0]["result"] == "cited; claims could not be compared"


def test_tables_escape_names_and_guard_formulas() -> None:
    scores = {"=<b>one</b>": {"a": l_fresco(document(GENERATED), document(REFERENCE), RougeL())}}
    found = compare(scores)
    assert "<b>one" not in systems.systems_html(found)
    assert "'=<b>one</b>" in systems.systems_csv(found).decode()


def _page() -> None:
    import streamlit as st

    from components.citations.controls import MetricSettings, read_all
    from components.state import own
    from groundscope.citations.batch import AnalysisEntry
    from groundscope.citations.claims import document

    text = " ".join(f"Rent number {i} is due. See Smith v. Jones, {i} F.3d {i} (9th Cir. 1999)." for i in range(1, 300))
    plain = "The rent is due on the first of the month. " * 20_000
    entries = [AnalysisEntry("a", "s", plain, text), AnalysisEntry("b", "s", text, plain[:200_000])]
    pairs = read_all(entries, MetricSettings("rouge", 0.5, "best", "authority", 0.5, "last", subsections=False))
    own("same", []).append([len(g.text) for g, _ in pairs] == [len(text), 200_000] and pairs[0][0] == document(text))
    st.button("Other")


def test_long_analyses_are_read_in_children_and_once() -> None:
    app = AppTest.from_function(_page, default_timeout=60).run()
    assert not app.exception
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    assert used > 0
    app.button[0].click().run()
    assert app.session_state["same"] == [True, True]
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime == used
