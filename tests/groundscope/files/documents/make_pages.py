"""Write the DOCX and HTML documents of this folder that programs make: `python -m tests.groundscope.files.documents.make_pages`.

It needs LibreOffice and Chromium; the tests do not. What LibreOffice and Chromium write differs a little from version to version.
"""

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
CHROMIUM = "/usr/lib/chromium/chromium-headless-shell"

OFFICE = """<html><head><title>Office lease</title></head><body>
<h1>Office lease</h1>
<p>This lease is between Northgate Estates Ltd and Ms Ines Farrow.</p>
<h2>1. Rent</h2>
<p>1.1 The tenant pays a rent of EUR 2,450 a month.<a
class="sdfootnoteanc" name="sdfootnote1anc" href="#sdfootnote1sym"><sup>1</sup></a></p>
<p>1.2 The tenant shall</p>
<p>(a) pay by bank transfer; and</p>
<p>(b) bear the charges of the transfer.</p>
<h2>2. Rooms</h2>
<table border="1"><thead><tr><th><p>Room</p></th><th><p>Area</p></th><th><p>Use</p></th></tr></thead>
<tr><td><p>Front office</p></td><td><p>38 m²</p></td><td><p>reception</p></td></tr>
<tr><td><p>Archive</p></td><td><p>12 m²</p></td><td><p>files only</p></td></tr></table>
<p>No room is sublet.</p>
<div id="sdfootnote1"><p class="sdfootnote"><a class="sdfootnotesym" name="sdfootnote1sym" href="#sdfootnote1anc">1</a>Value
added tax is not included.</p></div>
</body></html>"""

SCRIPTED = """<!DOCTYPE html><html lang="de"><head><meta charset="utf-8"><title>Satzung</title></head><body>
<div class="cc-window cc-banner" role="dialog"><span>Diese Seite verwendet Cookies.</span><a href="#">Verstanden</a></div>
<div role="navigation"><a href="/">Start</a><a href="/recht">Ortsrecht</a></div>
<div role="main" id="app"></div>
<div role="contentinfo">Gemeinde Auental, Rathausplatz 2</div>
<script>
const parts = [["§ 1 Gegenstand", ["(1) Die Gemeinde erhebt eine Gebühr für die Müllabfuhr.",
  "(2) Die Gebühr beträgt 96 Euro im Jahr."]],
 ["§ 2 Fälligkeit", ["(1) Die Gebühr ist am 1. März fällig.", "(2) Wer später zahlt, schuldet einen Zuschlag von 5 Euro."]]];
const app = document.getElementById("app");
for (const [title, rules] of parts) {
  const section = app.appendChild(document.createElement("section"));
  section.appendChild(document.createElement("h2")).textContent = title;
  for (const rule of rules) section.appendChild(document.createElement("div")).textContent = rule;
}
document.body.appendChild(document.createElement("div")).hidden = true;
document.body.lastChild.textContent = "Ihre Sitzung ist abgelaufen.";
</script></body></html>"""

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'


def _p(text: str, style: str = "", level: int | None = None) -> str:
    """A paragraph; text that begins with `<` is runs."""
    run = text if text.startswith("<") else f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    number = f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="1"/></w:numPr>' if level is not None else ""
    return f"<w:p><w:pPr>{named}{number}</w:pPr>{run}</w:p>"


def _r(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _row(*cells: str, head: bool = False) -> str:
    return f"<w:tr>{'<w:trPr><w:tblHeader/></w:trPr>' if head else ''}{''.join(f'<w:tc>{_p(c)}</w:tc>' for c in cells)}</w:tr>"


def _sym(font: str, char: str) -> str:
    return f'<w:r><w:sym w:font="{font}" w:char="{char}"/></w:r>'


_DRAFT = f"<w:txbxContent>{_p('Draft of 2 May 2026.')}</w:txbxContent>"
_STRUCK = '<w:del w:id="9" w:author="x"><w:r><w:delText>Struck.</w:delText></w:r></w:del>'
WORD_BODY = "".join(
    (
        _p("Service agreement", "Title"),
        _p("Services", "Heading1"),
        _p("The provider keeps the machines running.", "Clause"),
        _p(_STRUCK, "Clause").replace("</w:pPr>", '<w:rPr><w:del w:id="8" w:author="x"/></w:rPr></w:pPr>'),
        _p(
            f'{_r("The provider shall answer a call within")}{_r(" 4 hours")}<w:r><w:footnoteReference w:id="2"/></w:r>{_r(":")}',
            "Clause",
        ),
        _p("on weekdays; and", level=2),
        _p("on weekends, where", level=2),
        _p("a machine stands still; or", level=3),
        _p("a person is in danger.", level=3),
        _p("Fees", "Heading1"),
        _p(
            f"{_r('The fee is ')}{_sym('Symbol', 'F0A3')}{_r(' EUR 900 a month, see ')}{_sym('Times New Roman', '00A7')}"
            f'{_r(" 7 of the Act.")}<w:r><w:endnoteReference w:id="3"/></w:r>',
            "Clause",
        ),
        "<w:tbl>",
        _row("Machine", "Calls a year", "Fee", head=True),
        _row("Press", "12", "EUR 300"),
        _row("Lathe", "6", "EUR 150"),
        "</w:tbl>",
        _p(f"{_sym('Wingdings', 'F0FE')}{_r(' Monthly invoice')}"),
        f'<w:p><w:r><mc:AlternateContent><mc:Choice Requires="wps">{_DRAFT}</mc:Choice><mc:Fallback>{_DRAFT}</mc:Fallback>'
        "</mc:AlternateContent></w:r></w:p>",
    )
)
NUMBERING = f"""<w:numbering {_W}><w:abstractNum w:abstractNumId="4">
<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Heading1"/><w:lvlText w:val="%1."/></w:lvl>
<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:pStyle w:val="Clause"/><w:lvlText w:val="%1.%2"/></w:lvl>
<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl>
<w:lvl w:ilvl="3"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="(%4)"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="4"/></w:num></w:numbering>"""
STYLES = f"""<w:styles {_W}><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr>
<w:outlineLvl w:val="0"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr>
<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>
</w:pPr></w:style></w:styles>"""


def _notes(kind: str, number: int, text: str) -> str:
    separator = f'<w:{kind} w:type="separator" w:id="0">{_p("<w:r><w:separator/></w:r>")}</w:{kind}>'
    ref = f"<w:r><w:{kind}Ref/></w:r>{_r(f' {text}')}"
    return f'<w:{kind}s {_W}>{separator}<w:{kind} w:id="{number}">{_p(ref)}</w:{kind}></w:{kind}s>'


def word(body: str = WORD_BODY) -> bytes:
    """A DOCX as Word writes it, part by part."""
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    kinds = ("document.main", "numbering", "styles", "footnotes", "endnotes")
    names = ("document", "numbering", "styles", "footnotes", "endnotes")
    form = "application/vnd.openxmlformats-officedocument.wordprocessingml"
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="{form}.{kind}+xml"/>'
        for name, kind in zip(names, kinds, strict=True)
    )
    rels = "".join(f'<Relationship Id="r{n}" Type="{office}/{name}" Target="{name}.xml"/>' for n, name in enumerate(names[1:], 1))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" '
        f'ContentType="application/xml"/>{types}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{package}/relationships">{rels}</Relationships>',
        "word/document.xml": f"<w:document {_W} {_MC}><w:body>{body}</w:body></w:document>",
        "word/numbering.xml": NUMBERING,
        "word/styles.xml": STYLES,
        "word/footnotes.xml": _notes("footnote", 2, "Counted from the call."),
        "word/endnotes.xml": _notes("endnote", 3, "The Act on Services of 2011."),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>{content}')
    return file.getvalue()


def _office(folder: Path) -> None:
    """Let LibreOffice make its own document of the page, and save that as DOCX and as HTML."""
    (folder / "libreoffice-office.html").write_text(OFFICE, "utf-8")
    for source, kind, out in (("html", "odt", folder), ("odt", "docx", HERE), ("odt", "html", HERE)):
        command = [
            "soffice",
            "--headless",
            f"-env:UserInstallation={(folder / 'profile').as_uri()}",
            "--convert-to",
            kind,
            "--outdir",
        ]
        subprocess.run([*command, str(out), str(folder / f"libreoffice-office.{source}")], check=True, capture_output=True)


def _dumped(folder: Path) -> str:
    """The page as Chromium has it after its scripts ran."""
    (folder / "page.html").write_text(SCRIPTED, "utf-8")
    command = [CHROMIUM, "--no-sandbox", "--dump-dom", (folder / "page.html").as_uri()]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout


def main() -> None:
    """Write all of them."""
    with TemporaryDirectory() as folder:
        _office(Path(folder))
        (HERE / "chromium-saved.html").write_text(_dumped(Path(folder)), "utf-8")
    (HERE / "word-agreement.docx").write_bytes(word())


if __name__ == "__main__":
    sys.exit(main())
