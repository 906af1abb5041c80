"""What a shown text is made of: runs in styles, blocks of lines, and pieces under all runs over them."""

from enum import StrEnum
from typing import NamedTuple


class Style(StrEnum):
    """How a run is shown.

    Signs are not; a space is not where blocks are drawn; a border parts the cells of a row; others stand for other characters.
    """

    BOLD = "bold"
    ITALIC = "italic"
    CODE = "code"
    STRUCK = "struck"
    LINK = "link"
    MARK = "mark"
    MARKER = "marker"
    HEAD = "head"
    OTHER = "other"
    SIGN = "sign"
    SPACE = "space"
    BORDER = "border"


class StyledRun(NamedTuple):
    """`text[start:end]` in a style. `words`: what is shown in its place; None for itself. `title`: the address of a link."""

    start: int
    end: int
    style: Style
    words: str | None = None
    title: str = ""


class BlockKind(StrEnum):
    """What lines make."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"
    RULE = "rule"


class TextBlock(NamedTuple):
    """A block that begins at `start` and ends where the next one begins.

    `level`: of a heading, from 1; of an item in others, from 0. `note`: whether it is a footnote or part of a list of sources.
    """

    start: int
    kind: BlockKind
    level: int = 0
    note: bool = False


class ShownPiece(NamedTuple):
    """`text[start:end]` under all runs over it; `words` is empty for what is not shown."""

    start: int
    end: int
    styles: tuple[Style, ...]
    words: str | None = None
    title: str = ""
