"""Offsets of Python's characters as JavaScript's UTF-16 units, counted inside a sentence."""


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
