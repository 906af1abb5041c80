"""What the attack looks for: live markup on a page, texts on the disk, tracebacks in a log, processes that stay."""

import os
import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.attack.texts import FOREIGN

_LIVE = set("script img iframe svg object embed base meta link form input video math template".split())
_MARKDOWN = re.compile(
    r"!\[|\]\(|\]\[|(?<!\\)\$[^$\n]+\$|(?<!\\):[a-z]+\[|:(?:material|streamlit|rainbow)\b|</?[a-z!]|https?://", re.I
)
"""What Streamlit makes something of in a label: pictures, links, formulas, colours, symbols, elements."""
_LABELLED = (
    "button", "caption", "checkbox", "error", "expander", "header", "info", "markdown", "metric", "multiselect", "number_input",
    "radio", "selectbox", "slider", "subheader", "success", "text_area", "text_input", "title", "toast", "toggle", "warning",
)  # fmt: skip
_ENCODINGS = ("utf-8", "utf-16-le")
_ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]|\x1f\x8b\x08")
_MOST = 4_000_000
"""Most bytes that one packed piece is unpacked to."""


class _Elements(HTMLParser):
    """Collects elements and attributes that act."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.style = tag == "style"
        if tag in _LIVE:
            self.found.append(tag)
        for name, value in attrs:
            # Model cards link to where weights are published; a link to another host is the text's own.
            acts = (
                re.search(rf"^\s*(javascript|data):|{FOREIGN}", value or "", re.I) if name in {"href", "src", "action"} else None
            )
            if name.startswith("on") or acts or (name == "style" and "url(" in (value or "")):
                self.found.append(f"{tag} {name}")

    def handle_data(self, data: str) -> None:
        # The app's own style sheets load nothing.
        if self.style and re.search(r"url\(|@import|alert", data):
            self.found.append("style")


def live_markup(html: str) -> list[str]:
    """Elements of a piece of HTML that would run, load or send something."""
    parser = _Elements()
    parser.feed(html)
    parser.close()
    return parser.found


def live_page(app: AppTest) -> list[str]:
    """What a page draws that is live: in its HTML, and in labels, which are Markdown."""
    found = [markup for element in app.get("html") for markup in live_markup(str(element.proto.body))]
    for kind in _LABELLED:
        for element in app.get(kind):
            label = str(getattr(element, "label", "") or "") + " " + _body(element)
            found += [f"{kind}: {label[:80]!r}"] if _MARKDOWN.search(label) else []
    return found


def _body(element: Any) -> str:
    return str(getattr(getattr(element, "proto", None), "body", "") or "")


def traces(canary: str, folders: Iterable[Path], processes: Iterable[int] = ()) -> list[str]:
    """Where a text lies: in names and contents of files, packed ones too, and in files that a process still has open."""
    paths = [path for folder in folders for path in sorted(folder.rglob("*"))]
    found = [str(path) for path in paths if canary in path.name]
    opened = [fd for pid in processes for fd in _deleted(pid)]
    for path in [*(p for p in paths if p.is_file()), *opened]:
        try:
            content = path.read_bytes()
        except OSError:
            continue
        if any(_holds(piece, canary) for piece in _pieces(path, content)):
            found.append(str(path))
    return found


def _deleted(pid: int) -> list[Path]:
    """Open files of a process that have no name any more."""
    found = []
    with suppress(OSError):
        for fd in Path(f"/proc/{pid}/fd").iterdir():
            # Some are closed meanwhile, such as this listing's own.
            with suppress(OSError):
                name = str(fd.readlink())
                found += [fd] if name.startswith("/") and name.endswith("(deleted)") else []
    return found


def _holds(piece: bytes, canary: str) -> bool:
    return any(canary.encode(encoding) in piece for encoding in _ENCODINGS)


def _pieces(path: Path, content: bytes) -> Iterator[bytes]:
    yield content
    if content[:4] == b"PAR1":
        import pyarrow.parquet as pq

        yield repr(pq.read_table(path).to_pylist()).encode("utf-8", "surrogatepass")
    if content[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
    # Rows of a job are packed one by one, and SQLite leaves deleted ones where they were.
    for match in _ZLIB.finditer(content):
        yield _unpacked(content[match.start() :])


def _unpacked(content: bytes) -> bytes:
    """As much as can be unpacked; a row that is spread over pages breaks in the middle."""
    packed, out = zlib.decompressobj(47), b""
    for at in range(0, min(len(content), _MOST), 512):
        try:
            out += packed.decompress(content[at : at + 512], _MOST)
        except zlib.error:
            break
        if packed.eof or len(out) > _MOST:
            break
    return out


def running(mark: str) -> list[int]:
    """Processes whose environment holds a text, such as the path of a data folder; this one is left out."""
    found = []
    for place in Path("/proc").iterdir():
        if place.name.isdecimal() and int(place.name) != os.getpid():
            try:
                if mark.encode() in (place / "environ").read_bytes() and "\nState:\tZ" not in (place / "status").read_text():
                    found.append(int(place.name))
            except OSError:
                continue
    return found
