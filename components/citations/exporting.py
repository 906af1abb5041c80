"""The table of authorities as CSV and JSON, with the settings of the figures. Pure: no streamlit."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from math import isnan
from typing import NamedTuple

from components.citations.outcomes import WORDS, AuthorityRow
from groundscope.citations.comparing import MEASURES
from groundscope.citations.fresco import FrescoScore
from groundscope.grounding.export import guarded

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
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for r in rows:
        alike = "" if r.alike is None or isnan(r.alike) else f"{r.alike:.4f}"
        cells = (str(r.number), WORDS[r.state], r.authority, r.reference, r.generated, alike)
        writer.writerow([guarded(c) for c in cells])
    return out.getvalue().encode("utf-8")


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
