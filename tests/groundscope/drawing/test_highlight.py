"""Marks over a text: whatever overlaps, the page shows the text and nothing but the text."""

import re
from html import unescape
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.html import Mark, highlight
from tests.loops import each

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


def test_overlapping_marks_share_their_middle() -> None:
    html = highlight("abcd", [Mark(0, 3, "x", "one"), Mark(1, 4, "y", "two")])
    assert html == (
        '<mark class="x" title="one">a</mark><mark class="x y" title="one; two">bc</mark><mark class="y" title="two">d</mark>'
    )


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
