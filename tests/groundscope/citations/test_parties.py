"""Names of parties: where they begin, and whether two spellings name one party."""

from hypothesis import given
from hypothesis import strategies as st

from groundscope.citations.claims import document
from groundscope.citations.reader.party_names import one_name, sentence_cut
from groundscope.citations.reader.reading import read
from tests.loops import each

SMITH = "Smith v. Jones, 1 F.3d 2 (9th Cir. 1993)."


@each(
    ("before", "citation", "plaintiff"),
    [
        ("That is the rule of the Ninth Circuit. ", SMITH, "Smith"),
        ("It violates the Clayton Act. ", SMITH, "Smith"),
        ("That is so in the District of Columbia (the District). ", SMITH, "Smith"),
        ("It says No. ", "Roe v. Wade, 410 U.S. 113 (1973).", "Roe"),
        ("Again. ", "Doe v. Bolton, 410 U.S. 179 (1973).", "Doe"),
        ("He read Roe. ", "Doe v. Bolton, 410 U.S. 179 (1973).", "Doe"),
        ("", "Nat’l Fed’n of Indep. Bus. v. Sebelius, 567 U.S. 519 (2012).", "Nat'l Fed'n of Indep. Bus."),
        ("But see ", "E.M.D. Sales, Inc. v. Carrera, 604 U.S. 45 (2025).", "E.M.D. Sales, Inc."),
        ("", "Smith Bros. Mfg. Co. v. Jones, 1 F.3d 2 (9th Cir. 1993).", "Smith Bros. Mfg. Co."),
        ("It applies in Texas. ", "Smith v. Jones (2019) says so.", "Smith"),
    ],
)
def test_no_word_of_the_sentence_before_is_a_party(before: str, citation: str, plaintiff: str) -> None:
    (found,) = read(before + citation).citations
    assert (found.parts.plaintiff, found.outer) == (plaintiff, len(before))


def test_the_sentence_before_is_the_claim_whatever_it_ends_in() -> None:
    made = document(f"The statute applies in California. {SMITH}")
    assert ([c.text for c in made.claims], made.alone) == (["The statute applies in California."], ())


@given(st.text(alphabet="AbcE. '(’)", max_size=40))
def test_a_cut_lies_before_a_word(name: str) -> None:
    cut = sentence_cut(name)
    assert cut == 0 or (name[cut - 1].isspace() and name[cut] in "AE(")


@each(
    ("a", "b"),
    [
        ("Bell Atl. Corp.", "Bell Atlantic Corporation"),
        ("Nat’l Fed’n of Indep. Bus.", "National Federation of Independent Business"),
        ("U.S.", "United States"),
        ("New York Times", "N.Y. Times Co."),
        ("N.Y. Times Publishing Trust Holdings", "New York Times"),
        ("INS", "Immigration & Naturalization Service"),
        ("State", "State of Washington"),
        ("People", "California"),
        ("Smith", "John Smith"),
        ("Gómez", "Gomez"),
        ("O’Connor", "O'Connor"),
        ("", "Roe"),
    ],
)
def test_spellings_of_one_party(a: str, b: str) -> None:
    assert one_name(a, b)
    assert one_name(b, a)


@each(
    ("a", "b"),
    [
        ("Department of Commerce", "Department of Homeland Security"),
        ("Bank of New York", "Bank of America"),
        ("Smith", "Smithson"),
        ("Doe", "Donahoe"),
        ("United States", "California"),
        ("NJ Times", "New York Times"),
        ("FTC", "Securities and Exchange Commission"),
    ],
)
def test_names_of_two_parties(a: str, b: str) -> None:
    assert not one_name(a, b)
    assert not one_name(b, a)
