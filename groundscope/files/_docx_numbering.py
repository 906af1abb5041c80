"""Numbers that Word draws before paragraphs ("4.2", "(a)", "Article V") and that are in no text of the file."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from docx.oxml.ns import qn

from groundscope.files._blocks import written

_LEVELS = 9


class _Level(NamedTuple):
    start: int
    form: str
    pattern: str
    legal: bool


class Numbering:
    """The counters of a document; paragraphs are given in order."""

    def __init__(self, numbering: Any, styles: Any) -> None:
        self._abstract = {e.get(qn("w:abstractNumId")): e for e in _children(numbering, "abstractNum")}
        self._nums = {e.get(qn("w:numId")): e for e in _children(numbering, "num")}
        self._styles = {e.get(qn("w:styleId")): e for e in _children(styles, "style")}
        self._levels: dict[str, tuple[str, dict[int, _Level]]] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()

    def before(self, paragraph: Any) -> str:
        """Count a paragraph; gives what Word draws before it, empty for none."""
        number, depth = self._place(paragraph)
        if not number:
            return ""
        abstract, levels = self._levels_of(number)
        level = levels.get(depth)
        if level is None:
            return ""
        counts = self._counts.setdefault(abstract, {})
        if number not in self._begun:
            self._begun.add(number)
            for at, start in self._restarts(number):
                counts[at] = start - 1
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
        properties = _child(paragraph, "pPr")
        direct = _child(properties, "numPr")
        number, depth = _value(_child(direct, "numId")), _value(_child(direct, "ilvl"))
        style = _value(_child(properties, "pStyle")) or ""
        for of in self.bases(style):
            inherited = _child(_child(of, "pPr"), "numPr")
            if inherited is None:
                continue
            number = number or _value(_child(inherited, "numId"))
            # A style has the level that names it.
            depth = (
                depth
                or _value(_child(inherited, "ilvl"))
                or (self._level_of_style(number, of.get(qn("w:styleId"))) if number else None)
            )
        if number in (None, "0"):
            return "", 0
        return str(number), int(depth) if depth and depth.isdecimal() else 0

    def bases(self, style: str) -> Iterator[Any]:
        """A style, what it is based on, and so on."""
        seen: set[str] = set()
        while style in self._styles and style not in seen:
            seen.add(style)
            yield self._styles[style]
            style = _value(_child(self._styles[style], "basedOn")) or ""

    def _level_of_style(self, number: str, style: str) -> str | None:
        element = self._abstract_of(number)
        of = (e.get(qn("w:ilvl")) for e in _children(element, "lvl") if _value(_child(e, "pStyle")) == style)
        return next(of, None)

    def _abstract_of(self, number: str) -> Any:
        element = self._abstract.get(_value(_child(self._nums.get(number), "abstractNumId")) or "")
        linked = _value(_child(element, "numStyleLink"))
        if linked in self._styles:
            theirs = _value(_child(_child(_child(self._styles[linked], "pPr"), "numPr"), "numId"))
            return self._abstract.get(_value(_child(self._nums.get(theirs or ""), "abstractNumId")) or "", element)
        return element

    def _levels_of(self, number: str) -> tuple[str, dict[int, _Level]]:
        if number not in self._levels:
            element = self._abstract_of(number)
            written = list(_children(element, "lvl"))
            written += [lvl for o in _children(self._nums.get(number), "lvlOverride") for lvl in _children(o, "lvl")]
            levels = {int(e.get(qn("w:ilvl"), 0)): _level(e) for e in written}
            key = element.get(qn("w:abstractNumId"), "") if element is not None else ""
            self._levels[number] = key, levels
        return self._levels[number]

    def _restarts(self, number: str) -> Iterator[tuple[int, int]]:
        for override in _children(self._nums.get(number), "lvlOverride"):
            if start := _value(_child(override, "startOverride")):
                yield int(override.get(qn("w:ilvl"), 0)), int(start)


def _level(element: Any) -> _Level:
    start = _value(_child(element, "start")) or "1"
    form = _value(_child(element, "numFmt")) or "decimal"
    legal = _child(element, "isLgl")
    # A word processor draws nothing where the text is missing.
    return _Level(
        int(start), form, _value(_child(element, "lvlText")) or "", legal is not None and _value(legal) not in ("0", "false")
    )


def _child(element: Any, name: str) -> Any:
    return None if element is None else element.find(qn(f"w:{name}"))


def _children(element: Any, name: str) -> Iterator[Any]:
    return iter(()) if element is None else element.iterchildren(qn(f"w:{name}"))


def _value(element: Any) -> str | None:
    value: str | None = None if element is None else element.get(qn("w:val"))
    return value
