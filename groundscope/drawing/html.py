"""Tables, lists and regions of text as HTML; every text is escaped."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from groundscope.text.shown import Style, shown


class Html(str):
    """A string of HTML; any other string is text and gets escaped."""

    __slots__ = ()


class Cell(Html):
    """The content and attributes of a table cell."""

    attributes: Mapping[str, str]


def safe(text: str) -> Html:
    """Escape text; HTML stays as it is."""
    return text if isinstance(text, Html) else Html(escape(text))


def tag(name: str, *inside: str, **attributes: str) -> Html:
    """Make an element of text, which is escaped, or HTML; an attribute without a value is left out."""
    written = "".join(f" {key.rstrip('_').replace('_', '-')}='{escape(value)}'" for key, value in attributes.items() if value)
    return Html(f"<{name}{written}>{''.join(map(safe, inside))}</{name}>")


def cell(inside: str, **attributes: str) -> Cell:
    """Make a cell with attributes."""
    element = Cell(safe(inside))
    element.attributes = attributes
    return element


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", css: str = "gs-counts", row_css: Iterable[str] = ()
) -> Html:
    """Make a table whose first column names its rows."""
    head = tag("thead", tag("tr", *(_cell("th" if h else "td", h, scope="col" if h else "") for h in heads)))
    classes = iter(row_css)
    body = (
        tag("tr", _cell("th", first, scope="row"), *(_cell("td", c) for c in others), class_=next(classes, ""))
        for first, *others in rows
    )
    return tag("table", tag("caption", caption) if caption else Html(), head, tag("tbody", *body), class_=css)


def _cell(name: str, content: str, **attributes: str) -> Html:
    return tag(name, content, **attributes, **(content.attributes if isinstance(content, Cell) else {}))


def explained(text: str) -> Html:
    """Let a name show its explanation on hover."""
    name, _, explanation = text.partition("\n")
    return tag("abbr", name, title=explanation) if explanation else safe(name)


_WORD = r"<span>\g<0></span>"


def with_code(text: str) -> Html:
    """Show what stands between backticks as code."""
    return Html(re.sub("`([^`]+)`", lambda m: f"<code>{re.sub('[^ ]+', _WORD, m[1])}</code>", escape(text)))


def with_small(figure: str, small: str) -> Html:
    """Set what belongs to a figure in small letters on a line of its own."""
    return Html(f"{safe(figure)}<br>{tag('small', small)}") if small else safe(figure)


def listed(lines: Iterable[str], css: str = "gs-errors", **attributes: str) -> Html:
    """Make a list."""
    items = [tag("li", line) for line in lines]
    return tag("ul", *items, class_=css, **attributes) if items else Html()


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """Make a list of names and values."""
    return tag("dl", *(Html(tag("dt", name) + tag("dd", value)) for name, value in pairs), class_="gs-facts")


def region(name: str, *inside: str, css: str = "gs-across") -> Html:
    """Make a box that scrolls by itself, also by keyboard."""
    return tag("div", *inside, class_=css, tabindex="0", role="region", aria_label=name)


def side_by_side(texts: Mapping[str, Html], why: str) -> Html:
    """Set two versions of a sentence beside each other."""
    cells = (
        tag("div", tag("p", head, class_="gs-sub"), tag("p", text, class_="gs-text", dir="auto")) for head, text in texts.items()
    )
    return Html(tag("div", *cells, class_="gs-pair") + (tag("p", why, class_="gs-sub") if why else ""))


_SAFE = "default-src 'none'; style-src 'unsafe-inline'"


def document(title: str, style: str, *body: str, policy: str = _SAFE) -> str:
    """Make a page of its own, in UTF-8 and for light and dark, that requests nothing and by its usual policy runs nothing."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)}</title><style>{style}</style></head><body>{''.join(map(safe, body))}</body></html>"
    )


def marked(text: str, start: int, end: int, mark: str) -> Html:
    """Put `text[start:end]` into an element."""
    return Html(f"{escape(text[:start])}<{mark}>{escape(text[start:end])}</{mark}>{escape(text[end:])}")


class Mark(NamedTuple):
    """`text[start:end]` gets the classes in `css` and, on hover, `title`; `words` stand in its place, if any are named."""

    start: int
    end: int
    css: str
    title: str = ""
    words: str | None = None


def shown_html(text: str, start: int, end: int, marks: Iterable[Mark] = (), *, source: bool = False) -> Html:
    """`text[start:end]` with its Markdown and marks, whose places count from `start`."""
    pieces = (p for p in shown(text, source=source).within(start, end) if Style.SPACE not in p.styles)
    looks = ((p, " ".join(f"md-{s}" for s in p.styles) if p.words is None else "") for p in pieces)
    markdown = (Mark(p.start - start, p.end - start, css, p.title, p.words) for p, css in looks)
    return highlight(text[start:end], [*marks, *markdown])


MARKDOWN_STYLE = (
    ':where(mark[class*="md-"]){background:none;color:inherit}.md-bold,.md-head{font-weight:650}.md-italic{font-style:italic}'
    ".md-code{font-family:monospace}.md-struck{text-decoration:line-through}"
    ".md-mark{font-size:.72em;vertical-align:super;line-height:0}"
)
"""For pages of their own."""


def highlight(text: str, marks: Iterable[Mark]) -> Html:
    """Mark spans of a text; they may overlap, touch or nest.

    The text is cut at every border of a mark, so that tags never cross; a fragment has the classes and titles of all marks
    over it. Marks are clipped to the text. All text, classes and titles are escaped.
    """
    clipped = [m._replace(start=max(0, m.start), end=min(len(text), m.end)) for m in marks]
    clipped = [m for m in clipped if m.start < m.end]
    borders = sorted({0, len(text), *(m.start for m in clipped), *(m.end for m in clipped)})
    waiting = sorted(clipped, key=lambda m: m.start)
    open_marks: list[Mark] = []
    parts: list[str] = []
    for start, end in pairwise(borders):
        while waiting and waiting[0].start == start:
            open_marks.append(waiting.pop(0))
        open_marks = [m for m in open_marks if m.end > start]
        parts.append(_fragment(text[start:end], open_marks, start))
    return Html("".join(parts))


def _fragment(text: str, marks: Sequence[Mark], start: int) -> str:
    if other := next((m for m in marks if m.words is not None), None):
        text = (other.words or "") if start == other.start else ""
    css = " ".join(dict.fromkeys(m.css for m in marks if m.css))
    title = "; ".join(dict.fromkeys(m.title for m in marks if m.title))
    if not text or not css + title:
        return escape(text)
    hover = f' title="{escape(title)}"' if title else ""
    return f'<mark class="{escape(css)}"{hover}>{escape(text)}</mark>'
