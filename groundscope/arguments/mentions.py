"""Every mention of a factor in a text, with its place: by number, by name, or by both.

Tolerant of case, of hyphens and of how a number is written (`F4`, `f-4`, `Factor 4`, `factors: 4, 6 and 12`, `F4, 6 and 12`,
`Factor Six`); never of another factor. A number without a factor (`F9` of the trade-secret domain), a number beside a name that
is not its own, and a name that no factor has but that is written as factors are (`Trade-licence (P)`) are mentions of something
that does not exist. A name beside a number is its own where all its words stand in the factor's name, in that order and up to
their last letter (`F25 Reverse-engineered (D)`), and it is not another factor's name; a name is what hyphens join, or one word
with a side behind it. Of a range (`F4-F8`) both ends are mentioned and nothing between. A side in brackets does not separate
factors: `wrong_side` marks one that is wrong.
"""

import re
from typing import NamedTuple

from groundscope.arguments.catalogue import normal
from groundscope.arguments.types import Catalogue, Side
from groundscope.runtime.byte_cache import keep


class FactorMatch(NamedTuple):
    """`text[start:end]` mentions the factor `key`: that of a factor, or of something that is none."""

    start: int
    end: int
    key: str


_JOIN = r"[\s\-‐‑–_'’]+"
_BEFORE, _AFTER = r"(?<!\w)(?<!\w[\-‐‑])", r"(?!\w)(?![\-‐‑]\w)"
_SIDE = re.compile(r"\s*[(\[]\s*(?:pro-)?(?:[PpDdΠΔπδ]|plaintiff|defendant)\s*[)\]]")
_SIDE_AT_END = re.compile(r"[(\[]\s*(?:pro-)?([PpDdΠΔπδ])\w*\s*[)\]]$")
_LETTERS = {"p": Side.PLAINTIFF, "π": Side.PLAINTIFF, "d": Side.DEFENDANT, "δ": Side.DEFENDANT}
_SINGLE = re.compile(r"(?<![\w\-‐‑])[Ff](?:\s?[\-‐‑–.#_]\s?|\s)?(\d{1,4})s?(?!\w)")
_RANGE = re.compile(r"[\-‐‑][Ff](\d{1,4})(?!\w)")
_SHORT = 3
"""Letters of a word that must be as it is."""
_SPELLED = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
).split()
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
WORDS = {w: n for n, w in enumerate(_SPELLED, 1)} | {
    f"{ten}{f'-{unit}' if u else ''}": 10 * t + u for t, ten in enumerate(_TENS, 2) for u, unit in enumerate(["", *_SPELLED[:9]])
}
_WORD = "|".join(sorted((w.replace("-", r"[\s\-]") for w in WORDS), key=len, reverse=True))
_HEAD = re.compile(
    rf"(?<![\w\-])[Ff]actors?(?:\s+(?:(?:[Nn]o\.?|[Nn]umbers?|[Nn]os\.?)\s*|#\s*)?(?:(\d{{1,4}})|((?i:{_WORD})))"
    r"|(?:-|(?<=s)\s?:\s?|(?<=s)\s?[(\[](?=#?\d{1,4}\s?(?:,|and\b|or\b|&)))?#?(\d{1,4})(?!\s?of\b))(?!\w)(?!\.\d)"
)
_NO_LIST = r"(?!\s*(?:%|[.,]\d|(?:other|more|further|years?|months?|days?|cases?|people|persons?|times|precedents?|factors?)\b))"
_NEXT = re.compile(rf"\s*(?:,\s*(?:and|or)|,|and|or|&|through|to|[\-–])\s*#?(\d{{1,4}})(?!\w){_NO_LIST}")
_MORE = re.compile(
    r"(?:\s?,\s?(?:and\s|or\s|&\s)?|\s(?:and|or|&)\s)(\d{1,3})(?=\s?(?:[,;:)\]]|\.(?!\d)|$)|"
    r"\s(?:and|or|&|are|were|is|was|in|as|but|with|favou?r\w*|support\w*|which|that|present|both|all)\b)"
)
_TO_NAME = re.compile(r"[\s:–—\-(\[\"'“‘*_`]{0,8}")
_TO_NUMBER = re.compile(r"\s*[(\[]\s*[*_`]{0,2}")
_ONE_WORD = re.compile(rf"[A-Z][A-Za-z]+(?={_SIDE.pattern})")
_ODD_NAME = re.compile(rf"{_BEFORE}[A-Z][A-Za-z]*(?:[\-‐‑][A-Za-z]+)+{_AFTER}")


@keep(megabytes=4)
def _names(catalogue: Catalogue) -> tuple[re.Pattern[str], dict[str, str]]:
    by_name = {normal(f.name): f.key for f in catalogue.factors}
    # The longest first, so that No-security-measures is not read as Security-measures.
    words = sorted(by_name, key=lambda n: -len(n))
    return re.compile(_BEFORE + "(?:" + "|".join(_spelled(w) for w in words) + ")" + _AFTER, re.IGNORECASE), by_name


@keep(megabytes=4)
def _squeezed(catalogue: Catalogue) -> dict[str, str]:
    """Names without what parts their words (`Non-competition-agreement`), those that only one factor has."""
    keys_of: dict[str, list[str]] = {}
    for f in catalogue.factors:
        keys_of.setdefault(_squeeze(f.name), []).append(f.key)
    return {name: keys[0] for name, keys in keys_of.items() if len(keys) == 1}


def _squeeze(name: str) -> str:
    return normal(name).replace(" ", "")


def _spelled(words: str) -> str:
    return _JOIN.join(re.escape(w) for w in words.split())


def find(text: str, catalogue: Catalogue) -> list[FactorMatch]:
    """Find all mentions of factors in a ply or an entry of a list, in order, with half-open offsets in characters; none overlap.

    A side in brackets behind a mention belongs to it.
    """
    names, by_name = _names(catalogue)
    named = [FactorMatch(m.start(), m.end(), by_name.get(normal(m[0]), normal(m[0]))) for m in names.finditer(text)]
    taken = bytearray(len(text))
    for f in named:
        taken[f.start : f.end] = b"x" * (f.end - f.start)
    # A name may hold what looks like a number of another factor.
    numbers = [f for f in _numbers(text) if not taken[f.start]]
    odd: list[FactorMatch] = []
    for m in _ODD_NAME.finditer(text):
        if not any(taken[m.start() : m.end()]):
            key = _squeezed(catalogue).get(_squeeze(m[0]))
            (named if key else odd).append(FactorMatch(m.start(), m.end(), key or "-".join(normal(m[0]).split())))
    return _joined(text, numbers, named, odd, {f.key: "-".join(normal(f.name).split()) for f in catalogue.factors})


def _numbers(text: str) -> list[FactorMatch]:
    mentions = []
    for m in _SINGLE.finditer(text):
        mentions.append(FactorMatch(m.start(), m.end(), f"F{int(m[1])}"))
        if end := _RANGE.match(text, m.end()):
            mentions.append(FactorMatch(end.start() + 1, end.end(), f"F{int(end[1])}"))
        while more := _MORE.match(text, mentions[-1].end):
            mentions.append(FactorMatch(more.start(1), more.end(1), f"F{int(more[1])}"))
    for m in _HEAD.finditer(text):
        # "a factor one must weigh" names no factor.
        if m[2] and m[2] == "one" and m[0][0] == "f":
            continue
        digits = m[1] or m[3]
        number = int(digits) if digits else WORDS["-".join(m[2].casefold().replace("-", " ").split())]
        mentions.append(FactorMatch(m.start(), m.end(), f"F{number}"))
        at = m.end()
        while m[0][: len("factors")].casefold() == "factors" and (more := _NEXT.match(text, at)):
            mentions.append(FactorMatch(more.start(1), more.end(1), f"F{int(more[1])}"))
            at = more.end()
    return sorted(mentions)


def _joined(
    text: str, numbers: list[FactorMatch], named: list[FactorMatch], odd: list[FactorMatch], names: dict[str, str]
) -> list[FactorMatch]:
    """Numbers and names that stand together are one mention."""
    starts = {f.start: f for f in (*odd, *named)}
    ends = {f.start: f for f in numbers}
    used: set[FactorMatch] = set()
    pairs = []
    for number in numbers:
        gap = _TO_NAME.match(text, number.end)
        name = starts.get(gap.end()) if gap else None
        if gap and name is None and (word := _ONE_WORD.match(text, gap.end())):
            name = FactorMatch(word.start(), word.end(), normal(word[0]))
        if name is not None:
            used |= {number, name}
            pairs.append(_one(text, number, name, names))
    for name in (*named, *odd):
        gap = None if name in used else _TO_NUMBER.match(text, name.end)
        after = ends.get(gap.end()) if gap else None
        if after is not None and after not in used:
            used |= {after, name}
            pairs.append(_one(text, after, name, names))
    single = [f for f in (*numbers, *named) if f not in used]
    # A word with hyphens is one of many; with a side behind it, it is meant as a factor.
    strange = [f for f in odd if f not in used and _SIDE.match(text, f.end)]
    return sorted(_with_side(text, f) for f in (*pairs, *single, *strange))


def _one(text: str, number: FactorMatch, name: FactorMatch, names: dict[str, str]) -> FactorMatch:
    start, end = min(number.start, name.start), max(number.end, name.end)
    # The bracket that one of them stands in is part of what is marked.
    for opening, closing in ("()", "[]"):
        if text[end : end + 1] == closing and text.count(closing, start, end) < text.count(opening, start, end):
            end += 1
            break
    written = names.get(name.key, name.key)
    same = names.get(number.key) == written
    if not same and number.key in names and name.key not in names:
        same = _within(written, names[number.key])
    return FactorMatch(start, end, number.key if same else f"{number.key} {written}")


def _within(words: str, name: str) -> bool:
    """Whether all words stand in a name, in that order; or both are the same but for what parts their words."""
    left = iter(name.split("-"))
    return all(any(_alike(word, one) for one in left) for word in words.split("-")) or words.replace("-", "") == name.replace(
        "-", ""
    )


def _alike(word: str, name: str) -> bool:
    return name == word or (len(word) > _SHORT and name.startswith(word[:-1]))


def wrong_side(text: str, mention: FactorMatch, catalogue: Catalogue) -> bool:
    """Whether a mention gives its factor the other side than the catalogue does; not where no side or no factor is written."""
    side, factor = _SIDE_AT_END.search(text, mention.start, mention.end), catalogue.by_key.get(mention.key)
    return bool(side and factor) and _LETTERS[side[1][0].lower()] is not factor.side  # type: ignore[index, union-attr]


def _with_side(text: str, mention: FactorMatch) -> FactorMatch:
    side = _SIDE.match(text, mention.end)
    return mention._replace(end=side.end()) if side else mention


_LONGEST = 80
_NOTHING = re.compile(
    r"n a|na|nil|null|nothing|empty|not applicable|(?:none|no factors?)(?: (?:is|are|was|were))?"
    r"(?: (?:mentioned|named|listed|found|identified|stated|given|present|applicable))?"
)
_BETWEEN = re.compile(r"[\s,;/&+.]*(?:(?:and|or)[\s,]*)?")
_KEY = re.compile(r"F\d{1,4}(?: [^\W_]+(?:-[^\W_]+)*)?|[^\W_]+(?:-[^\W_]+)+")


def keys_of(written: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Find the factors that an entry of a list names.

    What names no factor is its own key, as something invented; so is a text that names several among other words, since it is
    not clear which was meant.
    """
    line = " ".join(written.split())
    mentions = find(line, catalogue)
    if len(mentions) == 1:
        return (mentions[0].key,)
    if mentions and all(_BETWEEN.fullmatch(gap) for gap in _gaps(line, [(f.start, f.end) for f in mentions])):
        return tuple(dict.fromkeys(f.key for f in mentions))
    words = normal(line)
    if words.isascii() and words.isdigit() and len(words) <= 4:
        return (f"F{int(words)}",)
    return () if not words or _NOTHING.fullmatch(words) else ("-".join(words.split())[:_LONGEST].rstrip("-"),)


def _gaps(line: str, spans: list[tuple[int, int]]) -> list[str]:
    ends = [0, *(end for _, end in spans)]
    starts = [*(start for start, _ in spans), len(line)]
    return [line[end:start] for end, start in zip(ends, starts, strict=True)]


def read_keys(written: str, catalogue: Catalogue) -> tuple[str, ...]:
    """Find the factors as `keys_of` does, of an entry that may be a key already, as rows are exported: that stays what it is."""
    line = " ".join(written.split())[: 2 * _LONGEST]
    mentions = find(line, catalogue)
    if [(f.start, f.end) for f in mentions] == [(0, len(line))]:
        return (mentions[0].key,)
    return (line,) if _KEY.fullmatch(line) and line[1:] == line[1:].casefold() else keys_of(line, catalogue)
