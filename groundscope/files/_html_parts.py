"""What of a web page is its document: without menus, banners for cookies, heads and feet of the site, and what is hidden.

A part goes only where the page names it so, by its element, its role, or its class; the page stays whole where hardly any text
would be left.
"""

import copy
import re
from collections.abc import Callable
from itertools import chain, islice
from typing import Any, NamedTuple

_SILENT = "script style noscript template svg iframe object embed select textarea datalist audio video canvas".split()
_PRESSED = ("button", "input")
_AROUND = {"nav", "aside", "dialog"}
_ROLES = {
    *"navigation banner contentinfo search dialog alertdialog complementary menu menubar toolbar tablist".split(),
}  # fmt: skip
_SITE_ENDS = {"header", "footer"}
_NAMED = _AROUND | _SITE_ENDS
_CONTENT = {"main", "article", "section"}
_NOTES = re.compile(r"(?:foot|end)-?notes?\b|\bfn\b", re.IGNORECASE)
_CONSENT = re.compile(
    r"cookie|gdpr|dsgvo|rgpd|onetrust|usercentrics|didomi|\bcmp\b|\bcc-(?:window|banner)"
    r"|(?:consent|privacy|einwilligungs?|datenschutz|consentement|consentimiento|consenso)[-_]?"
    r"(?:banner|bar|box|dialog|hinweis|manager|modal|notice|overlay|pop-?up|tool)",
    re.IGNORECASE,
)
_MENU = re.compile(
    r"(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|breadcrumbs?|side-?bar|skip(?:-?link|-?to-?\w+)?|share|sharing|social|masthead|top-?bar"
    r"|header|footer|pagination|pager|related|newsletter|lang(?:uage)?s?)(?:$|[\s_-])",
    re.IGNORECASE,
)
_SITE_END = re.compile(r"(?:^|\s)(?:(?:site|page|global)[_-]?)?(?:header|footer|copyright|masthead)(?:$|\s)", re.IGNORECASE)
_INVISIBLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_MOST_CONSENT, _MOST_ASKED, _MOST_END = 400, 120, 40
"""Words of a banner for cookies, named so and not, and of a head or foot that only its class names, at most."""
_LINKED = 0.5
"""Share of the words in links from which on a part that is named a menu is one."""
_LEAST_LEFT = 1 / 3
"""Share of the words outside links that must be left."""
_SAMPLE, _LONGEST_SAMPLE = 10, 80


class PageText(NamedTuple):
    """The part of a page to read; of what was left out, the number of words and the first ones. `whole`: nothing was."""

    root: Any
    words: int = 0
    sample: str = ""
    whole: bool = False


def document_part(tree: Any) -> PageText:
    """Find the document of a page; the tree is changed."""
    body = tree.find("body")
    body = tree if body is None else body
    _drop(body, *_SILENT)
    whole = copy.deepcopy(body)
    by_office = "LibreOffice" in "".join(tree.xpath("//meta[@name='generator']/@content"))
    gone: list[str] = []
    _take_out(body, lambda e: _is_no_text(e) or (by_office and e.get("title") in _SITE_ENDS), gone)
    _drop(body, *_PRESSED)
    main = _main(body)
    if main is not None and _running_words(main) >= _LEAST_LEFT * _running_words(body):
        inside = {*main.iterancestors(), main}
        _take_out(body, lambda e: e not in inside, gone, under=lambda e: e is not main)
    if not gone:
        return PageText(body)
    if not "".join(body.itertext()).strip() or _running_words(body) < _LEAST_LEFT * _running_words(whole):
        _drop(whole, *_PRESSED)
        return PageText(whole, whole=True)
    words = " ".join(gone).split()
    return PageText(body, len(words), " ".join(words[:_SAMPLE])[:_LONGEST_SAMPLE])


def _drop(root: Any, *tags: str) -> None:
    for element in list(root.iter(*tags)):
        element.drop_tree()


def _take_out(root: Any, goes: Callable[[Any], bool], gone: list[str], under: Callable[[Any], bool] = lambda _: True) -> None:
    """Take parts out, the outermost first, and note their words in reading order."""
    stack = [root]
    while stack:
        element = stack.pop()
        if element is not root and goes(element):
            gone.append(" ".join(" ".join(element.itertext()).split()))
            element.drop_tree()
        elif under(element):
            stack += [child for child in reversed(element) if isinstance(child.tag, str)]


def _main(body: Any) -> Any:
    """The part that the page names as its text: its largest main part, or its only article."""
    mains = [e for e in body.iter("main", "div", "section", "td") if e.tag == "main" or _role(e) == "main"]
    articles = [e for e in body.iter("article") if next(e.iterancestors("article"), None) is None]
    return max(mains, key=_running_words) if mains else articles[0] if len(articles) == 1 else None


def _is_no_text(element: Any) -> bool:
    if not element.attrib and element.tag not in _NAMED:
        return False
    return _is_hidden(element) or _is_consent(element) or _is_around(element)


def _is_hidden(element: Any) -> bool:
    # What is hidden until it is searched for is the page's text.
    hidden = element.get("hidden")
    is_hidden = hidden is not None and hidden.lower() != "until-found"
    return is_hidden or element.get("aria-hidden") == "true" or _INVISIBLE.search(element.get("style", "")) is not None


def _is_consent(element: Any) -> bool:
    """Whether a part asks for consent: by its name, or in few words about cookies with a button."""
    if element.tag in ("a", *_PRESSED):
        return False
    named = _CONSENT.search(_names(element)) is not None
    asks = next(element.iter(*_PRESSED, *(("a",) if named else ())), None) is not None
    if not asks or next(element.iter("main", "article", "h1"), None) is not None:
        return False
    # No more than counts: nested parts would be read again and again.
    words = list(islice(chain.from_iterable(map(str.split, element.itertext())), _MOST_CONSENT + 1))
    return len(words) <= (_MOST_CONSENT if named else _MOST_ASKED) and (named or "cookie" in " ".join(words).lower())


def _is_around(element: Any) -> bool:
    role, names = _role(element), _names(element)
    if not role and not names and element.tag not in _NAMED:
        return False
    if role.startswith("doc-") or _NOTES.search(names):
        return role == "doc-toc"
    if element.tag in _AROUND:
        return True
    if element.tag in _SITE_ENDS or role in ("banner", "contentinfo"):
        return _is_site_end(element)
    if role in _ROLES:
        return True
    if not _MENU.search(names) or next(element.iter("main", "article", "h1"), None) is not None:
        return False
    words = len(" ".join(element.itertext()).split())
    is_end = _SITE_END.search(names) and words <= _MOST_END and next(element.iter("h2", "h3", "table"), None) is None
    # A trail ends with the name of the page itself, which is no link.
    is_trail = "breadcrumb" in names.lower() and words <= _MOST_END
    return bool(is_end or is_trail) or words - _running_words(element) >= _LINKED * max(1, words)


def _is_site_end(element: Any) -> bool:
    """Whether a head or foot is the site's: those of an article are its own, and so is a head with the title."""
    if next(element.iterancestors(*_CONTENT), None) is not None:
        return False
    titled = element.tag == "header" and next(element.iter("h1"), None) is not None
    return not titled or 2 * _running_words(element) < len(" ".join(element.itertext()).split())


def _role(element: Any) -> str:
    return str(element.get("role", "")).lower()


def _names(element: Any) -> str:
    """By what a page names a part."""
    return " ".join(filter(None, (element.get(name) for name in ("id", "class", "epub:type"))))


def _running_words(element: Any) -> int:
    """Words outside links, which menus are made of."""
    linked = sum(len(" ".join(a.itertext()).split()) for a in element.iter("a"))
    return max(0, len(" ".join(element.itertext()).split()) - linked)
