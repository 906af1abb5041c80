"""Tables, lists and regions: all text is escaped, and a screen reader knows what each cell belongs to."""

import re
from html import unescape
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.html import Html, Mark, cell, explained, facts, highlight, listed, region, safe, table, tag, with_small
from tests.loops import each

HOSTILE = "<script>alert('1')</script>\" onload=\"x\" & ' onclick='y"


class Read(HTMLParser):
    """Every element with its attributes, and the text."""

    def __init__(self, drawn: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(drawn)
        self.close()

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((name, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.text += data


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
    ],
)
def test_hostile_text_stays_text(drawn: Html) -> None:
    found = Read(drawn)
    assert "script" not in {name for name, _ in found.found}
    assert not {key for _, attributes in found.found for key in attributes} & {"onload", "onclick"}
    assert HOSTILE in found.text or any(HOSTILE in attributes.values() for _, attributes in found.found)


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
    assert with_small("1", "n = 2") == "1<br><small>n = 2</small>"
    assert facts([("a", "b")]) == "<dl class='gs-facts'><dt>a</dt><dd>b</dd></dl>"


def test_a_region_is_reached_by_keyboard_and_has_a_name() -> None:
    ((name, attributes),) = Read(region("Triple", "x")).found
    assert (name, attributes) == ("div", {"class": "gs-across", "tabindex": "0", "role": "region", "aria-label": "Triple"})


@given(st.text())
def test_text_is_escaped_once_and_html_never(text: str) -> None:
    once = safe(text)
    assert safe(once) is once
    assert not {"<", ">", '"', "'"} & set(once)
    assert tag("p", once) == tag("p", text)


TEXTS = st.one_of(st.text(max_size=60), st.text(alphabet="<>&\"'/ab=;#😀ש\u200b", max_size=60))
MARKS = st.lists(st.builds(Mark, st.integers(-3, 70), st.integers(-3, 70), st.sampled_from("abc"), TEXTS), max_size=8)


class Tags(HTMLParser):
    """Collects the tags and fails where one crosses another."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    return tags


def covers(mark: Mark, position: int) -> bool:
    return mark.start <= position < mark.end


@given(TEXTS, MARKS)
def test_without_its_tags_the_page_is_the_text(text: str, marks: list[Mark]) -> None:
    assert unescape(re.sub(r"<[^>]*>", "", highlight(text, marks))) == text


@given(TEXTS, MARKS)
def test_only_balanced_marks_with_class_and_title_are_written(text: str, marks: list[Mark]) -> None:
    html = highlight(text, marks)
    tags = parsed(html)
    assert tags.open == []
    assert tags.seen <= {"mark"}
    assert tags.names <= {"class", "title"}
    assert re.sub(r'<mark class="[^"<>]*"(?: title="[^"<>]*")?>|</mark>', "", html).count("<") == 0


@given(TEXTS, MARKS)
def test_every_character_has_the_classes_of_the_marks_over_it(text: str, marks: list[Mark]) -> None:
    found: list[set[str]] = []
    for css, marked, plain in re.findall(r'<mark class="([^"]*)"[^>]*>([^<]*)</mark>|([^<]+)', highlight(text, marks)):
        found += [set(css.split())] * len(unescape(marked or plain))
    assert found == [{m.css for m in marks if covers(m, i)} for i in range(len(text))]


@each("hostile", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;b&gt;", "' x='"])
def test_text_class_and_title_are_escaped(hostile: str) -> None:
    html = highlight(hostile, [Mark(0, 3, hostile, hostile)])
    assert parsed(html).seen == {"mark"}
    assert parsed(html).names == {"class", "title"}


@each("mark", [Mark(2, 2, "x"), Mark(3, 1, "x"), Mark(-5, 0, "x"), Mark(4, 9, "x")])
def test_marks_over_nothing_are_left_out(mark: Mark) -> None:
    assert highlight("a<cd", [mark]) == "a&lt;cd"


def test_many_marks_over_a_long_text_are_drawn() -> None:
    html = highlight("ab " * 20_000, [Mark(3 * i, 3 * i + 2, "x") for i in range(20_000)])
    assert html == '<mark class="x">ab</mark> ' * 20_000
