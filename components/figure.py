"""A chart on a page: with alt text, its data as a file, and the points that were clicked."""

import re
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from groundscope.grounding.tables import frame_csv

_IMAGES = {"PNG": "png", "SVG": "svg"}


def show(figure: go.Figure, *, key: str, name: str, alt: str, data: pd.DataFrame, select: bool = False) -> list[Any]:
    """Draw a chart and its downloads; gives the customdata of the selected points, one entry a point.

    `key` is unique on the page, `name` makes the files' names, `alt` is what the chart shows for those who do not see it,
    `data` is for the CSV, and `select` lets points be clicked.
    """
    place = st.container(key=f"chart_{key}")
    with st.popover("Download this figure", key=f"download_{key}"):
        kind = st.radio("Image", list(_IMAGES), horizontal=True, key=f"image_{key}")
        st.html('<p class="gs-note">Choose PNG or SVG, then point at the chart and click the camera above it.</p>')
        st.download_button(
            "Data as CSV", frame_csv(data), f"{slug(name)}.csv", "text/csv", key=f"csv_{key}", on_click="ignore", width="stretch"
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


def slug(name: str) -> str:
    """A file name of a title: letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower()[:60] or "figure"
