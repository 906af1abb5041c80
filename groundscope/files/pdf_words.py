"""PDF -> words with their places, by pdfium (the reader of PDFs in Chrome), for the child process that reads documents."""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from ctypes import c_double, c_int, c_ushort, c_void_p, cast, create_string_buffer
from typing import Any, NamedTuple

from groundscope.files.pdf_lines import PageWords, Word

_PASSWORD, _PROTECTION = 4, 5
"""What pdfium says of a file that needs a password, and of one whose protection it does not know."""
_HYPHEN = "\ufffe"
"""What pdfium writes for a hyphen at the end of a line."""
_LETTERS = {
    **str.maketrans(dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))),
    **dict.fromkeys(map(ord, f"{_HYPHEN}\u2010\u2011"), "-"),
}
_WORD = re.compile(rf"[^\s\x00-\x1f{_HYPHEN}]+{_HYPHEN}?|{_HYPHEN}")
_HEAVY = 600
_HEAVY_NAMES = re.compile(rb"bold|black|heavy|cmbx|sfbx", re.IGNORECASE)
_NAME = 128


class LockedPdf(Exception):
    """A password is needed."""


class _Font(NamedTuple):
    """How a piece of text is set; `angle` in whole degrees."""

    size: float
    angle: int
    bold: bool


class _Piece(NamedTuple):
    """A word, or a part of one: where its first letter stands, and the corners that its letters fill."""

    text: str
    font: _Font
    origin: tuple[float, float]
    corners: tuple[tuple[float, float], ...]
    glued: bool


class PdfPages:
    """The pages of a PDF; `protected`: it is encrypted, though it opens without a password."""

    def __init__(self, data: bytes) -> None:
        import pypdfium2
        from pypdfium2 import raw

        try:
            self._document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if error.err_code in (_PASSWORD, _PROTECTION):
                raise LockedPdf from None
            raise
        self.protected = raw.FPDF_GetSecurityHandlerRevision(self._document.raw) != -1

    def __iter__(self) -> Iterator[PageWords | None]:
        """Read page after page; None for one that cannot be read."""
        for number in range(len(self._document)):
            try:
                page = self._document[number]
                text = page.get_textpage()
                yield _upright(list(_TextPage(text.raw).pieces()), page.get_bbox(), self._document.get_page_label(number))
                text.close()
                page.close()
            except MemoryError:
                raise
            except Exception:  # Whatever one broken page raises; the others may be whole.
                yield None


class _TextPage:
    """The letters of a page."""

    def __init__(self, text: Any) -> None:
        from pypdfium2 import raw

        self._raw, self._text = raw, text
        self._fonts: dict[int | None, _Font] = {}
        self._box, self._matrix, self._x, self._y = raw.FS_RECTF(), raw.FS_MATRIX(), c_double(), c_double()

    def pieces(self) -> Iterator[_Piece]:
        """The words, each cut where the size changes: a raised figure is a piece of its own."""
        end = -1
        for m in _WORD.finditer(self._letters()):
            for start, stop in self._cuts(*m.span()):
                font = self._font(start)
                self._raw.FPDFText_GetCharOrigin(self._text, start, self._x, self._y)
                origin = self._x.value, self._y.value
                corners = (*self._corners(start), *(self._corners(stop - 1) if stop - start > 1 else ()))
                text = m.string[start:stop].translate(_LETTERS).replace("\u00ad", "-" if m.string[stop - 1] == "\u00ad" else "")
                yield _Piece(text, font, origin, corners, start == end)
                end = -1 if m.string[stop - 1] == _HYPHEN else stop

    def _letters(self) -> str:
        """One for each place, whatever pdfium leaves out of its text."""
        count = self._raw.FPDFText_CountChars(self._text)
        units = (c_ushort * (count + 1))()
        if self._raw.FPDFText_GetText(self._text, 0, count, units) == count + 1:
            # Pairs of surrogates stay pairs: places are counted so.
            return (
                "".join(map(chr, units[:count]))
                if any(0xD800 <= u < 0xE000 for u in units)
                else bytes(units)[:-2].decode("utf-16-le")
            )
        codes = (self._raw.FPDFText_GetUnicode(self._text, at) for at in range(count))
        return "".join(chr(c) if c < 0x110000 else "\ufffd" for c in codes)

    def _cuts(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        size = self._raw.FPDFText_GetFontSize
        if stop - start > 1 and size(self._text, start) != size(self._text, stop - 1):
            sizes = [size(self._text, at) for at in range(start, stop)]
            for n in range(1, len(sizes)):
                if sizes[n] != sizes[n - 1]:
                    yield start, (start := stop - len(sizes) + n)
        yield start, stop

    def _font(self, at: int) -> _Font:
        key = cast(self._raw.FPDFText_GetTextObject(self._text, at), c_void_p).value
        if key is None or key not in self._fonts:
            self._raw.FPDFText_GetMatrix(self._text, at, self._matrix)
            m, name, flags = self._matrix, create_string_buffer(_NAME), c_int()
            self._raw.FPDFText_GetFontInfo(self._text, at, name, _NAME, flags)
            bold = bool(_HEAVY_NAMES.search(name.value)) or self._raw.FPDFText_GetFontWeight(self._text, at) > _HEAVY
            size = self._raw.FPDFText_GetFontSize(self._text, at) * math.hypot(m.c, m.d)
            self._fonts[key] = _Font(round(size, 1), round(math.degrees(math.atan2(m.b, m.a))) % 360, bold)
        return self._fonts[key]

    def _corners(self, at: int) -> tuple[tuple[float, float], tuple[float, float]]:
        box = self._box
        self._raw.FPDFText_GetLooseCharBox(self._text, at, box)
        return (box.left, box.bottom), (box.right, box.top)


def _upright(pieces: Sequence[_Piece], box: tuple[float, float, float, float], label: str) -> PageWords:
    """The words that run as most of the page does, seen upright: what runs otherwise is a stamp or a watermark."""
    letters: Counter[int] = Counter()
    for p in pieces:
        letters[p.font.angle] += len(p.text)
    angle = max(letters, key=letters.__getitem__, default=0)
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))

    def turned(x: float, y: float) -> tuple[float, float]:
        return x * cos + y * sin, y * cos - x * sin

    page = [turned(x, y) for x in box[::2] for y in box[1::2]]
    edge, top = min(x for x, _ in page), max(y for _, y in page)
    width, height = max(x for x, _ in page) - edge, top - min(y for _, y in page)
    words = []
    for p in pieces:
        if p.font.angle == angle and p.font.size > 0:
            base = top - turned(*p.origin)[1]
            xs = [turned(*c)[0] for c in p.corners]
            word = Word(p.text, min(xs) - edge, max(xs) - edge, base, p.font.size, p.font.bold, p.glued)
            if 0 <= word.base <= height and word.right > 0 and word.left < width:
                words.append(word)
    return PageWords(words, width, height, label)
