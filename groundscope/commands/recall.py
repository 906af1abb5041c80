"""The job of `citations`: texts beside their references are scored, and each score is kept as it comes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from math import inf
from typing import Any, NamedTuple

from groundscope.citations.authorities import CITED_ALIKE, FLOORS
from groundscope.citations.batch import AnalysisEntry
from groundscope.citations.claims import Reach, document
from groundscope.citations.decomposing import Decomposed, Decomposer, decomposed, decomposer
from groundscope.citations.fresco import fresco, l_fresco
from groundscope.citations.points import general_fresco, key_points
from groundscope.citations.similarity import Cosine, RougeL, Similarity, Weighted, asks, model_similarity
from groundscope.citations.whole_texts import METHOD, WritesTexts, whole_texts, with_bart
from groundscope.experiments.directory import JobDirectory
from groundscope.experiments.plan import Content, Place, Result
from groundscope.experiments.store import JobFile
from groundscope.experiments.task import STAGE, Task, TaskPart, TaskSteps, contents
from groundscope.methods import registry
from groundscope.models import embedders


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """What the verb was asked for, by the names of its parameters; `bart_note` says why BARTScore is left out."""

    b_sims: tuple[str, ...]
    metric: str
    threshold: float | None
    c_sim: str
    floor: float | None
    same: float | None
    claim: Reach
    decompose: str | None
    subsections: bool
    bartscore: bool
    in_json: bool
    bart_note: str = ""

    @property
    def similarities(self) -> list[Similarity]:
        """The chosen ones, each once."""
        return [measure(line) for line in dict.fromkeys(self.b_sims)]

    @property
    def splitter(self) -> Decomposer | None:
        """The chat model that splits texts into claims; None = rules do, or nothing has to be split."""
        return decomposer(self.decompose) if self.decompose and self.metric not in ("points", "claims") else None

    @property
    def split_by(self) -> str:
        """The signature of what splits texts into claims."""
        return splitter.signature if (splitter := self.splitter) else f"rules|{self.claim}"

    def tau(self, similarity: Similarity) -> float:
        """The similarity from which claims match."""
        return similarity.threshold if self.threshold is None else self.threshold


class RecallItem(NamedTuple):
    """Texts beside one reference, by their rows, and by text what a chat model gave of it; empty = rules split them."""

    entries: Mapping[int, AnalysisEntry]
    claims: Mapping[str, Content] = {}


def measure(line: str) -> Similarity:
    """Build a similarity from its id, `rouge`, `cosine:EMBEDDER`, one of `model_similarity`, or a weighted mean of such."""
    if _WEIGHT.match(line):
        return Weighted(tuple(_weighted(term, line) for term in _TERMS.split(line)))
    kind, _, spec = line.partition(":")
    if line == "rouge":
        return RougeL()
    if kind == "cosine":
        embedder = embedders.embedder(spec or "minilm")
        return Cosine(embedder, f"Embedding cosine, {embedder.title}")
    return model_similarity(line, {})


_WEIGHT = re.compile(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*\*\s*")
_TERMS = re.compile(r"\+(?=\s*[0-9.]+\s*\*)")


def _weighted(term: str, line: str) -> tuple[float, Similarity]:
    match = _WEIGHT.match(term)
    if match is None or not 0 < float(match[1]) < inf:
        raise ValueError(f"weights must be numbers above 0, as in .5*rouge+.5*cosine, got {line!r}")
    return float(match[1]), measure(term[match.end() :].strip())


def _part(_name: str, options: Content) -> TaskPart[RecallItem]:
    how = RecallOptions(**options)
    similarities = how.similarities
    method: Any = registry.load(METHOD) if how.bartscore else None
    signatures = [how.split_by, *(s.signature for s in similarities), method.signature if method else ""]
    asked = how.splitter is not None or any(map(asks, similarities))
    return TaskPart("|".join(signatures), partial(_scores, how, similarities, method), asked)


def _scores(how: RecallOptions, similarities: list[Similarity], method: WritesTexts | None, item: RecallItem) -> Content:
    """The scores of one text by each similarity, and measures of the whole text; in `claims` the values of a pair of claims."""
    (entry,) = item.entries.values()
    texts = entry.generated, entry.reference
    if how.metric == "claims":
        return {"scores": [similarity.of([texts])[0] for similarity in similarities]}
    both = [
        decomposed(text, item.claims[text], subsections=how.subsections)
        if item.claims
        else Decomposed(document(text, how.claim, subsections=how.subsections))
        for text in texts
    ]
    generated, reference = (split.document for split in both)
    if generated is None or reference is None:
        why = next(split.why for split in both if split.document is None)
        return {"why": f"its claims could not be read. {why}"}
    scores = []
    for similarity in similarities:
        if how.metric == "points":
            floor = 0.3 if how.floor is None else how.floor
            points = key_points(entry.generated), key_points(entry.reference)
            score = general_fresco(*points, similarity, similarity, how.threshold, floor)
        elif how.metric == "fresco":
            floor = FLOORS[how.c_sim] if how.floor is None else how.floor
            score = fresco(generated, reference, similarity, CITED_ALIKE[how.c_sim], how.threshold, floor)
        else:
            score = l_fresco(generated, reference, similarity, how.threshold, "sum" if how.metric == "sum" else "best")
        scores.append(asdict(score))
    (whole,), cut = whole_texts([(generated, reference)]), False
    if method:
        whole, cut = with_bart(whole, texts, method)
    return {"scores": scores, "whole": whole, "cut": cut}


RECALL: Task[RecallItem] = Task(
    JobDirectory("recall", "citation recall"),
    "reference",
    "reference",
    lambda item: list(item.entries.items()),
    lambda rows: RecallItem({row: AnalysisEntry(*entry) for row, entry in rows}),
    _part,
)
"""Each item is a reference with the texts beside it, of as many systems as there are."""


class RecallSteps(TaskSteps[RecallItem]):
    """Keeps the claims of each text, where a chat model splits it, and the scores of each generated one."""

    def do(self, place: Place, earlier: Mapping[str, Content]) -> Iterator[Result]:
        """What is not kept yet of a reference; `scores_of` reads it."""
        item, claims = self._items[place.row], dict[str, Content]()
        if splitter := RecallOptions(**self._plan.options).splitter:
            for text in dict.fromkeys(text for entry in item.entries.values() for text in (entry.reference, entry.generated)):
                stage = f"claims {len(claims)}"
                claims[text] = earlier[stage] if stage in earlier else splitter.ask(text)
                if stage not in earlier:
                    yield Result(stage, claims[text])
        for number, (row, entry) in enumerate(item.entries.items()):
            if (stage := f"scores {number}") not in earlier:
                yield Result(stage, self._parts[place.part].do(RecallItem({row: entry}, claims)))
        yield Result(STAGE, {})


def scores_of(file: JobFile) -> list[tuple[AnalysisEntry, Content]]:
    """Read the scores of a finished job, row by row; `why` where a text has none."""
    scores, results = {}, contents(file)
    for place, item in enumerate(RECALL.items(file)):
        done = file.at(Place(0, 0, place))
        for number, (row, entry) in enumerate(item.entries.items()):
            scores[row] = entry, done.get(f"scores {number}", {"why": f"it could not be scored. {results[place, 0]}"})
    return [scores[row] for row in sorted(scores)]
