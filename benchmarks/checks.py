"""What the exact checks find on the samples: wrong sentences caught by error type, and false alarms on sound ones.

    python -m benchmarks.checks

A sentence is caught if a check finds something in it. The thresholds of the checks were set on train. Below them: sentences
that differ from the nearest context sentence in some kind of words, which the app shows and does not flag.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from groundscope.cases.dataset import read
from groundscope.cases.error_types import TITLES
from groundscope.cases.gold import gold_sentences
from groundscope.commands.terminal import say
from groundscope.methods import registry
from groundscope.text.checks import CheckKind, checks
from groundscope.text.differences import ContextFacts, FactKind, differences
from groundscope.text.sentences import split
from groundscope.types import Case

SAMPLES = Path(__file__).parents[1] / "sample_data" / "legal_qa.jsonl"
Found = Callable[[Case], Sequence[set[str]]]
"""Kinds of what is found in a case, by response sentence."""
_SOUND, _WRONG, _ANSWERS = "sound sentences", "wrong sentences", "sound answers"


def main() -> Iterator[str]:
    """Lines of a Markdown table, one a split and kind of check, then one an error type."""
    cases = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    for columns, kinds_of in ((tuple(CheckKind), _checked), (tuple(FactKind), _differing)):
        yield from _tables(cases, columns, kinds_of)


def _tables(cases: Sequence[Case], kinds: Sequence[StrEnum], kinds_of: Found) -> Iterator[str]:
    for name in ("train", "dev", "test"):
        counts = _counted([c for c in cases if c.split == name], kinds_of)
        yield f"\n{name}\n\n| | {' | '.join(kinds)} | any | of |"
        yield "|---" * (len(kinds) + 3) + "|"
        rows = [_WRONG, *sorted(row for row, _ in counts if row in TITLES.values()), _SOUND, _ANSWERS]
        for row in dict.fromkeys(rows):
            of = counts[row, "of"]
            cells = [f"{n} ({100 * n / max(1, of):.1f} %)" for n in (counts[row, column] for column in (*kinds, "any"))]
            yield f"| {row} | {' | '.join(cells)} | {of} |"


def _checked(case: Case) -> list[set[str]]:
    """The kinds of checks that found something, by response sentence."""
    return [{c.kind for c in found} for found in checks(case, ContextFacts.of_case(case))]


def _differing(case: Case) -> list[set[str]]:
    """The kinds of words that differ from the context sentence that shares most words, by response sentence."""
    judged = {s.start: s for s in registry.load("overlap").score(case).sentences}
    kinds = []
    for sentence in split(case.response):
        matches = judged[sentence.start].matches if sentence.start in judged else ()
        theirs = "".join(case.context[m.passage].text[m.start : m.end] for m in matches[:1])
        changes = differences(case.response[sentence.start : sentence.end], theirs) if theirs else ()
        kinds.append({d.kind for d in changes if d.response})
    return kinds


def _counted(cases: Sequence[Case], kinds: Found) -> Counter[tuple[str, str]]:
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


if __name__ == "__main__":
    for line in main():
        say(line)
