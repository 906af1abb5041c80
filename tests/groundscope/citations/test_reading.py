"""Real citation forms, their keys worked out by hand; resolution as a reader would; offsets into the pasted text."""

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundscope.citations.reader.reading import clean, read
from groundscope.citations.types import Citation, Form
from tests.loops import each

# Text, what stands between start and end, key, pin, year.
FORMS = [
    ("Marbury v. Madison, 5 U.S. (1 Cranch) 137, 177 (1803).", "5 U.S. (1 Cranch) 137, 177 (1803)", "case|5|us|137", "177", "1803"),  # noqa: E501
    ("Roe v. Wade, 410 U.S. 113 (1973).", "410 U.S. 113 (1973)", "case|410|us|113", "", "1973"),
    ("Smith v. Jones, 1 F.3d 2, 5 (9th Cir. 1993).", "1 F.3d 2, 5 (9th Cir. 1993)", "case|1|f3d|2", "5", "1993"),
    ("Poe v. Roe, 12 F. Supp. 2d 34, 36-37 (D. Mass. 1998).", "12 F. Supp. 2d 34, 36-37 (D. Mass. 1998)", "case|12|fsupp2d|34", "36-37", "1998"),  # noqa: E501
    ("123 N.E.2d 456, 458 n.3 (Ill. App. Ct. 1955)", "123 N.E.2d 456, 458 n.3 (Ill. App. Ct. 1955)", "case|123|ne2d|456", "458 n.3", "1955"),  # noqa: E501
    ("Doe v. Roe, 2019 WL 1234567, at *3 (S.D.N.Y. Mar. 1, 2019).", "2019 WL 1234567, at *3 (S.D.N.Y. Mar. 1, 2019)", "case|2019|wl|1234567", "*3", "2019"),  # noqa: E501
    ("123 Harv. L. Rev. 456, 460 (2010)", "123 Harv. L. Rev. 456, 460 (2010)", "journal|123|harvlrev|456", "460", "2010"),
    ("Donoghue v Stevenson [1932] AC 562", "[1932] AC 562", "case|1932|ac|562", "", "1932"),
    ("Miller v Prime Minister [2019] UKSC 41, [50]", "[2019] UKSC 41, [50]", "case|2019|uksc|41", "50", "2019"),
    ("Case C-131/12", "Case C-131/12", "case||cjeu|c-131/12", "", ""),
    ("50 U.S.C. 1701", "50 U.S.C. 1701", "law|50|usc|1701", "", ""),
    ("42 U.S.C. § 2000e-5(e)(1)", "42 U.S.C. § 2000e-5(e)(1)", "law|42|usc|2000e-5", "(e)(1)", ""),
    ("28 U.S.C. § 1331 (2018)", "28 U.S.C. § 1331 (2018)", "law|28|usc|1331", "", "2018"),
    ("17 C.F.R. § 240.10b-5(b)", "17 C.F.R. § 240.10b-5(b)", "law|17|cfr|240.10b-5", "(b)", ""),
    ("Fed. R. Civ. P. 12(b)(6)", "Fed. R. Civ. P. 12(b)(6)", "law||fedrcivp|12", "(b)(6)", ""),
    ("Federal Rule of Evidence 403", "Federal Rule of Evidence 403", "law||fedrevid|403", "", ""),
    ("Cal. Civ. Code § 1714(a)", "Cal. Civ. Code § 1714(a)", "law||calcivcode|1714", "(a)", ""),
    ("N.Y. C.P.L.R. § 3211(a)(7)", "N.Y. C.P.L.R. § 3211(a)(7)", "law||cplr|3211", "(a)(7)", ""),
    ("735 ILCS 5/2-619(a)(1)", "735 ILCS 5/2-619(a)(1)", "law|735|ilcs|5/2-619", "(a)(1)", ""),
    ("O.C.G.A. § 13-6-11", "O.C.G.A. § 13-6-11", "law||ocga|13-6-11", "", ""),
    ("U.S. Const. amend. XIV, § 1", "U.S. Const. amend. XIV, § 1", "law||usconst|amend.14", "§ 1", ""),
    ("Restatement (Second) of Torts § 402A", "Restatement (Second) of Torts § 402A", "law||restatementsecondoftorts|402a", "", ""),  # noqa: E501
    ("Article 6(1)(f) of Regulation (EU) 2016/679", "Article 6(1)(f) of Regulation (EU) 2016/679", "law|2016/679|regulation|6", "(1)(f)", ""),  # noqa: E501
    ("Article 6(1)(f) GDPR", "Article 6(1)(f) GDPR", "law|2016/679|regulation|6", "(1)(f)", ""),
    ("Directive 2002/58/EC, Article 5(3)", "Directive 2002/58/EC, Article 5(3)", "law|2002/58|directive|5", "(3)", ""),
    ("section 6(1) of the Human Rights Act 1998", "section 6(1) of the Human Rights Act 1998", "law||humanrightsact1998|6", "(1)", ""),  # noqa: E501
    ("§ 823 Abs. 1 BGB", "§ 823 Abs. 1 BGB", "law||bgb|823", "Abs. 1", ""),
    ("article 1240 du Code civil", "article 1240 du Code civil", "law||codeciv|1240", "", ""),
]  # fmt: skip


def _only(text: str) -> Citation:
    (found,) = read(text).citations
    return found


@each(("text", "words", "key", "pin", "year"), FORMS)
def test_real_forms_are_read_with_span_key_pin_and_year(text: str, words: str, key: str, pin: str, year: str) -> None:
    found = _only(text)
    assert (text[found.start : found.end], found.key, found.parts.pin, found.parts.year) == (words, key, pin, year)


def test_the_first_of_a_string_with_a_parenthetical_does_not_swallow_the_next() -> None:
    text = (
        "See Smith v. Jones, 1 F.3d 2, 5 (9th Cir. 1993) (holding that notice is due in ten days); "
        "Doe v. Roe, 4 F.4th 5, 7 (2d Cir. 2021). It was not."
    )
    first, second = read(text).citations
    assert text[first.outer : first.end] == "Smith v. Jones, 1 F.3d 2, 5 (9th Cir. 1993)"
    assert first.aside is not None
    assert text[slice(*first.aside)] == "holding that notice is due in ten days"
    assert text[second.outer : second.end] == "Doe v. Roe, 4 F.4th 5, 7 (2d Cir. 2021)"


@pytest.mark.parametrize("text", ["Foo v. Bar, 12 F.3d 4 (9th Cir.1995).", "Foo v. Bar, 12 F.3d 4 (9th Cir. 1995)."])
def test_a_missing_space_before_the_year_loses_neither_year_nor_court(text: str) -> None:
    found = _only(text)
    assert (found.parts.year, found.parts.court) == ("1995", "ca9")
    assert text[found.start : found.end].endswith("1995)")


@pytest.mark.parametrize(
    ("text", "keys", "pins", "year"),
    [
        (
            "Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705, 35 L. Ed. 2d 147 (1973).",
            {"case|410|us|113", "case|93|sct|705", "case|35|led2d|147"}, ["", "", ""], "1973",
        ),
        ("Smith v. Jones, 2 U.S. 3, 4-5 (3 Atl. 33) (1895).", {"case|2|us|3", "case|3|a|33"}, ["4-5", ""], "1895"),
        ("Doe v. Roe, 10 Conn. 20, 22 (5 A. 33, 36); it holds.", {"case|10|conn|20", "case|5|a|33"}, ["22", "36"], ""),
        (
            "Poe v. Roe, 150 Pa. 3 (24 Atl. 33, 12 L.R.A. 44) (1892).",
            {"case|150|pa|3", "case|24|a|33", "case|12|lra|44"}, ["", "", ""], "1892",
        ),
    ],
)  # fmt: skip
def test_parallel_reports_are_one_authority_in_brackets_too(text: str, keys: set[str], pins: list[str], year: str) -> None:
    found = read(text).citations
    assert {c.same for c in found} == {frozenset(keys)}
    assert [c.parts.pin for c in found] == pins
    assert {c.resolved.year for c in found} == {year}
    assert {c.resolved.defendant for c in found} == {text.split(" v. ")[1].split(",")[0]}
    assert text[found[-1].start : found[-1].end].endswith((")", ") (1895)"))


@pytest.mark.parametrize(
    "text",
    [
        "Smith v. Jones, 2 U.S. 3 (quoting Doe v. Roe, 3 Atl. 33 (1890)).",
        "Smith v. Jones, 2 U.S. 3 (4 U.S. 5).",
        "Smith v. Jones, 2 U.S. 3 (1895) (3 Atl. 33 says otherwise).",
    ],
)
def test_what_a_bracket_quotes_or_names_of_the_same_reports_is_another_authority(text: str) -> None:
    assert "case|2|us|3" in read(text).citations[0].same
    assert all(len(c.same) == 1 for c in read(text).citations)


def test_a_chain_of_id_short_form_and_supra_leads_to_its_authority() -> None:
    text = (
        "Roe v. Wade, 410 U.S. 113 (1973). Id. at 120. Doe v. Bolton, 410 U.S. 179 (1973). Id. Roe, 410 U.S. at 121. "
        "Bolton, supra, at 185. Id. at 190."
    )
    roe, bolton = "case|410|us|113", "case|410|us|179"
    assert [c.key for c in read(text).citations] == [roe, roe, bolton, bolton, roe, bolton, bolton]
    assert [c.parts.pin for c in read(text).citations] == ["", "120", "", "", "121", "185", "190"]


def test_sections_without_their_law_go_to_the_law_that_has_them() -> None:
    text = "42 U.S.C. §§ 1983, 1985(3) and 1988 apply. Section 1985 says so, Rule 12(b)(6) does not. Fed. R. Civ. P. 56(c). Id. § 57."  # noqa: E501
    found = [(c.key, c.form) for c in read(text).citations]
    assert found == [
        ("law|42|usc|1983", Form.FULL),
        ("law|42|usc|1985", Form.FULL),
        ("law|42|usc|1988", Form.FULL),
        ("law|42|usc|1985", Form.SHORT),
        ("", Form.SHORT),
        ("law||fedrcivp|56", Form.FULL),
        ("law||fedrcivp|56", Form.ID),
        ("law||fedrcivp|57", Form.SHORT),
    ]


@each(
    ("text", "key"),
    [
        ("Brown v. Board, 347 U.S. 483[12] (1954)", "case|347|us|483"),
        ("*Roe v. Wade*, 410 U.S.\n113 (1973)", "case|410|us|113"),
        ("Roe v. Wade, 410 U . S . 113 (1973)", "case|410|us|113"),
        ("Smith v. Jones, 12 F.3 d 4 (9th Cir. 1995)", "case|12|f3d|4"),
        ("Celotex v. Catrett, 477U.S.317 (1986)", "case|477|us|317"),
        ("Celotex v. Catrett¹², 477\u00a0U.S. 317 (1986)", "case|477|us|317"),
        ("50\u00a0U.S.C.§1701", "law|50|usc|1701"),
        ("Cal. Civ. Code\r\n§ 1714", "law||calcivcode|1714"),
        ("*Roe* v. **Wade**, 410 U.S. 113.[2]", "case|410|us|113"),
        ("Roe v. Wade, 4\u00ad10 U.S. 113", "case|410|us|113"),
        ("[Roe v. Wade](https://a.example/x), 410 U.S. 113", "case|410|us|113"),
        ("قال القاضي \u200f410 U.S. 113\u200e (1973) إن العقد صحيح", "case|410|us|113"),
    ],
)
def test_footnote_markers_markdown_and_scans_are_read_and_lead_back_to_the_pasted_text(text: str, key: str) -> None:
    found = _only(text)
    assert found.key == key
    assert text[found.start].isdigit() or text[found.start] == "C"


@each(
    ("text", "why"),
    [
        ("Smith v. Jones, 12 Zyx. Rep. 34 (1999).", "Zyx. Rep."),
        ("In Smith v. Jones (2019), the court held so.", "only the names"),
        ("Smith, supra, at 5.", "supra"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_reason(text: str, why: str) -> None:
    found = _only(text)
    assert found.form is Form.UNREADABLE
    assert why in found.why


@each("text", ["", " \n", "Nothing is cited here.", "قال القاضي إن العقد صحيح", "§", "Id", "((((", "1 2 3 4 5"])
def test_a_text_without_citations_has_none(text: str) -> None:
    assert read(text).citations == ()


def test_no_warning_of_eyecite_reaches_a_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        read("Roe v. Wade, 410 U.S. 113 (1973). Id. at 120. Roe, 410 U.S. at 121. Quagmire, supra, at 12. 22 Quagmire 7 U.S. 1.")
    assert [r.getMessage() for r in caplog.records if "eyecite" in r.name] == []
    assert "Quagmire" not in caplog.text


ROE, LUJAN, WARTH = "case|410|us|113", "case|504|us|555", "case|422|us|490"
FULL = "Lujan v. Defenders of Wildlife, 504 U.S. 555 (1992). "


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
    text = f"Roe v. Wade, 410 U.S. 113 (1973). {words}"
    last = read(text).citations[-1]
    assert (text[last.outer : last.end], last.key, last.parts.pin) == (cited, ROE, pin)


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
    # A name with a page needs its full citation before it.
    assert [c.form for c in read(f"As Lujan at 562 says. {FULL}").citations] == [Form.FULL]


def test_id_is_no_part_of_the_name_after_it() -> None:
    text = "Roe v. Wade, 410 U.S. 113 (1973). Id. Doe v. Bolton, 410 U.S. 179 (1973)."
    last = read(text).citations[-1]
    assert (text[last.outer : last.start], last.parts.plaintiff) == ("Doe v. Bolton, ", "Doe")


RECORDS = (
    "Compl. ¶ 5|First Am. Compl. ¶¶ 5-7|Complaint at 4|Answer ¶ 9|Dkt. 14|Dkt. No. 14, at 3|D.E. 7|ECF No. 3-1 at 5|Tr. 12:3-5|"
    "Hr'g Tr. at 12|Ex. A|Exs. A-C|Exhibit A|App. 7|J.A. 12|R. 45|Smith Decl. ¶ 3|Roe Aff. ¶ 4|Roe Dep. 45:3-7|"
    "Dep. of Jane Roe 45:3-7|Pl.'s Br. 4|Opp'n at 3|Mot. 2|Defs.' Mem. in Supp. of Mot. to Dismiss 5|FAC ¶ 12|Lease § 5.2"
).split("|")


@each("record", RECORDS)
@each("written", ["{}.", "See {}.", "It says so ({})."])
def test_id_after_a_cite_to_the_record_refers_to_it(record: str, written: str) -> None:
    text = (
        f"Roe v. Wade, 410 U.S. 113 (1973). The complaint tells it. {written.format(record)} Id. at 6. Roe, 410 U.S. at 121. Id."
    )
    by_words = {text[c.start : c.end]: c for c in read(text).citations}
    assert by_words["Id. at 6"].key == ""
    assert f"refers to “{record}”" in by_words["Id. at 6"].why
    assert by_words["Id."].key == ROE


@each(
    "words",
    [
        "The court read Exhibit A of the lease.",
        "Roe, 410 U.S. at 120 (citing Compl. ¶ 5).",
        "The Order of May 5 was late.",
        "Fed. R. App. P. 4 has no part in it, says Roe, 410 U.S. at 120.",
        "They answer. Appeals fail. The R. Smith Co. was there.",
    ],
)
def test_what_is_no_cite_to_the_record_leaves_id_alone(words: str) -> None:
    assert read(f"Roe v. Wade, 410 U.S. 113 (1973). {words} Id. at 6.").citations[-1].key == ROE


def test_sections_after_an_id_of_a_lease_are_of_no_law() -> None:
    text = "29 U.S.C. § 5. Lease § 4. Id. § 5."
    assert [c.key for c in read(text).citations] == ["law|29|usc|5", "", "", ""]


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


PIECES = [text for text, *_ in FORMS] + [
    "Id. at 5. ", "See ", "; ", " (", ")", "\n\n", "\r\n", "[12]", "¹", "*", "_", "\u00a0", "\u200b", "ß", "😀", "U . S .", " supra, ", "§ ", "12 ",  # noqa: E501
    "(9th Cir.1995)", "F.3 d", "“quoted”", "مرحبا",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=8).map("".join))
def test_cleaning_maps_every_character_back(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned.text) == len(cleaned.starts) == len(cleaned.ends)
    assert list(cleaned.starts) == sorted(cleaned.starts)
    assert list(cleaned.ends) == sorted(cleaned.ends)
    for character, start, end in zip(cleaned.text, cleaned.starts, cleaned.ends, strict=True):
        assert 0 <= start <= end <= len(text)
        # What is kept is the character itself; what stands for a run of white space is white space there.
        assert start == end or text[start] == character or text[start:end].isspace()


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=12), max_size=8).map("".join))
def test_citations_lie_in_the_text_in_order_and_apart(text: str) -> None:
    end = 0
    for c in read(text).citations:
        assert end <= c.outer <= c.start < c.end <= len(text)
        assert text[c.start : c.end].strip()
        end = c.end


@pytest.mark.parametrize("most", [15_000, pytest.param(1_500_000, marks=pytest.mark.release)])
def test_a_long_text_is_read_as_far_as_it_goes_and_that_is_said(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundscope.citations.reader.reading.LONGEST", most)
    assert f"first {most:,} characters" in read("Nothing is cited. " * (most // 12)).note
