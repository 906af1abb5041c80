"""What the findings are worth on the samples: each kind, the headline, the order of reading, and the passages shown.

    python -m benchmarks.findings            prints the tables; methods are read as they start, with their own thresholds
    python -m benchmarks.findings --write    also writes what each kind is worth into the library, from where the app shows it

Thresholds of the checks were set on the train split. The headline of an answer is about a wrong sentence if the first finding
is; by chance, if a sentence drawn at random is.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from groundscope.cases.dataset import read
from groundscope.cases.gold import GoldSentence, gold_sentences
from groundscope.commands.terminal import say
from groundscope.findings import finding
from groundscope.findings.finding import Certainty, Finding
from groundscope.findings.listing import MethodReading, checked, findings_of, nearest_sentences
from groundscope.methods import registry
from groundscope.methods.advice import recommended
from groundscope.methods.defaults import EMBEDDER, QUICK
from groundscope.text.alignment import UnitFinder, aligned
from groundscope.text.sentences import context_sentences, split
from groundscope.types import Case, Judgement

SAMPLES = Path(__file__).parents[1] / "sample_data" / "legal_qa.jsonl"
SPLITS = ("train", "dev", "test")


@dataclass(frozen=True)
class LabelledAnswer:
    """A case with its labels, and its judgements as they are asked for: the train split would take minutes."""

    case: Case
    gold: Sequence[GoldSentence]
    _judged: dict[str, Judgement] = field(default_factory=dict)

    def judged(self, method: str) -> Judgement:
        """What a method says of it."""
        if method not in self._judged:
            self._judged[method] = registry.load(method).score(self.case)
        return self._judged[method]

    @property
    def claims(self) -> list[int]:
        """The sentences that claim something."""
        return [i for i, s in enumerate(split(self.case.response)) if not s.heading]

    def wrong(self, sentence: int) -> bool:
        """Whether a sentence is labelled wrong."""
        return bool(self.gold) and self.gold[sentence].wrong

    def order(self, method: str | None) -> tuple[int, ...]:
        """The sentences with findings in the order to read them: of the checks alone, or with the doubts of a method."""
        reading = MethodReading(method, "", self.judged(method), registry.load(method).about.threshold) if method else None
        return findings_of(self.case, reading, nearest_sentences(self.case, self.judged(EMBEDDER).matrix)).order

    def flagged(self, method: str) -> tuple[int, ...]:
        """The sentences that a method alone flags, in reading order."""
        threshold = registry.load(method).about.threshold or 0.0
        supports = [s.support for s in aligned(self.case, self.judged(method))]
        return tuple(i for i, s in enumerate(supports) if s is not None and s < threshold)


@cache
def answers(split_name: str) -> list[LabelledAnswer]:
    """The answers of a split."""
    return [LabelledAnswer(c, gold_sentences(c)) for c in read(SAMPLES.name, SAMPLES.read_bytes()).cases if c.split == split_name]


def main(*, write: bool) -> Iterator[str]:
    """Lines of Markdown tables."""
    counts = {name: _counted(answers(name)) for name in SPLITS}
    yield from _by_kind(counts)
    if write:
        _write(sum(counts.values(), Counter()))
    yield from _headlines(answers("test"))
    yield from _passages()


def _counted(of: Sequence[LabelledAnswer]) -> Counter[tuple[str, bool]]:
    """Sentences with a finding by kind and by certainty, wrong ones and sound ones."""
    counts: Counter[tuple[str, bool]] = Counter()
    for answer in of:
        findings: list[Finding] = [f for f in checked(answer.case) if f.alarm]
        for i in answer.claims:
            of_sentence = [f for f in findings if f.sentence == i]
            kinds = {"all", *(f.kind for f in of_sentence), *(f"any {f.certainty}" for f in of_sentence)}
            counts.update((str(kind), answer.wrong(i)) for kind in kinds)
    return counts


def _by_kind(counts: dict[str, Counter[tuple[str, bool]]]) -> Iterator[str]:
    yield f"\nsentences with a finding, wrong / sound\n\n| kind | {' | '.join(counts)} |\n|---{'|---' * len(counts)}|"
    for kind in sorted({kind for of in counts.values() for kind, _ in of}):
        yield f"| {kind} | {' | '.join(f'{of[kind, True]} / {of[kind, False]}' for of in counts.values())} |"


def _write(counts: Counter[tuple[str, bool]]) -> None:
    kinds = [kind for kind in sorted({kind for kind, _ in counts}) if not kind.startswith("any ")]
    table = {kind: [counts[kind, True], counts[kind, False]] for kind in kinds}
    lines = ",\n".join(f"  {json.dumps(kind)}: {json.dumps(row)}" for kind, row in table.items())
    finding.WORTH.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def _headlines(of: Sequence[LabelledAnswer]) -> Iterator[str]:
    """What a reader of an answer of the test split meets first, by what leads the page."""
    wrong = [a for a in of if any(map(a.wrong, a.claims))]
    sound = [a for a in of if a.case.grounded]
    yield f"\nwrong answers of the test split: {len(wrong)}; sound ones: {len(sound)}\n"
    heads = ("first finding is wrong", "is sound", "none", "place of the first wrong sentence", "sound answers with a finding")
    yield f"| what leads | {' | '.join(heads)} |"
    yield "|---|---|---|---|---|---|"
    best = recommended().method
    leads: dict[str, Callable[[LabelledAnswer], Sequence[int]]] = {
        f"{best} alone, in reading order": lambda a: a.flagged(best),
        f"{QUICK} alone, in reading order": lambda a: a.flagged(QUICK),
        "checks": lambda a: a.order(None),
        f"checks, then doubts of {best}": lambda a: a.order(best),
    }
    for name, order in leads.items():
        first = Counter("none" if not order(a) else a.wrong(order(a)[0]) for a in wrong)
        places = [_place(a, order(a)) for a in wrong]
        alarmed = sum(bool(order(a)) for a in sound)
        yield f"| {name} | {first[True]} | {first[False]} | {first['none']} | {np.mean(places):.2f} | {alarmed} |"
    chance = [np.mean([a.wrong(i) for i in a.claims]) for a in wrong]
    places = [_expected_place(len(a.claims), sum(map(a.wrong, a.claims))) for a in wrong]
    exact = sum(any(f.certainty is Certainty.EXACT for f in checked(a.case)) for a in sound)
    yield f"| a sentence drawn at random | {sum(chance):.1f} | {len(wrong) - sum(chance):.1f} | | {np.mean(places):.2f} | |"
    yield f"\nsound answers with an exact finding: {exact} of {len(sound)}"


def _place(answer: LabelledAnswer, order: Sequence[int]) -> float:
    """Sentences read up to the first wrong one: those with findings in their order, then the others as they stand."""
    read = [*order, *(i for i in answer.claims if i not in order)]
    return next(n for n, i in enumerate(read, 1) if answer.wrong(i))


def _expected_place(count: int, wrong: int) -> float:
    """The same in a random order: (n + 1) / (k + 1)."""
    return (count + 1) / (wrong + 1)


def _passages() -> Iterator[str]:
    """How often the passage shown beside a wrong sentence is gold evidence."""
    best = recommended().method
    yield "\ngold evidence shown beside wrong sentences\n\n| passage | " + " | ".join(SPLITS) + " |\n|---|---|---|---|"
    rows: dict[str, list[str]] = {f"best match of {best}": [], "nearest in words": [], "nearest in words and meaning": []}
    for name in SPLITS:
        hits: Counter[str] = Counter()
        count = 0
        for a in answers(name):
            sought = [i for i in a.claims if a.wrong(i) and a.gold[i].evidence]
            if not sought:
                continue
            finder = UnitFinder(context_sentences(a.case.context))
            ranked = [[j for j, _ in finder.ranked(s)] for s in aligned(a.case, a.judged(best))]
            shown = zip(
                rows,
                (
                    [r[0] if r else -1 for r in ranked],
                    nearest_sentences(a.case),
                    nearest_sentences(a.case, a.judged(EMBEDDER).matrix),
                ),
                strict=True,
            )
            passages = dict(shown)
            for i in sought:
                count += 1
                hits.update(row for row, of in passages.items() if of[i] in a.gold[i].evidence)
        for row, cells in rows.items():
            cells.append(f"{hits[row]} of {count} ({100 * hits[row] / max(1, count):.1f} %)")
    for row, cells in rows.items():
        yield f"| {row} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in main(write="--write" in sys.argv):
        say(line)
