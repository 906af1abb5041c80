"""Where a text quotes: between marks of every kind, and in blocks of lines that begin with ">"."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from groundscope.text.plain import PlainView

_SPACELESS = r"\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
"""Scripts without blanks between words: each letter is one."""
_LETTER = rf"[^\W_{_SPACELESS}]"
LETTERS = rf"(?!\d){_LETTER}(?:{_LETTER}|'(?=[^\W_]))*"
WORD = re.compile(rf"[{_SPACELESS}]|[$€£¥%‰]|(?:(?<!\w)\.)?\d+(?:[.,:/]\d+){{0,12}}(?:(?!\d){_LETTER})*|{LETTERS}")
"""A word, a whole figure, or a sign that is read as a word."""
FEWEST_WORDS = 2
"""Words below which quotation marks are taken to name a term, not to quote."""
FEWEST_OF_STRAIGHT = 3
"""Words between straight single marks below which they may be apostrophes, if a word that is cut follows the first."""
_CUT = re.compile(r"(?:tis|twas|twere|twill|til|till|em|cause|round|bout|neath|n)\b|\d{2}(?!\w)", re.IGNORECASE)
"""What an apostrophe before it cuts ("'tis")."""
_LETTERS_OF_A_WORD = 2
"""Letters of a script without blanks that count as a word."""
_SPACELESS_LETTER = re.compile(rf"[{_SPACELESS}]")

_LINE = r"\n(?![^\S\n]{0,40}\n)"
_WORDS = rf"(?:[^\"\n]|{_LINE}){{1,4000}}+"
_PARAGRAPH = r"\n[^\S\n>]{0,40}>?[^\S\n]{0,8}\n[^\S\n]{0,8}>?[^\S\n]{0,8}"


def _possessive(mark: str) -> str:
    """An apostrophe after a plural, if a mark that closes follows in the line."""
    return rf"(?<=[sz]){mark}(?=\s[a-z][^‘’“”'\"\n]{{0,300}}[^\s‘’“”'\"\n]{mark}(?!\w|\s[a-z]))"


_QUOTED = re.compile(
    # What an attribute is set to: read whole, since the mark that closes it would open.
    r"(?<==)(?:\"[^\"\n]{0,2000}+\"|'[^'\n]{0,2000}+')"
    # A quotation of several paragraphs has an opening mark at each, and closes with the last.
    r"|“(?P<a>[^“”]{1,6000}+(?:(?:(?<=\n)|(?<=\n )|(?<=> ))“[^“”]{1,6000}+){0,8}+)”(?!\w)|“(?P<o>[^“”\"\n]{1,2000}+)\"(?!\w)"
    rf"|(?<![^\W_]|\")\"(?P<b>{_WORDS}(?:(?:{_PARAGRAPH}|(?<=\n> ))\"(?=[\w\[]){_WORDS}){{0,8}}+)\"(?![^\W_])"
    r"|„(?P<c>[^„“”]{2,3000}?)[“”]|«\s?(?P<d>[^«»]{2,3000}?)\s?»|»(?P<e>[^«»]{2,3000}?)«|‹\s?(?P<f>[^‹›]{2,1500}?)\s?›"
    r"|›(?P<g>[^‹›]{2,1500}?)‹|「(?P<h>[^「」]{2,3000}?)」|『(?P<i>[^『』]{2,3000}?)』|‚(?P<m>[^‚‘’\n]{2,1500}?)[‘’](?!\w)"
    r"|(?<![\w.,;:!?)])”(?=\w)(?P<n>[^“”\n]{2,3000}?)”(?!\w)"
    rf"|(?<![^\W_]|[’'])‘(?P<j>(?:[^‘’“”]|’(?=[^\W_])|“[^‘“”]{{0,600}}”|{_possessive('’')}){{2,1500}}?)’(?![^\W_])"
    # LaTeX, and the straight single mark, which is an apostrophe as well.
    rf"|``(?P<k>(?:[^`'\n]|(?<=\w)'(?=\w)|{_LINE}){{2,2000}}?)''"
    rf"|(?<![^\W_]|[’'])'(?P<l>(?!\d0s\b)(?=[^\W_]|[\[.…$€£\"“])(?:[^'\n]|(?<=\w)'(?=[^\W_])|{_possessive(chr(39))}|{_LINE}){{2,1500}}?)'(?![^\W_])"
)
_SINGLE = "jl"
_CLOSES = re.compile(r"['’](?![^\W_])")
_NO_LONGER = re.compile(r"\n\n|(?<![^\W_])['‘](?=[\w\[$€£])")
"""A paragraph's end, or where another quotation begins."""
_OPENING = "\"'`“”„‟«»‘’‚‛‹›「」『』"
_BLOCK = re.compile(r"(?:^[ \t]{0,3}>[^\n]{0,4000}(?:\n|\Z)){1,400}", re.MULTILINE)
_LABEL = re.compile(
    r"(?:> ?)?[*_]{0,3}[\u2139\u2600-\u27bf\u2b00-\u2bff\U0001f300-\U0001faff]|[\W_]{0,6}(?:\[!|(?:note|tip|warning|important"
    r"|caution|disclaimer|summary|key|takeaways?|remember|example|question|answer|q|a|tl;dr|bottom line|caveat|reminder|in short"
    r"|conclusion|info|hint|sources?)\b[^.\n:]{0,30}:)",
    re.IGNORECASE,
)
"""Before words in a block that are the writer's own."""
_BY = re.compile(r"\n[>\s]{0,8}(?:[—–~]|--|\((?!\w{1,4}\)))[^\n]{1,300}\Z|\s(?:[—–]|--)\s?[A-Z§][^\n\"”.]{1,200}\.?\Z")
"""Whose words a block says that it quotes."""
_MARKED = 0.6
"""Share of a block between marks from which on these are what it quotes."""
_MOST_ENDS = 6
_LONGEST_SINGLE = 1_500


class Quotation(NamedTuple):
    """Quoted words `text[start:end]` of a plain text; `ends` are other places where they may end."""

    start: int
    end: int
    ends: tuple[int, ...] = ()


def count_words(words: str) -> int:
    """Count the words of a quotation."""
    letters = len(_SPACELESS_LETTER.findall(words))
    return len(WORD.findall(words)) - letters + letters // _LETTERS_OF_A_WORD


def quoted(response: PlainView, cited: Sequence[tuple[int, int]] = ()) -> Iterator[Quotation]:
    """Find what a response quotes, in reading order: at least two words of its plain text between marks or in a block."""
    text = _with_marks(response)
    at = 0
    for block in _blocks(response, cited):
        yield from _between_marks(text, at, block.start)
        at = max(block.end, *block.ends, 0)
        inside = list(_between_marks(text, block.start, at))
        if inside and sum(q.end - q.start for q in inside) > _MARKED * (block.end - block.start):
            yield from inside
        elif count_words(text[block.start : block.end]) >= FEWEST_WORDS:
            yield block
    yield from _between_marks(text, at, len(text))


def _between_marks(text: str, start: int, end: int) -> Iterator[Quotation]:
    for m in _QUOTED.finditer(text, start, end):
        name = m.lastgroup
        if name is None:
            continue
        fewest = FEWEST_OF_STRAIGHT if name == "l" and _CUT.match(text, m.start(name)) else FEWEST_WORDS
        if count_words(m[name]) >= fewest:
            yield Quotation(*m.span(name), tuple(_other_ends(text, *m.span(name), end)) if name in _SINGLE else ())


def _other_ends(text: str, start: int, chosen: int, last: int) -> Iterator[int]:
    """Where a quotation between single marks may end as well, since a mark may be an apostrophe."""
    last = min(last, start + _LONGEST_SINGLE)
    beyond = _NO_LONGER.search(text, chosen + 1, last)
    marks = (m.start() for m in _CLOSES.finditer(text, start, beyond.start() if beyond else last) if m.group() == text[chosen])
    return islice((at for at in marks if at != chosen), _MOST_ENDS)


def _with_marks(response: PlainView) -> str:
    """The plain text with the quotation marks of the original, which show where a quotation opens."""
    if response.original.isascii():
        return response.text
    characters = list(response.text)
    for m in re.finditer(r"[\"']", response.text):
        mark = response.original[response.span(m.start(), m.end())[0]]
        if mark in _OPENING:
            characters[m.start()] = mark
    return "".join(characters)


def _blocks(response: PlainView, cited: Sequence[tuple[int, int]]) -> Iterator[Quotation]:
    """Runs of lines that begin with ">", without whose words they are; none that a label says to be the writer's own."""
    original, text = response.original, response.text
    if ">" not in original:
        return
    for m in _BLOCK.finditer(original):
        words = m.group().rstrip("> \t\r\n")
        by = _BY.search(words)
        start, whole = response.at(m.start(), m.start() + len(words))
        end = response.at(m.start(), m.start() + by.start())[1] if by else whole
        start += next((i for i, c in enumerate(text[start:end]) if c not in "> \n"), end - start)
        for outer, after in reversed(cited):
            if start < outer and end - 2 <= after <= end + 2:
                end = outer
        end = start + len(text[start:end].rstrip("> \n(["))
        if not _LABEL.match(words) and start < end:
            yield Quotation(start, end, (whole,) if whole > end else ())


_SAYS = r"(?:say|said|stat|read|contain|us|includ|mention|appear|provid|defin|ha[sv]|writ|refer|quot|find|put)"
_ON = r"(?:\s(?!(?:but|and|is|are|was|says?|reads?|states?|provides?|adds?|held|holds?)\b)[\w'-]+)"
_OWN_BEFORE = re.compile(
    # Who says that they have it not.
    rf"(?:(?:\b(?:not|never)|n't)\s(?!only\b|just\b|merely\b)(?:\w+\s){{0,2}}?{_SAYS}\w*"
    rf"|\b(?:no|none|nothing|nowhere|neither)\b{_ON}{{0,3}}?\s{_SAYS}\w*"
    r"|\bno\s(?:\w+\s)?(?:clause|provision|language|mention|phrase|words?|terms?|wording|passage|sentence)(?:\sthat\s\w+)?"
    rf"|\b(?:lacks?|omits?|silent\s(?:on|about)|instead\sof|rather\sthan)|\bif\s(?:\w+\s){{1,3}}?{_SAYS}\w*){_ON}{{0,6}}[\s,]*\Z"
    # What is proposed, and what was asked.
    r"|\b(?:suggest|propos|sample|draft|recommend|revis|alternativ|better|clearer|hypothetical|possible|redraft|rewrit|rephras"
    rf"|example|template|instance)\w*{_ON}{{0,4}}:[\s>*]*\Z"
    rf"|(?:\b(?:would|could|might|should)\s(?:\w+\s){{0,3}}?(?:read|say|state|add|use|write|ask|reply|suggest)"
    r"|\A\W*(?:consider|try|ask|add|insert|write|say|use|replace|change|search|look\sfor)"
    r"|\b(?:you|users?)\s(?:also\s|have\s|had\s)?(?:ask|wr[io]t|sa[iy]|mention|quot|call|describ|suggest|put)\w*"
    rf"|\byour\s(?:\w+\s)?(?:question|prompt|message|query|wording|phrase)){_ON}{{0,6}}[\s:,>]*\Z",
    re.IGNORECASE,
)
_OWN_AFTER = re.compile(
    r"[\s\"'*_).,]{1,4}(?:[\w'-]+\s){0,2}?(?:(?:(?:do|does|did|is|are|was|were|can|could)(?:\s?not|n't)|can't|never)\s(?:\w+\s){0,2}?"
    r"(?:appear|stand|occur|exist|feature|found|part|present|used|there|contained|included|mentioned|quoted"
    r"|in\s(?:your|the|any|these|this|either)\b)|(?:appears?|is|are)\snowhere\b|(?:is|are)\s(?:absent|missing)\sfrom\b)",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s\"',;/*_-]*(?:(?:or|and|nor|to|with|by)\b)?[\s\"'*_-]*")
_STOP = re.compile(r"[.!?][\"')*_]{0,3}\s")
_BEFORE, _AFTER = 120, 80
"""Characters around a quotation that say whose it is."""


def is_own(text: str, start: int, end: int, last: int, *, follows: bool) -> bool:
    """Whether a sentence denies that the sources have its quotation, or has it for a proposal, an example or a question.

    The quotation before ends at `last`; if it is such a one, this `follows` it after no more than "or" or a comma.
    """
    if follows and _BETWEEN.fullmatch(text, last, start):
        return True
    opening = _STOP.split(text[max(last, start - _BEFORE) : start])[-1].rstrip("\"'“”‘’«»„` ")
    return bool(_OWN_BEFORE.search(opening) or _OWN_AFTER.match(text, end, end + _AFTER))
