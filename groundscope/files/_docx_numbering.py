"""Numbers that Word draws before paragraphs ("4.2", "(a)", "Article V") and that are in no text of the file."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from docx.oxml.ns import qn

from groundscope.files._blocks import written

_LEVELS = 9
_LISTED = "w:pPr/w:numPr"
_VALUE = qn("w:val")
_WORD = _VALUE.removesuffix("val")


class _Level(NamedTuple):
    start: int
    form: str
    pattern: str
    legal: bool


class Numbering:
    """The counters of a document; paragraphs are given in order."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self._abstract = {e.get(qn("w:abstractNumId")): e for e in _all(numbering, "w:abstractNum")}
        self._nums = {e.get(qn("w:numId")): e for e in _all(numbering, "w:num")}
        self._styles = {e.get(qn("w:styleId")): e for e in _all(styles, "w:style")}
        self._levels: dict[str, tuple[str, dict[int, _Level]]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()

    def before(self, paragraph: Any) -> str:
        """Count a paragraph; gives what Word draws before it, empty for none."""
        number, depth = self._place(paragraph)
        abstract, levels = self._levels_of(number) if number else ("", {})
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(abstract, {})
        if number not in self._begun:
            self._begun.add(number)
            for override in _all(self._nums.get(number), "w:lvlOverride"):
                if start := value(override, "w:startOverride"):
                    counts[int(override.get(qn("w:ilvl"), 0))] = int(start) - 1
        counts[depth] = counts.get(depth, level.start - 1) + 1
        for deeper in [at for at in counts if at > depth]:
            del counts[deeper]
        if level.form == "bullet":
            return "•"
        drawn = level.pattern
        for at in range(min(depth, _LEVELS - 1) + 1):
            of = levels.get(at, level)
            form = "decimal" if level.legal else of.form
            drawn = drawn.replace(f"%{at + 1}", written(counts.get(at, of.start), form))
        return drawn.strip()

    def _place(self, paragraph: Any) -> tuple[str, int]:
        """The list and the level of a paragraph, of itself or of its style."""
        if inner(paragraph, "w:pPr") is None:
            return "", 0
        number, depth = value(paragraph, f"{_LISTED}/w:numId"), value(paragraph, f"{_LISTED}/w:ilvl")
        for of in self.bases(value(paragraph, "w:pPr/w:pStyle") or ""):
            if inner(of, _LISTED) is not None:
                number = number or value(of, f"{_LISTED}/w:numId")
                # A style has the level that names it.
                depth = depth or value(of, f"{_LISTED}/w:ilvl") or self._level_of_style(number, of.get(qn("w:styleId")))
        return number if number and number != "0" else "", int(depth) if depth and depth.isdecimal() else 0

    def bases(self, style: str) -> Iterator[Any]:
        """A style, what it is based on, and so on."""
        seen: set[str] = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            yield self._styles[style]
            style = value(self._styles[style], "w:basedOn") or ""

    def _level_of_style(self, number: str | None, style: str) -> str | None:
        levels = _all(self._abstract_of(number or ""), "w:lvl")
        return next((e.get(qn("w:ilvl")) for e in levels if value(e, "w:pStyle") == style), None)

    def _abstract_of(self, number: str) -> Any:
        element = self._abstract.get(value(self._nums.get(number), "w:abstractNumId") or "")
        linked = self._styles.get(value(element, "w:numStyleLink"))
        theirs = self._nums.get(value(linked, f"{_LISTED}/w:numId") or "")
        return self._abstract.get(value(theirs, "w:abstractNumId") or "", element)

    def _levels_of(self, number: str) -> tuple[str, dict[int, _Level]]:
        if number not in self._levels:
            element = self._abstract_of(number)
            levels = [*_all(element, "w:lvl"), *_all(self._nums.get(number), "w:lvlOverride/w:lvl")]
            key = element.get(qn("w:abstractNumId"), "") if element is not None else ""
            self._levels[number] = key, {int(e.get(qn("w:ilvl"), 0)): _level(e) for e in levels}
        return self._levels[number]


def _level(element: Any) -> _Level:
    form = value(element, "w:numFmt") or "decimal"
    # A word processor draws nothing where the text is missing.
    pattern = value(element, "w:lvlText") or ""
    return _Level(int(value(element, "w:start") or "1"), form, pattern, is_on(inner(element, "w:isLgl")))


def is_on(element: Any) -> bool:
    """Whether a switch is there and not off."""
    return element is not None and element.get(qn("w:val"), "true") not in ("0", "false", "off")


def inner(element: Any, path: str) -> Any:
    """What stands in an element, None where there is none."""
    return None if element is None else element.find(path.replace("w:", _WORD))


def value(element: Any, path: str) -> str | None:
    """The value of what stands in an element, if both are there."""
    of = inner(element, path)
    read: str | None = None if of is None else of.get(_VALUE)
    return read


def _all(element: Any, path: str) -> list[Any]:
    return [] if element is None else element.findall(path.replace("w:", _WORD))
