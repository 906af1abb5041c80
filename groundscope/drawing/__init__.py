"""Cases and judgements as HTML and as the data of the heatmap: for the app, for files and for notebooks."""
