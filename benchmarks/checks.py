"""What the exact checks find on the samples: wrong sentences caught by error type, and false alarms on sound ones.

    python -m benchmarks.checks

A sentence is caught if a check finds something in it. The thresholds of the checks were set on train.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from groundscope.cases.dataset import read
from groundscope.cases.error_types import TITLES
from groundscope.cases.gold import gold_sentences
from groundscope.commands.terminal import say
from groundscope.text.checks import CheckKind, checks
from groundscope.text.differences import ContextFacts
from groundscope.text.sentences import split
from groundscope.types import Case

SAMPLES = Path(__file__).parents[1] / "sample_data" / "legal_qa.jsonl"
_SOUND, _WRONG, _ANSWERS = "sound sentences", "wrong sentences", "sound answers"


def main() -> Iterator[str]:
    """Lines of a Markdown table, one a split and kind of check, then one an error type."""
    cases = read(SAMPLES.name, SAMPLES.read_bytes()).cases
    kinds = [*CheckKind]
    for name in ("train", "dev", "test"):
        counts = _counted([c for c in cases if c.split == name])
        yield f"\n{name}\n\n| | {' | '.join(kinds)} | any check | of |"
        yield "|---" * (len(kinds) + 3) + "|"
        rows = [_WRONG, *sorted(row for row, _ in counts if row in TITLES.values()), _SOUND, _ANSWERS]
        for row in dict.fromkeys(rows):
            found = [counts[row, column] for column in (*kinds, "any")]
            of = counts[row, "of"]
            yield f"| {row} | {' | '.join(map(str, found[:-1]))} | {found[-1]} ({100 * found[-1] / max(1, of):.1f} %) | {of} |"


def _counted(cases: Sequence[Case]) -> Counter[tuple[str, str]]:
    """Sentences and sound answers by row and column of the table."""
    counts: Counter[tuple[str, str]] = Counter()
    for case in cases:
        gold = {s.start: s for s in gold_sentences(case)}
        whole: set[str] = set()
        for sentence, found in zip(split(case.response), checks(case, ContextFacts.of_case(case)), strict=True):
            if sentence.heading:
                continue
            labels = gold.get(sentence.start)
            wrong = bool(labels and labels.wrong)
            names = {_WRONG if wrong else _SOUND, *(TITLES[e.type] for e in (labels.errors if labels else ()))}
            columns = {"of", *({"any", *(c.kind for c in found)} if found else ())}
            counts.update((row, column) for row in names for column in columns)
            whole |= columns
        if case.grounded:
            counts.update((_ANSWERS, column) for column in whole)
    return counts


if __name__ == "__main__":
    for line in main():
        say(line)
