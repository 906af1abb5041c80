"""A model card as HTML: headings, tables and lists of its Markdown, all text escaped. No streamlit.

Links, images and HTML are not rendered, so that a card can load nothing and run nothing.
"""

from collections.abc import Iterator, Sequence
from itertools import dropwhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from groundscope.drawing.html import Html, tag

_READ = ("heading", "list", "table", "backticks", "emphasis", "entity", "escape", "newline")
"""The Markdown rules besides paragraphs; every other rule is off."""
_CLASSES = {
    "heading": "gs-small",
    "paragraph": "gs-measure",
    "bullet_list": "gs-offer",
    "ordered_list": "gs-offer",
    "table": "gs-counts",
}

_READER = MarkdownIt("zero", {"html": False}).enable(list(_READ))
_READER.add_render_rule("softbreak", lambda *_: " ")


def card_html(card: str, heading: str = "h4") -> Html:
    """The card's Markdown as HTML, without its first heading, which repeats the name, and without metadata above it.

    `heading` is the element of its headings: one below that of the place where the card is shown.
    """
    lines = [line.rstrip() for line in card.splitlines()]
    if lines[:1] == ["---"] and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    lines = list(dropwhile(lambda line: not line, lines))
    if lines and lines[0].startswith("# "):
        lines = lines[1:]
    tokens = list(_in_place(_READER.parse("\n".join(lines)), heading))
    return tag("div", Html(_READER.renderer.render(tokens, _READER.options, {})), class_="gs-card")


def _in_place(tokens: Sequence[Token], heading: str) -> Iterator[Token]:
    """The tokens with the page's classes and the scopes of table heads; an empty head is left out."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        kind = token.type.removesuffix("_open").removesuffix("_close")
        if token.type == "thead_open":
            end = next(i for i in range(at, len(tokens)) if tokens[i].type == "thead_close")
            if not any(t.content for t in tokens[at:end]):
                at = end + 1
                continue
        if kind == "heading":
            token.tag = heading
        first = kind == "td" and any(
            t.type == "tr_open" for t in (tokens[at - 1], tokens[at - 3] if token.nesting < 0 else token)
        )
        if first:
            token.tag = "th"
        if token.nesting > 0:
            token.attrs = {"class": _CLASSES[kind]} if kind in _CLASSES else {}
            if kind in ("th", "td") and token.tag == "th":
                token.attrs = {"scope": "row" if first else "col"}
        yield token
        at += 1
