"""What the exact checks find on the samples: wrong sentences caught by error type, and false alarms on sound ones.

    python -m benchmarks.checks

A sentence is caught if a check finds something in it. The thresholds of the checks were set on train. Then: the sound answers
with other figures (to be caught), with equal values in other forms, with marks of sources, in Markdown and in letters of other
forms (without a further alarm, and in the same sentences), and sentences in other languages; at last, how long a check takes.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from statistics import median
from time import process_time
from typing import NamedTuple

from benchmarks.checks_languages import SENTENCES
from benchmarks.machine import SAMPLES
from benchmarks.rewriting import (
    INLINE,
    LAYOUTS,
    MARKINGS,
    Marking,
    Rewriting,
    accented,
    changed_figures,
    cut_at_line_ends,
    cut_figures,
    decomposed,
    equal_values,
    in_place,
    marked,
    scaled_figures,
    soft_hyphens,
    stands,
    zero_width,
)
from groundscope.cases.dataset import read
from groundscope.cases.error_types import TITLES
from groundscope.cases.gold import gold_sentences
from groundscope.commands.terminal import say
from groundscope.findings.exact import Finding, exact_findings_of
from groundscope.text.sentences import split
from groundscope.types import Case, Passage

Kinds = Callable[[Case], Sequence[set[str]]]
"""Kinds of what is found in a case, by response sentence."""
Letters = Callable[[str], str]
_SOUND, _WRONG, _ANSWERS = "sound sentences", "wrong sentences", "sound answers"


def alarms(case: Case) -> list[Finding]:
    """What the exact checks flag in a response."""
    return [f for f in exact_findings_of(case) if f.alarm]


def main() -> Iterator[str]:
    """Lines of Markdown tables."""
    cases = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    sound = [c for c in cases if c.grounded]
    yield from _by_split(cases)
    yield from _by_kind("findings of the exact checks by kind", _counted(cases, _checked))
    yield from _values(sound)
    yield from _forms(sound)
    yield from _languages()
    yield from _speed(sound)


def _by_split(cases: Sequence[Case]) -> Iterator[str]:
    counts = {name: _counted([c for c in cases if c.split == name], _checked) for name in ("train", "dev", "test")}
    yield f"\nfindings of the exact checks\n\n| | {' | '.join(f'{name} | of' for name in counts)} |"
    yield "|---" * (2 * len(counts) + 1) + "|"
    for row in (_WRONG, *sorted(TITLES.values()), _SOUND, _ANSWERS):
        cells = (f"{_share(n[row, 'any'], n[row, 'of'])} | {n[row, 'of']}" for n in counts.values())
        yield f"| {row} | {' | '.join(cells)} |"


def _by_kind(title: str, counts: Counter[tuple[str, str]]) -> Iterator[str]:
    rows = (_WRONG, _SOUND, _ANSWERS)
    heads = (f"{row} of {counts[row, 'of']}" for row in rows)
    yield f"\n{title}\n\n| | {' | '.join(heads)} |\n|---|---|---|---|"
    for kind in (*sorted({column for _, column in counts} - {"of", "any"}), "any"):
        yield f"| {kind} | {' | '.join(_share(counts[row, kind], counts[row, 'of']) for row in rows)} |"


def _share(n: int, of: int) -> str:
    return f"{n} ({100 * n / max(1, of):.1f} %)"


def _checked(case: Case) -> list[set[str]]:
    """The kinds of checks that flag something, by response sentence."""
    flagged = alarms(case)
    return [{a.kind for a in flagged if s.start <= a.start < s.end} for s in split(case.response)]


def _counted(cases: Sequence[Case], kinds: Kinds) -> Counter[tuple[str, str]]:
    """Sentences and sound answers by row and column of the table."""
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        gold = {s.start: s for s in gold_sentences(case)}
        whole: set[str] = set()
        for sentence, present in zip(split(case.response), kinds(case), strict=True):
            if sentence.heading:
                continue
            labels = gold.get(sentence.start)
            wrong = bool(labels and labels.wrong)
            names = {_WRONG if wrong else _SOUND, *(TITLES[e.type] for e in (labels.errors if labels else ()))}
            columns = {"of", *({"any", *present} if present else ())}
            counts.update((row, column) for row in names for column in columns)
            whole |= columns
        if case.grounded:
            counts.update((_ANSWERS, column) for column in whole)
    return counts


# Values


def flagged_rewritings(case: Case, rewritings: Callable[[str], Iterable[Rewriting]]) -> Iterator[tuple[Rewriting, bool, bool]]:
    """The rewritings of each sentence of a response alone, and whether an alarm touches their words before and after."""
    for start, end, heading in split(case.response):
        sentence = replace(case, response=case.response[start:end], errors=(), evidence=())
        for change in () if heading else rewritings(sentence.response):
            before = touched(sentence, change.start, change.end)
            after = replace(sentence, response=change.of(sentence.response))
            yield change, before, touched(after, change.start, change.start + len(change.new))


def touched(case: Case, start: int, end: int) -> bool:
    """Whether an alarm touches `response[start:end]`."""
    return any(a.start < end and start < a.end for a in alarms(case))


def _values(cases: Sequence[Case]) -> Iterator[str]:
    yield "\nsound answers with other values\n\n| | alarms | of |\n|---|---|---|"
    changes = {"figures cut": cut_figures, "figures with another digit": changed_figures, "figures times ten": scaled_figures}
    for name, rewritings in changes.items():
        wrong = [
            after
            for case in cases
            for change, _, after in flagged_rewritings(case, rewritings)
            if not stands(change.new, (text for p in case.context for text in (p.text, p.source)))
        ]
        yield f"| {name} (to be caught) | {_share(sum(wrong), len(wrong))} | {len(wrong)} |"
    equal = [after for case in cases for _, before, after in flagged_rewritings(case, equal_values) if not before]
    yield f"| equal values in other forms | {_share(sum(equal), len(equal))} | {len(equal)} |"


# Marks, Markdown, letters


class Reading(NamedTuple):
    """What stays the same whatever an answer looks like: the words of its sentences, and which of them are flagged."""

    sentences: tuple[tuple[str, ...], ...]
    flagged: tuple[bool, ...]


_MARK_WORDS = {"source", "doc", "step", "https", "example", "org", "cases", "id"}
_WORD = re.compile(r"[a-z]+")


def reading(case: Case) -> Reading:
    """Read a response; the words of marks, figures and letters with marks are left out of its sentences."""
    flagged = alarms(case)
    sentences = [s for s in split(case.response) if not s.heading]
    words = [tuple(_words(case.response[s.start : s.end])) for s in sentences]
    return Reading(tuple(words), tuple(any(s.start <= a.start < s.end for a in flagged) for s in sentences))


def _words(text: str) -> list[str]:
    whole = re.sub(r"[\u00ad\u200b\u0300-\u036f]|\(https[^)]*\)", "", decomposed(text)).casefold()
    return [w for w in _WORD.findall(whole) if w not in _MARK_WORDS]


def forms(case: Case) -> Iterator[tuple[str, Case, Case]]:
    """Every form of a sound answer: its name, the case as it was and the case in that form."""
    spans = [(s.start, s.end) for s in split(case.response)]
    numbers = [_passage(case, case.response[start:end]) for start, end in spans]
    for name, marking in MARKINGS.items():
        yield name, case, replace(case, response=with_marks(case, spans, numbers, marking))
    sentences = [" ".join(case.response[start:end].split()) for start, end in spans]
    for name, write in INLINE.items():
        yield name, case, replace(case, response=in_place(case.response, spans, write))
    for name, lay_out in LAYOUTS.items():
        yield name, case, replace(case, response=lay_out(sentences))
    source = max((p.text for p in case.context), key=lambda text: len(set(_words(text)) & set(_words(case.response))))
    quoted = " ".join(source[slice(*split(source)[0][:2])].split())
    lead = f"{case.response}\n\nThe words are these:\n\n"
    yield "block quote", replace(case, response=f"{lead}{quoted}"), replace(case, response=f"{lead}> {quoted}")
    plain = _lettered(case, accented, accented, accented)
    yield "NFD in the answer", plain, replace(plain, response=decomposed(plain.response))
    yield "NFD in the sources", plain, _lettered(plain, str, decomposed, decomposed)
    yield "soft hyphens in the answer", case, replace(case, response=soft_hyphens(case.response))
    yield "soft hyphens in the sources", case, _lettered(case, str, soft_hyphens)
    yield "zero-width spaces in the sources", case, _lettered(case, str, zero_width)
    yield "words cut at line ends of the sources", case, _lettered(case, str, cut_at_line_ends)
    yield "sources in another order", case, replace(case, context=case.context[::-1])


def with_marks(case: Case, spans: Sequence[tuple[int, int]], numbers: Sequence[int], marking: Marking) -> str:
    """The response with marks of its sources."""
    return marked(case.response, spans, numbers, marking, [p.source or p.id for p in case.context])


def _lettered(case: Case, answer: Letters, source: Letters, title: Letters = str) -> Case:
    context = tuple(Passage(p.id, source(p.text), title(p.source)) for p in case.context)
    return replace(case, response=answer(case.response), context=context)


def _passage(case: Case, sentence: str) -> int:
    """Number of the passage that shares most words with a sentence in one of its own; words of many passages count less."""
    words = set(_words(sentence))
    passages = [_sentence_words(p) for p in case.context]
    weights = {w: 1 / max(1, sum(any(w in s for s in sentences) for sentences in passages)) for w in words}
    shared = [max((sum(weights[w] for w in words & s) for s in sentences), default=0.0) for sentences in passages]
    return 1 + shared.index(max(shared))


@cache
def _sentence_words(passage: Passage) -> list[frozenset[str]]:
    title = frozenset(_words(passage.source))
    return [title | set(_words(passage.text[start:end])) for start, end, _ in split(passage.text)]


def _forms(cases: Sequence[Case]) -> Iterator[str]:
    yield "\nsound answers in other forms\n\n| | sentences with an alarm | without it | other answer sentences | sentences |"
    yield "|---|---|---|---|---|"
    plain = cache(reading)
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        for name, before, after in forms(replace(case, errors=(), evidence=())):
            was, now = plain(before), reading(after)
            row = counts.setdefault(name, Counter())
            row["was"] += sum(was.flagged)
            row["now"] += sum(now.flagged)
            row["of"] += len(was.sentences)
            row["answers"] += 1
            row["other"] += was.sentences != now.sentences
    for name, row in counts.items():
        shares = (_share(row[column], row[of]) for column, of in (("now", "of"), ("was", "of"), ("other", "answers")))
        yield f"| {name} | {' | '.join(shares)} | {row['of']} |"


def _languages() -> Iterator[str]:
    yield "\nother languages\n\n| | wrong figures caught | of | sound sentences with an alarm | of |\n|---|---|---|---|---|"
    for language in dict.fromkeys(s.language for s in SENTENCES):
        caught, flagged = [], []
        for sentence in (s for s in SENTENCES if s.language == language):
            case = Case("c", "", (Passage("p", sentence.source),), sentence.answer)
            start = sentence.answer.index(sentence.wrong)
            if sentence.wrong:
                caught.append(touched(case, start, start + len(sentence.wrong)))
            else:
                flagged.append(bool(alarms(case)))
        shares = (f"{_share(sum(hits), len(hits))} | {len(hits)}" for hits in (caught, flagged))
        yield f"| {language} | {' | '.join(shares)} |"


# Speed

_SENTENCES, _SOURCE_SENTENCES, _TIMES = 10, 200, 15


def _speed(cases: Sequence[Case]) -> Iterator[str]:
    times = []
    for i in range(2 * _TIMES):
        first = 3 * (i % _TIMES)
        case = _joined([*cases[first:], *cases[:first]], i)
        before = process_time()
        exact_findings_of(case)
        times.append(1000 * (process_time() - before))
    # In the first round eyecite compiles patterns of the reporters that it meets.
    times = times[_TIMES:]
    yield f"\nan answer of {_SENTENCES} sentences, {_SOURCE_SENTENCES} source sentences: {median(times):.0f} ms, nothing cached"


def _joined(cases: Sequence[Case], number: int) -> Case:
    """An answer of some cases with sources of them; a phrase of each text is new, so that no cache knows it."""
    words = " the ", f" the {'very ' * (number + 1)}"
    sentences = [c.response[s.start : s.end] for c in cases for s in split(c.response) if not s.heading]
    context: list[Passage] = []
    count = 0
    for passage in dict.fromkeys(p for c in cases for p in c.context):
        if count < _SOURCE_SENTENCES:
            context.append(replace(passage, text=passage.text.replace(*words, 1)))
            count += len(split(passage.text))
    return Case("speed", "", tuple(context), " ".join(sentences[:_SENTENCES]).replace(*words, 1))


if __name__ == "__main__":
    for line in main():
        say(line)
