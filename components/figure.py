"""A chart on a page: with alt text, its data as a file, and the points that were clicked."""

import re
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from groundscope.grounding.export import guarded

_IMAGES = {"PNG": "png", "SVG": "svg"}


def show(figure: go.Figure, *, key: str, name: str, alt: str, data: pd.DataFrame, select: bool = False) -> list[Any]:
    """Draw a chart and its downloads.

    Args:
        figure: the chart.
        key: of its widgets; unique on the page.
        name: of the files.
        alt: what the chart shows, in a sentence or two, for those who do not see it.
        data: the data of the chart, for the CSV.
        select: whether points can be clicked.

    Returns:
        The customdata of the points that are selected, one entry a point.
    """
    place = st.container(key=f"chart_{key}")
    with st.popover("Download this figure", key=f"download_{key}"):
        kind = st.radio("Image", list(_IMAGES), horizontal=True, key=f"image_{key}")
        st.html('<p class="gs-note">Choose PNG or SVG, then point at the chart and click the camera above it.</p>')
        st.download_button(
            "Data as CSV", csv(data), f"{slug(name)}.csv", "text/csv", key=f"csv_{key}", on_click="ignore", width="stretch"
        )
    image = {"format": _IMAGES[kind or "PNG"], "filename": slug(name), "scale": 2}
    config = {"toImageButtonOptions": image, "displaylogo": False, "modeBarButtonsToRemove": ["lasso2d", "select2d"]}
    with place:
        if not select:
            st.plotly_chart(figure, key=f"plot_{key}", config=config, alt=alt, width="stretch")
            return []
        event: Any = st.plotly_chart(
            figure, key=f"plot_{key}", config=config, alt=alt, width="stretch", on_select="rerun", selection_mode="points"
        )
    return [point.get("customdata") for point in event["selection"]["points"] if point.get("customdata") is not None]


def csv(data: pd.DataFrame) -> bytes:
    """A table as CSV; a cell or head that a spreadsheet would run as a formula gets an apostrophe."""
    safe = data.map(lambda cell: guarded(cell) if isinstance(cell, str) else cell)
    safe.columns = [guarded(str(c)) for c in safe.columns]
    found: str = safe.to_csv(index=False)
    return found.encode("utf-8")


def slug(name: str) -> str:
    """A file name of a title: letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60] or "figure"
