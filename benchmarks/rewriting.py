"""Answers and sources as people have them: values in other forms, other values, marks, Markdown, letters in other forms.

Pure functions of texts. `python -m benchmarks.checks` tries them on the samples; the properties of the exact checks draw their
examples from them.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

_BELOW_20 = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_GREAT = ((10**9, "billion"), (10**6, "million"), (1000, "thousand"), (100, "hundred"))
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
MONTHS = "January February March April May June July August September October November December".split()


class Rewriting(NamedTuple):
    """`new` in the place of `text[start:end]`."""

    start: int
    end: int
    new: str

    def of(self, text: str) -> str:
        """Write a text with it."""
        return text[: self.start] + self.new + text[self.end :]


# Values


def in_words(number: int) -> str:
    """Spell a whole number below a million million as American lawyers do: "one hundred twenty-five"."""
    if number < 20:
        return _BELOW_20[number]
    if number < 100:
        tens = _TENS[number // 10 - 2]
        return tens if number % 10 == 0 else f"{tens}-{_BELOW_20[number % 10]}"
    size, name = next((size, name) for size, name in _GREAT if number >= size)
    rest = f" {in_words(number % size)}" if number % size else ""
    return f"{in_words(number // size)} {name}{rest}"


def ordinal(number: int) -> str:
    """Write an ordinal in digits: "21st"."""
    last = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{last}"


def ordinal_in_words(number: int) -> str:
    """Spell an ordinal: "twenty-first"."""
    words = in_words(number)
    head, last = words[: -len(_last(words))], _last(words)
    last = _ORDINALS.get(last) or (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")
    return head + last


def _last(words: str) -> str:
    return re.split(r"[-\s]", words)[-1]


_NUMBERS = {in_words(n): n for n in range(2, 100)}
_ORDINAL_NUMBERS = {ordinal_in_words(n): n for n in range(1, 32)}
_SPELLED = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_FIGURE = r"(?:\d{1,3}(?:,\d{3}){1,4}|\d{1,12})(?:\.\d{1,4})?"
_ANY_FIGURE = re.compile(rf"(?<![\w.,])(?<!\w-){_FIGURE}(?!\w|[.,-]\d)")
_MONEY = re.compile(rf"(?<![\w$])\$(?P<figure>{_FIGURE})(?:\s(?P<scale>million|billion))?(?!\w|[.,]\d)")
_PERCENT = re.compile(rf"(?<![\w.,])(?P<figure>{_FIGURE})(?:%|\spercent\b)")
_DATE = re.compile(rf"\b(?P<month>{'|'.join(MONTHS)})\s(?P<day>\d{{1,2}}),\s(?P<year>\d{{4}})\b")
_PERIOD = re.compile(rf"(?<![\w.,-])(?P<number>\d{{1,3}}|{_SPELLED})\s(?P<unit>day|week|year)s\b")
_SECTION = re.compile(r"(?:(?<!U\.S\.C\. )(?<!C\.F\.R\. )(?<!C\. )§\s|\b[Ss]ection\s)(?P<number>\d[\w.-]*(?<![.-]))")
_RANKED = re.compile(rf"\b(?P<word>{'|'.join(w.capitalize() for w in _ORDINAL_NUMBERS)})(?=\s(?:Circuit|Amendment|Department)\b)")
_COUNT = re.compile(rf"(?<![\w.,§$-])(?<!§ )(?P<number>\d{{1,3}}(?:,\d{{3}})?|{_SPELLED})(?=\s[a-z]{{3,}}s\b)")
_LABEL = re.compile(r"(?:Rule|Rules|[Ss]ections?|Article|Chapter|No\.|Part|Title|[a-z]\.|[A-Z][\w.]*)\s\Z")
_SCALES = {"million": 10**6, "billion": 10**9}


def cut_figures(text: str) -> Iterator[Rewriting]:
    """Figures cut at their first or last comma, or at their decimals: "$10" for "$10,000", "5" for "5.50" and for "2.5"."""
    for figure in _ANY_FIGURE.finditer(text):
        whole, _, decimals = figure.group().partition(".")
        first, *groups = whole.split(",")
        cut = {first, ",".join([first, *groups[:-1]]), whole, ",".join(groups), decimals} - {figure.group(), ""}
        for new in sorted(c for c in cut if c[0] != "0" and Decimal(c.replace(",", "")) != _value(figure.group())):
            yield Rewriting(*figure.span(), new)


def changed_figures(text: str) -> Iterator[Rewriting]:
    """Figures with another last digit before the decimals, and, where there are more, another first."""
    for figure in _ANY_FIGURE.finditer(text):
        digits = figure.group()
        end = len(digits.partition(".")[0])
        yield Rewriting(*figure.span(), digits[: end - 1] + str((int(digits[end - 1]) + 3) % 10 or 4) + digits[end:])
        if end > 1:
            yield Rewriting(*figure.span(), str(int(digits[0]) % 9 + 1) + digits[1:])


def scaled_figures(text: str) -> Iterator[Rewriting]:
    """Figures times ten, but for days of a month and years."""
    dates = [m.span() for m in _DATE.finditer(text)]
    for figure in _ANY_FIGURE.finditer(text):
        if not any(start <= figure.start() < end for start, end in dates):
            tenfold = _value(figure.group()) * 10
            new = f"{tenfold:,f}" if "," in figure.group() else f"{tenfold:f}"
            yield Rewriting(*figure.span(), new.rstrip("0").rstrip(".") if "." in new else new)


def _value(figure: str) -> Decimal:
    return Decimal(figure.replace(",", ""))


def stands(figure: str, texts: Iterable[str]) -> bool:
    """Whether a figure stands in a text as a figure of its own, letter for letter."""
    alone = re.compile(rf"(?<![\w.,]){re.escape(figure)}(?!\w|[.,]\d)")
    return any(alone.search(text) for text in texts)


def equal_values(text: str) -> Iterator[Rewriting]:
    """Values of a text in other forms: money, percentages, dates, periods, sections, ordinals and counts."""
    for forms in (_money, _percent, _dates, _periods, _sections, _ranks, _counts):
        yield from forms(text)


def _all(m: re.Match[str], forms: Iterable[str]) -> Iterator[Rewriting]:
    for form in dict.fromkeys(forms):
        if form != m.group():
            yield Rewriting(*m.span(), form)


def _money(text: str) -> Iterator[Rewriting]:
    for m in _MONEY.finditer(text):
        yield from _all(m, money_forms(_value(m["figure"]) * _SCALES.get(m["scale"] or "", 1)))


def money_forms(amount: Decimal) -> list[str]:
    """Forms of an amount of US dollars."""
    cents = amount % 1
    figure = f"{amount:,.2f}" if cents else f"{amount:,.0f}"
    forms = [f"${figure}", f"USD {figure}", f"US${figure}", f"{figure} dollars", f"{figure} USD"]
    if not cents:
        forms += [f"${figure}.00", f"{in_words(int(amount))} dollars", f"{in_words(int(amount))} dollars (${figure})"]
    for name, size in _SCALES.items():
        if amount >= size and amount % (size // 1000) == 0:
            scaled = f"{(amount / size).normalize():f}"
            forms += [f"${scaled} {name}", f"{scaled} {name} dollars", f"USD {scaled} {name}"]
    return forms


def _percent(text: str) -> Iterator[Rewriting]:
    for m in _PERCENT.finditer(text):
        yield from _all(m, percent_forms(_value(m["figure"])))


def percent_forms(value: Decimal) -> list[str]:
    """Forms of a percentage."""
    figure = f"{value.normalize():f}"
    forms = [f"{figure}%", f"{figure} %", f"{figure} percent", f"{figure} per cent"]
    forms += [f"{figure}.0%"] if "." not in figure else [f"{figure}0%"]
    return [*forms, f"{in_words(int(value))} percent"] if "." not in figure else forms


def _dates(text: str) -> Iterator[Rewriting]:
    for m in _DATE.finditer(text):
        yield from _all(m, date_forms(date(int(m["year"]), MONTHS.index(m["month"]) + 1, int(m["day"]))))


def date_forms(day: date) -> list[str]:
    """Forms of a day."""
    month, short = MONTHS[day.month - 1], MONTHS[day.month - 1][:3]
    short = month if len(month) < 5 else f"{short}."
    return [
        f"{month} {day.day}, {day.year}",
        f"{day.day} {month} {day.year}",
        f"{month} {ordinal(day.day)}, {day.year}",
        f"the {ordinal(day.day)} of {month} {day.year}",
        f"the {ordinal_in_words(day.day)} day of {month}, {day.year}",
        f"{short} {day.day}, {day.year}",
        f"{day.isoformat()}",
        f"{day.month}/{day.day}/{day.year}",
        f"{day.day:02}.{day.month:02}.{day.year}",
    ]


def _periods(text: str) -> Iterator[Rewriting]:
    for m in _PERIOD.finditer(text):
        yield from _all(m, period_forms(_NUMBERS.get(m["number"]) or int(m["number"]), m["unit"]))


def period_forms(number: int, unit: str) -> list[str]:
    """Forms of a period of days, weeks or years of more than a unit."""
    periods = [(number, unit)]
    if unit == "week":
        periods.append((number * 7, "day"))
    elif unit == "day" and number % 7 == 0 and number > 7:
        periods.append((number // 7, "week"))
    elif unit == "year":
        periods.append((number * 12, "month"))
    forms = [form for n, u in periods for form in (f"{n} {u}s", f"{in_words(n)} {u}s")]
    return [*forms, f"{in_words(number)} ({number}) {unit}s"]


def _sections(text: str) -> Iterator[Rewriting]:
    for m in _SECTION.finditer(text):
        yield from _all(m, section_forms(m["number"]))


def section_forms(number: int | str) -> list[str]:
    """Forms of a section."""
    return [f"§ {number}", f"section {number}", f"Section {number}", f"Sec. {number}"]


def _ranks(text: str) -> Iterator[Rewriting]:
    for m in _RANKED.finditer(text):
        yield from _all(m, ordinal_forms(_ORDINAL_NUMBERS[m["word"].casefold()])[:1])


def ordinal_forms(number: int) -> list[str]:
    """Forms of an ordinal."""
    return [ordinal(number), ordinal_in_words(number)]


def _counts(text: str) -> Iterator[Rewriting]:
    periods = {m.start() for m in _PERIOD.finditer(text)}
    for m in _COUNT.finditer(text):
        if m.start() not in periods and not _LABEL.search(text, max(0, m.start() - 20), m.start()):
            yield from _all(m, count_forms(_NUMBERS.get(m["number"]) or int(m["number"].replace(",", ""))))


def count_forms(number: int) -> list[str]:
    """Forms of a whole number."""
    return [str(number), f"{number:,}", in_words(number)]


# Marks


class Marking(NamedTuple):
    """How an answer marks the sources of its sentences.

    Attributes:
        mark: of a passage's number and how many there are.
        after: behind the full stop.
        notes: whether a list of the sources ends the answer.
        bare: a figure alone, which after another figure or an abbreviation is read with it.
    """

    mark: Callable[[int, int], str]
    after: bool = False
    notes: bool = False
    bare: bool = False


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
MARKINGS: Mapping[str, Marking] = {
    "[1] before the stop": Marking(lambda n, _: f" [{n}]"),
    "[1] after the stop": Marking(lambda n, _: f"[{n}]", after=True),
    "[1, 2]": Marking(lambda n, of: f" [{n}, {n % of + 1}]" if of > 1 else f" [{n}]"),
    "[1-3]": Marking(lambda n, of: f" [{max(1, n - 1)}-{min(of, n + 1)}]" if of > 1 else f" [{n}]"),
    "[^1] and notes": Marking(lambda n, _: f"[^{n}]", after=True, notes=True),
    "raised figures": Marking(lambda n, _: str(n).translate(_RAISED), after=True),
    "(Source 1)": Marking(lambda n, _: f" (Source {n})"),
    "【1†source】": Marking(lambda n, _: f"【{n}†source】", after=True),
    "[Doc 1]": Marking(lambda n, _: f" [Doc {n}]"),
    "bare figures after the stop": Marking(lambda n, _: str(n), after=True, bare=True),
}
_STOP = re.compile(r"[.!?]\Z")
_WORD_ENDS = re.compile(r"[a-z]{5,}[.!?]\Z")


def marked(text: str, spans: Sequence[tuple[int, int]], numbers: Sequence[int], marking: Marking, titles: Sequence[str]) -> str:
    """Mark the sentences of an answer.

    Args:
        text: the answer.
        spans: of its sentences, in order.
        numbers: of the passage that each sentence rests on, from 1.
        marking: how.
        titles: of all passages.
    """
    parts, position = [], 0
    for (_, end), number in zip(spans, numbers, strict=True):
        if marking.bare and not _WORD_ENDS.search(text[:end]):
            continue
        at = end if marking.after or not _STOP.search(text[:end]) else end - 1
        parts += [text[position:at], marking.mark(number, len(titles))]
        position = at
    notes = "".join(f"\n[^{i}]: {title}" for i, title in enumerate(titles, 1)) if marking.notes else ""
    return "".join(parts) + text[position:] + (f"\n{notes}" if notes else "")


# Markdown

INLINE: Mapping[str, Callable[[str], str]] = {
    "bold words": lambda sentence: _emphasised(sentence, "**"),
    "italic words": lambda sentence: _emphasised(sentence, "*"),
    "links": lambda sentence: re.sub(r"(?<=\s)([a-z]{4,20})(?=\s)", rf"[\1]({_ADDRESS})", sentence, count=1),
}
"""What Markdown does to words of a sentence."""
LAYOUTS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "bullets": lambda sentences: "\n".join(f"- {s}" for s in sentences),
    "numbered list": lambda sentences: "\n".join(f"{i}. {s}" for i, s in enumerate(sentences, 1)),
    "steps": lambda sentences: "\n\n".join(f"**Step {i}:** {s}" for i, s in enumerate(sentences, 1)),
    "headings": lambda sentences: "## Answer\n\n" + "\n\n### Reasons\n\n".join(sentences),
    "table": lambda sentences: "\n".join(["| Statement |", "|---|", *(f"| {s} |" for s in sentences)]),
}
"""What Markdown makes of an answer of some sentences."""  # fmt: skip


def _emphasised(sentence: str, sign: str) -> str:
    """The second and third word between signs, where they are plain words."""
    return re.sub(r"(?<=\s)([a-z]{2,20}\s[a-z]{2,20})(?=\s)", rf"{sign}\1{sign}", sentence, count=1)


_ADDRESS = "https://example.org/cases?id=4711"


def in_place(text: str, spans: Sequence[tuple[int, int]], write: Callable[[str], str]) -> str:
    """Write the sentences of an answer in another form."""
    parts, position = [], 0
    for start, end in spans:
        parts += [text[position:start], write(text[start:end])]
        position = end
    return "".join(parts) + text[position:]


# Letters


def decomposed(text: str) -> str:
    """The text in NFD."""
    return unicodedata.normalize("NFD", text)


def accented(text: str) -> str:
    """The text with marks on letters of its capitalised words, but for words of dates, numbers and courts."""
    return _NAME_WORD.sub(lambda m: m.group().translate(_ACCENTS), text)


_NAME_WORD = re.compile(
    rf"(?<=[a-z,]\s)(?!(?:{'|'.join(MONTHS)}|{'|'.join(w.capitalize() for w in _ORDINAL_NUMBERS)}"
    r"|Section|Rule|Article|Chapter|Circuit|Court|Code|Amendment|District)s?\b)[A-Z][a-z]{4,30}\b"
)
_ACCENTS = str.maketrans("aeou", "áéöü")


def soft_hyphens(text: str) -> str:
    """The text with a soft hyphen in every long word."""
    return _LONG_WORD.sub(lambda m: f"{m.group()[:4]}\u00ad{m.group()[4:]}", text)


def zero_width(text: str) -> str:
    """The text with zero-width spaces in long words and after commas within figures."""
    return re.sub(r"(?<=\d,)(?=\d)", "\u200b", _LONG_WORD.sub(lambda m: f"{m.group()[:5]}\u200b{m.group()[5:]}", text))


def cut_at_line_ends(text: str) -> str:
    """The text with every third long word cut at the end of a line."""
    words = iter(range(10**9))
    return _LONG_WORD.sub(lambda m: f"{m.group()[:4]}-\n{m.group()[4:]}" if next(words) % 3 == 0 else m.group(), text)


_LONG_WORD = re.compile(r"(?<![\w'’-])[A-Za-z]?[a-z]{7,40}(?![\w'’-])")
