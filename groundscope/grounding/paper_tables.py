"""The figures and headings of the paper's table 3, to show beside a user's own.

Trautmann et al. 2024, "Measuring the Groundedness of Legal Question-Answering Systems", as printed. Latencies are in its figure
2 only, an image, but for two that its text states; the others are None and must not be guessed.
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import NamedTuple

from groundscope.experiments.plan import Part


class Printed(NamedTuple):
    """The columns of table 3: macro precision, macro recall, macro-F1 and accuracy, three digits."""

    precision: float
    recall: float
    macro_f1: float
    accuracy: float


class PaperRow(NamedTuple):
    """A row of table 3 and the id of the method here that does the same; two may share one that takes the model as a parameter.

    `seconds` is the mean latency per response on dev, where the text states it.
    """

    name: str
    method: str
    dev: Printed
    test: Printed
    seconds: float | None = None


SOURCE = "Trautmann et al. 2024, Measuring the Groundedness of Legal Question-Answering Systems"

RESPONSES = MappingProxyType({"dev": 150, "test": 316})
"""Responses of the splits in table 3. Its dev figures are fractions of 150, though table 1 counts 162 in dev."""

SECTIONS = {
    "2": "related work",
    "2.1": "grounding",
    "2.2": "hallucination detection",
    "3": "definition",
    "4": "data set",
    "4.1": "source",
    "4.2": "synthetic adaptation",
    "4.3": "splits",
    "5": "methods",
    "5.1": "similarity",
    "5.2": "NLI",
    "5.3": "prompting",
    "5.4": "fine-tuning",
    "6": "set-up",
    "7": "results",
    "8": "error analysis",
}
"""The paper's headings by number, in short; every place that cites a section is held against them."""

TABLE_3 = (
    PaperRow("COS_SIM", "cos_sim", Printed(0.525, 0.520, 0.494, 0.520), Printed(0.497, 0.497, 0.493, 0.497)),
    PaperRow("QUIP", "quip", Printed(0.648, 0.533, 0.421, 0.533), Printed(0.560, 0.509, 0.379, 0.509)),
    PaperRow("HEM V1", "hem_v1", Printed(0.640, 0.640, 0.640, 0.640), Printed(0.598, 0.595, 0.592, 0.595)),
    PaperRow("HEM V2", "hem_v2", Printed(0.580, 0.580, 0.580, 0.580), Printed(0.564, 0.563, 0.562, 0.563)),
    PaperRow("FACT_KB", "factkb", Printed(0.527, 0.527, 0.526, 0.527), Printed(0.510, 0.510, 0.508, 0.510)),
    PaperRow("GC-large", "grounding_classifier", Printed(0.694, 0.667, 0.655, 0.667), Printed(0.628, 0.620, 0.615, 0.620)),
    PaperRow("LYNX v1.1", "lynx", Printed(0.764, 0.460, 0.571, 0.460), Printed(0.792, 0.503, 0.597, 0.503)),
    PaperRow("Sonnet 3.5", "direct", Printed(0.728, 0.727, 0.726, 0.727), Printed(0.724, 0.715, 0.712, 0.715)),
    PaperRow("GPT-4o", "direct", Printed(0.783, 0.773, 0.771, 0.773), Printed(0.802, 0.763, 0.755, 0.763), 2.2),
    PaperRow("RefChecker (Haiku)", "refchecker", Printed(0.511, 0.506, 0.450, 0.506), Printed(0.514, 0.507, 0.435, 0.508)),
    PaperRow("RefChecker (Sonnet 3)", "refchecker", Printed(0.500, 0.500, 0.366, 0.500), Printed(0.500, 0.500, 0.386, 0.500)),
    PaperRow(
        "DeepEval Claims Verify", "claims_verify", Printed(0.801, 0.800, 0.800, 0.800), Printed(0.779, 0.774, 0.774, 0.775), 26.1
    ),
    PaperRow("SCGPT (Multi-Gen)", "multi_gen", Printed(0.627, 0.627, 0.627, 0.627), Printed(0.679, 0.667, 0.661, 0.667)),
    PaperRow("SCGPT (ContextNLI)", "context_nli", Printed(0.620, 0.620, 0.620, 0.620), Printed(0.610, 0.604, 0.600, 0.604)),
)


def rows_of(method: str) -> list[PaperRow]:
    """Find the rows of a method's id; two rows may be of one method with two chat models."""
    return [row for row in TABLE_3 if row.method == method.partition(":")[0]]


def paper_order(methods: Sequence[Part]) -> list[int]:
    """Put methods in the order of the paper's table 3; parts of one method side by side, others at the end.

    The table has `direct` twice, with two chat models: of a run's parts of it, each stands where the method stands first.
    """
    rows: dict[str, int] = {}
    for place, row in enumerate(TABLE_3):
        rows.setdefault(row.method, place)
    return sorted(range(len(methods)), key=lambda i: (rows.get(methods[i].loads.partition(":")[0], len(TABLE_3)), i))
