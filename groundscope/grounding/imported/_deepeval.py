"""DeepEval: the JSON of a test run (`testCases` with `metricsData`), or of its results; fields in either spelling.

FaithBench: what eight detectors said of each summary, 0..1, higher = consistent with the source (in `metadata`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from groundscope.cases.formats import Values
from groundscope.cases.formats.faithbench import case_id
from groundscope.files.fields import first
from groundscope.files.rows import Rejected, Row
from groundscope.grounding.imported._entries import MetricScore, ScoredAnswer, Tool, each, name_of, number, text, words

_RUNS = ("testCases", "test_cases", "test_results")
_COST, _DURATION = ("evaluationCost", "evaluation_cost"), ("runDuration", "run_duration")
_OUTPUT, _METRICS = ("actualOutput", "actual_output"), ("metricsData", "metrics_data")


def entries(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer[MetricScore] | Rejected]:
    """Read the test cases of a run or of several, numbered from 1 through all of them; a row may be a test case itself."""
    return each(file, enumerate(_cases(rows), 1), _entry)


def _cases(rows: Sequence[Row]) -> Iterator[object]:
    for row in rows:
        run = next((row.values[name] for name in _RUNS if isinstance(row.values.get(name), list)), None)
        if run is None:
            yield row.values
        else:
            yield from run


def _entry(count: int, case: object) -> ScoredAnswer[MetricScore]:
    if not isinstance(case, dict):
        raise ValueError("A test case must be an object with an input and an output.")
    data = first(case, _METRICS, [])
    if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
        raise ValueError(f"'{_METRICS[0]}' must be a list of objects.")
    marks: dict[str, MetricScore] = {}
    for item in data:
        name = text(item, ("name",)).strip()
        earlier = sum(known == name or known.startswith(f"{name} (") for known in marks)
        reason = words(item.get("reason")) or words(item.get("error"))
        mark = MetricScore(item.get("score"), reason, _falling(item), cost=first(item, _COST))
        marks[f"{name} ({earlier + 1})" if name in marks else name] = mark
    if len(marks) == 1:
        # The time of a test case is that of all its metrics together.
        marks = {name: replace(mark, seconds=first(case, _DURATION)) for name, mark in marks.items()}
    return ScoredAnswer(count, text(case, ("input",)), text(case, _OUTPUT), _name(case), marks)


def _name(case: Values) -> str:
    """The id that a user left in the metadata, or the test case's own name."""
    for name in ("metadata", "additionalMetadata", "additional_metadata"):
        metadata = case.get(name)
        if isinstance(metadata, dict) and (own_name := name_of(metadata)):
            return own_name
    return name_of(case, ("name",))


def _falling(item: Values) -> bool | None:
    """Whether passing means a score below the threshold, where score, threshold and success show it."""
    success = item.get("success")
    try:
        score, threshold = number(item.get("score")), number(item.get("threshold"))
    except ValueError:
        return None
    if score is None or threshold is None or score == threshold or not isinstance(success, bool):
        return None
    return success is (score < threshold)


def _fits(values: Values) -> bool:
    if any(name in values for name in _OUTPUT) and any(name in values for name in _METRICS):
        return True
    return any(isinstance(values.get(name), list) for name in _RUNS)


TOOL = Tool("deepeval", "DeepEval", _fits, entries, with_cases=True)


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


def _of_samples(file: str, rows: Sequence[Row]) -> Iterator[ScoredAnswer[MetricScore] | Rejected]:
    """One entry a sample, numbered from 1 through all batches of the file."""

    def read(count: int, sample: Values) -> ScoredAnswer[MetricScore]:
        return ScoredAnswer(count, "", text(sample, ("summary",)), case_id(sample) or "", _of_detectors(sample))

    return each(file, enumerate(_samples(rows), 1), read)


def _samples(rows: Sequence[Row]) -> Iterator[Values]:
    for row in rows:
        samples = row.values.get("samples")
        yield from (s for s in samples if isinstance(s, dict)) if isinstance(samples, list) else (row.values,)


def _of_detectors(sample: Values) -> dict[str, MetricScore]:
    metadata = sample.get("metadata")
    detectors = {_SPELT.get(key, key): value for key, value in metadata.items()} if isinstance(metadata, dict) else {}
    return {title: MetricScore(detectors[key]) for key, title in _DETECTORS.items() if key in detectors}


def _fits_faithbench(values: Values) -> bool:
    samples = values.get("samples")
    first = next((s for s in samples if isinstance(s, dict)), {}) if isinstance(samples, list) else values
    return first.keys() >= {"summary", "metadata"} and bool(_of_detectors(first))


FAITHBENCH = Tool("faithbench", "FaithBench", _fits_faithbench, _of_samples, with_cases=True)
