"""Ensembles: columns counted on hand-made sentences, the fit on made data, and the files that hold what was fitted."""
