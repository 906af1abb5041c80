"""The table of authorities as CSV and JSON, with the settings of the figures. Pure: no streamlit."""

import json
from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple

import pandas as pd

from components.citations.outcomes import WORDS, AuthorityRow
from groundscope.citations.comparing import MEASURES
from groundscope.citations.fresco import FrescoScore
from groundscope.grounding.tables import frame_csv

COLUMNS = ("number", "result", "authority", "reference_claim", "generated_claim", "similarity")


class Made(NamedTuple):
    """The texts and settings of a score: scores with equal settings can be compared."""

    id: str
    system: str
    metric: str
    similarity: str
    threshold: float
    options: Mapping[str, object]


def as_csv(rows: Sequence[AuthorityRow]) -> bytes:
    """One row per authority; a missing or unknown similarity is an empty cell."""
    alike = ["" if r.alike is None or isnan(r.alike) else f"{r.alike:.4f}" for r in rows]
    cells = [(str(r.number), WORDS[r.state], r.authority, r.reference, r.generated, a) for r, a in zip(rows, alike, strict=True)]
    return frame_csv(pd.DataFrame(cells, columns=COLUMNS))


def as_json(rows: Sequence[AuthorityRow], score: FrescoScore, made: Made) -> str:
    """The same with the figures, the number of reference claims left out, and the settings."""
    document = {
        **made._asdict(),
        **{m: _none(getattr(score, m)) for m in MEASURES},
        "reference_pairs": score.reference,
        "generated_pairs": score.generated,
        "matched": len(score.matched),
        "unknown": score.unknown,
        "authorities": [
            dict(zip(COLUMNS, (r.number, WORDS[r.state], r.authority, r.reference, r.generated, _none(r.alike)), strict=True))
            for r in rows
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)


def _none(value: float | None) -> float | None:
    return None if value is None or isnan(value) else value
