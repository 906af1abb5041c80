"""Numbers -> plotly figures. Pure: no streamlit, so that a figure can be made and tested without a page."""

__all__ = ["arguments", "comparison", "rag", "thresholds"]
