"""Every state of a citation, and what the summary and the exports tell of it."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.citations.explain import as_json, by_sentence, summary
from groundscope.citations.states import Checked, State, layer
from groundscope.types import Case, Passage
from tests.loops import each

CONTEXT = (
    Passage(
        "p1",
        "Summary judgment is proper. Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1986), says what is genuine. "
        "Section 1701(a) of title 50 applies. The landlord shall give written notice to the tenant within thirty days.",
        "Celotex Corp. v. Catrett, 477 U.S. 317 (1986)",
    ),
    Passage("p2", "See Roe v. Wade, 410 U.S. 113, 120, 93 S. Ct. 705 (1973). Fed. R. Civ. P. 56(c).", "28 U.S.C. § 1331"),
)


def _checked(response: str) -> tuple[Checked, ...]:
    return layer(Case("c", "", CONTEXT, response)).citations


@each(
    ("response", "state", "differs"),
    [
        ("Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1986).", State.HERE, []),
        ("Anderson v. Liberty Lobby, Inc., 477 U.S. 242 (1987).", State.DIFFERENT, ["year"]),
        ("Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 255 (1986).", State.DIFFERENT, ["pin cite"]),
        ("Anderson v. Liberty Lobby, Inc., 477 U.S. 247, 248 (1986).", State.DIFFERENT, ["page"]),
        ("Anderson v. Liberty Lobby, Inc., 477 F.2d 242 (1986).", State.DIFFERENT, ["reporter"]),
        ("Anderson v. Quagmire, Inc., 477 U.S. 242, 248 (1986).", State.DIFFERENT, ["second party"]),
        ("Celotex Corp. v. Catrett, 477 U.S. 317 (1986).", State.HERE, []),
        ("Roe v. Wade, 410 U.S. 113 (9th Cir. 1973).", State.DIFFERENT, ["court"]),
        ("Griswold v. Connecticut, 381 U.S. 479 (1965).", State.ABSENT, []),
        ("Roe v. Wade (9th Cir. 1973) 410 U.S. 113.", State.DIFFERENT, ["court"]),
        ("It was so. 477 U.S. at 248.", State.HERE, []),
        ("It was so. 478 U.S. at 248.", State.UNREAD, []),
        ("50 U.S.C. 1701.", State.HERE, []),
        ("50 U.S.C. § 1701(b).", State.DIFFERENT, ["subsection"]),
        ("28 U.S.C. § 1332.", State.ABSENT, []),
        ("FRCP 56(c)(1).", State.HERE, []),
        ("Smith v. Jones, 12 Zyx. Rep. 34 (1999).", State.UNREAD, []),
        ("See id. at 12.", State.UNREAD, []),
        ("In Roe v. Wade (1973) it was so.", State.HERE, []),
        ("In Roe v. Wade (1974) it was so.", State.DIFFERENT, ["year"]),
    ],
)
def test_states(response: str, state: State, differs: list[str]) -> None:
    (found,) = _checked(response)
    assert found.state is state, found
    assert [d.part for d in found.differs] == differs


def test_where_it_stands_is_shown_in_the_passage_or_in_what_it_is_called() -> None:
    (found,) = _checked("Anderson v. Liberty Lobby, Inc., 477 U.S. 242 (1987).")
    assert found.place is not None
    assert CONTEXT[found.place.passage].text[found.place.start : found.place.end] == found.theirs
    assert found.theirs == "Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1986)"
    (source,) = _checked("28 U.S.C. § 1331")
    assert (source.in_source, source.place and source.place.passage) == (True, 1)


def test_id_and_short_forms_have_the_state_of_their_authority_with_their_own_pin() -> None:
    found = _checked(
        "Roe v. Wade, 410 U.S. 113 (1973). Id. at 120. Roe, 410 U.S. at 130. Griswold v. Connecticut, 381 U.S. 479 (1965). Id."
    )
    assert [c.state for c in found] == [State.HERE, State.HERE, State.DIFFERENT, State.ABSENT, State.ABSENT]


def test_a_pin_that_the_context_cannot_confirm_is_reported_of() -> None:
    (found,) = _checked("Celotex Corp. v. Catrett, 477 U.S. 317, 323 (1986).")
    assert found.state is State.HERE
    assert "pin cite 323 is not checked" in found.why


def test_a_citation_sentence_is_cited_for_the_sentence_before_it() -> None:
    found = _checked("The rule is old. See Roe v. Wade, 410 U.S. 113 (1973). Under 28 U.S.C. § 1331 courts have power.")
    assert [(c.sentence, c.claim) for c in found] == [(1, 0), (2, 2)]


def test_the_summary_counts_and_the_exports_hold_every_citation() -> None:
    response = "Roe v. Wade, 410 U.S. 113 (1973). Griswold v. Connecticut, 381 U.S. 479 (1965). He “shall give oral notice”."
    case = Case("c", "", CONTEXT, response)
    assert summary(layer(case)) == (
        "2 citations: 1 in the sources; 1 not in the sources. 0 of 1 quotation is in the sources word for word."
    )
    made = as_json(case)
    assert [c["text"] for c in made["citations"]] == [response[c["start"] : c["end"]] for c in made["citations"]]
    assert made["quotations"][0]["verbatim"] is False
    assert "not in the sources" in " ".join(cites for cites, _ in by_sentence(case))
    assert "oral" in " ".join(wrong for _, wrong in by_sentence(case))


def test_without_context_nothing_is_there() -> None:
    found = layer(Case("c", "", (), "Roe v. Wade, 410 U.S. 113 (1973). “Some words here.”"))
    assert [c.state for c in found.citations] == [State.ABSENT]
    assert [q.verbatim for q in found.quotes] == [False]


NOTES = "Roe v. Wade, 410 U.S. 113 (1974).", "Griswold v. Connecticut, 381 U.S. 479 (1965)."


@each(
    "written",
    [
        "It was so.[1] The next.[2]\n\n[1] {}\n[2] {}",
        "It was so.[^1] The next.[^2]\n\n[^1]: {}\n[^2]: {}",
        "It was so.¹ The next.²\n\n¹ {}\n² {}",
        "It was so [1]. The next [2].\n\n**Sources:**\n1. {}\n2. {}",
    ],
)
def test_what_footnotes_cite_is_checked_for_the_sentences_with_their_marks(written: str) -> None:
    response = written.format(*NOTES)
    found = _checked(response)
    assert [c.state for c in found] == [State.DIFFERENT, State.ABSENT]
    assert [(c.sentence, c.claim) for c in found] == [(0, 0), (1, 1)]
    assert [response[c.citation.outer : c.citation.end] for c in found] == [n.rstrip(".") for n in NOTES]
    (year,) = found[0].differs
    assert year.span is not None
    assert response[slice(*year.span)] == "1974"


PIECES = (
    "410 U.S. 113 (1973)|Id. at 5. |“shall give|”| [t]he |28 U.S.C. § 1331|. |…|[|]|‘|’ |\n\n|"
    "[1] |[1]: |\n\n[^1]: |> |**|\u00ad|¹ |- \n|e\u0301|ﬁ"
).split("|")
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=9).map("".join)


@given(TEXTS, TEXTS)
def test_all_places_lie_in_their_texts(response: str, passage: str) -> None:
    case = Case("c", "", (Passage("p", passage), *CONTEXT), response)
    found = layer(case)
    for c in found.citations:
        assert 0 <= c.citation.start < c.citation.end <= len(response)
        if c.place and not c.in_source:
            assert 0 <= c.place.start < c.place.end <= len(case.context[c.place.passage].text)
    for q in found.quotes:
        assert 0 <= q.start < q.end <= len(response)
        assert all(q.start <= a < b <= q.end for a, b in q.wrong)
        for place in filter(None, (q.place, q.nearest)):
            assert 0 <= place.start < place.end <= len(case.context[place.passage].text)
