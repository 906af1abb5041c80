"""Compare the judges on the same labelled rows and on the same edits."""
