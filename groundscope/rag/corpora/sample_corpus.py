"""The app's own small benchmark, made of labelled cases such as the sample set: no key, no network, nothing to download.

The cases' passages are the corpus, their queries the questions, their grounded responses the reference answers, and the passages
that these responses' gold evidence lies in the relevant ones. It is smaller and easier than a real corpus: every passage was
written for one of its questions.
"""

from collections.abc import Sequence
from itertools import count as numbers

from groundscope.rag.types import Benchmark, Question
from groundscope.types import Case, Passage

NAME = "Sample set"
LICENCE = "CC BY 4.0"
"""Of the sample set (its data card)."""


class _Corpus:
    """Distinct passages. What two cases cite in the same words is one passage, under the id that it got first."""

    def __init__(self) -> None:
        self.passages: dict[str, Passage] = {}
        self._ids: dict[tuple[str, str], str] = {}

    def id_of(self, group: str, passage: Passage) -> str:
        """The id of a passage, which is added where it is new: `<group>-<id in its case>`."""
        content = (passage.text, passage.source)
        if content not in self._ids:
            plain = f"{group}-{passage.id}"
            free = next(n for i in numbers(1) if (n := plain if i == 1 else f"{plain}-{i}") not in self.passages)
            self._ids[content] = free
            self.passages[free] = Passage(free, passage.text, passage.source)
        return self._ids[content]


def from_samples(cases: Sequence[Case]) -> Benchmark:
    """Make a benchmark of cases; the same cases give the same benchmark.

    A group of cases is one question. Its reference answer is the first response that is labelled grounded and was made from no
    other; without one the question stays and is named, and nothing is known of its relevant passages.
    """
    corpus = _Corpus()
    questions: list[Question] = []
    problems: list[str] = []
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.group or case.parent or case.id, []).append(case)
    for group, members in groups.items():
        for passage in (p for c in members for p in c.context if p.text.strip()):
            corpus.id_of(group, passage)
        original = next((c for c in members if c.grounded and c.parent is None), None)
        if not members[0].query.strip():
            problems.append(f"{group} asks nothing and was left out; its passages stay.")
        elif original is None:
            problems.append(f"{group} has no grounded response, so it cannot be judged whether an answer is correct.")
            questions.append(Question(group, members[0].query))
        else:
            evidence = {e.passage for e in original.evidence}
            cited = (p for i, p in enumerate(original.context) if i in evidence)
            relevant = (corpus.id_of(group, p) for p in cited if p.text.strip())
            questions.append(Question(group, members[0].query, original.response, tuple(dict.fromkeys(relevant))))
    return Benchmark(NAME, tuple(corpus.passages.values()), tuple(questions), tuple(problems), LICENCE)
