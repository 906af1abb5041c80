"""The figures of one method over all thresholds, with their downloads."""

import math
from dataclasses import dataclass
from html import escape

import numpy as np
import streamlit as st

from components import figure, shell
from components.charts import thresholds as charts
from components.thresholds import messages as words
from components.thresholds.state import TuningSettings
from groundscope.grounding.runs.arrays import Floats, RunData
from groundscope.grounding.tuning import Tuned
from groundscope.statistics.curves import Curve
from groundscope.statistics.metrics import auroc, average_precision


@dataclass(frozen=True, slots=True)
class Shown:
    """The data under the slider: a method as it was tuned, its (n,) supports, and its curve on the tuning split."""

    run: RunData
    place: int
    settings: TuningSettings
    tuned: Tuned
    supports: Floats
    curve: Curve

    @property
    def title(self) -> str:
        """The title of the method."""
        return self.run.methods[self.place].title

    @property
    def split(self) -> str:
        """The name of the tuning split."""
        return words.split_name(self.tuned.split)


def curves(shown: Shown, threshold: float) -> None:
    """Scores against the threshold, and the supports of both classes."""
    tuned, rows = shown.tuned.rule.threshold, shown.run.rows(shown.tuned.split)
    left, right = st.columns(2)
    with left:
        data = charts.curve_data(shown.curve)
        st.html(f'<h3 class="gs-small">Scores against the threshold, {escape(shown.split)}</h3>')
        figure.show(
            charts.curves(data, threshold, tuned),
            key="thresholds_curves",
            name=f"thresholds {shown.title}",
            alt="Macro-F1, and precision and recall of the ungrounded class, at every threshold; "
            f"the tuned threshold is {tuned:.4f}, the chosen one {threshold:.4f}.",
            data=data,
        )
    with right:
        data = charts.histogram_data(shown.supports[rows], shown.run.gold[rows] == 1)
        st.html(f'<h3 class="gs-small">Supports of both classes, {escape(shown.split)}</h3>')
        figure.show(
            charts.histogram(data, threshold, tuned),
            key="thresholds_histogram",
            name=f"supports {shown.title}",
            alt="The number of grounded and ungrounded responses by support; those below the threshold are flagged.",
            data=data,
        )


def ranking(shown: Shown, threshold: float) -> None:
    """ROC and precision against recall, with their areas."""
    run, rows = shown.run, shown.run.rows(shown.tuned.split)
    gold, supports = run.gold[rows], shown.supports[rows]
    scored = int((~np.isnan(supports)).sum())
    area, precision = auroc(gold, supports), average_precision(gold, supports)
    if math.isnan(area):
        shell.notice("info", "All responses with a score have the same label, so there is no ranking to measure.")
        return
    left_out = f"; {len(rows) - scored:,} without a score are left out" if scored < len(rows) else ""
    st.html(
        f'<p class="gs-sub gs-measure">AUROC {area:.3f}, average precision {precision:.3f} of the ungrounded class, on '
        f"{scored:,} responses{left_out}. An AUROC of 0.5 is chance: no threshold helps.</p>"
    )
    data = charts.rates_data(shown.curve)
    kinds = (("ROC", "roc", charts.roc, area), ("Precision and recall", "pr", charts.pr, precision))
    for column, (name, key, draw, value) in zip(st.columns(2), kinds, strict=True):
        with column:
            st.html(f'<h3 class="gs-small">{name}, {escape(shown.split)}</h3>')
            figure.show(
                draw(data, threshold, value),
                key=f"thresholds_{key}",
                name=f"{name} {shown.title}",
                alt=f"{name} of the ungrounded class over all thresholds, with the chosen one marked; "
                f"the area under it is {value:.3f}.",
                data=data,
            )
