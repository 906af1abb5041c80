"""Tables, lists and regions of text as HTML; every text is escaped."""

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
    """Escape text; HTML stays as it is.

    Args:
        text: either.

    Returns:
        HTML.
    """
    return text if isinstance(text, Html) else Html(escape(text))


def tag(name: str, *inside: str, **attributes: str) -> Html:
    """Make an element of text, which is escaped, or HTML; an attribute without a value is left out.

    Args:
        name: of the element.
        *inside: what it holds, in order.
        **attributes: `class_` is `class`, `aria_label` is `aria-label`.

    Returns:
        The element.
    """
    written = "".join(f" {key.rstrip('_').replace('_', '-')}='{escape(value)}'" for key, value in attributes.items() if value)
    return Html(f"<{name}{written}>{''.join(map(safe, inside))}</{name}>")


def cell(inside: str, **attributes: str) -> Cell:
    """Make a cell with attributes.

    Args:
        inside: its content.
        **attributes: named as those of `tag`.

    Returns:
        What `table` makes a cell of.
    """
    made = Cell(safe(inside))
    made.attributes = attributes
    return made


def table(
    heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", css: str = "gs-counts", row_css: Iterable[str] = ()
) -> Html:
    """Make a table whose first column names its rows.

    Args:
        heads: of the columns; an empty one is no heading.
        rows: the cells of each row.
        caption: stands above it.
        css: its class; `gs-counts` sets the columns after the first as figures.
        row_css: a class for each row.

    Returns:
        The table.
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
    """Let a name show its explanation on hover.

    Args:
        text: the name, or the name, a line break and its explanation.

    Returns:
        The name as HTML.
    """
    name, _, explanation = text.partition("\n")
    return tag("abbr", name, title=explanation) if explanation else safe(name)


_WORD = r"<span>\g<0></span>"


def with_code(text: str) -> Html:
    """Show what stands between backticks as code.

    Args:
        text: for people, which may quote a command.

    Returns:
        The text as HTML, all of it escaped; words of code do not break, as `--revision` would after its hyphens.
    """
    return Html(re.sub("`([^`]+)`", lambda m: f"<code>{re.sub('[^ ]+', _WORD, m[1])}</code>", escape(text)))


def with_small(figure: str, small: str) -> Html:
    """Set what belongs to a figure in small letters on a line of its own.

    Args:
        figure: the figure.
        small: the rest; empty = nothing.

    Returns:
        Both as HTML.
    """
    return Html(f"{safe(figure)}<br>{tag('small', small)}") if small else safe(figure)


def listed(lines: Iterable[str], css: str = "gs-errors", **attributes: str) -> Html:
    """Make a list.

    Args:
        lines: one entry each.
        css: its class.
        **attributes: named as those of `tag`.

    Returns:
        The list; empty if there are no lines.
    """
    items = [tag("li", line) for line in lines]
    return tag("ul", *items, class_=css, **attributes) if items else Html()


def facts(pairs: Iterable[tuple[str, str]]) -> Html:
    """Make a list of names and values.

    Args:
        pairs: name and value of each.

    Returns:
        The list.
    """
    return tag("dl", *(Html(tag("dt", name) + tag("dd", value)) for name, value in pairs), class_="gs-facts")


def region(name: str, *inside: str, css: str = "gs-across") -> Html:
    """Make a box that scrolls by itself, also by keyboard.

    Args:
        name: for those who hear the page.
        *inside: what it holds.
        css: `gs-across` scrolls sideways, `gs-scroll` down.

    Returns:
        The box.
    """
    return tag("div", *inside, class_=css, tabindex="0", role="region", aria_label=name)


def side_by_side(texts: Mapping[str, Html], why: str) -> Html:
    """Set two versions of a sentence beside each other.

    Args:
        texts: by title.
        why: why they differ; empty = not known.

    Returns:
        Both as HTML.
    """
    cells = (
        tag("div", tag("p", head, class_="gs-sub"), tag("p", text, class_="gs-text", dir="auto")) for head, text in texts.items()
    )
    return Html(tag("div", *cells, class_="gs-pair") + (tag("p", why, class_="gs-sub") if why else ""))


def marked(text: str, start: int, end: int, mark: str) -> Html:
    """Put `text[start:end]` into an element.

    Args:
        text: any text.
        start: of the part.
        end: of the part.
        mark: name of the element.

    Returns:
        The text as HTML.
    """
    return Html(f"{escape(text[:start])}<{mark}>{escape(text[start:end])}</{mark}>{escape(text[end:])}")
