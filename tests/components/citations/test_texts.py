"""Two analyses as HTML: every text escaped and whole, every pair with its number and state."""

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from components.citations import tables, texts, words
from evaluation.citations.claims import document
from evaluation.citations.comparing import compare
from evaluation.citations.fresco import l_fresco
from evaluation.citations.points import general_fresco, key_points
from evaluation.citations.similarity import RougeL

REFERENCE = (
    "Dogs bite. Roe v. Wade, 410 U.S. 113 (1973). Cats roam free. 28 U.S.C. § 1331. Birds sing. Doe v. Roe, 1 F.3d 2 (1993)."
)
GENERATED = (
    "Dogs bite. Roe v. Wade, 410 U.S. 113 (1973). Fish can swim. 28 U.S.C. § 1331. More. Poe v. Poe, 5 F.4th 6 (2d Cir. 2021)."
)


def test_rows_say_what_became_of_each_authority() -> None:
    generated, reference = document(GENERATED), document(REFERENCE)
    score = l_fresco(generated, reference, RougeL(), 0.9)
    found = texts.rows(generated, reference, score)
    assert [(r.number, r.state) for r in found] == [(1, texts.MATCHED), (2, texts.DIFFERS), (3, texts.MISSING), (4, texts.EXTRA)]
    assert words.lead(score) == (
        "Of the reference's 3 citations, 1 is there and cited for the same; 1 is there but cited for something else; "
        "1 is missing."
    )


def test_an_id_is_named_by_its_authority() -> None:
    found = document("Dogs bite. Roe v. Wade, 410 U.S. 113 (1973). Cats roam free. Id. at 120.")
    assert texts.cited(found, found.pairs[1]) == "Id. at 120 (Roe, 410 U.S. 113)"


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
    for drawn, original in (
        (texts.side_by_side(*pair, score), text),
        (
            texts.points_html(
                key_points(text), key_points(text), general_fresco(key_points(text), key_points(text), RougeL(), RougeL())
            ),
            text,
        ),
    ):
        assert "<script" not in drawn
        if original:
            assert original in _visible(drawn)
    assert "<script" not in texts.rows_html(texts.rows(*pair, score))


def test_tables_escape_names_and_guard_formulas() -> None:
    scores = {"=<b>one</b>": {"a": l_fresco(document(GENERATED), document(REFERENCE), RougeL())}}
    found = compare(scores)
    assert "<b>one" not in tables.systems_html(found)
    assert "'=<b>one</b>" in tables.systems_csv(found).decode()
