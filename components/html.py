"""Tables, lists and regions of text as HTML; every text is escaped. Pure: no streamlit."""

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape


class Html(str):
    """A string of HTML; any other string is text and gets escaped."""

    __slots__ = ()


class Cell(Html):
    """The content and attributes of a table cell."""

    attributes: Mapping[str, str]


def safe(text: str) -> Html:
    """Text as HTML; HTML as it is."""
    return text if isinstance(text, Html) else Html(escape(text))


def tag(name: str, *inside: str, **attributes: str) -> Html:
    """An element of text, which is escaped, or HTML; an attribute without a value is left out.

    `class_` is `class`, `aria_label` is `aria-label`.
    """
    written = "".join(f" {key.rstrip('_').replace('_', '-')}='{escape(value)}'" for key, value in attributes.items() if value)
    return Html(f"<{name}{written}>{''.join(map(safe, inside))}</{name}>")


def cell(inside: str, **attributes: str) -> Cell:
    """A cell with attributes, named as those of `tag`."""
    made = Cell(safe(inside))
    made.attributes = attributes
    return made


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", css: str = "gs-counts", row_css: Iterable[str] = ()
) -> Html:
    """A table whose first column names its rows; an empty head is no heading.

    The class `gs-counts` sets the columns after the first as figures; `row_css` has a class for each row.
    """
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
    """`name` or `name`, a line break and its explanation, which shows on hover."""
    name, _, explanation = text.partition("\n")
    return tag("abbr", name, title=explanation) if explanation else safe(name)


_WORD = r"<span>\g<0></span>"


def with_code(text: str) -> Html:
    """A text with its code between backticks marked; words of code do not break, as `--revision` would after a hyphen."""
    return Html(re.sub("`([^`]+)`", lambda m: f"<code>{re.sub('[^ ]+', _WORD, m[1])}</code>", escape(text)))


def with_small(figure: str, small: str) -> Html:
    """A figure with what belongs to it in small letters on a line of its own."""
    return Html(f"{safe(figure)}<br>{tag('small', small)}") if small else safe(figure)


def listed(lines: Iterable[str], css: str = "gs-errors", **attributes: str) -> Html:
    """A list; empty if there are no lines."""
    items = [tag("li", line) for line in lines]
    return tag("ul", *items, class_=css, **attributes) if items else Html()


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """A list of names and values."""
    return tag("dl", *(Html(tag("dt", name) + tag("dd", value)) for name, value in pairs), class_="gs-facts")


def region(name: str, *inside: str, css: str = "gs-across") -> Html:
    """A box that scrolls by itself, also by keyboard: sideways (`gs-across`) or down (`gs-scroll`)."""
    return tag("div", *inside, class_=css, tabindex="0", role="region", aria_label=name)


def side_by_side(texts: Mapping[str, Html], why: str) -> Html:
    """Two versions of a sentence under their titles, and why they differ, if that is known."""
    cells = (
        tag("div", tag("p", head, class_="gs-sub"), tag("p", text, class_="gs-text", dir="auto")) for head, text in texts.items()
    )
    return Html(tag("div", *cells, class_="gs-pair") + (tag("p", why, class_="gs-sub") if why else ""))


def marked(text: str, start: int, end: int, mark: str) -> Html:
    """A text with `text[start:end]` in an element."""
    return Html(f"{escape(text[:start])}<{mark}>{escape(text[start:end])}</{mark}>{escape(text[end:])}")
