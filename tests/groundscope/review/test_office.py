"""Reports in LibreOffice: `make test-office`, where it is installed."""

import shutil
import subprocess
from pathlib import Path

import pytest
from pypdf import PdfReader

from groundscope.review.report import report_content
from groundscope.review.report_docx import docx_report
from tests.groundscope.review.test_report import CASE, DECISIONS, _stored

pytestmark = pytest.mark.office


def test_a_docx_opens_without_a_warning(tmp_path: Path) -> None:
    office = shutil.which("soffice")
    assert office, "install libreoffice-writer"
    content = report_content(CASE, _stored(*DECISIONS), "Ada <b>", ("Overlap flags 1 sentence.",))
    (tmp_path / "report.docx").write_bytes(docx_report(content))
    command = [office, "--headless", f"-env:UserInstallation=file://{tmp_path}/office", "--convert-to", "pdf", "report.docx"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    # It says so where it has no Java, which has nothing to do with the file.
    said = [line for line in (ran.stdout + ran.stderr).splitlines() if line and "javaldx" not in line]
    assert len(said) == 1, said
    assert said[0].startswith("convert ")
    pages = PdfReader(tmp_path / "report.pdf").pages
    text = " ".join(pages[0].extract_text().split())
    assert len(pages) == 1
    for words in (
        "Review of an answer",
        "Overlap flags 1 sentence.",
        "contradicted: factual inaccuracy",
        "Not decided: sentence 5.",
    ):
        assert words in text
