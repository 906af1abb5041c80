"""Tables, lists and regions: all text is escaped, and a screen reader knows what each cell belongs to."""

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.html import (
    Html,
    Mark,
    cell,
    explained,
    facts,
    highlight,
    listed,
    region,
    safe,
    shown_html,
    table,
    tag,
    with_small,
)
from tests.groundscope.drawing.parsed import Parsed
from tests.loops import each

HOSTILE = "<script>alert('1')</script>\" onload=\"x\" & ' onclick='y"


@each(
    "drawn",
    [
        tag("p", HOSTILE, title=HOSTILE),
        table([HOSTILE, HOSTILE], [(HOSTILE, HOSTILE), (HOSTILE, cell(HOSTILE, title=HOSTILE))], caption=HOSTILE, css=HOSTILE),
        table(["a"], [("b",)], row_css=[HOSTILE]),
        listed([HOSTILE, HOSTILE]),
        facts([(HOSTILE, HOSTILE)]),
        region(HOSTILE, HOSTILE),
        explained(f"{HOSTILE}\n{HOSTILE}"),
        with_small(HOSTILE, HOSTILE),
        highlight(HOSTILE, [Mark(0, 3, HOSTILE, HOSTILE)]),
    ],
)
def test_hostile_text_stays_text(drawn: Html) -> None:
    page = Parsed(drawn)
    assert "script" not in page.names
    assert not page.attributes & {"onload", "onclick"}
    assert HOSTILE in page.text or any(HOSTILE in element.attributes.values() for element in page.elements)


def test_a_table_names_its_rows_and_columns() -> None:
    drawn = table(
        ["", "F1", cell("Note", class_="gs-left")], [("quip", "0.5", Html("<b>x</b>"))], caption="All", row_css=["missing"]
    )
    assert drawn == (
        "<table class='gs-counts'><caption>All</caption><thead><tr><td></td><th scope='col'>F1</th>"
        "<th scope='col' class='gs-left'>Note</th></tr></thead><tbody><tr class='missing'><th scope='row'>quip</th><td>0.5</td>"
        "<td><b>x</b></td></tr></tbody></table>"
    )


def test_what_is_not_there_is_left_out() -> None:
    assert table(["a"], [], css="") == "<table><thead><tr><th scope='col'>a</th></tr></thead><tbody></tbody></table>"
    assert listed([]) == ""
    assert explained("F1") == "F1"
    assert explained("F1\nthe mean") == "<abbr title='the mean'>F1</abbr>"
    assert with_small("1", "") == "1"


def test_a_region_is_reached_by_keyboard_and_has_a_name() -> None:
    (element,) = Parsed(region("Triple", "x")).elements
    assert element.attributes == {"class": "gs-across", "tabindex": "0", "role": "region", "aria-label": "Triple"}


@given(st.text())
def test_text_is_escaped_once_and_html_never(text: str) -> None:
    once = safe(text)
    assert safe(once) is once
    assert not {"<", ">", '"', "'"} & set(once)
    assert tag("p", once) == tag("p", text)


TEXTS = st.one_of(st.text(max_size=60), st.text(alphabet="<>&\"'/ab=;#😀ש\u200b", max_size=60))
MARKS = st.lists(st.builds(Mark, st.integers(-3, 70), st.integers(-3, 70), st.sampled_from("abc"), TEXTS, st.none()), max_size=8)


@given(TEXTS, MARKS)
def test_every_character_has_the_classes_of_the_marks_over_it_and_nothing_else_is_written(text: str, marks: list[Mark]) -> None:
    html = highlight(text, marks)
    assert unescape(re.sub(r"<[^>]*>", "", html)) == text
    assert re.sub(r'<mark class="[^"<>]*"(?: title="[^"<>]*")?>|</mark>', "", html).count("<") == 0
    assert Parsed(html).names <= {"mark"}
    found: list[set[str]] = []
    for css, marked, plain in re.findall(r'<mark class="([^"]*)"[^>]*>([^<]*)</mark>|([^<]+)', html):
        found += [set(css.split())] * len(unescape(marked or plain))
    assert found == [{m.css for m in marks if m.start <= i < m.end} for i in range(len(text))]


def test_many_marks_over_a_long_text_are_drawn() -> None:
    html = highlight("ab " * 20_000, [Mark(3 * i, 3 * i + 2, "x") for i in range(20_000)])
    assert html == '<mark class="x">ab</mark> ' * 20_000


def test_markdown_is_shown_in_any_part_of_a_text_under_its_marks() -> None:
    text = "- It **is so** [here](javascript:x)."
    # "It **is so** ..." begins at 2; "so" is 8 to 10 from there.
    assert shown_html(text, 2, 36, [Mark(8, 10, "low")]) == (
        'It <mark class="md-bold">is </mark><mark class="md-bold low">so</mark> '
        '<mark class="md-link" title="javascript:x">here</mark>.'
    )
    assert shown_html("| A | B |\n|---|---|\n| 1 | &lt;b&gt; |", 0, 40) == (
        '<mark class="md-head">A</mark> | <mark class="md-head">B</mark>\n1 | &lt;b&gt;'
    )
    assert shown_html("- one\n  - two", 0, 13) == "• one\n  ◦ two"


@given(st.text(alphabet="ab* `[]()<>|\n-&;#", max_size=60))
def test_markdown_writes_no_tag_but_marks(text: str) -> None:
    assert Parsed(shown_html(text, 0, len(text))).names <= {"mark"}
