"""Text -> sentences with offsets into the original, made for legal text.

nupunkt (Bommarito et al. 2025, "Precise Legal Sentence Boundary Detection for Retrieval at Scale") finds the sentence
ends in the plain view of a text; what it does not know is layout, so lines are first gathered into blocks: a paragraph, a list
item, a row of a table, a heading. A sentence never crosses a block, and a list marker at the start of a line belongs to no
sentence. Ends that it misses (stops without a blank after them, or after words that it takes for abbreviations) and ends after
abbreviations of courts and other languages are set right here.
"""

import heapq
import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import NamedTuple

from groundscope.runtime.byte_cache import keep
from groundscope.text.english import is_english
from groundscope.text.plain import plain
from groundscope.types import Passage

LONGEST = 2_000
"""Characters. A longer "sentence" is a table or text without full stops: cut at a space, so that models can read it."""

_MARKER = re.compile(
    r"[ \t]*(?:(?:[-*+•‣◦▪–—·➤▶→✔✘✓✗✅❌⚠☑🔹🔸o]|\(?\d{1,3}[.)]"
    r"|\d{1,2}(?:\.\d{1,2}){1,3}\.?(?=[ \t]+[A-Z\"(])|\([a-zA-Z]\)|[a-zA-Z]\)"
    r"|\([ivxIVX]{1,5}\)|[①-⑳❶-❿]|\d\u20e3)[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)|\d{1,2}\.(?=[A-Z]))"
)
_COUNTED = re.compile(r"[ \t]*(?P<mark>[A-Z]|[IVX]{1,5}|[a-z]|[ivx]{1,5}|\d{1,3})\.[ \t]+(?=\S)")
"""A counter if the next or the last one begins another line; else it may be an initial, or what a line's end cut off."""
_MARKDOWN_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+(?=\S)")
_BLOCK = re.compile(r"[ \t]{0,3}>[ \t]?")
_ROW = re.compile(r"\| (?=\S)")
_ENDS_SENTENCE = re.compile(r"[.!?;,。!?؟۔]['\"”’)\]*_]*$")
_ENDS_BLOCK = re.compile(r"[.!?;,:。！？؟۔]['\"”’)\]*_]{0,8}\s*$")
_BREAKS = str.maketrans("\r\n", "  ")
_PUNCTUATION_RUN = re.compile(r"[^\w\s][^\w\s]{11,}")
_FOREIGN_STOPS = str.maketrans("؟۔。！？।॥", "?..!?..")
_BARE_STATUTE = re.compile(
    r"(?:(?:See(?: also)?|Accord|Cf\.) )?\d{1,3} (?:U\.S\.C\.(?:A\.)?|C\.F\.R\.|Stat\.) §{0,2} ?[\w.()-]{1,40}[.;]?"
)
_FIELD = re.compile(r"[ \t]*[A-Z][\w'/& -]{0,40}: \S")
_HEADING_WORDS = 10
_FEWEST_WORDS = 4
"""Words of a title that ends with a full stop and claims nothing."""
_AMOUNT = re.compile(r"[$€£¥]\s?\d|\d\s?[€%]|\d,\d{3}")
_CLAIMS = re.compile(rf"{_AMOUNT.pattern}|\w: \S")
"""In a line that says something although it looks like a title: an amount, or a label with its value."""
_BEFORE = dict(zip("II III IV V VI VII VIII IX X".split(), "I II III IV V VI VII VIII IX".split(), strict=True))
_NO_BLANK = re.compile(
    r"[.!?。！？｡։።؟।॥](?:"
    r"(?<=[。！？｡։።؟])[\"'）)\]]{0,2}(?=[^\s。！？｡։።؟\"'」』）)\]])"
    # "「...」と" goes on.
    r"|(?<=[。！？｡])[」』]{1,2}(?=[^\s。！？｡\"'」』）)\]\u3041-\u3096、，])"
    r"|(?<=[।॥])[\"')\]]{0,2}\s{0,4}(?=[^\s।॥\"')\]])"
    r"|(?<=[\u2e80-\u9fff\uac00-\ud7af].)(?<=[.!?])[\"'」』)\]]{0,2}(?=[\u2e80-\u9fff\uac00-\ud7af])"
    r"|(?:(?P<letters>(?<=[^\W\d_]{2}.))|(?<=[\d%][\d%].))(?<=[.!?])[\"')\]]{0,2}(?=[\"'(]?(?:[A-Z][a-z]{1,20}|(?<![IVX]\.)[IA])[\s,]))"
)
"""Ends of sentences without a blank after them."""
_AFTER_LETTER = re.compile(
    r"[A-Z]\.(?:(?<=\bEx\. ..)|(?<=\bExh\. ..)|(?<=\bExhibit ..)|(?<=\bSchedule ..)|(?<=[a-z], J\.)"
    r"|(?<=[°º′'″\"] [NSEW]\.))(?= (?!Lat|Long)[A-Z][a-z])"
)
"""Letters with a stop that are no initials: of an exhibit, of a judge, of a bearing."""
_AFTER_WORD = re.compile(r"(?<![\w.'’-])(?P<word>[a-z]{3,30})\.[\"'”’)\]*_]{0,3}(?= [\"'“‘(\[]{0,2}[A-Z])")
"""An end, where the word is one of the language and no abbreviation: nupunkt takes "month", "tax" and hundreds more for one."""
_ABBREVIATIONS = frozenset(
    (
        "abs add adj admin adv alt amt app approx apt apts arg art arts assn assoc asst atty auto ave avg bldg blvd bros "
        "cal cap capt cent cert certs chap cir cit coll com comm comp con cons cont coop corp crim def defs deg dep dept "
        "det dev dict dim disc dist div doc docs econ educ elec est etc exec exp ext fed fig figs fut gem gen gov govt "
        "hist hon hosp hwy ibid ill imp inc incl ind inf info infra ins inst int intl lab lat lib lit loc ltd mag max med "
        "mem mfg mil misc mod mon mot mun neg obj orig par para paras pars pen per perm pers port prep pres prob prof "
        "prop prov pub quart rec ref refs reg regs rel rep reps res resp rev sch sci sec secs sect sects sen sent seq ser "
        "sig soc sol spec specs std stat stats sub subdiv subs sup super supp suppl supra surg tech tel temp terr tit "
        "trans treas univ var viz vol vols"
    ).split()
)
"""Words of the language that are more often short for another one where a capital follows."""
_TITLED = frozenset("mr mrs ms dr st prof hon gov sen rep no nos vs art arts sec ex".split())
_NEVER_ENDS = re.compile(
    r"(?:^|[\s(])(?:[Vv]gl|Urt|Beschl|Urteil v|Urt\. v|Beschl\. v|bzw|ggf|[zZ]\. ?[Bb]|[zZ]\. ?[Tt]|[dD]\. ?h|[iI]\. ?V\. ?m"
    r"|[iI]\. ?S\. ?d|[uU]\. ?a|sog|gem|inkl|ca|Rs|Fa"
    r"|Hrn?|vertr|wg|Mme|Mlle|MM?|Sra?|Dott|Avv|[cC]f|cfr|sez|sent|Cass|e\.g|i\.e|v)\.\s*$"
)
"""Abbreviations that a sentence goes on after, whatever follows."""
_BEFORE_NUMBER = re.compile(
    r"(?:^|[\s(\['’])(?:Rn|Rz|Rdnr|Nr|Abs|Art|Artt|Arts|art|artt|arts|al|núm|pág|págs|pp?|Exh?s?|Tr|Compl|Decl|App|Dkt|ECF No|"
    r"Aff|Dep|Br|Mot|Opp|[Nn]os?|[Pp]aras?|[Ss]ecs?|[Cc]hs?|[Cc]ls?|Sch|Rev|[Vv]ols?|[Ff]igs?|R|J\.A|SUF|Stip"
    r"|janv|févr|avr|juill|sept|oct|nov|déc|BGBl|st|S|Tz|Ziff|lit|let)\.\s*$"
)
_NUMBER = re.compile(r"[\d¶§#(\[]|[A-Z]{1,2}(?![\w'])(?:[\s,.;)-]|$)|[IVXLC]{1,6}\b|Nos?\.")
_DAY = re.compile(r"(?:^|\D)\d{1,2}\.\s*$")
_MONTH = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Jan\.|Feb\.|Aug\.|Sept?\.|Okt\.|Nov\.|Dez\.)"
)
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]{3}")


class Sentence(NamedTuple):
    """`text[start:end]` is one sentence; `heading` marks a line that names what follows instead of claiming."""

    start: int
    end: int
    heading: bool = False


class Unit(NamedTuple):
    """A context sentence: `context[passage].text[start:end]`."""

    passage: int
    start: int
    end: int


@keep(megabytes=32)
def split(text: str, *, source: bool = False) -> tuple[Sentence, ...]:
    """Split a text into sentences, with offsets into it; of a source footnotes are sentences as well.

    Sentences do not overlap, come in order, begin and end on a non-space character, and hold every letter and digit of the plain
    view of the text (`groundscope.text.plain`) except those of list markers ("1.", "(a)") at the start of a line.
    """
    view = plain(text, source=source)
    sentences = _plain_sentences(view.text)
    if view.starts is None:
        return sentences
    return tuple(Sentence(*view.span(s.start, s.end), s.heading) for s in sentences)


@keep(megabytes=16)
def _plain_sentences(text: str) -> tuple[Sentence, ...]:
    blocks = list(_blocks(text))
    alone = len(blocks) == 1
    sentences: list[Sentence] = []
    for block in blocks:
        row = _ROW.match(text, max(0, block.start - 2)) and text[block.start - 3 : block.start - 2] in ("", "\n")
        heading = block.heading and not alone
        if heading or row:
            sentences.extend(_trimmed(text, block.start, block.end, heading=heading))
        else:
            for start, end in _joined(text[block.start : block.end]):
                sentences.extend(_trimmed(text, block.start + start, block.start + end, heading=False))
    return tuple(sentences)


def plain_units(context: tuple[Passage, ...]) -> tuple[Unit, ...]:
    """Split passages that are plain views already."""
    return tuple(Unit(p, s.start, s.end) for p, passage in enumerate(context) for s in _plain_sentences(passage.text))


def context_sentences(context: tuple[Passage, ...]) -> tuple[Unit, ...]:
    """Split all passages of a context into sentences: the columns of every support matrix."""
    return tuple(Unit(p, s.start, s.end) for p, passage in enumerate(context) for s in split(passage.text, source=True))


def unwrapped(text: str, *, source: bool = False) -> str:
    """Put blanks in the place of line breaks inside sentences, as PDF text has them anywhere; offsets stay."""
    if "\n" not in text and "\r" not in text:
        return text
    pieces, at = [], 0
    for s in split(text, source=source):
        pieces += [text[at : s.start], text[s.start : s.end].translate(_BREAKS)]
        at = s.end
    return "".join((*pieces, text[at:]))


def sentence_id(context: tuple[Passage, ...], passage: int, start: int) -> str:
    """Name a context sentence for users."""
    number = sum(s.start <= start for s in split(context[passage].text, source=True))
    return f"{context[passage].id}.{max(1, number)}"


def sentence_number(text: str, start: int) -> int:
    """The number of the sentence of a source that a place is in, as a reader counts them: without headings; 0 in a heading."""
    before = [s for s in split(text, source=True) if s.start <= start]
    return 0 if before and before[-1].heading else max(1, sum(not s.heading for s in before))


def _sentence_spans(block: str) -> list[tuple[int, int]]:
    from nupunkt import sent_spans

    # Length-preserving: nupunkt knows Latin sentence ends only, and takes quadratic time over a run of '."'.
    latin = _PUNCTUATION_RUN.sub(lambda run: " " * len(run.group()), block.translate(_FOREIGN_STOPS))
    spans: list[tuple[int, int]] = []
    for start, end in sent_spans(latin) or [(0, len(block))]:
        if spans and _goes_on(block[max(spans[-1][0], start - 20) : start], block[start : start + 12]):
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return [cut for span in spans for cut in _cut_where_no_blank(block, *span)]


def _goes_on(before: str, after: str) -> bool:
    """Whether a sentence goes on after a stop: the stop is an abbreviation's, or a day's."""
    if _NEVER_ENDS.search(before) or (after[:1].islower() and before.rstrip().endswith(".")):
        return True
    return bool((_BEFORE_NUMBER.search(before) and _NUMBER.match(after)) or (_DAY.search(before) and _MONTH.match(after)))


def _cut_where_no_blank(block: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    missed = (pattern.finditer(block, start, end) for pattern in (_NO_BLANK, _AFTER_LETTER, _AFTER_WORD))
    for m in heapq.merge(*missed, key=re.Match.end):
        if m.re is _AFTER_WORD and (m["word"] in _ABBREVIATIONS or not is_english(m["word"])):
            continue
        letters = m.re is _NO_BLANK and m["letters"] is not None
        word = block[max(start, m.start() - 20) : m.start()].rpartition(" ")[2] if letters else ""
        if word.lower().lstrip("('\"") not in _TITLED:
            yield start, m.end()
            start = m.end()
    yield start, end


def _joined(block: str) -> Iterator[tuple[int, int]]:
    """Sentence spans, with what claims nothing alone joined to its sentence.

    A single word ("Yes.", "Id.") goes with what follows it, a bare statute ("29 U.S.C. § 1109(a).") with what it is
    cited for.
    """
    open_at: int | None = None
    held: tuple[int, int] | None = None
    for start, end in _sentence_spans(block):
        open_at = start if open_at is None else open_at
        words = block[open_at:end]
        if end < len(block) and len(words.split()) < 2 and not _CJK.search(words):
            continue
        if held and _BARE_STATUTE.fullmatch(block[open_at:end].strip()):
            held = held[0], end
        else:
            if held:
                yield held
            held = open_at, end
        open_at = None
    if held:
        yield held


def _blocks(text: str) -> Iterator[Sentence]:
    start: int | None = None
    end = position = 0
    field = False
    # What is left of a list of sources at the end makes no heading of the line before it.
    lines = text.rstrip().splitlines(keepends=True)
    counters = frozenset(m["mark"].upper() for line in lines if (m := _COUNTED.match(line)))
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        line_start, position = position, position + len(line)
        body = line.strip()
        # "Deposit: $50" above "Signed: May 5": each line says something alone.
        field = bool(_FIELD.match(line)) and (field or bool(_FIELD.match(following)))
        marker = _ROW.match(line) or _BLOCK.match(line) or _MARKER.match(line)
        if not marker or (start is not None and line[:1].isdecimal() and not _ENDS_BLOCK.search(text, start, end)):
            marker = _counter(line, counters) or (marker if marker and not _COUNTED.match(line) else None)
        heading = bool(body) and not marker and _is_heading(line, following, after_gap=start is None)
        if (not body or marker or heading or field or _MARKDOWN_HEADING.match(line)) and start is not None:
            yield Sentence(start, end, heading=False)
            start = None
        if not body:
            continue
        skip = None if marker else _MARKDOWN_HEADING.match(line)
        if skip and not heading:
            # A whole sentence in bold or as a title.
            counter = _MARKER.match(line, skip.end())
            yield Sentence(line_start + (counter or skip).end(), position, heading=False)
            continue
        if heading:
            yield Sentence(line_start + (skip.end() if skip else 0), position, heading=True)
            continue
        if start is None:
            start = line_start + (marker.end() if marker else 0)
        end = position
    if start is not None:
        yield Sentence(start, end, heading=False)


def _counter(line: str, counters: frozenset[str]) -> re.Match[str] | None:
    """The counter of a list, which has another line before or after."""
    m = _COUNTED.match(line)
    mark = m["mark"].upper() if m else ""
    beside = {_BEFORE.get(mark, ""), {"A": "B", "I": "II"}.get(mark, ""), *(chr(ord(c) - 1) for c in mark if c == mark)}
    if mark.isdecimal():
        beside = {str(int(mark) - 1), str(int(mark) + 1)}
    return m if mark == "1" or beside & counters else None


def _is_heading(line: str, following: str, *, after_gap: bool) -> bool:
    body = line.strip()
    if _MARKDOWN_HEADING.match(line):
        return not _AMOUNT.search(body) and not (body.endswith((".", ";")) and len(body.split()) > _FEWEST_WORDS)
    if not after_gap or not following or _CLAIMS.search(body) or following.lstrip()[:1].islower():
        return False
    words = body.rstrip(":").split()
    if len(words) == 1 and not following.strip():
        return True
    if _ENDS_SENTENCE.search(body):
        return False
    if body.endswith(":"):
        return len(words) <= 3
    return len(words) <= _HEADING_WORDS and (not following.strip() or body.isupper() or _title_case(words))


def _title_case(words: list[str]) -> bool:
    """Most longer words start with a capital, as in a title and unlike a sentence that a line break cut."""
    long = [w for w in words if len(w) > 3 and w[0].isalpha()]
    return bool(long) and words[0][:1].isupper() and sum(w[0].isupper() for w in long) >= 0.75 * len(long)


def _trimmed(text: str, start: int, end: int, *, heading: bool) -> Iterator[Sentence]:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    while end - start > LONGEST:
        cut = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
        cut = cut if cut > 0 else start + LONGEST
        yield from _trimmed(text, start, cut, heading=heading)
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if any(c.isalnum() for c in text[start:end]):
        yield Sentence(start, end, heading)
