"""Which judge sees what: all of them on the same labelled rows, and on the same edits."""
