"""The made-up matter of the day that is measured: its PDFs are read as they were written."""

from benchmarks.reviewing.matter import documents, pdfs
from groundscope.files.document_text import document


def test_every_clause_stands_in_its_pdf_as_it_is_asked_for() -> None:
    clauses = documents()
    for (name, data), expected in zip(pdfs(clauses), clauses.values(), strict=True):
        text = " ".join(document(name, data).text.split())
        assert [c for c in expected if c not in text] == []
