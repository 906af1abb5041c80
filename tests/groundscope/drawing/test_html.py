"""Tables, lists and regions: all text is escaped, and a screen reader knows what each cell belongs to."""

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.html import Html, cell, explained, facts, listed, region, safe, table, tag, with_small
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
