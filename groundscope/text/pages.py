"""What pages leave in a text: their numbers, running heads, numbers of lines, and blanks that a PDF lost."""

import re
from collections.abc import Iterator

from groundscope.text.edits import TextEdit, taken_out
from groundscope.text.values.numbers import has_digit

_PAGE = re.compile(
    r"\[\*{0,2}(?:p(?:age|g|\.)?\s?)\d{1,5}\]|\[\*{1,2}\d{1,5}\]|\{\d{1,5}\}"
    # No sign of bold words, which another one ends.
    r"|\*{1,2}(?:(?<=\s\*)(?<!at \*)(?<!, \*)|(?<=\s\*\*)|(?<=[a-z]\*)|(?<=[a-z]\*\*))\d{1,5}"
    r"(?=\s?[^\W\d_])(?![^*\n]{0,300}[^\s*\[]\*{1,2}(?!\d))",
    re.IGNORECASE,
)
_PAGE_LINE = re.compile(
    r"^[ ]{0,60}(?:page\s\d{1,5}(?:\s(?:of|/)\s\d{1,5})?|[-~]\s?\d{1,5}\s?[-~]|\d{1,5}(?:\sof\s|\s?/\s?)\d{1,5})[ ]{0,60}\r?$",
    re.IGNORECASE | re.MULTILINE,
)
_OPEN_END = re.compile(r"\n(?:(?<=[a-z,]\n)|(?<=[a-z,] \n)|(?<=[a-z,]\r\n))(?=[ \r]{0,8}\n)")
"""Of a paragraph whose sentence may go on after what stands between two pages."""
_PARAGRAPH = re.compile(r"\s*(?P<words>\S[^\n]{0,300}(?:\n[ ]{0,60}[^\s][^\n]{0,300}){0,3})")
_GOES_ON = re.compile(r"[a-z]{2}|a |\$?\d[\d,]{0,12}(?:\.\d\d)? [a-z]")
_FOLIO = re.compile(
    r"[\W_]*(?:page[\W_]*)?(?:\d{1,4}|[ivxl]{1,6})(?:\s?(?:of|/|\|)\s?\d{1,4})?[\W_]*|.*\b[Pp]age \d{1,4}(?: of \d{1,4})?"
)
_HEAD = re.compile(
    r"(?:©|\(c\) ).*|(?:(?!(?<![\w-])[a-z]{4})[^.;:!?]|[.:](?! |$)|(?<=\b[A-Za-z])\.|(?<=\bv)\.|(?<=\bNo)\.|(?<=ID): ){1,100}"
)
"""A line in which no word of four letters is small."""
_SHORTEST, _SHORTEST_NUMBERED, _LEAST_LINES, _WINDOW = 30, 15, 3, 600
_LINE_NUMBER = re.compile(r"\n[ ]{0,8}(?P<number>\d{1,2})(?:[ ]{1,8}(?=\S)|(?P<alone>[ ]{0,8})(?=\r?\n))")
_NEXT = re.compile(r"\s*(?:[a-z$§(]|\d|(?P<speaker>[QA])[.:]? )")
_LOST_BLANK = re.compile(
    r"\d(?:(?P<label>(?<=\b[Ss]ection.)|(?<=\b[Ss]ections.)|(?<=\bRule.)|(?<=\bRules.)|(?<=\b[Aa]rticle.)|(?<=\b[Cc]lause.)"
    r"|(?<=\bExhibit.))|(?=(?:days?|weeks?|months?|years?|hours?|percent|dollars)\b))"
)


def line_edits(text: str, *, source: bool) -> Iterator[TextEdit]:
    """Lines that only number pages; of a source what else stands between pages, and numbers of its lines."""
    if source and "\n" in text:
        yield from _between_pages(text)
        yield from _line_numbers(text)
    yield from (TextEdit(*m.span(), "") for m in (_PAGE_LINE.finditer(text) if has_digit(text) else ()))


def _between_pages(text: str) -> Iterator[TextEdit]:
    """Short paragraphs that cut a sentence: running heads, stamps, numbers of pages."""
    for end in _OPEN_END.finditer(text):
        if end.start() - text.rfind("\n", 0, end.start()) <= _SHORTEST:
            continue
        heads = folios = 0
        for m in _PARAGRAPH.finditer(text, end.end(), end.end() + _WINDOW):
            words = [line.strip() for line in m["words"].splitlines()]
            if all(_HEAD.fullmatch(line) or _FOLIO.fullmatch(line) for line in words):
                heads, folios = heads + len(words), folios + sum(map(bool, map(_FOLIO.fullmatch, words)))
                continue
            if heads and (_GOES_ON.match(words[0]) or (heads == folios and words[0][0].isupper())):
                yield TextEdit(end.start(), m.start("words"), "\n")
            break


def _line_numbers(text: str) -> Iterator[TextEdit]:
    """Numbers at the beginning of lines, as pleadings have them, if sentences go on over them."""
    run: list[re.Match[str]] = []
    cut = False
    for m in (*_LINE_NUMBER.finditer("\n" + text), None):
        line = m.string[run[-1].end() : m.start()].strip() if m and run else ""
        if m and run and int(m["number"]) == int(run[-1]["number"]) + 1 and "\n" not in line:
            goes_on = _NEXT.match(m.string, m.end())
            ends = len(line) > _SHORTEST_NUMBERED and (line[-1].islower() or line[-1] == ",")
            cut = cut or (goes_on is not None and (ends or goes_on["speaker"] is not None))
            run.append(m)
            continue
        if cut and len(run) >= _LEAST_LINES:
            yield from (TextEdit(max(0, n.start() - (n["alone"] is not None)), n.end() - 1, "") for n in run)
        run, cut = [m] if m else [], False


def lost_blanks(text: str) -> Iterator[TextEdit]:
    """Blanks that a PDF lost between a label or a unit and its figure."""
    for m in _LOST_BLANK.finditer(text) if has_digit(text) else ():
        at = m.end() if m["label"] is None else m.start()
        yield TextEdit(at, at, " ")


def pages(text: str) -> Iterator[TextEdit]:
    """Numbers of pages inside lines."""
    for m in _PAGE.finditer(text) if any(map(text.__contains__, "*[{")) else ():
        yield taken_out(text, *m.span(), None)
