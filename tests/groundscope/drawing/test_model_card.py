"""A model card for reading: what it draws, and that nothing in it can load or run."""

import re
import time

from hypothesis import given
from hypothesis import strategies as st

from groundscope.drawing.model_card import card_html
from tests.loops import each

CARD = """# own

A line
that goes on, with `code`.

## On dev

| | F1 | AUROC |
|---|---|---|
| Before | 0.5 | 0.6 |

- Data: <b>x</b> &lt;img src=x onerror=alert(1)&gt; ![a](http://192.0.2.1/x.png) [b](javascript:alert(1))
- Base: minilm
"""


def test_headings_tables_and_lists_are_drawn() -> None:
    drawn = card_html(CARD)
    assert "own" not in drawn
    assert '<p class="gs-measure">A line that goes on, with <code>code</code>.</p>' in drawn
    assert '<h4 class="gs-small">On dev</h4>' in drawn
    assert '<th scope="col">F1</th>\n<th scope="col">AUROC</th>' in drawn
    assert '<th scope="row">Before</th>\n<td>0.5</td>\n<td>0.6</td>' in drawn
    assert drawn.count("<li>") == 2
    # Headings take their place below what they stand under.
    below = card_html(CARD, heading="h3")
    assert '<h3 class="gs-small">On dev</h3>' in below
    assert "h4" not in below
    # A table with an empty head has none.
    assert "<thead>" not in card_html("# x\n\n| | |\n|---|---|\n| a | b |\n")


def test_metadata_above_the_name_is_left_out() -> None:
    assert card_html(f"---\nlicense: mit\n---\n\n{CARD}") == card_html(CARD)
    # A rule alone is none.
    assert "license: mit" in card_html("---\nlicense: mit\n")


HOSTILE = """<script>alert(1)</script> <img src=x onerror=alert(1)>

<div onclick="x()">

[a](javascript:alert(1)) ![b](http://192.0.2.1/x.png) <http://192.0.2.1/> http://192.0.2.1/ [c][d] ![e][d]

[d]: javascript:alert(1) "title"

> a quote

    indented

~~~html"onload=x
<b>fenced</b>
~~~

| <u>a</u> | [b](c) |
|:--|--:|
| `<i>` | ![x](y) |
"""


def test_a_hostile_card_is_text() -> None:
    drawn = card_html(HOSTILE)
    tags = set(re.findall(r"<([a-z0-9]+)", drawn))
    assert tags <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "code"}
    assert set(re.findall(r"<[^>]*? (\w+)=", drawn)) == {"class", "scope"}
    for words in ("&lt;script&gt;", "[a](javascript:alert(1))", "[d]: javascript", "<code>&lt;i&gt;</code>", "![x](y)"):
        assert words in drawn


@each("piece", ["> ", "`", "[", "| a\n", "**a _b "])
def test_a_card_of_one_sign_is_read_at_once(piece: str) -> None:
    began = time.process_time()
    card_html(piece * (20_000 // len(piece)))
    assert time.process_time() - began < 2


@given(st.text(alphabet="#|-<>&;\"'`![]() \nab", max_size=200))
def test_no_tag_comes_out_of_a_card(text: str) -> None:
    drawn = card_html(text)
    tags = set(re.findall(r"</?([a-z0-9]+)", drawn))
    assert tags <= {"div", "p", "h4", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code"}
    assert set(re.findall(r"<[^>]*?(\w+)=", drawn)) <= {"class", "scope"}
