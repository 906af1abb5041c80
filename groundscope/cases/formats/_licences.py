"""What the licences of public data sets keep back, in sentences for the report of an upload. Not legal advice."""

import re
from typing import Any

_MARCO = "come from MS MARCO, which is for non-commercial research only (microsoft.github.io/msmarco)"
_YELP = "come from Yelp's data set, which has terms of use of its own: read them before any other use than research"

RAGTRUTH_QA = f"RAGTruth is under the MIT licence, but the passages of its questions {_MARCO}."
RAGTRUTH_DATA = f"RAGTruth is under the MIT licence, but the records of its Data2txt part {_YELP}."
RAGBENCH_MARCO = f"RAGBench is under CC BY 4.0, but the passages of this part {_MARCO}."
REFCHECKER_MARCO = f"The passages of RefChecker's noisy-context part {_MARCO}."
SUMMEDITS_SAMSUM = (
    "SummEdits is under CC BY 4.0, but its SAMSum part rests on the SAMSum corpus: CC BY-NC-ND 4.0, non-commercial only."
)
FAITHBENCH = (
    "FaithBench is under CC BY-NC-SA 4.0: non-commercial use only, and what is made from it is passed on under the same licence."
)
AGGREFACT = "LLM-AggreFact is under CC BY-ND 4.0: changed copies of it may not be passed on."
STATED = "The file itself names a non-commercial licence for its rows: read it before any other use than research."

_NON_COMMERCIAL = re.compile(r"\bnc\b|non-?\s?commercial", re.IGNORECASE)


def stated(values: dict[str, Any]) -> str:
    """Read what a row says of its licence.

    Args:
        values: the row, of any shape; its field `license` or `licence` counts.

    Returns:
        `STATED` if it names a non-commercial licence; otherwise empty.
    """
    named = [values.get(field) for field in ("license", "licence")]
    return STATED if any(isinstance(n, str) and _NON_COMMERCIAL.search(n) for n in named) else ""
