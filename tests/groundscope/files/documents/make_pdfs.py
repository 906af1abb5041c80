"""Make the PDF documents of this folder again: `python -m tests.groundscope.files.documents.make_pdfs`."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

from tests.groundscope.files.documents.pdf_words import CLAUSES, NOTES, PARAGRAPHS, TABLE

FOLDER = Path(__file__).parent
CHROMIUM = "/usr/lib/chromium/chromium-headless-shell"


def _run(folder: Path, *command: str) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def _latex(folder: Path, source: str) -> bytes:
    (folder / "a.tex").write_text(source)
    for _ in range(2):
        _run(folder, "pdflatex", "-interaction=batchmode", "a.tex")
    return (folder / "a.pdf").read_bytes()


def _with_note(paragraph: str, note: str) -> str:
    """With a footnote after the first sentence."""
    first, rest = paragraph.split(". ", 1)
    return f"{first}.\\footnote{{{note}}} {rest}"


def article(folder: Path) -> bytes:
    """Two columns with a title and a table over both, footnotes, hyphens, ligatures, and a number at the foot of each page."""
    body = [_with_note(p, NOTES[i // 2]) if i in (1, 3) else p for i, p in enumerate(PARAGRAPHS)]
    rows = " \\\\ ".join(" & ".join(row) for row in TABLE)
    table = rf"\begin{{table*}}[t]\centering\begin{{tabular}}{{lll}}{rows}\end{{tabular}}\end{{table*}}"
    parts = [
        r"\section{Promises}", *body[:3], r"\section{Money}", body[3], table, *body[4:7], r"\section{Others}", *body[7:],
    ]  # fmt: skip
    return _latex(
        folder,
        r"\documentclass[10pt,twocolumn,a5paper]{article}"
        r"\usepackage[margin=14mm,bottom=20mm]{geometry}\title{Promises of a Tenancy: an Efficient Account of Offices and Flats}"
        r"\author{A. Writer}\date{May}\begin{document}\maketitle " + "\n\n".join(parts) + r"\end{document}",
    )


def contract(folder: Path) -> bytes:
    """Numbered clauses under a running head, "Page 1 of 3" at the foot, and a word across each page."""
    items = [
        rf"\section*{{{n} {title}}}" if title else rf"\par\noindent\hangindent={'3' if n[0] == '(' else '1'}em {n} {text}"
        for n, title, text in CLAUSES
    ]
    recitals = "\n\n".join(PARAGRAPHS[:7])
    return _latex(
        folder,
        r"\documentclass[11pt,a5paper]{article}\usepackage{fancyhdr,eso-pic,graphicx,xcolor}"
        r"\usepackage[margin=18mm]{geometry}\setlength{\parindent}{0pt}\setlength{\parskip}{5pt}"
        r"\pagestyle{fancy}\fancyhf{}\lhead{Harbour Warehouse Agreement}\rhead{Confidential}"
        r"\cfoot{Page \thepage\ of \pageref{end}}"
        r"\AddToShipoutPictureBG{\AtPageCenter{\makebox(0,0){\rotatebox{45}{\textcolor{gray!30}{\Huge DRAFT}}}}}"
        r"\begin{document}" + "\n\n".join([recitals, *items]) + r"\label{end}\end{document}",
    )


def labels(folder: Path) -> bytes:
    """A preface on pages i and ii, then pages 1 to 3, with the labels in the file as well; titles at the head change."""
    return _latex(
        folder,
        r"\documentclass[12pt,a5paper]{article}\usepackage{fancyhdr}\usepackage[margin=20mm]{geometry}"
        r"\usepackage{hyperref}\pagestyle{fancy}\fancyhf{}\fancyhead[L]{\nouppercase{\leftmark}}\fancyhead[R]{\thepage}"
        r"\begin{document}\pagenumbering{roman}\markboth{Preface}{}\section*{Preface}"
        + "\n\n".join(PARAGRAPHS[:5])
        + r"\clearpage\pagenumbering{arabic}\section{Of the Deposit}"
        + "\n\n".join(PARAGRAPHS[5:7])
        + r"\section{Of Disputes}"
        + "\n\n".join(PARAGRAPHS[7:])
        + r"\end{document}",
    )


def pleading(folder: Path) -> bytes:
    """Numbers of lines in the margin, twice as far apart as lines of a book."""
    body = "\n\n".join(PARAGRAPHS[5:])
    return _latex(
        folder,
        r"\documentclass[12pt,a4paper]{article}\usepackage{fancyhdr,setspace}"
        r"\usepackage[pagewise]{lineno}\usepackage[margin=28mm]{geometry}\pagestyle{fancy}\fancyhf{}"
        r"\renewcommand{\headrulewidth}{0pt}\cfoot{-- \thepage\ --}\doublespacing\linenumbers\begin{document}"
        r"\section*{Statement of the Defendant}" + body + r"\end{document}",
    )


def lease(folder: Path) -> bytes:
    """LibreOffice Writer: header and footer with fields, two footnotes, headings by style and a table."""

    def note(number: int) -> str:
        return (
            f'<text:note text:id="ftn{number}" text:note-class="footnote"><text:note-citation>{number + 1}</text:note-citation>'
            f'<text:note-body><text:p text:style-name="Footnote">{NOTES[number]}</text:p></text:note-body></text:note>'
        )

    def paragraph(text: str, number: int | None = None) -> str:
        first, rest = text.split(". ", 1)
        between = "" if number is None else note(number)
        return f'<text:p text:style-name="Body">{escape(first)}.{between} {escape(rest)}</text:p>'

    cells = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell><text:p>{c}</text:p></table:table-cell>' for c in row)}</table:table-row>"
        for row in TABLE
    )
    body = [
        '<text:h text:style-name="Head" text:outline-level="1">Lease of a Warehouse</text:h>',
        paragraph(PARAGRAPHS[4], 0),
        paragraph(PARAGRAPHS[5]),
        '<text:h text:style-name="Head" text:outline-level="1">Sums</text:h>',
        f'<table:table><table:table-column table:number-columns-repeated="3"/>{cells}</table:table>',
        paragraph(PARAGRAPHS[6], 1),
        *map(paragraph, PARAGRAPHS[7:]),
    ]
    (folder / "a.fodt").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" '
        'xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" '
        'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" office:version="1.3" '
        'office:mimetype="application/vnd.oasis.opendocument.text"><office:styles>'
        '<style:style style:name="Body" style:family="paragraph"><style:paragraph-properties fo:margin-bottom="8pt"/>'
        '<style:text-properties fo:font-size="12pt"/></style:style>'
        '<style:style style:name="Head" style:family="paragraph"><style:paragraph-properties fo:margin-top="12pt"/>'
        '<style:text-properties fo:font-size="16pt" fo:font-weight="bold"/></style:style>'
        '<style:style style:name="Footnote" style:family="paragraph"><style:text-properties fo:font-size="9pt"/></style:style>'
        '</office:styles><office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties '
        'fo:page-width="148mm" fo:page-height="210mm" fo:margin="16mm"/><style:header-style/><style:footer-style/>'
        '</style:page-layout></office:automatic-styles><office:master-styles><style:master-page style:name="Standard" '
        'style:page-layout-name="L"><style:header><text:p>Lease of a Warehouse, second version</text:p></style:header>'
        "<style:footer>"
        "<text:p>Page <text:page-number/>/<text:page-count/></text:p></style:footer></style:master-page></office:master-styles>"
        f"<office:body><office:text>{''.join(body)}</office:text></office:body></office:document>"
    )
    _run(folder, "soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", "pdf", "a.fodt")
    return (folder / "a.pdf").read_bytes()


def web_page(folder: Path) -> bytes:
    """Chromium's print of a page, with the date, the address and the number that it adds."""
    from playwright.sync_api import sync_playwright

    head = '<div style="font-size:8px;margin-left:40px">30/11/2026, 05:20 &nbsp; The tenant\'s handbook</div>'
    foot = (
        '<div style="font-size:8px;margin-left:40px">https://handbook.example/tenancy &nbsp; '
        '<span class="pageNumber"></span>/<span class="totalPages"></span></div>'
    )
    rows = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in TABLE)
    content = (
        "<style>body{font:13px/1.5 serif}h1{font-size:26px}td{padding:2px 14px}</style><h1>The tenant's handbook</h1>"
        f"<h2>Beginning</h2>{''.join(f'<p>{p}</p>' for p in PARAGRAPHS[:5])}<h2>Sums</h2><table>{rows}</table>"
        f"<h2>Ending</h2><ul>{''.join(f'<li>{p}</li>' for p in PARAGRAPHS[5:])}</ul>"
    )
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_content(content)
        margin = {"top": "20mm", "bottom": "20mm", "left": "15mm", "right": "15mm"}
        data = page.pdf(format="A5", display_header_footer=True, header_template=head, footer_template=foot, margin=margin)
        browser.close()
    return bytes(data)


def scan(folder: Path) -> bytes:
    """Two pages as black and white pictures, under the text that tesseract recognised in them."""
    body = "\n\n".join(PARAGRAPHS[3:])
    _latex(
        folder,
        r"\documentclass[11pt,a5paper]{article}\usepackage{fancyhdr}\usepackage[margin=18mm]{geometry}"
        r"\pagestyle{fancy}\fancyhf{}\lhead{Letter to the Tribunal}\rhead{\thepage}\begin{document}\setcounter{page}{11}"
        + body + r"\end{document}",
    )  # fmt: skip
    _run(folder, "pdftoppm", "-r", "200", "-mono", "a.pdf", "page")
    pages = sorted(p.name for p in folder.glob("page*.pbm"))
    for name in pages:
        _run(folder, "convert", "-units", "PixelsPerInch", "-density", "200", name, f"{name}.png")
    (folder / "list.txt").write_text("\n".join(f"{name}.png" for name in pages))
    _run(folder, "tesseract", "list.txt", "out", "--dpi", "200", "pdf")
    return (folder / "out.pdf").read_bytes()


DOCUMENTS: dict[str, Callable[[Path], bytes]] = {
    "latex-article.pdf": article,
    "latex-contract.pdf": contract,
    "latex-labels.pdf": labels,
    "latex-pleading.pdf": pleading,
    "libreoffice-lease.pdf": lease,
    "chromium-page.pdf": web_page,
    "tesseract-scan.pdf": scan,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or DOCUMENTS:
        folder = Path(tempfile.mkdtemp())
        (FOLDER / name).write_bytes(DOCUMENTS[name](folder))
        shutil.rmtree(folder)
        print(name, (FOLDER / name).stat().st_size)
