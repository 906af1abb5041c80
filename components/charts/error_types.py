"""Error types as figures: misses by method (paper, table 4), and how often each type occurs (figures 3 and 4).

What figure 3 counts is not certain: see `groundscope.grounding.misclassified.table`.
"""

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from groundscope.drawing.look import LINES, PALETTE, distinct, layout, plain

_LARGEST = 30
"""Side of the square for a rate of 1, in pixels."""
_LINE = 78
_LEAST = 0.5
"""Lower end of a logarithmic axis of counts."""


def frequencies(names: Sequence[str], counts: NDArray[np.int64], unit: str, *, of: int = 0, log: bool = False) -> go.Figure:
    """One bar per error type or combination, with its count in `unit`s and its share of all counts, or of `of`.

    On a logarithmic axis (`log`) a count of 0 is a bar without length at its lower end, which is a half.
    """
    total = of or int(counts.sum())
    labels = [f" {int(c):,} ({c / total:.1%})" if total else " 0" for c in counts]
    figure = go.Figure(
        go.Bar(
            x=np.maximum(counts, _LEAST) if log else counts,
            y=distinct([plain(name, 90) for name in names]),
            orientation="h",
            text=labels,
            textposition="outside",
            cliponaxis=False,
            marker={"color": PALETTE[0]},
            hoverinfo="skip",
        )
    )
    most = max(1, int(counts.max(initial=0)))
    # Room for the label of the longest bar.
    ends = [np.log10(_LEAST), np.log10(_LEAST) + 1.22 * np.log10(most / _LEAST)] if log else [0, most * 1.18]
    scale = {"type": "log", "dtick": "D2"} if log else {}
    return layout(
        figure,
        height=90 + 40 * len(names),
        x=f"{unit}, logarithmic" if log else unit,
        xaxis={"range": ends, "tickformat": ",d", **scale},
        yaxis=LINES,
        margin={"l": 20, "t": 10, "b": 50},
    )
