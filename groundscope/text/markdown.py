"""Markdown and HTML of a text, and the words that stay when their signs are taken out.

Inside lines all signs go. What begins a line stays or gets one shape: a title in bold is a heading (`# `), the head of a table as
well, and a row of it begins with `| `.
"""

import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from html.entities import name2codepoint

from groundscope.text.edits import TextEdit, apart, taken_out

FENCE = re.compile(r"^[ ]{0,8}(?:```|~~~)[ ]?[\w+-]{0,20}[ ]*\r?$", re.MULTILINE)
_CODE = re.compile(
    r"^[ ]{0,8}(?P<fence>```|~~~)[ ]?(?!te?xt|markdown|md|plain)(?:(?P<data>json|ya?ml|toml|csv)|[\w+-]{1,20})[ ]*\r?\n"
    r"(?P<lines>(?:(?![ ]{0,8}(?P=fence))[^\n]*+\n){0,2000}+)[ ]{0,8}(?P=fence)[ ]*\r?$",
    re.MULTILINE,
)
RULER = re.compile(r"^[ ]{0,3}(?P<sign>[-*_=])(?:[ ]?(?P=sign)){2,200}[ ]*\r?$", re.MULTILINE)
_BOLD_LINE = re.compile(
    r"^(?P<begin>[ ]{0,8})(?P<open>\*\*|__)(?P<words>[^*_\n]{1,120})(?P=open)(?P<colon>:?)[ ]*\r?$", re.MULTILINE
)
_HEADING_END = re.compile(r"^[ ]{0,3}#{1,6} [^\n]{0,300}?(?P<close> #{1,6}[ ]*)\r?$", re.MULTILINE)
_CONTINUED_BLOCK = re.compile(r"(?<=\n)[ ]{0,3}>[ ]?")
TABLE_RULE = re.compile(
    r"^[ ]{0,8}\|?[ ]{0,4}:?-{1,60}:?[ ]{0,4}(?:\|[ ]{0,4}:?-{1,60}:?[ ]{0,4}){0,60}\|?[ ]*\r?$", re.MULTILINE
)
LINK = re.compile(
    r"!?\[(?P<words>[^\[\]\n]{0,500})\]\((?:<[^<>\n]{0,600}>|[^()\s]{0,600}(?:\([^()\s]{0,100}\)[^()\s]{0,100})?)"
    r"(?: {1,3}\"[^\"\n]{0,200}\")?\)"
)
_MARK = re.compile(r"\s?\^?[\d\s,;&^-]{1,60}")
"""Words of a link that are a mark to a source."""
_ADDRESS = re.compile(r"<?\bhttps?://[^\s<>\"'\])】]{1,600}[^\s<>\"'\])】.,;:!?]>?")
_EMPHASIS = (
    re.compile(r"(?<![\\*\w])(?P<open>\*{1,3})(?=[^\s*])(?P<words>(?:[^*\n]|\n(?![ ]*\n)){1,1000}?)(?<=[^\s*])(?P=open)(?!\*)"),
    re.compile(r"(?P<open>\*{2,3})(?=[^\s*])(?P<words>(?:[^*\n]|\n(?![ ]*\n)){1,1000}?)(?<=[^\s*])(?P=open)(?!\*)"),
    re.compile(
        r"(?<![\w\\_])(?P<open>_{1,3})(?=[^\s_])(?P<words>(?:[^_\n]|\n(?![ ]*\n)|(?<=\w)_(?=\w)){1,1000}?)"
        r"(?<=[^\s_])(?P=open)(?![\w_])"
    ),
    re.compile(r"(?P<open>`{1,2})(?P<words>[^`\n]{1,500})(?P=open)"),
    re.compile(r"(?P<open>~~|==)(?=[^\s=])(?P<words>[^~=\n]{1,500})(?<=\S)(?P=open)"),
)
_TAG = re.compile(
    r"</?(?:b|i|em|strong|u|s|q|span|sub|sup|cite|mark|small|font|a|p|div|ul|ol|li|code|pre|blockquote|h[1-6]|hr|details|summary"
    r"|table|caption|thead|tbody|tfoot|tr|t[hd]|section|article|answer|response)(?:\s[^<>\n]{0,300})?/?>",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"<br\s?/?>|</(?:p|li|div|h[1-6]|tr|table|summary)>|(?P<cell></t[hd]>\s{0,8}<t[hd]\b[^<>\n]{0,300}>)"
    r"|(?P<head><(?:tr|summary)\b[^<>\n]{0,300}>(?:\s{0,8}<th\b[^<>\n]{0,300}>|(?<=<summary>)))"
    r"|(?P<row><tr\b[^<>\n]{0,300}>(?:\s{0,8}<td\b[^<>\n]{0,300}>)?)",
    re.IGNORECASE,
)
_BREAKS = {"cell": "; ", "head": "\n# ", "row": "\n| "}
_ENTITY = re.compile(rf"&(?:{'|'.join(name2codepoint)}|#\d{{2,5}}|#x[0-9a-fA-F]{{2,4}});")
_CODE_UNITS = re.compile(r"(?:\\{1,4}u[dD][89abAB][0-9a-fA-F]{2}\\{1,4}u[dD][c-fC-F][0-9a-fA-F]{2}|\\{1,4}u[0-9a-fA-F]{4})")
_LATEX = re.compile(r"(?<![A-Za-z_:\\/])\\(?:(?P<sign>pm|times|leq?|geq?|approx|sim)(?![A-Za-z])|[,;](?=[\\$\d]))")
_LATEX_SIGNS = {"pm": "±", "times": "×", "le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "approx": "≈", "sim": "~"}
_ESCAPED = re.compile(r"\\{1,20}(?=[*_\[\]()#+.!$|>~`%&\"-])")
_TAB = re.compile("\t")
_BORDERS = {border: re.compile(rf" {{0,40}}{re.escape(border)}[ {re.escape(border)}]{{0,40}}") for border in "|\t"}
_LONGEST_ROW = 2_000


def line_edits(text: str) -> Iterator[TextEdit]:
    """Fences, rules, tables, block quotations and titles in bold."""
    if "`" in text or "~" in text:
        yield from (e for m in _CODE.finditer(text) for e in _code(m))
        yield from (TextEdit(*m.span(), "") for m in FENCE.finditer(text))
    yield from _tables(text)
    yield from _tabs(text)
    yield from (TextEdit(*m.span(), "") for m in RULER.finditer(text))
    yield from _blocks(text)
    if "#" in text:
        yield from (TextEdit(*m.span("close"), "") for m in _HEADING_END.finditer(text))
    for m in _BOLD_LINE.finditer(text) if "**" in text or "__" in text else ():
        yield TextEdit(m.end("begin"), m.start("words"), "# ")
        yield TextEdit(m.end("words"), m.end("words") + 2, "")


def _code(m: re.Match[str]) -> Iterator[TextEdit]:
    """Code says nothing of its sources; in data the quotation marks quote nothing."""
    if m["data"] is None:
        yield TextEdit(*m.span(), "")
    else:
        start = m.start("lines")
        yield from (TextEdit(start + q.start(), start + q.end(), "") for q in re.finditer('"', m["lines"]))


def _blocks(text: str) -> Iterator[TextEdit]:
    """The signs of a block quotation but for its first one."""
    for m in _CONTINUED_BLOCK.finditer(text) if ">" in text else ():
        before = text.rfind("\n", 0, max(0, m.start() - 1)) + 1
        line = text[before : m.start()].strip()
        if line.startswith(">") and line.strip("> "):
            yield TextEdit(*m.span(), "")


def tables(text: str) -> Iterator[tuple[int, int, int]]:
    """Where each table begins, and where the rule line below its head begins and ends."""
    for rule in TABLE_RULE.finditer(text) if "|" in text else ():
        begin = text.rfind("\n", 0, max(0, rule.start() - 1)) + 1
        if rule.start() and "|" in rule.group() and "|" in text[begin : rule.start()]:
            yield begin, *rule.span()


_ROW_COUNTER = re.compile(r" {0,3}\|? {0,9}\*{0,2}(\d{1,3})[.)]?\*{0,2} {0,40}\| {0,40}(?=\S)")
"""A cell that is nothing but the number of its row."""


def _tables(text: str) -> Iterator[TextEdit]:
    """A rule line makes the line before it a heading, and the lines after it rows: `| first: second; third`."""
    at = 0
    for begin, rule, end in tables(text):
        if rule < at:
            continue
        yield from _row(text, begin, rule - 1, "# ")
        yield TextEdit(rule, end, "")
        at, row = end + 1, 1
        while at < len(text):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if "|" not in text[at:end]:
                break
            counter = _ROW_COUNTER.match(text, at, end)
            if counter and int(counter[1]) == row:
                yield TextEdit(at, counter.end(), "")
                at = counter.end()
            yield from _row(text, at, end, "| ")
            at, row = end + 1, row + 1


def _tabs(text: str) -> Iterator[TextEdit]:
    """Lines of cells between tabs are rows, below a line without a figure that names them; a tab alone is a blank."""
    if "\t" not in text:
        return
    at, rows = 0, list[tuple[int, int]]()
    for line in (*text.splitlines(keepends=True), ""):
        bare = line.rstrip()
        if "\t" in bare.strip() and len(bare) < _LONGEST_ROW:
            rows.append((at, at + len(bare)))
        else:
            begin = rows[0][0] if len(rows) == 1 else at
            if begin == at:
                figures = [any(map(str.isdecimal, text[start:end])) for start, end in rows[:2]]
                for i, (start, end) in enumerate(rows):
                    yield from _row(text, start, end, "# " if figures == [False, True] and not i else "| ", "\t")
            rows = []
            yield from (TextEdit(m.start(), m.end(), " ") for m in _TAB.finditer(text, begin, at + len(line)))
        at += len(line)


def _row(text: str, start: int, end: int, sign: str, border: str = "|") -> Iterator[TextEdit]:
    line = text[start:end].rstrip()
    begin = len(line) - len(line.lstrip(f" {border}"))
    last = len(line.rstrip(f" {border}"))
    if begin >= last:
        yield TextEdit(start, start + len(line), "")
        return
    yield TextEdit(start, start + begin, sign)
    for cells, m in enumerate(_BORDERS[border].finditer(line[begin:last]), 1):
        a, b = (start + begin + i for i in m.span())
        yield TextEdit(a, b, ": " if cells == 1 and not line[begin : begin + m.start()].endswith(":") else "; ")
    if last < len(line):
        yield TextEdit(start + last, start + len(line), "")


def links(text: str) -> Iterator[TextEdit]:
    """Links without their addresses, and addresses alone."""
    edits: list[TextEdit] = []
    if "](" in text:
        for m in LINK.finditer(text):
            if not _MARK.fullmatch(m["words"]):
                edits += (TextEdit(m.start(), m.start("words"), ""), TextEdit(m.end("words"), m.end(), ""))
    if "://" in text:
        edits += [taken_out(text, *m.span(), None) for m in _ADDRESS.finditer(text)]
    yield from apart(edits)


def emphasized(text: str) -> Iterator[list[re.Match[str]]]:
    """Bold, italic, code and crossed-out words between two signs, one list for each way to write them; some are in two."""
    for pattern, signs in zip(_EMPHASIS, ("*", "*", "_", "`", "~="), strict=True):
        yield list(pattern.finditer(text)) if any(map(text.__contains__, signs)) else []


def emphasis(text: str) -> Iterator[TextEdit]:
    """Signs of bold, italic, code and crossed-out words."""
    words = [m for of in emphasized(text) for m in of]
    yield from apart([TextEdit(*span, "") for m in words for span in (m.span("open"), (m.end("words"), m.end()))])


def breaks(text: str) -> Iterator[TextEdit]:
    """Tags that end a line."""
    for m in _BREAK.finditer(text) if "<" in text else ():
        yield TextEdit(*m.span(), _BREAKS.get(m.lastgroup or "", "\n"))


def tags(text: str) -> Iterator[TextEdit]:
    """Other tags, and backslashes before signs."""
    edits = [TextEdit(*m.span(), "") for m in _TAG.finditer(text)] if "<" in text else []
    if "\\" in text:
        edits += [TextEdit(*m.span(), "") for m in _ESCAPED.finditer(text)]
    yield from apart(edits)


def written(text: str) -> Iterator[TextEdit]:
    """Characters that a page, a program's JSON or LaTeX writes in other ones; nothing for those of no width."""
    if "&" in text:
        yield from (TextEdit(*m.span(), w) for m in _ENTITY.finditer(text) if (w := _character(unescape(m.group()))) is not None)
    if "\\" in text:
        for m in _CODE_UNITS.finditer(text):
            units = re.sub(r"\\+u", "", m.group())
            if (w := _character(bytes.fromhex(units).decode("utf-16-be", "ignore"))) is not None:
                yield TextEdit(*m.span(), w)
        yield from (TextEdit(*m.span(), _LATEX_SIGNS.get(m["sign"] or "", " ")) for m in _LATEX.finditer(text))


def _character(character: str) -> str | None:
    """A character as text has it; None where it is a control, or none."""
    kind = unicodedata.category(character) if len(character) == 1 else "Cc"
    return None if kind in ("Cc", "Cn", "Co", "Cs") else "" if kind == "Cf" else character
