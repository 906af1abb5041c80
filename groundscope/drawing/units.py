"""Texts as the browser draws them: cut into units, with what of them is shown otherwise than it stands, in UTF-16 offsets."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from groundscope.text.shown import BlockKind, ShownPiece, Style, TextBlock, shown


def utf16(text: str, offset: int) -> int:
    """Count the UTF-16 units before a character."""
    return offset if text.isascii() else len(text[:offset].encode("utf-16-le", "surrogatepass")) // 2


def span_in(text: str, start: int, end: int, origin: int, limit: int) -> list[int]:
    """Convert `text[start:end]` to UTF-16 offsets inside the sentence `text[origin:limit]`, clipped to it."""
    piece = text[origin:limit]
    return [utf16(piece, max(0, start - origin)), utf16(piece, min(end, limit) - origin)]


def from_utf16(text: str, units: int) -> int:
    """Count the characters in the first UTF-16 units of a text; the reverse of `utf16`."""
    if text.isascii():
        return min(units, len(text))
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))


def cut_text(text: str, spans: Sequence[tuple[int, int, bool]], *, source: bool = False) -> dict[str, Any]:
    """A text as units (`b` what stands before, `t` the sentence, `h` a heading) and a tail; joined, it is the text.

    How they are shown stands in `bs`, `ts` and `tails`, as `_looks` makes it; `c` counts the cells before a unit in its row.
    """
    how = shown(text, source=source)
    begins = [start for start, *_ in spans]
    units_of = (spans[max(0, bisect_right(begins, b.start) - 1)][:2] if spans else (0, 0) for b in how.blocks)
    # A unit is drawn in one block.
    blocks = [b for b, (start, end) in zip(how.blocks, units_of, strict=True) if not start < b.start < end]
    firsts = [b.start for b in blocks]

    def looks(start: int, end: int, opened: Sequence[TextBlock] = (), *, inside: bool = False) -> list[list[Any]]:
        return _looks(text, start, end, how.within(start, end), opened, inside=inside)

    units, position, at = [], 0, 0
    for start, end, heading in spans:
        unit: dict[str, Any] = {"b": text[position:start], "t": text[start:end]}
        until = bisect_right(firsts, start)
        extras = {"h": heading, "bs": looks(position, start, blocks[at:until]), "ts": looks(start, end, inside=True)}
        if until and blocks[until - 1].kind is BlockKind.TABLE:
            row = how.within(text.rfind("\n", 0, start) + 1, start)
            unit["c"] = sum(Style.BORDER in p.styles for p in row)
        units.append(unit | {k: v for k, v in extras.items() if v})
        position, at = end, until
    return {"units": units, "tail": text[position:], "tails": looks(position, len(text), blocks[at:])}


def _looks(
    text: str, start: int, end: int, pieces: Sequence[ShownPiece], blocks: Sequence[TextBlock], *, inside: bool
) -> list[list[Any]]:
    """[from, to, look, words, title] of what is not shown as it stands, in UTF-16 offsets inside `text[start:end]`.

    A look is classes, `gone` for what is not shown, `border` between cells, or `open` for a block: then classes and level follow.
    """
    looks = [(b.start, b.start, ["open", f"md-{b.kind}{' md-note' * b.note}", b.level]) for b in blocks]
    looks += [
        (max(start, p.start), min(end, p.end), _look(p, inside)) for p in pieces if not (inside and Style.SPACE in p.styles)
    ]
    last, units, drawn = start, 0, list[list[Any]]()
    for a, b, look in sorted(looks, key=lambda x: x[:2]):
        first = units + utf16(text[last:a], a - last)
        last, units = b, first + utf16(text[a:b], b - a)
        drawn.append([first, units, *look])
    return drawn


def _look(piece: ShownPiece, inside: bool) -> list[Any]:
    if Style.BORDER in piece.styles and inside:
        return ["border"]
    if piece.styles[0] in (Style.SIGN, Style.SPACE, Style.BORDER):
        return ["gone"]
    look: list[Any] = [" ".join(f"md-{s}" for s in piece.styles)]
    if piece.title:
        return [*look, piece.words, piece.title]
    return look if piece.words is None else [*look, piece.words]
