"""Id., supra, short forms and names with a page: their pins, where they end, and what they stand for."""

from groundscope.citations.reader.reading import read
from groundscope.citations.types import Form
from tests.loops import each

ROE, LUJAN, WARTH = "case|410|us|113", "case|504|us|555", "case|422|us|490"
FULL = "Lujan v. Defenders of Wildlife, 504 U.S. 555 (1992). "


def _last(text: str) -> tuple[str, str, str]:
    found = read(text).citations[-1]
    return text[found.outer : found.end], found.key, found.parts.pin


@each(
    ("words", "cited", "pin"),
    [
        ("Roe, 410 U.S. at 120.", "Roe, 410 U.S. at 120", "120"),
        ("Roe, 410 U.S. at 999 (quoting it).", "Roe, 410 U.S. at 999", "999"),
        ("Roe, 410 U.S. at 120-21, 125 and more.", "Roe, 410 U.S. at 120-21, 125", "120-21, 125"),
        ("Roe, 410 U.S., at 121; it is so.", "Roe, 410 U.S., at 121", "121"),
        ("Roe, supra note 5, at 120.", "Roe, supra note 5, at 120", "120"),
        ("Roe, supra.", "Roe, supra", ""),
        ("(Id. at 999.)", "Id. at 999", "999"),
        ("See id. Ibid. at 5.", "Ibid. at 5", "5"),
        ("ID. AT 8, id. at 9.", "id. at 9", "9"),
        ("Id. at 120 n.3 (quoting it).", "Id. at 120 n.3", "120 n.3"),
        ("Id. ¶ 12.", "Id. ¶ 12", "¶ 12"),
        ("As Roe at 122 says, it is so.", "Roe at 122", "122"),
    ],
)
def test_short_citations_end_after_their_pages(words: str, cited: str, pin: str) -> None:
    assert _last(f"Roe v. Wade, 410 U.S. 113 (1973). {words}") == (cited, ROE, pin)


def test_a_number_that_begins_another_citation_is_no_page() -> None:
    text = "Roe v. Wade, 410 U.S. 113 (1973). Roe, 410 U.S. at 120, 93 S. Ct. at 710. Id. at 121, 5 U.S.C. § 552."
    assert [c.parts.pin for c in read(text).citations] == ["", "120", "710", "121", ""]


@each("cited", ["Lujan, 504 U.S. at 561", "Id. at 561", "Lujan, supra note 3, at 561", "Lujan at 561", FULL.strip(". ")])
def test_what_any_citation_quotes_in_its_parenthesis_is_not_what_id_means(cited: str) -> None:
    text = f"{FULL}{cited} (quoting Warth v. Seldin, 422 U.S. 490 (1975)). Id. at 562."
    assert [c.key for c in read(text).citations] == [LUJAN, LUJAN, WARTH, LUJAN]
    aside = read(text).citations[1].aside
    assert aside is not None
    assert text[slice(*aside)] == "quoting Warth v. Seldin, 422 U.S. 490 (1975)"


@each(
    "words",
    [
        "A voter ID is needed. The ID card is here.",
        "She met him at 9 and Monday at 5 suits.",
        "Wildlife at 12 percent is little, at Lujan at 5 p.m. even less, Lujan at 100 Main Street none.",
        "The D. Id. is a court, idem is Latin.",
    ],
)
def test_words_that_look_like_short_citations_are_none(words: str) -> None:
    assert [c.form for c in read(f"{FULL}{words}").citations] == [Form.FULL]


def test_a_name_with_a_page_needs_its_full_citation_before_it() -> None:
    assert [c.form for c in read(f"As Lujan at 562 says. {FULL}").citations] == [Form.FULL]


def test_id_is_no_part_of_the_name_after_it() -> None:
    text = "Roe v. Wade, 410 U.S. 113 (1973). Id. Doe v. Bolton, 410 U.S. 179 (1973)."
    last = read(text).citations[-1]
    assert (text[last.outer : last.start], last.parts.plaintiff) == ("Doe v. Bolton, ", "Doe")


@each(
    ("text", "why"),
    [
        ("Id. at 5.", "There is no authority before it"),
        ("Id. at 5. Id. at 6.", "There is no authority before it"),
        ("Casey, 505 U.S. at 846. Id.", "What stands before it could not be read"),
        ("Smith v. Jones, 12 Zyx. Rep. 34 (1999). Id. Id. at 5.", "What stands before it could not be read"),
    ],
)
def test_why_an_id_has_no_authority(text: str, why: str) -> None:
    found = read(text).citations[-1]
    assert (found.form, found.key) == (Form.UNREADABLE, "")
    assert found.why.startswith(why)
