"""Cases and judgements as HTML and as the data of the heatmap: for the app, for files and for notebooks."""

__all__ = [
    "board", "figure_2", "finding_list", "html", "look", "model_card", "reader", "record", "report", "spots", "study_files",
    "tradeoff", "units",
]  # fmt: skip
