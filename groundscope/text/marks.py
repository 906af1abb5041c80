"""What is written about a text and not in it: marks to sources and notes, Markdown, labels, and what pages leave in it.

Each reader finds what to take out of a text, or to put in its place. Marks to a source are reported with its number, since they
claim that the source bears the words before them.
"""

import re
from collections.abc import Callable, Iterator

from groundscope.text import markdown
from groundscope.text.edits import MarkKind, SourceMark, TextEdit, apart, taken_out
from groundscope.text.values.numbers import has_digit

_NUMBERS = r"\d{1,3}(?:\s?(?:,|;|-|and|&|to)\s?\^?\d{1,3}){0,20}"
_SOURCES = (
    r"(?:sources?|documents?|docs?\.?|passages?|contexts?|excerpts?|snippets?|chunks?|texts?|references?|refs?\.?|citations?"
    r"|cites?\.?|results?)"
)
_CAP_SOURCES = r"(?:Sources?|Documents?|Docs?|Passages?|Excerpts?|Snippets?|Chunks?)"
_FEW = 60
"""Numbers of one mark that are read."""
_PLACE = (
    r"(?:(?::|,|\sat|,\sat)\s?(?:pp?\.?|pages?|¶{1,2}|§{1,2}|paras?\.?|paragraphs?|lines?|ll?\.|clauses?|cl\.|sections?|secs?\.|arts?\.)?\s?"
    r"\d{1,5}[\w().-]{0,12}(?:-\d{1,5})?)?"
)
"""A page or clause of the source that a mark names."""
BRACKETED = re.compile(
    rf"\[{{1,2}}\s?(?P<foot>\^|(?i:(?:foot)?notes?\s|fn\.?\s?)|(?!{_SOURCES}:)[a-z_]{{2,20}}:\s?)?[SRDC#]?(?P<numbers>{_NUMBERS}){_PLACE}\^?\s?\]{{1,2}}(?:\([^()\s]{{0,300}}\))?"
)
_ENDING = r"(?:pdf|docx?|txt|html?|md)\b"
_FILE = re.compile(rf"\[[^\[\]\n]{{1,80}}\.{_ENDING}[^\[\]\n]{{0,40}}\](?![(\[])")
_LINKED = re.compile(
    r"\(\s?\[(?P<words>[^\[\]\n]{1,120})\](?:\((?:https?://|www\.)[^()\s]{1,600}\)|\[\d{1,3}\])(?:[,;]?\s?\[[^\[\]\n]{1,120}\](?:\((?:https?://"
    r"|www\.)[^()\s]{1,600}\)|\[\d{1,3}\])){0,9}\s?\)"
)
"""Links to pages, in brackets as a whole: they say where a sentence comes from."""
_LINK_AFTER = re.compile(r"(?<=[.!?] )\[[^\[\]\n]{1,120}\]\((?:https?://|www\.)[^()\s]{1,600}\)(?=\s+[\"'(]?[A-Z]|\s*\n|\s*$)")
_CITED_TURN = re.compile(r"\ue200[^\ue201\n]{0,200}\ue201|(?<=[.!?\s\w])(?:file)?cite(?:turn\d{1,3}[a-z]{1,12}\d{1,3}){1,9}")
_NAMED_NOTE = re.compile(r"\[(?:\^(?P<note>[\w-]{1,30})\^?|(?<=[.!?]\[)(?P<letter>[a-z]{1,2}))\](?!:)")
_PINPOINT = re.compile(r"(?:\bat|\bparas?\.?|\bparagraphs?|¶¶?|\bto|\b[A-Z]{2,6} \d{1,5})[\s,]{1,2}$")
"""Before brackets that name a paragraph of a judgment, or a year's volume."""
_GOES_ON = re.compile(r"[\s,-]{0,3}(?:(?:and|to) )?")
_DAGGER = re.compile(r"[【\[](?:(?P<numbers>\d{1,3})|[\w:-]{1,30})†[^】\]\n]{0,80}[】\]]|【(?P<bare>\d{1,3})】")
_IN_WORDS = re.compile(
    rf"[(\[]\s?(?:see\s|cf\.\s|from\s|sources?:\s)?(?:also\s)?(?P<list>{_SOURCES}\s?[#:]?\s?(?:no\.\s?)?{_NUMBERS}"
    rf"(?:\s?[,;&]?\s(?:and\s)?{_SOURCES}\s?[#:]?\s?{_NUMBERS}){{0,12}}){_PLACE}(?::\s[^()\[\]\n]{{1,80}})?\.?\s?[)\]]"
    r"|\((?:sources?|citations?):\s(?P<title>[^()\n]{1,120})\)",
    re.IGNORECASE,
)
_BY = re.compile(
    r"(?:(?<=^)|(?<=[\n.!?:] )|(?<=\n))(?:According to|As (?:stated|noted|explained|described|shown) in|As per|Per|Based on|In"
    r"|Under)"
    rf"\s(?:the\s)?{_CAP_SOURCES}\s(?P<numbers>{_NUMBERS}),\s(?P<first>\w)",
)
_CITED_PLACE = re.compile(
    r"[(\[](?:(?:[^()\[\]\n]{0,120}[a-z\"'])?(?P<page>(?:,?\s|(?<=[(\[]))(?:at\s)?(?:pages?|pgs?\.?|pp?\.|fn\.?|nn?\.|(?:foot)?notes?)\s?\d{1,5}"
    rf"(?:\s?[-,&]\s?\d{{1,5}}){{0,6}})|[^()\[\]\n]{{1,120}}\.{_ENDING}(?P<place>[^()\[\]\n]{{1,40}}))(?=[.,;]?\s?[)\]]|[,;]\s)",
    re.IGNORECASE,
)
"""A page or a note of what brackets name, or any place in a file: sources have none."""
_RUNNING = re.compile(rf"\b{_CAP_SOURCES}\s(?P<numbers>{_NUMBERS})\b")
_TRAILING = re.compile(
    r"(?P<gap>\s)\*{0,2}(?:Sources?|References?|Citations?)\*{0,2}:\*{0,2}\s"
    rf"(?:(?P<list>(?:{_SOURCES}\s?)?\[?{_NUMBERS}\]?(?:,\s?\[?\d{{1,3}}\]?){{0,9}})"
    r"|[A-Z][^\n§\d]{1,100}(?:(?:pages?|pp?\.|sections?|clauses?)\s\d[\w.()-]{0,12}(?:,\s|$)){0,3})\.?(?=\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
_RAISED = re.compile(
    r"(?P<raised>[⁰¹²³⁴-⁹]{1,3}(?:[\u02d2⁻,]\s?[⁰¹²³⁴-⁹]{1,3}){0,5}|(?<=[.!?\"'])[①-⑳]|(?<=[a-z.!?\"'])[†‡])|(?<!\[)\^\[?(?P<caret>\d{1,3})\]?\^|<sup>\s?(?:<a\s[^<>\n]{0,200}>)?\[?(?P<tag>\d{1,3}(?:,\s?\d{1,3}){0,5})\]?(?:</a>)?\s?</sup>",
    re.IGNORECASE,
)
_POWER = re.compile(r"(?:\d|(?<![^\W\d_])(?:[mkcdµ]?m|km|ft|in|yd|mi|s|x|n|R|E|mc))$")
"""Before a raised figure that is a power: m², 10³."""
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789") | {0x2460 + i: str(i + 1) for i in range(20)}
_RAISED_NUMBER = re.compile(r"[⁰¹²³⁴-⁹]{1,3}|[†‡]")
_AFTER_STOP = re.compile(
    r"\d(?:(?:(?<=[a-z)\"'\]][.!?\"'].)|(?<=[A-Z]{2}[.!?].)|(?<=[.!?][\"'].))\d{0,2}(?:,\d{1,2}){0,4}"
    r"(?=\s+[\"'(]?[A-Z]|\s*\n|\s*$)"
    r"|(?:(?P<figure>(?<=\d\..))|(?<=%\..))(?:,\d{1,2}){0,4}(?=\s+[\"'(]?(?![MB]illion)[A-Z]|\s*\Z)"
    r"|(?:(?<=[a-z]{2},.)\d?(?=\s(?!days|weeks|months|years|hours|percent)[a-z])|(?<=[a-z]{3}.)\d?(?=\s\$?\d)))"
)
"""A digit comes first: so the scan jumps from digit to digit."""
_NO_DECIMAL = re.compile(
    r"(?:[$€£][\d,]{1,12}|,\d{3}|(?:\b(?:in|by|of|since|from|until|before|after|Act|Order|Regulations|Rules)"
    r"|[A-Z][a-z]{2,8} \d{1,2},|\b\d{1,2} [A-Z][a-z]{2,8}) (?:19|20)\d\d)\.$"
)
"""Figures with a stop that one digit more does not go on."""
_ABBREVIATED = re.compile(
    r"(?<!\bthe )(?<!\bthis )(?<!\ban )(?<!\bof )(?:\b(?:nn?|[Nn]os?|[Nn]r|[Aa]rts?|[Ss]ecs?|[Ss]ub|[Ss]s?|[Pp]p?|[Cc]hs?"
    r"|[Vv]ols?|[Pp]aras?|[Ff]igs?|[Ee]xh?s?|Rules?|[Rr]egs?|Rn|Tz|[Cc]ls?|[Ss]ch|[Tt]it|[Pp]t|App|Tr|Dkt|[Cc]f|al|op|br|ed|[Vv]ers?|v|Jan|Feb"
    r"|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|St)|\bet al)\.$"
)
_LABEL = re.compile(
    r"^(?P<begin>[ ]{0,8}(?:[-*+•>#]{1,6} {1,3}|\d{1,2}[.)] {1,3})?)\*{0,3}"
    r"(?:(?:(?:final |short |direct |brief |quick )?answer|response|conclusion|summary|result|output|assistant)\*{0,3}[:.]"
    r"|(?:step|part) \d{1,3}(?: of \d{1,3})?\*{0,3}(?:[:.]|(?<=\d)(?:\)| -))"
    r"|(?:(?:step|phase|scenario|issue|option|question|point|part|factor|element|prong|example|stage|reason|argument)"
    r" #?(?:\d{1,2}|[A-Z]|[IVX]{1,4})|(?-i:A)|Q\d{0,2}|TL;? ?DR|N\.?B\.?|nota bene|P\.?S\.?|bottom line|in short|in summary"
    r"|key takeaways?)\*{0,3}(?::| -)|as of my (?:last|latest) (?:knowledge )?(?:update|cutoff)[^\n,.]{0,30},)"
    r"\*{0,3}(?: {1,3}|[ ]{0,3}$)",
    re.IGNORECASE | re.MULTILINE,
)
_THOUGHT = re.compile(r"(?:\A|<think(?:ing)?>)(?:[^<]|<(?!/?think)){0,100000}+</think(?:ing)?>")
_OF_CHATS = re.compile(
    r"^(?:[*_ ]{0,4}(?:\w{1,20} can make mistakes|AI-generated content may |(?:confidence(?: level)?|word count)[*_]{0,3}:)"
    r"[^\n]{1,120}|(?:Thought|Reasoned|Searched)\b[^\n]{0,80}\s\d{1,3}(?:m \d{1,2})?\s?(?:s|seconds?|minutes?|(?:web)?sites?)"
    r"|[^\n]{1,40}\n\+\d{1,2}|> ?\[![A-Z]{3,12}\])$",
    re.IGNORECASE | re.MULTILINE,
)
"""What a chat window and a program say of an answer."""
_LIST_TITLE = re.compile(
    r"^[ ]{0,3}(?:#{1,6} )?(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?[ ])?[*_]{0,3}(?:(?P<works>sources?|references?"
    r"|citations?|works cited|bibliography|quellen|fuentes|fonti|bronnen|fontes)|footnotes?|notes?|endnotes?)"
    r"(?: used| cited| consulted)?[*_]{0,3}:?[*_]{0,3}[ ]*\r?$",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"[ ]{0,6}(?:(?:[-*+•][ ])?(?:\[\^?(?P<a>[\w-]{1,30})\^?\]:?|(?P<b>[⁰¹²³⁴-⁹]{1,3}|[†‡])|\((?P<c>\d{1,3})\)"
    r"|(?P<d>\d{1,3})[.):]|\^(?P<e>\d{1,3})|【(?P<f>\d{1,3})[^】\n]{0,80}】)|[-*+•])[ ]{0,4}"
)
_LINE = re.compile(r"[^\n]+")
_DEFINED = re.compile(
    r"[ ]{0,3}\[\^(?P<name>[\w-]{1,30})\^?\]:|[ ]{0,3}\[[^\]\n]{1,60}\]:[ ]?<?(?:https?://|/|#)\S{0,600}.{0,200}"
)
_APART_FOOT = re.compile(r"(?<=[a-z)\"'\].!?\d][.!?\"'] )(?P<number>\d{1,2})(?=\s+[\"'(]?[A-Z]|\s*\n|\s*$)")
_BARE_ENTRY = re.compile(r"\d{1,2}\s+\S")
_SOURCES_LINE = re.compile(r"^[ ]{0,3}[*_]{0,3}(?:sources?|references?|citations?)[*_]{0,3}:[*_]{0,3} \S.{0,600}$", re.IGNORECASE)
"""A last line that lists sources."""
_LONGEST_LIST, _LONGEST_ENTRY = 200, 300
Reader = Callable[[str], Iterator[TextEdit]]


def inline_edits(*, source: bool) -> tuple[Reader, ...]:
    """The readers of what stands inside lines, in the order in which they run."""
    web, marks = ((), (_brackets,)) if source else ((_linked,), (_sources, _running_sources))
    ours = (_lost_blanks, _raised, *marks, _after_stop, _pages)
    return (markdown.breaks, *web, markdown.links, *ours, markdown.emphasis, markdown.tags)


def line_edits(text: str, *, source: bool) -> Iterator[TextEdit]:
    """What takes whole lines or stands at their beginning: notes, numbers of pages, labels, and Markdown."""
    edits: list[TextEdit] = [] if source else list(note_edits(text))
    edits += markdown.line_edits(text)
    edits += _page_lines(text, source=source)
    if not source:
        patterns = (_THOUGHT, _OF_CHATS) if "</think" in text else (_OF_CHATS,)
        edits += [TextEdit(*m.span(), "") for pattern in patterns for m in pattern.finditer(text)]
        edits += [TextEdit(m.end("begin"), m.end(), "") for m in _LABEL.finditer(text) if text[m.end() :].strip()]
    return apart(edits)


def note_edits(text: str) -> Iterator[TextEdit]:
    """Lists of sources and notes at the end of an answer, and notes that are defined anywhere."""
    lines = list(_LINE.finditer(text))
    last, below = _first_of_list(text, lines), _bare_list(lines)
    if below < len(lines):
        numbers = {m.group().split(maxsplit=1)[0] for m in lines[below:] if m.group().strip()[:1].isdecimal()}
        feet = [m for m in _APART_FOOT.finditer(text, 0, lines[below].start()) if m["number"] in numbers and not _abbreviated(m)]
        if markdown.RULER.match(lines[below].group()) or numbers == {foot["number"] for foot in feet}:
            last = min(last, below)
            yield from (taken_out(text, *m.span(), _mark(m, m["number"], MarkKind.NOTE)) for m in feet)
    for line in lines[:last]:
        if m := _DEFINED.match(line.group()):
            yield TextEdit(*line.span(), "", notes=m["name"] is not None)
    if last < len(lines):
        entries = (_ENTRY.match(line.group()) for line in lines[last:])
        yield TextEdit(lines[last].start(), len(text), "", notes=any(m and _name(m) for m in entries))


def _bare_list(lines: list[re.Match[str]]) -> int:
    """Where notes that begin with bare numbers and end a text begin, with the rule above; the number of lines if nowhere."""
    first = len(lines)
    for i in reversed(range(max(0, len(lines) - _LONGEST_LIST), len(lines))):
        line = lines[i].group().strip()
        if markdown.RULER.match(line):
            return i if first < len(lines) else first
        if line and not _BARE_ENTRY.match(line):
            break
        first = i if line else first
    return first


def _name(entry: re.Match[str]) -> str:
    return next((entry[g] for g in "abcdef" if entry[g]), "").translate(_RAISED_DIGITS)


def _first_of_list(text: str, lines: list[re.Match[str]]) -> int:
    """The first line of a list of sources that ends a text; the number of lines if there is none."""
    entries: list[tuple[int, re.Match[str]]] = []
    listed = short = True
    below = False
    for i in reversed(range(max(0, len(lines) - _LONGEST_LIST), len(lines))):
        line = lines[i].group().rstrip()
        if not line or markdown.RULER.match(line):
            continue
        title = _LIST_TITLE.match(line)
        if title and ((listed and entries) or (short and below and title["works"])):
            return i
        if _SOURCES_LINE.match(line) and not below:
            return i
        entry = _ENTRY.match(line) if listed else None
        entries += [(i, entry)] if entry else []
        listed, short, below = entry is not None, short and len(line) < _LONGEST_ENTRY, True
        if not (listed or short):
            break
    # Without a title: those entries at the end whose marks stand in the text before them.
    first = len(lines)
    for i, entry in entries:
        if entry["c"] or not _name(entry):
            break
        first = i
    named = {_name(entry) for i, entry in entries if i >= first}
    before = text[: lines[first].start()] if first < len(lines) else ""
    raised = {m.group().translate(_RAISED_DIGITS) for pattern in (_RAISED_NUMBER, _AFTER_STOP) for m in pattern.finditer(before)}
    marks = {n for m in BRACKETED.finditer(before) for n in re.findall(r"\d+", m["numbers"])}
    marks |= {m[m.lastgroup or 0] for pattern in (_NAMED_NOTE, _DAGGER) for m in pattern.finditer(before)}
    # "1." alone begins the items of any list, but not those below a rule.
    if not any(entry["d"] for i, entry in entries if i >= first):
        return first if 2 * len(named & (raised | marks)) >= max(1, len(named)) else len(lines)
    ruled = first and markdown.RULER.match(lines[first - 1].group())
    return first if named <= (raised | marks if ruled else raised) else len(lines)


def _numbers(words: str) -> tuple[int, ...]:
    """The numbers of a mark, those between the ends of a range as well."""
    numbers: list[int] = []
    last = None
    for m in re.finditer(r"(?P<to>-|\bto\b)?\s?\^?(?P<n>\d{1,3})", words):
        n = int(m["n"])
        numbers += range(last + 1, n) if m["to"] and last is not None and last < n < last + _FEW else ()
        numbers.append(n)
        last = n
    return tuple(dict.fromkeys(numbers))[:_FEW]


def _mark(m: re.Match[str], numbers: str | None = None, kind: MarkKind = MarkKind.SOURCE) -> SourceMark:
    names = _numbers(numbers or "")
    kind = kind if names else MarkKind.NOTE
    return SourceMark(kind, m.start(), m.end(), names, ",".join(map(str, names)) if kind is MarkKind.NOTE else "")


def _brackets(text: str) -> Iterator[TextEdit]:
    if "[" not in text and "【" not in text:
        return
    edits, pinpoint = list[TextEdit](), -1
    for m in BRACKETED.finditer(text):
        # "at [12], [14]-[16]": paragraphs of a judgment.
        edit = taken_out(text, *m.span(), _mark(m, m["numbers"], MarkKind.NOTE if m["foot"] else MarkKind.SOURCE))
        goes_on = pinpoint >= 0 and _GOES_ON.fullmatch(text, pinpoint, m.start())
        if goes_on or _PINPOINT.search(text, max(0, m.start() - 16), m.start()):
            pinpoint = m.end()
        elif edits and edits[-1].end == m.start() - 2 and text[m.start() - 2 : m.start()] in (", ", "; "):
            # Marks with a comma between them.
            edits += TextEdit(edits[-1].end, m.start(), ""), edit
        elif not (text.startswith(":", m.end()) and text[m.start() - 1 : m.start()] in ("", "\n")):
            edits.append(edit)
    for m in _NAMED_NOTE.finditer(text):
        edits.append(taken_out(text, *m.span(), SourceMark(MarkKind.NOTE, *m.span(), (), m[m.lastgroup or 0])))
    edits += [taken_out(text, *m.span(), _mark(m, m["numbers"] or m["bare"])) for m in _DAGGER.finditer(text)]
    yield from apart(edits)


def _linked(text: str) -> Iterator[TextEdit]:
    """Links in brackets that say where a sentence comes from, and what chat tools put in their place."""
    patterns = (("[", _LINKED), ("](", _LINK_AFTER), ("cite", _CITED_TURN))
    marks = (m for sign, pattern in patterns if sign in text for m in pattern.finditer(text))
    yield from apart([taken_out(text, *m.span(), _mark(m)) for m in marks])


def _sources(text: str) -> Iterator[TextEdit]:
    edits = [*_brackets(text), *(taken_out(text, *m.span(), _mark(m)) for m in _FILE.finditer(text))]
    edits += [taken_out(text, *m.span(), _mark(m, m["list"])) for m in _IN_WORDS.finditer(text)]
    edits += [TextEdit(*m.span(), "", _mark(m, m["list"])) for m in _TRAILING.finditer(text)]
    for m in _CITED_PLACE.finditer(text):
        alone = m.start("page") == m.start() + 1 and text[m.end()] in ")]"
        edits.append(taken_out(text, m.start(), m.end() + 1, _mark(m)) if alone else TextEdit(*m.span(m.lastgroup or 0), ""))
    yield from apart(edits)


def _running_sources(text: str) -> Iterator[TextEdit]:
    for m in _BY.finditer(text):
        yield TextEdit(*m.span(), m["first"].upper(), _mark(m, m["numbers"])._replace(end=m.start("first") - 2))


def running_marks(text: str) -> Iterator[SourceMark]:
    """Sources that a sentence names in its own words ("Source 2 states that"): they are claims of support, not figures."""
    for m in _RUNNING.finditer(text):
        yield SourceMark(MarkKind.SOURCE, *m.span(), _numbers(m["numbers"]))


def _raised(text: str) -> Iterator[TextEdit]:
    if text.isascii() and "<" not in text and "^" not in text:
        return
    for m in _RAISED.finditer(text):
        if not m["raised"] or not _POWER.search(text, max(0, m.start() - 4), m.start()):
            numbers = (m["tag"] or m["caret"] or m["raised"]).translate(_RAISED_DIGITS)
            yield taken_out(text, *m.span(), _mark(m, numbers, MarkKind.NOTE))


def _abbreviated(m: re.Match[str]) -> bool:
    return _ABBREVIATED.search(m.string, max(0, m.start() - 12), m.start()) is not None


def _after_stop(text: str) -> Iterator[TextEdit]:
    for m in _AFTER_STOP.finditer(text) if has_digit(text) else ():
        figure = _NO_DECIMAL.search(text, max(0, m.start() - 30), m.start())
        if figure if m["figure"] is not None else not _abbreviated(m):
            yield TextEdit(*m.span(), "", _mark(m, m.group(), MarkKind.NOTE))


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
_SENTENCE_GOES_ON = re.compile(r"[a-z]{2}|a |\$?\d[\d,]{0,12}(?:\.\d\d)? [a-z]")
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


def _page_lines(text: str, *, source: bool) -> Iterator[TextEdit]:
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
            if heads and (_SENTENCE_GOES_ON.match(words[0]) or (heads == folios and words[0][0].isupper())):
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


def _lost_blanks(text: str) -> Iterator[TextEdit]:
    """Blanks that a PDF lost between a label or a unit and its figure."""
    for m in _LOST_BLANK.finditer(text) if has_digit(text) else ():
        at = m.end() if m["label"] is None else m.start()
        yield TextEdit(at, at, " ")


def _pages(text: str) -> Iterator[TextEdit]:
    """Numbers of pages inside lines."""
    for m in _PAGE.finditer(text) if any(map(text.__contains__, "*[{")) else ():
        yield taken_out(text, *m.span(), None)
