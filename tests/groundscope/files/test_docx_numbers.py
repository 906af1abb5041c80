"""Numbers that Word draws: as its own rules of lists, levels and restarts have them."""

from typing import Any

from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from groundscope.files._blocks import written
from groundscope.files._docx_text import Numbering
from tests.loops import each


def xml(text: str) -> Any:
    name, rest = text[1:].split(">", 1)
    return parse_xml(f"<{name} {nsdecls('w')}>{rest}")


def level(at: int, form: str, text: str, more: str = "") -> str:
    return f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'


LEVELS = level(0, "upperRoman", "Article %1.") + level(1, "decimal", "%1.%2", "<w:isLgl/>") + level(2, "lowerLetter", "(%3)")
LISTS = (
    f'<w:abstractNum w:abstractNumId="0">{LEVELS}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="1">{level(0, "bullet", "x")}</w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="0"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="0"/></w:num>'
)
STYLES = (
    '<w:style w:styleId="Base"><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:styleId="Clause"><w:basedOn w:val="Base"/></w:style><w:style w:styleId="Loop"><w:basedOn w:val="Loop"/></w:style>'
)


def drawn(*paragraphs: tuple[str, int] | str) -> list[str]:
    """What is drawn before paragraphs, each a list with a level, or a style."""
    numbering = Numbering(xml(f"<w:numbering>{LISTS}</w:numbering>"), xml(f"<w:styles>{STYLES}</w:styles>"))
    found = []
    for p in paragraphs:
        inside = (
            f'<w:pStyle w:val="{p}"/>'
            if isinstance(p, str)
            else f'<w:numPr><w:ilvl w:val="{p[1]}"/><w:numId w:val="{p[0]}"/></w:numPr>'
        )
        found.append(numbering.before(xml(f"<w:p><w:pPr>{inside}</w:pPr></w:p>")))
    return found


@each(
    ("paragraphs", "numbers"),
    [
        ((("1", 0), ("1", 1), ("1", 2), ("1", 2), ("1", 1), ("1", 2), ("1", 0), ("1", 1)),
         ["Article I.", "1.1", "(a)", "(b)", "1.2", "(a)", "Article II.", "2.1"]),
        # Another list of the same kind goes on, one that starts again does.
        ((("1", 0), ("4", 0), ("2", 0), ("2", 0)), ["Article I.", "Article II.", "Article VII.", "Article VIII."]),
        ((("3", 0), ("0", 0), ("9", 0), ("1", 8)), ["•", "", "", ""]),
        (("Clause", "Clause", "Loop", "None"), ["1.1", "1.2", "", ""]),
    ],
)  # fmt: skip
def test_levels_count_and_restart(paragraphs: tuple[tuple[str, int] | str, ...], numbers: list[str]) -> None:
    assert drawn(*paragraphs) == numbers


@each(
    ("form", "count", "text"),
    [
        ("decimal", 12, "12"),
        ("decimalZero", 4, "04"),
        ("lowerLetter", 28, "bb"),
        ("upperRoman", 1994, "MCMXCIV"),
        ("lowerRoman", 0, "0"),
        ("cardinalText", 42, "Forty-two"),
        ("cardinalText", 1, "One"),
        ("ordinalText", 21, "Twenty-first"),
        ("ordinalText", 30, "Thirtieth"),
        ("cardinalText", 100, "100"),
        ("none", 3, ""),
        ("hebrew1", 3, "3"),
    ],
)
def test_counts_in_the_forms_of_word(form: str, count: int, text: str) -> None:
    assert written(count, form) == text
