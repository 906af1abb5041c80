"""Statutes, rules and reports under their many names: read, tied to one code, and compared with the context's."""

from groundscope.citations.reader.code_names import code_name, one_code
from groundscope.citations.reader.reading import read
from groundscope.citations.states import Checked, State, layer
from groundscope.citations.types import Form
from groundscope.types import Case, Passage
from tests.loops import each

REGULATION = "29 Code of Federal Regulations § 541.602(a)"
CCP = "California Code of Civil Procedure section 425.16"
HERE, DIFFERENT, ABSENT = State.HERE, State.DIFFERENT, State.ABSENT


@each(
    ("text", "words", "key", "pin"),
    [
        ("18 U.S. Code § 1030", "18 U.S. Code § 1030", "law|18|usc|1030", ""),
        ("18 United States Code section 1030(a)", "18 United States Code section 1030(a)", "law|18|usc|1030", "(a)"),
        ("Title 18, United States Code, Section 1030", "Title 18, United States Code, Section 1030", "law|18|usc|1030", ""),
        ("Cal. Civ. Proc. Code § 425.16", "Cal. Civ. Proc. Code § 425.16", "law||calcodecivproc|425.16", ""),
        (REGULATION, REGULATION, "law|29|cfr|541.602", "(a)"),
        ("Internal Revenue Code of 1986, section 61", "Internal Revenue Code of 1986, section 61", "law|26|usc|61", ""),
        ("section 362 of the Bankruptcy Code", "section 362 of the Bankruptcy Code", "law|11|usc|362", ""),
        ("U.S.S.G. § 2B3.1(b)(2)", "U.S.S.G. § 2B3.1(b)(2)", "law||ussg|2b3.1", "(b)(2)"),
        ("RCW 9A.36.011", "RCW 9A.36.011", "law||washrevcode|9a.36.011", ""),
        ("M.G.L. c. 93A, § 2", "M.G.L. c. 93A, § 2", "law|93a|massgenlaw|2", ""),
        (CCP, CCP, "law||calcodecivproc|425.16", ""),
        ("Section 7 of the Clayton Act", "Section 7 of the Clayton Act", "law||claytonact|7", ""),
        ("Under the Lanham Act § 43(a) it is", "Lanham Act § 43(a)", "law||lanhamact|43", "(a)"),
        ("Civil Rule 56(c)", "Civil Rule 56(c)", "law||fedrcivp|56", "(c)"),
        ("Model Rules of Prof’l Conduct R. 1.7(a)", "Model Rules of Prof’l Conduct R. 1.7(a)", "law||modelrules|1.7", "(a)"),
        ("ABA Model Rule 1.10(b) and (c)", "ABA Model Rule 1.10(b) and (c)", "law||modelrules|1.10", "(b) and (c)"),
        ("H.R. Rep. No. 94-1476, at 47", "H.R. Rep. No. 94-1476, at 47", "law||hrrep|94-1476", "47"),
    ],
)  # fmt: skip
def test_laws_are_read_under_the_names_that_texts_give_them(text: str, words: str, key: str, pin: str) -> None:
    (found,) = read(f"It says so. {text}.").citations
    assert f"It says so. {text}."[found.start : found.end] == words
    assert (found.key, found.parts.pin, found.form) == (key, pin, Form.FULL)


@each(
    "text",
    [
        "Section 1701 of the Act",
        "Section 5 of this Act. The Civil Code was new",
        "Local Civil Rule 56.1",
        "Section 6 of the Act. Section 7 of the Clayton Act",
    ],
)
def test_a_law_that_is_not_named_stays_unnamed(text: str) -> None:
    assert read(text).citations[0].key == ""


def test_a_decision_without_a_reporter_is_read_by_its_docket_number() -> None:
    text = "Smith v. Jones, No. 19-1234, slip op. at 7 (N.D. Cal. 2019). No. 20-55, 2021 U.S. Dist. LEXIS 5 (N.D. Cal. 2021)."
    first, second = read(text).citations
    assert text[first.outer : first.end] == "Smith v. Jones, No. 19-1234, slip op. at 7 (N.D. Cal. 2019)"
    assert (first.parts.page, first.parts.pin, first.parts.year, first.parts.plaintiff) == ("19-1234", "7", "2019", "Smith")
    assert (text[second.outer : second.end], second.parts.defendant) == ("2021 U.S. Dist. LEXIS 5 (N.D. Cal. 2021)", "")
    assert read("He lives at No. 12-14 (London 1999).").citations == ()


def test_a_matter_without_an_adversary_begins_with_its_name() -> None:
    text = "It is so. In re Smith Bros., No. 20-1 (Bankr. D. Del. 2020)."
    (found,) = read(text).citations
    assert (text[found.outer : found.start], found.parts.defendant) == ("In re Smith Bros., ", "Smith Bros.")


def test_sections_after_id_are_all_of_its_law() -> None:
    found = read("42 U.S.C. § 1983. Id. §§ 1985, 1986 and 1988. It was so in 1990.").citations
    assert [c.key for c in found] == [f"law|42|usc|{n}" for n in (1983, 1983, 1985, 1986, 1988)]


@each("blank", ["___", "____", "––––", "----"])
def test_a_report_whose_page_is_still_blank_belongs_to_the_one_beside_it(blank: str) -> None:
    text = f"Doe v. Roe, 585 U.S. {blank}, 138 S. Ct. 2392 (2018). Id. at 2400."
    found = read(text).citations
    assert [c.key for c in found] == ["case|138|sct|2392"] * 2
    assert text[found[0].outer : found[0].end] == text.partition(". Id.")[0]
    assert (found[0].parts.plaintiff, found[0].parts.defendant) == ("Doe", "Roe")


@each("words", ["585 U.S. ___ (2018)", "585 U.S. ____, ____ (2018)", "585 U.S. –––, ––– (2018)", "585 U.S. ___"])
def test_a_blank_page_alone_is_named_as_unreadable_with_all_of_it(words: str) -> None:
    text = f"Doe v. Roe, {words}; it is so."
    (found,) = read(text).citations
    assert (text[found.start : found.end], found.form) == (words, Form.UNREADABLE)


@each(
    ("a", "b", "one"),
    [
        ("C. civ.", "Code civil", True),
        ("RCW", "Wash. Rev. Code Ann.", True),
        ("Mass. Gen. Laws", "M.G.L.", True),
        ("Exchange Act", "Securities Exchange Act of 1934", True),
        ("Human Rights Act", "Human Rights Act 1998", True),
        ("Human Rights Act 2004", "Human Rights Act 1998", False),
        ("Va. Code", "W. Va. Code", False),
        ("Cal. Evid. Code", "Cal. Civ. Code", False),
    ],
)
def test_names_of_one_code(a: str, b: str, one: bool) -> None:
    assert one_code(a, b) is one
    assert one_code(b, a) is one
    assert code_name(a) == code_name(a.upper())


def _checked(response: str, context: str) -> Checked:
    (found,) = layer(Case("c", "", (Passage("p", f"{context}."),), f"{response}.")).citations
    return found


UNDATED = "The sources name the act without this year."
CLOSE = "The sources cite something close to it."
SUBSECTION = "The sources do not name its subsection, so (z)(9) is not checked."
RANGE = "It is within a range that the sources cite: {}."
OPEN = "It is within a range that the sources cite: {} and those after it, without the last."
NOTE = "A section and the note under it are two provisions."
ONE_SIDE = "Only the number is compared: one side does not name the law."
NEITHER = "Only the number is compared: neither side names the law."


@each(
    ("response", "context", "state", "why"),
    [
        ("18 U.S. Code § 1030", "18 U.S.C. § 1030", HERE, ""),
        ("M.G.L. c. 93A, § 2", "Mass. Gen. Laws ch. 93A, § 2", HERE, ""),
        ("Art. 1240 C. civ.", "article 1240 du Code civil", HERE, ""),
        ("Section 10(b) of the Exchange Act", "Section 10(b) of the Securities Exchange Act of 1934", HERE, ""),
        ("The Clayton Act of 1914", "Section 7 of the Clayton Act of 1914", HERE, ""),
        ("The Clayton Act of 1914", "the 1914 Clayton Act", HERE, "The sources name the act and its year."),
        ("The Clayton Act of 1914", "CLAYTON ACT OF 1914", HERE, "The sources name the act and its year."),
        ("The Clayton Act of 1914", "Section 7 of the Clayton Act of 1915", ABSENT, ""),
        ("The Clayton Act of 1914", "Section 7 of the Lanham Act of 1914", ABSENT, ""),
        ("The Clayton Act of 1914", "the Clayton Act", ABSENT, UNDATED),
        ("Civil Rights Act of 1964", "Title VII of the Civil Rights Act of 1964", HERE, ""),
        ("Section 5E of the Wrongs Act 1958", "Wrongs Act 1958 (Vic), ss 5D and 5E", HERE, ""),
        ("Section 5E of the Wrongs Act 1958", "sections 5D(1) and 5E of the Wrongs Act 1958 (Vic)", HERE, ""),
        ("Section 5F of the Wrongs Act 1958", "Wrongs Act 1958 (Vic), ss 5D and 5E", ABSENT, ""),
        ("Public Law 104-191", "Pub. L. No. 104-191", HERE, ""),
        ("Public Law 104-191", "Pub. L. No. 104-192", ABSENT, CLOSE),
        ("E.O. 13526", "Executive Order No. 13,526", HERE, ""),
        ("Executive Order 13526", "Exec. Order 13527", ABSENT, CLOSE),
        ("§ 812 Abs. 1 BGB", "§ 812 I BGB", HERE, ""),
        ("§ 812 II Nr. 3 BGB", "§ 812 Absatz 2 Nummer 3 BGB", HERE, ""),
        ("§ 812 II BGB", "§ 812 I BGB", DIFFERENT, ""),
        ("§ 556 d Abs. 1 BGB", "§ 556d Abs. 1 BGB", HERE, ""),
        ("Art. 9 Abs. 2 lit. a DSGVO", "Artikel 9 Absatz 2 Buchstabe a DSGVO", HERE, ""),
        ("Art. 9 Abs. 2 lit. b DSGVO", "Artikel 9 Absatz 2 Buchstabe a DSGVO", DIFFERENT, ""),
        ("Art. 6 Abs. 1 lit. e DSGVO", "Art. 6 Abs. 1 S. 1 lit. e DSGVO", HERE, ""),
        ("UCC 9-203(b)", "U.C.C. § 9-203(b)", HERE, ""),
        ("Rest. 2d Torts § 46", "Restatement (Second) of Torts § 46", HERE, ""),
        ("Restatement (Third) of Torts § 46", "Restatement (Second) of Torts § 46", ABSENT, ""),
        ("15 U.S.C. § 78j", "15 U.S.C. §§ 78a-78pp", HERE, RANGE.format("78a–78pp")),
        ("17 U.S.C. § 106(3)", "17 U.S.C. § 106(1)-(6)", HERE, ""),
        ("17 U.S.C. § 106(7)", "17 U.S.C. § 106(1)-(6)", DIFFERENT, ""),
        ("15 U.S.C. § 1011", "See 18 U.S.C. § 1001. § 1011 is another.", ABSENT, ""),
        ("18 U.S.C. § 1011", "See 18 U.S.C. § 1001. § 1011 is another.", HERE, ONE_SIDE),
        # A number without a law says nothing of the law where another citation names it.
        ("11 U.S.C. § 2703(d)", "Then § 2703 is broad. It is 18 U.S.C. § 2703(d)", DIFFERENT, ""),
        ("18 U.S.C. § 2703(d)", "Then § 2703 is broad. It is 18 U.S.C. § 2703(d)", HERE, ""),
        ("Section 102 of the Lanham Act", "Section 102 of the Clayton Act", ABSENT, CLOSE),
        ("Cal. Evid. Code § 425.16", "Cal. Code Civ. Proc. § 425.16", DIFFERENT, ""),
        ("15 U.S.C. § 1701(b)", "Section 1701 of the Act", HERE, f"{ONE_SIDE} {SUBSECTION.replace('(z)(9)', '(b)')}"),
        ("Section 45 applies", "15 U.S.C. § 45", HERE, ONE_SIDE),
        ("Section 45 applies", "See Section 45", HERE, NEITHER),
        ("U.S.S.G. § 2B3.1(b)(2)", "U.S.S.G. § 2B1.1", ABSENT, CLOSE),
        ("28 U.S.C. § 1331(z)(9)", "28 U.S.C. § 1331", HERE, SUBSECTION),
        ("28 U.S.C. § 1331(a)(1)", "28 U.S.C. § 1331(a)", HERE, SUBSECTION.replace("(z)(9)", "(a)(1)")),
        ("28 U.S.C. § 1331 (2018)", "28 U.S.C. § 1331 (1994)", DIFFERENT, ""),
        ("28 U.S.C. § 1331 (West 2018)", "28 U.S.C. § 1331 (2018)", HERE, ""),
        ("15 U.S.C. § 1133", "15 U.S.C. §§ 1131-1135", HERE, RANGE.format("1131–1135")),
        ("15 U.S.C. § 1135", "15 U.S.C. §§ 1131–35", HERE, RANGE.format("1131–35")),
        ("15 U.S.C. § 1137", "15 U.S.C. §§ 1131-1135", ABSENT, ""),
        ("15 U.S.C. § 1133", "15 U.S.C. §§ 1131 through 1135", HERE, RANGE.format("1131–1135")),
        ("17 C.F.R. § 240.13d-3", "17 C.F.R. §§ 240.13d-1 to 240.13d-7", HERE, RANGE.format("240.13d-1–240.13d-7")),
        ("Cal. Civ. Code § 12", "Cal. Civ. Code §§ 10-15", HERE, RANGE.format("10–15")),
        ("Cal. Civ. Code § 16", "Cal. Civ. Code §§ 10-15", ABSENT, ""),
        ("Section 5 of the Lanham Act", "Sections 3 to 9 of the Lanham Act", HERE, RANGE.format("3–9")),
        ("Section 10 of the Lanham Act", "Sections 3 to 9 of the Lanham Act", ABSENT, ""),
        ("Section 12 applies", "See §§ 10-15", HERE, f"{RANGE.format('10–15')} {NEITHER}"),
        ("Article 5 of the Hague Convention", "Articles 3 to 9 of the Hague Convention", HERE, RANGE.format("3–9")),
        ("15 U.S.C. § 1692e", "15 U.S.C. § 1692 et seq.", HERE, OPEN.format("1692")),
        ("42 U.S.C. § 1983", "42 U.S.C. §§ 1981 et seq.", HERE, OPEN.format("1981")),
        ("42 U.S.C. § 1900", "42 U.S.C. § 1981 et seq.", ABSENT, ""),
        ("42 U.S.C. § 1981 et seq.", "42 U.S.C. § 1981", HERE, "The sources cite 1981, not the sections after it."),
        ("§ 825 BGB", "§§ 823 ff. BGB", HERE, OPEN.format("823")),
        ("42 U.S.C. § 1983 note", "42 U.S.C. § 1983 note", HERE, ""),
        ("42 U.S.C. § 1983 (note)", "42 U.S.C. § 1983 note", HERE, ""),
        ("42 U.S.C. § 1983 note", "42 U.S.C. § 1983", ABSENT, NOTE),
        ("42 U.S.C. § 1983", "42 U.S.C. § 1983 note", ABSENT, NOTE),
        ("§ 1983 note", "42 U.S.C. § 1983", ABSENT, NOTE),
        ("Courts under 42 U.S.C. § 1983 note that it is so", "42 U.S.C. § 1983", HERE, ""),
        ("50 U.S.C. app. § 1701", "50 U.S.C. § 1701", DIFFERENT, ""),
        ("U.S. Const. art. III, § 2", "U.S. Constitution, Article 3, Section 2", HERE, ""),
        ("U.S. Const. amend. 14", "U.S. Const. amend. XIV", HERE, ""),
        ("U.S. Const. art. 4", "U.S. Const. art. III", ABSENT, ""),
        ("Article IV of the Hague Convention", "Article 4 of the Hague Convention", HERE, ""),
        ("42 USC 1983", "42 U.S.C. § 1983", HERE, ""),
        ("42 U.S.C. Sec. 1983", "42 U.S.C. §1983", HERE, ""),
        ("§1983", "42 U.S.C. § 1983", HERE, ONE_SIDE),
        ("Sec. 1983", "42 U.S.C. § 1983", HERE, ONE_SIDE),
        ("42 U.S.C. § 2000e\u20115", "42 U.S.C. § 2000e-5", HERE, ""),
        ("26 C.F.R. § 1.401-3", "26 C.F.R. § 1.401-12", ABSENT, ""),
        ("16 U.S.C. § 1133", "15 U.S.C. §§ 1131-1135", ABSENT, ""),
        ("O.C.G.A. § 13-7", "O.C.G.A. § 13-6-11", ABSENT, ""),
    ],
)  # fmt: skip
def test_laws_are_compared_by_code_section_subsection_and_edition(response: str, context: str, state: State, why: str) -> None:
    found = _checked(response, context)
    assert (found.state, found.why) == (state, why), found


def test_what_differs_of_a_law_is_named() -> None:
    edition = _checked("28 U.S.C. § 1331 (2018)", "28 U.S.C. § 1331 (1994)").differs
    code = _checked("Cal. Evid. Code § 425.16", "Cal. Code Civ. Proc. § 425.16").differs
    assert ([d[:3] for d in edition], [d.part for d in code]) == ([("edition", "2018", "1994")], ["code"])
