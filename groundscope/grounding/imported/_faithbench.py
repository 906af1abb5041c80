"""FaithBench: what eight detectors said of each summary, 0..1, higher = consistent with the source (in `metadata`)."""

from collections.abc import Iterator, Sequence

from groundscope.cases.formats import Values
from groundscope.cases.formats.faithbench import case_id
from groundscope.files.rows import Rejected, Row
from groundscope.grounding.imported._entries import MetricScore, ScoredAnswer, Tool, text

_DETECTORS = {
    "hhemv1": "HHEM 1",
    "hhem-2.1": "HHEM 2.1",
    "hhem-2.1-english": "HHEM 2.1 English",
    "trueteacher": "TrueTeacher",
    "true_nli": "TRUE NLI",
    "gpt-3.5-turbo": "GPT-3.5 Turbo",
    "gpt-4-turbo": "GPT-4 Turbo",
    "gpt_4o": "GPT-4o",
}
_SPELT = {"gpt-4o": "gpt_4o", "gpt_35_turbo": "gpt-3.5-turbo", "gpt_4_turbo": "gpt-4-turbo"}
"""Other spellings in older files and in its own scripts."""


def _entries(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer | Rejected]:
    """One entry a sample, numbered from 1 through all batches of the file."""
    for number, sample in enumerate(_samples(rows), 1):
        try:
            yield ScoredAnswer(number, "", text(sample, ("summary",)), case_id(sample) or "", _marks(sample))
        except ValueError as error:
            yield Rejected(file, number, str(error))


def _samples(rows: Sequence[Row]) -> Iterator[Values]:
    for row in rows:
        samples = row.values.get("samples")
        yield from (s for s in samples if isinstance(s, dict)) if isinstance(samples, list) else (row.values,)


def _marks(sample: Values) -> dict[str, MetricScore]:
    metadata = sample.get("metadata")
    detectors = {_SPELT.get(key, key): value for key, value in metadata.items()} if isinstance(metadata, dict) else {}
    return {title: MetricScore(detectors[key]) for key, title in _DETECTORS.items() if key in detectors}


def _fits(values: Values) -> bool:
    samples = values.get("samples")
    first = next((s for s in samples if isinstance(s, dict)), {}) if isinstance(samples, list) else values
    return first.keys() >= {"summary", "metadata"} and bool(_marks(first))


TOOL = Tool("faithbench", "FaithBench", _fits, _entries, with_cases=True)
