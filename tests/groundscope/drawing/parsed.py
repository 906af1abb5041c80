"""HTML as a browser's parser reads it, and words that must stay words in it."""

from dataclasses import dataclass
from html.parser import HTMLParser

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=https://evil.example/x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</p></li></ul><a href='javascript:alert(1)'>x</a>",
    "&lt;b&gt; &amp; <!-- <meta http-equiv=refresh content='0;url=//evil.example'>",
    "</mark></title><style>*{background:url(http://evil.example)}</style>",
    "`$\\frac{1}{2}$` **bold** :red[x]",
)
_VOID = {"meta", "br"}
_APART = {"sup", "style"}
"""Whose text belongs to nothing around it: numbers that were added, and rules."""


@dataclass
class Element:
    """An element with its text, that of the elements inside it included."""

    name: str
    attributes: dict[str, str]
    text: str = ""


class Parsed(HTMLParser):
    """The elements of a page in their order, and its text; fails where one element crosses another or stays open."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.text = ""
        self._open: list[Element] = []
        self.feed(html)
        self.close()
        assert self._open == []

    @property
    def names(self) -> set[str]:
        return {element.name for element in self.elements}

    @property
    def attributes(self) -> set[str]:
        return {name for element in self.elements for name in element.attributes}

    def texts(self, name: str) -> list[str]:
        return [element.text for element in self.elements if element.name == name]

    def values(self, attribute: str) -> list[str]:
        return [element.attributes[attribute] for element in self.elements if attribute in element.attributes]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(self.elements[-1])

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop().name == tag

    def handle_data(self, data: str) -> None:
        apart = bool(self._open) and self._open[-1].name in _APART
        for element in self._open[-1:] if apart else self._open:
            element.text += data
        self.text += "" if apart else data
