"""Documents that other programs wrote: all of their text in order and once, their headings, clauses and notes."""

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from lxml import html
from lxml.etree import iterwalk

from groundscope.errors import DataError
from groundscope.files import _html_parts, document_text
from groundscope.files._blocks import joined
from groundscope.files._html_text import read_page
from groundscope.review.decisions import SourcePlace
from groundscope.review.report import pin_cite
from groundscope.review.sources import SourceFile, read_source
from groundscope.text.sentences import context_sentences
from groundscope.types import Case
from tests.groundscope.files.document_files import docx, read_here

FOLDER = Path(__file__).parent / "documents"

OFFICE_TEXT = [
    "Office lease",
    "This lease is between Northgate Estates Ltd and Ms Ines Farrow.",
    "1. Rent",
    "1.1 The tenant pays a rent of EUR 2,450 a month.[^1]",
    "1.2 The tenant shall",
    "(a) pay by bank transfer; and",
    "(b) bear the charges of the transfer.",
    "2. Rooms",
    "Room: Front office; Area: 38 m²; Use: reception",
    "Room: Archive; Area: 12 m²; Use: files only",
    "No room is sublet.",
]
NOTE = "[^1] Value added tax is not included."

TEXTS = {
    "libreoffice-office.docx": [*OFFICE_TEXT[:4], NOTE, *OFFICE_TEXT[4:]],
    "libreoffice-office.html": [*OFFICE_TEXT, NOTE],
    "word-agreement.docx": [
        "Service agreement",
        "1. Services",
        "1.1 The provider keeps the machines running.",
        "1.2 The provider shall answer a call within 4 hours[^1]:",
        "[^1] Counted from the call.",
        "(a) on weekdays; and",
        "(b) on weekends, where",
        "(i) a machine stands still; or",
        "(ii) a person is in danger.",
        "2. Fees",
        "2.1 The fee is ≤ EUR 900 a month, see § 7 of the Act.[^i]",
        "[^i] The Act on Services of 2011.",
        "Machine: Press; Calls a year: 12; Fee: EUR 300",
        "Machine: Lathe; Calls a year: 6; Fee: EUR 150",
        "☑ Monthly invoice",
        "Draft of 2 May 2026.",
    ],
    "firm-news.html": [
        "Deposits after the reform",
        "By Oona Petrie, 4 March 2026",
        "Since 1 February a landlord must return a deposit within 21 days[^1] after the keys.",
        "What counts as a day",
        "Only working days count. A Saturday is none.",
        "The period begins on the day after the keys are handed over.",
        "a. Keys by post count when they arrive.",
        "b. Keys left in the flat do not count.",
        "[^1] Before the reform the period was 30 days.",
        "The author advised the ministry on the reform.",
    ],
    "statute.html": [
        "Deposits Act",
        "Of 12 May 2019, as amended on 3 June 2024.",
        "Part 1 Duties",
        "§ 1 Scope",
        "(1) This Act applies to deposits of tenants.",
        "(2) It does not apply to",
        "1. deposits of guests of hotels; and",
        "2. deposits of less than 50 crowns.",
        "§ 2 Return of the deposit",
        "(1) The landlord must return the deposit within 21 days. The landlord may keep what the tenant owes.",
        "(2) The period begins when the landlord has the keys.",
        "Landlord: A person who lets a flat.",
        "Keys: All keys of the flat.",
    ],
    "judgment.html": [
        "Court of Appeal of Carden",
        "Hollis v Merrow Housing",
        "Heard on 9 and 10 April 2025",
        "The facts",
        "1. The appellant rented a flat. He left it on 30 June 2024.",
        "2. The respondent kept 640 crowns of the deposit.",
        "Discussion",
        "3. The judge found that (a) the keys were returned; (b) the flat was clean; and (c) no rent was due.",
        "4. We agree. The appeal is allowed.",
        "Judge Ansel Okoro; Judge Mira Lund (concurring)",
    ],
    "fee-tables.html": [
        "Fees of the registry",
        "Court fees from 2026",
        "Value up to: 1,000; Fee, online: 55; Fee, on paper: 70",
        "Value up to: 5,000; Fee, online: 120; Fee, on paper: 150",
        "Value up to: 50,000; Fee, online and on paper: 480",
        "Who pays",
        "Act: Claim; Payer: claimant; Within: 14 days",
        "Act: Claim; Payer: legal insurer; Within: 30 days",
        "Act: Appeal; Payer: appellant",
        "Account: Registry of Carden",
        "Number: 0042 7781",
        "Payment",
        "Fees are paid in advance.",
        "Refunds",
        "A fee is refunded if the claim is withdrawn before the hearing.",
    ],
    "chromium-saved.html": [
        "§ 1 Gegenstand",
        "(1) Die Gemeinde erhebt eine Gebühr für die Müllabfuhr.",
        "(2) Die Gebühr beträgt 96 Euro im Jahr.",
        "§ 2 Fälligkeit",
        "(1) Die Gebühr ist am 1. März fällig.",
        "(2) Wer später zahlt, schuldet einen Zuschlag von 5 Euro.",
    ],
}

TITLES = {
    "libreoffice-office.docx": ["Office lease", "1. Rent", "2. Rooms"],
    "libreoffice-office.html": ["Office lease", "1. Rent", "2. Rooms"],
    "word-agreement.docx": ["Service agreement, 1. Services", "2. Fees"],
    "firm-news.html": ["Deposits after the reform", "What counts as a day"],
    "statute.html": ["Deposits Act", "Part 1 Duties, § 1 Scope", "§ 2 Return of the deposit"],
    "judgment.html": ["", "Hollis v Merrow Housing", "The facts", "Discussion"],
    "fee-tables.html": ["Fees of the registry", "Who pays", "Payment", "Refunds"],
    "chromium-saved.html": ["§ 1 Gegenstand", "§ 2 Fälligkeit"],
}

CITES = {
    "libreoffice-office.docx": {
        "pays a rent": "cl. 1.1",
        "Value added": "cl. 1.1, n. 1",
        "bear the": "cl. 1.2(b)",
        "Archive": "2. Rooms, sentence 3",
    },
    "libreoffice-office.html": {"pay by": "cl. 1.2(a)", "No room": "2. Rooms, sentence 4", "Value added": "2. Rooms, n. 1"},
    "word-agreement.docx": {
        "keeps the": "cl. 1.1",
        "Counted": "cl. 1.2, n. 1",
        "on weekdays": "cl. 1.2(a)",
        "a person": "cl. 1.2(b)(ii)",
        "The fee": "cl. 2.1",
        "The Act on": "cl. 2.1, n. i",
    },
    "firm-news.html": {"Keys left": "What counts as a day, (b)", "Before the": "What counts as a day, (b), n. 1"},
    "statute.html": {
        "This Act": "§ 1(1)",
        "50 crowns": "§ 1(2)(2)",
        "may keep": "§ 2(1)",
        "has the keys": "§ 2(2)",
    },
    "judgment.html": {
        "He left": "The facts, para. 1",
        "640": "The facts, para. 2",
        "the flat was": "Discussion, para. 3(b)",
        "no rent": "Discussion, para. 3(c)",
        "is allowed": "Discussion, para. 4",
    },
    "chromium-saved.html": {"96 Euro": "§ 1(2)", "Zuschlag": "§ 2(2)"},
}

LEFT_OUT = {
    "firm-news.html": ["We value your privacy", "Our people", "Newsletter", "Imprint", "Print", "Rents in 2026", "Search"],
    "statute.html": ["A to Z", "Accessibility"],
    "judgment.html": ["All judgments", "Published by the registry"],
    "chromium-saved.html": ["Cookies", "Ortsrecht", "Rathausplatz", "abgelaufen"],
}


_MARKS = re.compile(r"\[\^\w\]")
_COUNTER = re.compile(r"\A(?:\d\.\d|\d\.|[ab]\.|☑|\(\w+\)) ")
"""What counts a line belongs to no sentence."""


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are read in this process, which a second less takes for each."""
    monkeypatch.setattr(document_text, "in_child", read_here)


def _read(name: str) -> SourceFile:
    return read_source(name, (FOLDER / name).read_bytes())


@pytest.mark.parametrize("name", TEXTS)
def test_all_of_the_text_is_read_in_order_and_once(name: str) -> None:
    found = _read(name).passages
    assert [line.strip() for p in found for line in p.text.split("\n\n")] == TEXTS[name]
    assert [p.source.removeprefix(name).removeprefix(", ") for p in found] == TITLES[name]


@pytest.mark.parametrize("name", TEXTS)
def test_each_line_of_a_document_is_sentences_of_its_own(name: str) -> None:
    passages = _read(name).passages
    sentences = [_MARKS.sub("", passages[p].text[a:b]).strip() for p, a, b in context_sentences(passages)]
    assert not any("\n" in text for text in sentences)
    for line in TEXTS[name]:
        begins = _COUNTER.sub("", _MARKS.sub("", line).strip())
        assert any(begins.startswith(text) for text in sentences), line


@pytest.mark.parametrize(("name", "words"), [(name, words) for name, cites in CITES.items() for words in cites])
def test_a_place_is_cited_by_clause_and_note(name: str, words: str) -> None:
    passages = _read(name).passages
    (at,) = [(i, p.text.index(words)) for i, p in enumerate(passages) if words in p.text]
    case = Case("c", "q", passages, "It is.")
    assert pin_cite(case, SourcePlace(*at, at[1] + len(words))) == f"{name}, {CITES[name][words]}"


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_stands_around_a_page_is_left_out_and_said(name: str) -> None:
    found = _read(name)
    assert not any(words in p.text for p in found.passages for words in LEFT_OUT[name])
    note = found.notes[0]
    assert note.startswith(f"{name} has menus and other parts around its text, which were left out: ")
    assert note.endswith(" …”.")
    assert len(note) < 250


@pytest.mark.parametrize("name", TEXTS)
def test_tables_are_said_to_be_read_by_rows(name: str) -> None:
    rows = f"{name} has tables; each row is read as a line of its own, with what its columns are called."
    assert (rows in _read(name).notes) == (name[:4] in ("libr", "word", "fee-", "stat"))


def test_tables_of_markdown_are_read_by_rows() -> None:
    text = "# Fees\n\n| Act | Fee |\n|---|---:|\n| Claim | 50 |\n| Appeal \\| other | 70 |\n\nPaid in advance. | Or not.\n"
    found = read_source("a.md", text.encode())
    assert found.passages[0].text.split("\n\n") == [
        "# Fees",
        "Act: Claim; Fee: 50",
        "Act: Appeal \\| other; Fee: 70",
        text.split("\n")[-2],
    ]
    assert found.notes == ("a.md has tables; each row is read as a line of its own, with what its columns are called.",)
    assert read_source("a.txt", text.encode()).notes == ()


def test_a_page_that_names_no_text_is_read_whole_and_it_is_said() -> None:
    page = b"<div class='cookie-note'><p>" + b"The rent is due. " * 20 + b"</p><a href='#'>ok</a></div><p>Menu</p>"
    found = read_source("a.html", page)
    assert found.notes == ("a.html does not say which part of the page is its text, so all of it was read, menus and all.",)
    assert found.passages[0].text.count("The rent is due.") == 20


@pytest.mark.parametrize(
    ("page", "text"),
    [
        # Its own head and foot.
        ("<article><header><p>Court</p></header><p>One.</p><footer>Judge A</footer></article>", "Court One. Judge A"),
        # The title of the page stands in its head.
        ("<header><h1>Act</h1></header><p>One.</p>", "Act One."),
        # All articles of a main part.
        ("<main><article>One.</article><article>Two.</article></main>", "One. Two."),
        # A legal text about consent and cookies is no banner.
        ("<div id='cookies'><h1>Cookies Act</h1><p>Cookies need consent.</p></div>", "Cookies Act Cookies need consent."),
        # A banner by its words, and a trail that ends with the page itself.
        ("<div id='tac'><span>Nous utilisons des cookies.</span><button>OK</button></div><p>1 2 3 4.</p>", "1 2 3 4."),
        ("<div class='breadcrumb'><a href='/'>Home</a> &gt; Housing Act 1990</div><p>One two three.</p>", "One two three."),
        ("<section class='share-capital'><p>The share capital is 100.</p></section>", "The share capital is 100."),
        # A note of the text, and a list of contents.
        ("<p>One.</p><aside role='doc-footnote'>A note.</aside><nav>1 One</nav>", "One. A note."),
        ("<p>One.</p><div hidden='until-found'>Two.</div><div hidden>Three.</div>", "One. Two."),
        ("<ol start='3'><li>C<li value='7'>G<li>H</ol>", "3. C 7. G 8. H"),
        ("<ol type='i'><li>A<ol type='A'><li>B</ol><li>C</ol>", "i. A A. B ii. C"),
        ("<table><tr><td>Layout of one cell. <p>And more.</p></td></tr></table>", "Layout of one cell. And more."),
        # A note as Word saves it, and one of a wiki.
        (
            "<p>A<a href='#_ftn1' name='_ftnref1'>[1]</a>.</p>"
            "<div id='ftn1'><p><a href='#_ftnref1' name='_ftn1'>[1]</a> B.</p></div>",
            "A[^1]. [^1] B.",
        ),
        (
            "<p>A<sup id='r'><a href='#n'>[1]</a></sup>.</p><ol><li id='n'><a href='#r'>^</a> <span>B.</span></li></ol>",
            "A[^1]. [^1] B.",
        ),
        ("<p>See <a href='#s1'>1</a>.</p><h2 id='s1'>Scope</h2>", "See 1. Scope"),
        ("<div>One</div><div>Two<br>three</div><span>fo</span><span>ur</span>", "One Two three four"),
        # Cells that the page puts into no row, and a heading whose class names a head.
        ("<table><tr><td>A</td><td>B</td></tr><td>C</td><td>D</td></table>", "A: B C: D"),
        ("<h4 class='code-header'><a href='/x'>Scope</a></h4><p>One two.</p>", "Scope One two."),
    ],
)
def test_what_is_the_text_of_a_page(page: str, text: str) -> None:
    read_text, _ = joined(read_page(html.document_fromstring(page)).blocks)
    assert " ".join(read_text.split()) == text


LINKS = "<a href='/a'>Our people</a> | <a href='/b'>News</a> | <a href='/c'>Imprint</a>"
RENT = "<p>The rent is due on the first day of every month.</p>" * 3


@pytest.mark.parametrize("name", ["foot", "bandeau", "pied-de-page"])
def test_a_list_of_links_at_an_end_of_a_page_is_left_out_whatever_it_is_called(name: str) -> None:
    for page in (f"<div class='{name}'>{LINKS}</div>{RENT}", f"{RENT}<div class='{name}'>{LINKS}</div><p>© 2026 Firm Ltd</p>"):
        blocks, notes = read_page(html.document_fromstring(page))
        assert not any("Imprint" in block.text for block in blocks)
        assert "".join(notes).startswith("has menus and other parts around its text, which were left out: ")


@pytest.mark.parametrize(
    "page",
    [
        # Between two parts of the text, in the text itself, and a list of contents.
        f"{RENT}<ul>{LINKS}</ul>{RENT}",
        f"<article><ul>{LINKS}</ul>{RENT}</article>",
        f"<h1>Deposits Act</h1><ul>{LINKS.replace('/', '#', 3)}</ul>{RENT}",
    ],
)
def test_a_list_of_links_of_the_text_stays(page: str) -> None:
    blocks, notes = read_page(html.document_fromstring(page))
    assert any("Imprint" in block.text for block in blocks)
    assert notes == set()


def test_a_page_that_is_nested_deeply_is_read_or_refused_and_never_cut_short() -> None:
    page = "<p>Before.</p>{}<p>Deep.</p>{}<p>After.</p>"
    text = document_text.document("a.html", page.format("<div>" * 2000, "</div>" * 2000).encode()).text
    assert text.split() == ["Before.", "Deep.", "After."]
    with pytest.raises(DataError, match="nests its parts deeper than this app reads; open it in a browser, print it as PDF"):
        document_text.document("a.html", page.format("<div>" * 3000, "</div>" * 3000).encode())


def test_each_part_of_a_page_is_counted_three_times_however_deep_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = count()
    monkeypatch.setattr(_html_parts.etree, "iterwalk", lambda *a, **named: _Counted(iterwalk(*a, **named), steps))
    inside = "<div class='menu'>" * 1500 + RENT + "</div>" * 1500
    read_page(html.document_fromstring(f"<body>{inside}</body>"))
    assert next(steps) < 12 * 1500


class _Counted:
    """A walk of a page whose steps are counted."""

    def __init__(self, walk: iterwalk, steps: Iterator[int]) -> None:
        self._walk, self._steps, self.skip_subtree = walk, steps, walk.skip_subtree

    def __iter__(self) -> Iterator[tuple[str, object]]:
        for step in self._walk:
            next(self._steps)
            yield step


def test_a_title_of_word_and_the_heading_after_it_are_parted_by_a_comma() -> None:
    styled = "<w:p><w:pPr><w:pStyle w:val='{}'/></w:pPr><w:r><w:t>{}</w:t></w:r></w:p>"
    file = docx(styled.format("Title", "Side letter"), styled.format("Heading1", "Repairs"), "The tenant repairs the roof.")
    assert [p.source for p in read_source("a.docx", file).passages] == ["a.docx, Side letter, Repairs"]


def test_lines_of_a_block_and_of_preformatted_text_stay_lines() -> None:
    read = read_page(html.document_fromstring("<p>One<br>\n two <!-- x -->three</p><pre>4\n5</pre><h2>Six<br>seven</h2>"))
    read_text, headings = joined(read.blocks)
    assert read_text == "One\ntwo three\n\n4\n5\n\nSix seven"
    assert headings == [read_text.index("Six")]


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        ("<div><div>4.</div><div>We agree.</div></div><div>[5]</div><p>So do I.</p>", ["4. We agree.", "[5] So do I."]),
        ("<table><tr><td>(a)</td><td><p>it was fair;</p></td></tr></table><p>End (c)</p>", ["(a) it was fair;", "End (c)"]),
        ("<ol><a name=x><li value=4></a>We agree.</li></ol>", ["4. We agree."]),
        ("<p>It was due.</p><div class=fn><p><sup>1</sup> By post.</p></div>", ["It was due.", "[^1] By post."]),
        ("<p>The sum is</p><p>4.</p>", ["The sum is", "4."]),
    ],
)
def test_a_number_in_a_part_of_its_own_is_that_of_the_text_after_it(page: str, texts: list[str]) -> None:
    assert joined(read_page(html.document_fromstring(page)).blocks)[0].split("\n\n") == texts


STORY = f"<div><h1>A cap</h1><p>{'The court capped the rents. ' * 12}</p>"


@pytest.mark.parametrize(
    "beside",
    [
        "<div class=x><p>We value your privacy. We and our partners store data.</p><button>Manage</button></div>",
        "<div class=x><p>You choose what we store.</p><button>Accept all</button></div>",
        "<div class=comments><h3>Comments</h3><p>John: This is nonsense.</p></div>",
        "<section id=respond><p>Your address is not shown.</p></section>",
        "<div><h3>Leave a reply</h3><p>Your address is not shown.</p></div>",
        "<div><p>© 2026 The Brief. All rights reserved.</p><a href=/t>Terms</a></div>",
    ],
)
def test_banners_and_readers_of_a_page_of_divs_are_left_out(beside: str) -> None:
    text = joined(read_page(html.document_fromstring(f"<body>{STORY}</div>{beside}</body>")).blocks)[0]
    assert text.split("\n\n") == ["A cap", ("The court capped the rents. " * 12).strip()]


def test_what_a_contract_says_of_acceptance_and_comments_stays() -> None:
    page = f"<body>{STORY}<p>The buyer must accept all goods.</p><div>Comments on the draft are due.</div></div></body>"
    assert joined(read_page(html.document_fromstring(page)).blocks)[0].endswith(
        "accept all goods.\n\nComments on the draft are due."
    )
