"""A model card for reading in place: headings, tables and lists of its Markdown, all text escaped. No streamlit.

Nothing else of Markdown is read: no links, no images, no HTML, so that a card can load nothing and run nothing.
"""

import re
from collections.abc import Iterator
from html import escape, unescape
from itertools import groupby

_CODE = re.compile("`([^`]+)`")
_RULE = re.compile(r"\|(\s*:?-+:?\s*\|)+")


def card_html(card: str, heading: str = "h4") -> str:
    """The card as HTML; its first heading, which repeats the name, is left out, and so is metadata above it.

    Args:
        card: Markdown.
        heading: the element of its headings: one below that of the place where the card is shown.
    """
    lines = [line.rstrip() for line in card.splitlines()]
    if lines[:1] == ["---"] and "---" in lines[1:]:
        lines = lines[lines.index("---", 1) + 1 :]
    while lines and not lines[0]:
        lines = lines[1:]
    if lines and lines[0].startswith("# "):
        lines = lines[1:]
    blocks = "".join(_block(kind, list(part), heading) for kind, part in groupby(lines, _kind) if kind)
    return f"<div class='gs-card'>{blocks}</div>"


def _kind(line: str) -> str:
    for start, kind in (("#", "heading"), ("|", "table"), ("- ", "list")):
        if line.startswith(start):
            return kind
    return "text" if line else ""


def _block(kind: str, lines: list[str], heading: str) -> str:
    if kind == "heading":
        return "".join(f"<{heading} class='gs-small'>{_safe(line.lstrip('# '))}</{heading}>" for line in lines)
    if kind == "list":
        return f"<ul class='gs-offer'>{''.join(f'<li>{_safe(line[2:])}</li>' for line in lines)}</ul>"
    if kind == "table":
        return _table(lines)
    return f"<p class='gs-measure'>{_safe(' '.join(lines))}</p>"


def _table(lines: list[str]) -> str:
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not _RULE.fullmatch(line)]
    head = rows[0] if len(rows) < len(lines) else []
    named = "".join(f"<th scope='col'>{_safe(cell)}</th>" for cell in head)
    top = f"<thead><tr>{named}</tr></thead>" if any(head) else ""
    body = "".join(f"<tr>{''.join(_cells(row))}</tr>" for row in rows[bool(head) :])
    return f"<table class='gs-counts'>{top}<tbody>{body}</tbody></table>"


def _cells(row: list[str]) -> Iterator[str]:
    for i, cell in enumerate(row):
        yield f"<td>{_safe(cell)}</td>" if i else f"<th scope='row'>{_safe(cell)}</th>"


def _safe(text: str) -> str:
    """Escaped, with what is set as code in its own letters; the card writes a smaller-than sign of the user's as an entity."""
    return _CODE.sub(r"<code>\1</code>", escape(unescape(text)))
