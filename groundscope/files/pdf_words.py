"""PDF -> words with their places, by pdfium (the reader of PDFs in Chrome), for the child process that reads documents."""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import CFUNCTYPE, byref, c_double, c_int, c_ushort, c_void_p, cast, create_string_buffer
from itertools import pairwise
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
"""Bytes of the name of a font."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_SIGNS = {0xF06F: "☐", 0xF0A8: "☐", 0xF0FB: "✗", 0xF0FC: "✓", 0xF0FD: "☒", 0xF0FE: "☑"}
"""Of Wingdings; other signs that stand alone and have no letter are bullets."""
_NAMELESS = re.compile(r"[\x01\x03-\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f]")
"""What a letter is that its font gives no meaning to."""


class LockedPdf(Exception):
    """A password is needed."""


_Box = tuple[float, float, float, float]
"""Left, bottom, right and top."""


class _Font(NamedTuple):
    """How a piece of text is set; `angle` in whole degrees."""

    size: float
    angle: int
    bold: bool


class _Piece(NamedTuple):
    """A word, or a part of one: where its first letter stands, and the box of its last one."""

    text: str
    font: _Font
    origin: tuple[float, float]
    last: _Box
    glued: bool


class PdfPages:
    """The pages of a PDF; `protected`: it is encrypted, though it opens without a password.

    `nameless`: letters of the pages so far that their fonts give no meaning to, and that are in no word.
    """

    nameless = 0

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
                letters = _TextPage(text.raw)
                yield _upright(list(letters.pieces()), page.get_bbox(), self._document.get_page_label(number))
                self.nameless += letters.nameless
                text.close()
                page.close()
            except MemoryError:
                raise
            except Exception:  # Whatever one broken page raises; the others may be whole.
                yield None


class _TextPage:
    """The letters of a page."""

    nameless = 0

    def __init__(self, text: Any) -> None:
        from pypdfium2 import raw

        self._raw, self._text = raw, text
        self._fonts: dict[int | None, _Font] = {}
        self._rectangle, self._matrix, self._x, self._y = raw.FS_RECTF(), raw.FS_MATRIX(), c_double(), c_double()
        # Four calls a word: without the checks of their arguments they take a third of the time.
        page, number, address = cast(text, c_void_p), c_int, c_void_p
        size = _bare(raw.FPDFText_GetFontSize, c_double, address, number)
        piece = _bare(raw.FPDFText_GetTextObject, address, address, number)
        box = _bare(raw.FPDFText_GetLooseCharBox, c_int, address, number, address)
        origin = _bare(raw.FPDFText_GetCharOrigin, c_int, address, number, address, address)
        rectangle, x, y = byref(self._rectangle), byref(self._x), byref(self._y)
        self._size: Callable[[int], float] = lambda at: size(page, at)
        self._object: Callable[[int], int | None] = lambda at: piece(page, at)
        self._read_box: Callable[[int], object] = lambda at: box(page, at, rectangle)
        self._read_origin: Callable[[int], object] = lambda at: origin(page, at, x, y)

    def pieces(self) -> Iterator[_Piece]:
        """The words, each cut where the size changes: a raised figure is a piece of its own."""
        end = -1
        letters = self._letters()
        odd = not letters.isascii()
        self.nameless = len(_NAMELESS.findall(letters))
        for m in _WORD.finditer(letters):
            for start, stop in self._cuts(*m.span()):
                text = letters[start:stop]
                key = self._object(start)
                font = self._fonts.get(key) or self._font(key, start)
                self._read_origin(start)
                origin = self._x.value, self._y.value
                yield _Piece(_spelled(text) if odd else text, font, origin, self._box(stop - 1), start == end)
                end = -1 if letters[stop - 1] == _HYPHEN else stop

    def _letters(self) -> str:
        """One for each place, whatever pdfium leaves out of its text; those of two units are two surrogates."""
        count = self._raw.FPDFText_CountChars(self._text)
        units = (c_ushort * (count + 1))()
        if self._raw.FPDFText_GetText(self._text, 0, count, units) == count + 1:
            return "".join(map(chr, units[:count]))
        codes = (self._raw.FPDFText_GetUnicode(self._text, at) for at in range(count))
        return "".join(chr(c) if c < 0x110000 else "\ufffd" for c in codes)

    def _cuts(self, start: int, stop: int) -> Iterable[tuple[int, int]]:
        if stop - start == 1 or self._size(start) == self._size(stop - 1):
            return ((start, stop),)
        sizes = [self._size(at) for at in range(start, stop)]
        ends = [start + n for n in range(1, len(sizes)) if sizes[n] != sizes[n - 1]]
        return pairwise([start, *ends, stop])

    def _font(self, key: int | None, at: int) -> _Font:
        self._raw.FPDFText_GetMatrix(self._text, at, self._matrix)
        m, name, flags = self._matrix, create_string_buffer(_NAME), c_int()
        self._raw.FPDFText_GetFontInfo(self._text, at, name, _NAME, flags)
        bold = bool(_HEAVY_NAMES.search(name.value)) or self._raw.FPDFText_GetFontWeight(self._text, at) > _HEAVY
        size = self._size(at) * math.hypot(m.c, m.d)
        font = _Font(round(size, 1), round(math.degrees(math.atan2(m.b, m.a))) % 360, bold)
        if key is not None:
            self._fonts[key] = font
        return font

    def _box(self, at: int) -> _Box:
        self._read_box(at)
        r = self._rectangle
        return r.left, r.bottom, r.right, r.top


def _bare(function: Any, gives: Any, *takes: Any) -> Any:
    return CFUNCTYPE(gives, *takes)(cast(function, c_void_p).value or 0)


def _spelled(text: str) -> str:
    """As a reader writes it: ligatures apart, one kind of hyphen, soft ones only at the end of a line."""
    if text.isascii():
        return text
    if len(text) == 1 and 0xE000 <= ord(text) < 0xF900:
        return _SIGNS.get(ord(text), "•")
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace") if _SURROGATE.search(text) else text
    return whole[:-1].replace("\u00ad", "").translate(_LETTERS) + whole[-1].translate(_LETTERS).replace("\u00ad", "-")


def _upright(pieces: Sequence[_Piece], box: _Box, label: str) -> PageWords:
    """The words that run as most of the page does, seen upright: what runs otherwise is a stamp or a watermark."""
    letters: Counter[int] = Counter()
    for p in pieces:
        letters[p.font.angle] += len(p.text)
    angle = max(letters, key=letters.__getitem__, default=0)
    if angle:
        box, pieces = _turned(box, angle), [_turned_piece(p, angle) for p in pieces if p.font.angle == angle]
    edge, bottom, right, top = box
    width, height = right - edge, top - bottom
    words = [
        Word(p.text, p.origin[0] - edge, max(p.origin[0], p.last[2]) - edge, top - p.origin[1], p.font.size, p.font.bold, p.glued)
        for p in pieces
        if p.font.angle == angle and p.font.size > 0
    ]
    return PageWords([w for w in words if 0 <= w.base <= height and w.right > 0 and w.left < width], width, height, label)


def _turned(box: _Box, angle: int) -> _Box:
    """A box on a page that is turned so that words at an angle lie."""
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    xs = [x * cos + y * sin for x in box[::2] for y in box[1::2]]
    ys = [y * cos - x * sin for x in box[::2] for y in box[1::2]]
    return min(xs), min(ys), max(xs), max(ys)


def _turned_piece(p: _Piece, angle: int) -> _Piece:
    x, y, _, _ = _turned((*p.origin, *p.origin), angle)
    return p._replace(origin=(x, y), last=_turned(p.last, angle))
