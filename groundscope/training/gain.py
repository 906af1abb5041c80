"""What a fine-tuned model gains on whole responses of dev, beside other methods on the same ones."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from groundscope.errors import DataError
from groundscope.methods import Method
from groundscope.training.pair_figures import figures
from groundscope.types import Case, Status


def on_responses(method: str, scorer: Method, cases: Sequence[Case]) -> dict[str, Any]:
    """Judge labelled responses and tune the threshold on them."""
    judgements = [scorer.score(case) for case in cases]
    if failed := next((j for j in judgements if j.status is Status.FAILED), None):
        raise DataError(f"{method} could not judge a response of dev: {failed.note}")
    judged = [(j.support, bool(c.grounded), j.seconds) for j, c in zip(judgements, cases, strict=True) if j.support is not None]
    if len({label for _, label, _ in judged}) < 2:
        raise DataError(f"{method} could assess no grounded or no ungrounded response of dev.")
    supports, labels, seconds = (np.array(column) for column in zip(*judged, strict=True))
    return {"method": method, **figures(supports, labels), "seconds": round(float(seconds.mean()), 4)}
