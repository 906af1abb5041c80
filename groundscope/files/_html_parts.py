"""What of a web page is its document: without menus, banners for cookies, heads and feet of the site, and what is hidden.

A part goes where the page names it so, by its element, its role, or its class, and where it is hardly more than links to other
pages at the page's start or end; the page stays whole where hardly any text would be left.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from lxml import etree

_SILENT = "script style noscript template svg iframe object embed select textarea datalist audio video canvas".split()
_PRESSED = ("button", "input")
_ROLES = {*"navigation banner contentinfo search dialog alertdialog complementary menu menubar toolbar tablist".split()}
_AROUND, _SITE_ENDS = {"nav", "aside", "dialog"}, {"header", "footer"}
NOTES = re.compile(r"(?:foot|end)-?notes?\b|\bfn\b", re.IGNORECASE)
_CONSENT = re.compile(
    r"cookie|gdpr|dsgvo|rgpd|onetrust|usercentrics|didomi|sp_message|\bcmp\b|\bcc-(?:window|banner)"
    r"|(?:consent|privacy|einwilligungs?|datenschutz|consentement|consentimiento|consenso)[-_]?"
    r"(?:banner|bar|box|dialog|hinweis|manager|modal|notice|overlay|pop-?up|tool)",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"cookie|\b(?:value|respect) your privacy|\b(?:schätzen|respektieren) ihre privatsphäre|\brespectons votre vie privée"
    r"|\A\s*(?:(?:accept|allow|reject) all|manage (?:preferences|options)|alle (?:akzeptieren|ablehnen)|tout accepter)\s*\Z",
    re.IGNORECASE,
)
"""What a banner says, or one of its buttons."""
_READERS = re.compile(
    r"(?:^|\s)(?:comments?(?:-?(?:area|form|list|section|thread|wrapper))?|respond|disqus_thread|ad-?slot|advert(?:isement)?s?)(?:$|\s)",
    re.IGNORECASE,
)
_REPLIES = re.compile(r"\s*(?:comments? \(\d+\)|\d+ comments?\s*\Z|(?:leave|post|write) a (?:reply|comment)\b)", re.I)
"""The title of what readers wrote, or may write."""
_RIGHTS = re.compile(r"©|\(c\) \d{4}|all rights reserved", re.IGNORECASE)
_MENU = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|breadcrumbs?|side-?bar|skip(?:-?link|-?to-?\w+)?|share|sharing|social|masthead|top-?bar"
    r"|tool-?bar|promo|header|footer|pagination|pager|related|newsletter|lang(?:uage)?s?)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SITE_END = re.compile(r"(?:^|\s)(?:(?:site|page|global)[_-]?)?(?:header|footer|copyright|masthead)(?:$|\s)", re.IGNORECASE)
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_WORD = re.compile(r"\w\S*")
"""What stands between two links is none."""
_LISTS = {"div", "ul", "ol", "p", "table", "td", "section", "center"}
_HEADINGS = {f"h{n}" for n in range(1, 7)}
_TITLES, _PARTS = {"main", "article", "h1"}, {"h2", "h3", "table"}
_ASKED = _LISTS | _AROUND | _SITE_ENDS | {"body", "html", "main", "article"}
_MOST_CONSENT, _MOST_ASKED, _MOST_END = 400, 120, 40
"""Words of a banner for cookies, named so and not, and of a head or foot that only its class names, at most."""
_MENU_LINKED, _LINKED = 0.5, 0.8
"""Share of the words in links from which on a part that is named a menu is one, and one that is not."""
_LEAST_LINKS, _EDGE = 3, 15
"""Links of a menu without a name, and words outside links between it and the end of the page."""
_LEAST_LEFT = 1 / 3
"""Share of the words outside links that must be left."""
_LEFT_OUT = "has menus and other parts around its text, which were left out: {:,} words, such as “{} …”."
_WHOLE = "does not say which part of the page is its text, so all of it was read, menus and all."
_SAMPLE, _LONGEST_SAMPLE = 10, 80


class PageText(NamedTuple):
    """The document of a page: where it is, the parts that are none of it, and a note of them."""

    root: Any
    gone: set[Any]
    notes: set[str]


class _Count(NamedTuple):
    """What a part of a page holds; `links` lead to other pages."""

    words: int
    linked: int
    links: int
    pressed: int
    cookies: int
    titles: int
    parts: int

    @property
    def running(self) -> int:
        """Words outside links, which menus are made of."""
        return self.words - self.linked


_NOTHING = (0,) * 7


class _Counts:
    """What each part of a page holds, counted once for all, since parts are nested."""

    def __init__(self, body: Any, gone: set[Any]) -> None:
        before: dict[Any, tuple[int, ...]] = {}
        self._spans: dict[Any, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        words = linked = links = pressed = cookies = titles = parts = inside = 0
        walk = etree.iterwalk(body, events=("start", "end", "comment", "pi"))
        for event, element in walk:
            tag, text = element.tag, element.text if event == "start" else element.tail
            if event == "start":
                # Of others nothing is asked: most of a page are paragraphs.
                if tag in _ASKED or element.attrib:
                    before[element] = (words, linked, links, pressed, cookies, titles, parts)
                if element in gone:
                    walk.skip_subtree()
                    continue
                if tag == "a":
                    links += element.get("href", "#")[:1] != "#"
                    inside += 1
                pressed, titles, parts = pressed + (tag in _PRESSED), titles + (tag in _TITLES), parts + (tag in _PARTS)
            elif event == "end":
                inside -= tag == "a" and element not in gone
                if element in before:
                    self._spans[element] = before[element], (words, linked, links, pressed, cookies, titles, parts)
            if text and (event == "start" or element is not body):
                size = len(_WORD.findall(text))
                words, linked, cookies = words + size, linked + (size if inside else 0), cookies + bool(_ASKS.search(text))
        self.whole = self.of(body)

    def of(self, element: Any) -> _Count:
        """What a part holds."""
        before, after = self._spans.get(element, (_NOTHING, _NOTHING))
        return _Count(*(b - a for a, b in zip(before, after, strict=True)))

    def is_at_an_end(self, element: Any) -> bool:
        """Whether hardly any running words stand before a part, or after it."""
        before, after = (_Count(*at).running for at in self._spans[element])
        return min(before, self.whole.running - after) <= _EDGE


def document_part(tree: Any) -> PageText:
    """Find the document of a page; the tree loses what no browser shows as text."""
    body = tree.find("body")
    body = tree if body is None else body
    etree.strip_elements(body, *_SILENT, with_tail=False)
    whole = _Counts(body, set())
    by_office = "LibreOffice" in "".join(tree.xpath("//meta[@name='generator']/@content"))
    gone = set(_outermost(body, lambda e: _is_no_text(e, whole) or (by_office and e.get("title") in _SITE_ENDS)))
    for title in body.iter(_HEADINGS - _TITLES):
        if _REPLIES.match("".join(title.itertext())):
            gone.update(e for e in (title, *title.itersiblings()) if not whole.of(e).titles)
    left = _Counts(body, gone) if gone else whole
    main = _main(body, left)
    if main is not None and left.of(main).running >= _LEAST_LEFT * left.whole.running:
        for element in (main, *main.iterancestors()):
            if element is body:
                break
            gone.update(e for e in element.getparent() if e is not element)
    else:
        gone.update(_outermost(body, lambda e: e in gone or _is_link_list(e, left)))
    left = _Counts(body, gone) if gone else whole
    if gone and (not left.whole.words or left.whole.running < _LEAST_LEFT * whole.whole.running):
        return PageText(body, set(body.iter(*_PRESSED)), {_WHOLE})
    words = " ".join(text for e in _outermost(body, gone.__contains__) for text in e.itertext()).split()
    note = {_LEFT_OUT.format(len(words), " ".join(words[:_SAMPLE])[:_LONGEST_SAMPLE])} if words else set[str]()
    return PageText(body, gone | set(body.iter(*_PRESSED)), note)


def _outermost(root: Any, goes: Callable[[Any], bool]) -> Iterator[Any]:
    """The outermost parts of which something is so, in reading order."""
    walk = etree.iterwalk(root, events=("start",))
    for _, element in walk:
        if element is not root and goes(element):
            walk.skip_subtree()
            yield element


def _main(body: Any, counts: _Counts) -> Any:
    """The part that the page names as its text: its largest main part, or its only article."""
    mains = [e for e in body.iter("main", "div", "section", "td") if e.tag == "main" or _role(e) == "main"]
    articles = [e for e in body.iter("article") if next(e.iterancestors("article"), None) is None]
    return max(mains, key=lambda e: counts.of(e).running) if mains else articles[0] if len(articles) == 1 else None


def _is_no_text(element: Any, counts: _Counts) -> bool:
    if not element.attrib and element.tag not in _AROUND | _SITE_ENDS:
        return False
    count = counts.of(element)
    return _is_hidden(element) or _is_consent(element, count) or _is_around(element, count)


def _is_hidden(element: Any) -> bool:
    # What is hidden until it is searched for is the page's text.
    hidden = element.get("hidden", "until-found").lower() != "until-found"
    return hidden or element.get("aria-hidden") == "true" or _INVISIBLE.search(element.get("style", "")) is not None


def _is_consent(element: Any, count: _Count) -> bool:
    """Whether a part asks for consent: by its name, or in few words about cookies with a button."""
    if element.tag in ("a", *_PRESSED) or count.titles:
        return False
    if count.pressed and count.cookies and count.words <= _MOST_ASKED:
        return True
    asks = count.pressed or next(element.iter("a"), None) is not None
    return bool(asks) and count.words <= _MOST_CONSENT and _CONSENT.search(names_of(element)) is not None


def _is_around(element: Any, count: _Count) -> bool:
    role, names = _role(element), names_of(element)
    if role.startswith("doc-") or NOTES.search(names):
        return role == "doc-toc"
    if element.tag in _AROUND:
        return True
    if element.tag in _SITE_ENDS or role in ("banner", "contentinfo"):
        return _is_site_end(element, count)
    if role in _ROLES or (_READERS.search(names) and not count.titles):
        return True
    if not _MENU.search(names) or count.titles or element.tag in _HEADINGS:
        return False
    is_end = _SITE_END.search(names) and not count.parts
    # A trail ends with the name of the page itself, which is no link.
    is_short = (is_end or "breadcrumb" in names.lower()) and count.words <= _MOST_END
    return bool(is_short) or count.linked >= _MENU_LINKED * max(1, count.words)


def _is_site_end(element: Any, count: _Count) -> bool:
    """Whether a head or foot is the site's: those of an article are its own, and so is a head with the title."""
    if next(element.iterancestors("main", "article", "section"), None) is not None:
        return False
    return not (element.tag == "header" and count.titles) or 2 * count.running < count.words


def _is_link_list(element: Any, counts: _Counts) -> bool:
    """Whether a part at an end of the page is hardly more than links to other pages, which lists of contents are not."""
    if element.tag not in _LISTS or next(element.iterancestors("main", "article"), None) is not None:
        return False
    count = counts.of(element)
    if count.titles or not count.links or not counts.is_at_an_end(element):
        return False
    is_list = count.links >= _LEAST_LINKS and count.linked >= _LINKED * count.words
    return is_list or (count.words <= _MOST_END and _RIGHTS.search("".join(element.itertext())) is not None)


def _role(element: Any) -> str:
    return str(element.get("role", "")).lower()


def names_of(element: Any) -> str:
    """By what a page names a part."""
    return " ".join(filter(None, (element.get(name) for name in ("id", "class", "epub:type"))))
