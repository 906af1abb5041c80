"""Names in an English text: people, companies, institutions, places, and things with a letter ("Class C").

A name is a run of words with capitals, of initials, and of the small words between ("Ludwig van der Berg", "Securities and
Exchange Commission"). The first word of a sentence has its capital anyway: it is a name if it is no word of the language, or if
it stands bare before what only people and companies do ("Acme sued").
"""

import re
from calendar import day_name, month_abbr, month_name
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise, takewhile
from typing import NamedTuple

from groundscope.text.english import is_also_name, is_english, is_term_of_law
from groundscope.text.name_spelling import ABBREVIATIONS, ENDING, FORMS, folded


class FactKind(StrEnum):
    """Kind of a fact; the values are shown to readers, those first that change what the law asks."""

    CONNECTIVE = "Linking words"
    ROLE = "Parties and roles"
    TERM = "Legal terms"
    NEGATION = "Negations"
    MODAL = "Shall, may, must"
    MONEY = "Money"
    DATE = "Dates"
    NUMBER = "Numbers"
    CITATION = "Citations"
    NAME = "Names"
    QUOTE = "Quoted words"


class Item(NamedTuple):
    """A fact `text[start:end]`; equal keys are the same fact."""

    kind: FactKind
    start: int
    end: int
    key: str


TITLES = frozenset(
    (
        "associate attorney baron baroness capt captain chancellor chief col colonel congressman congresswoman dame det "
        "detective dr esq father gen general gov governor hon honorable honourable jr judge justice justices kc king lady "
        "lieutenant lord lt magistrate mayor md messrs minister miss mr mrs ms mx officer phd pope president prime prince "
        "princess prof professor qc queen rep representative rev reverend secretary sen senator sergeant sgt sheriff sir "
        "solicitor sr vice"
    ).split()
)
"""Words before and after the names of people."""
ALSO_NAMES = frozenset("king prince pope baron".split())
"""Titles that after another one are names."""
OFFICES = frozenset("department dept ministry".split())
"""After "Justice" what makes it no title."""
LEADS = frozenset(
    (
        "a about above according accordingly across additionally after afterwards again against all along already also although "
        "among an and another any anyone apart applying are around art as at based because before being below besides both but "
        "by can cf citing consequently could del did do does during each either else even every everyone few finally for former "
        "from further furthermore given had has have he hence her here his how however i id if in indeed instead into is it its "
        "just last lastly later less like many may meanwhile might more moreover most much must neither never nevertheless next "
        "no nobody nonetheless nor nos not nothing now of often on once one only or other others otherwise our out over per "
        "perhaps quoting rather regarding said same see several shall she should similarly since so some someone sometimes "
        "still such than that the their then there therefore these they this those though through throughout thus to "
        "together too under unless unlike until upon via was we were what whatever when whenever where whereas wherever "
        "hello hi ie eg whether which while who whoever whom whose why will with within without would yes yet you your"
    ).split()
)
"""Words that begin a sentence and no name."""
NO_NAMES = LEADS | frozenset(
    (
        "act affidavit agreement answer appeals appellant appellants appellee appellees art article articles board brief chief "
        "cir circuit claimant claimants code complainant complaint congress contract counsel court courts declaration deed "
        "defendant defendants department district division ex federal judge judges judgment jury justice justices landlord "
        "lease lessee lessor lord memorandum motion opinion order party petition petitioner petitioners plaintiff plaintiffs "
        "prosecution prosecutor relief respondent respondents rule rules section sections state states supreme tenant united"
    ).split()
)
"""Words with a capital that alone, or with one another, name nothing that is not in every law text."""
CIRCUITS = {
    "first": "1st", "second": "2d", "third": "3d", "fourth": "4th", "fifth": "5th", "sixth": "6th", "seventh": "7th",
    "eighth": "8th", "ninth": "9th", "tenth": "10th", "eleventh": "11th", "federal": "fed.",
}  # fmt: skip
"""Circuits as citations shorten them."""
ROYAL = " Majesty"
"""What after "her" is a name."""
_CALENDAR = frozenset(map(str.casefold, (*month_name[1:], *month_abbr[1:], "Sept", *day_name)))
_COUNTS = frozenset("two three four five six seven eight nine ten most many".split())
_ROLES = frozenset(
    (
        "amici amicus congress counsel everybody everyone government husband industry labor labour management nobody parliament "
        "police staff society wife witness spouse opponent child heir trustee people parent"
    ).split()
)
_ROLE_ENDS = ("er", "or", "ee", "ant", "ent", "ist", "ian", "man", "men", "s", "ing", "ly")
_OBJECT = r"(?:(?:the|an?|its|his|her|their|all|every|him|them|it|{})\b|(?!Jan|Feb|Mar|Apr|May|Ju[ln]|Aug|Sep|Oct|Nov|Dec)[A-Z])"
_ACTS = re.compile(
    r"\s(?:(?:also|then|later|thus|never|first|wrongly|allegedly|subsequently)\s)?(?:"
    r"(?:sued|appealed|testified|objected|complained|declined|refused|agreed|disagreed|countersued|counterclaimed|replied)\b"
    r"|(?:argue[sd]|contend(?:s|ed)|allege[sd]|assert(?:s|ed)|insist(?:s|ed)|claim(?:s|ed)|submit(?:s|ted)|said|says|admitted"
    r"|conceded|promised|denied)\s(?:that|it|he|she|they|the|an?|its|his|her|their)\b"
    r"|(?:sold|bought|acquired|purchased|leased|rented|hired|fired|breached|signed|paid|owns|owned|owes|owed|sent|wrote|told"
    r"|manufactured|founded|built|filed|moved|terminated|rejected|accepted|notified|informed|settled)\s"
    rf"{_OBJECT.format('for|to')}|(?:issued|holds|granted)\s{_OBJECT.format('its')})"
)
"""What stands after the name of someone who acts; participles after a thing ("Goods sold") are left out by their objects."""
_IS_SOMEONE = re.compile(
    r"\s(?:(?:is|was)\s(?:the|an?)\s(?:(?!matter|factor|number|order|power|answer|manner|error|waiver|offer|indicat)"
    r"\w{2,12}(?:er|or|ee|ant)|witness|plaintiff|notary|attorney|judge|landlord)\b"
    r"|(?:must|shall|may|can|will|should)\s(?:pay|sue|sell|buy|sign|return|appeal|testify|file|vacate)\b)"
)
"""What stands after a word that is a name, too, where it is one."""
_UPPER = r"(?![a-zß-öø-ÿ])[^\W\d_]"
TOKEN = re.compile(
    rf"\b(?:{_UPPER}(?:\.[^\W\d_]){{1,8}}\.?(?!\w)|{_UPPER}\w*(?:['’&-]\w+)*(?:\.(?:com|org|net)\b)?"
    r"|[a-z]{1,3}['’-]?[A-Z]\w+(?:['’&-]\w+)*)"
)
"""A word that may belong to a name: with a capital, initials, or as "eBay" and "al-Hariri"."""
_PARTICLE = r"(?:(?:de|del|della|di|da|dos|du|des|la|le|van|von|der|den|bin|ibn|al|el|y|zu|zur|ten|ter)\s)"
_OF = r"(?:(?:of|and|for|with|in|on)\s(?:the\s)?|&\s|vs?\.?\s)"
_GAP = re.compile(rf"\.?(?:\splc)?\s(?:{_PARTICLE}{{1,3}}|{_OF})?")
_VERSUS = re.compile(r"\svs?\.?\s")
_SEPARATOR = re.compile(r"\b(?:and|for|with|in|on)\b")
INSTITUTIONS = frozenset(
    (
        "act administration agency association authority bank board bureau center centre code commission commissioner committee "
        "company convention corporation council court courts customs department directive directorate division foundation fund "
        "institute institution ministry office organisation organization regulation regulations rules secretary service "
        "services society statute trust union university works"
    ).split()
)
"""Words of names that go on after "and" and "for"."""
_OPENING = re.compile(
    r"(?:^|[\n|:;]|[.!?][)\]\"'”’]{0,3}\s|\s[-–—]\s|[†‡⃣←-⯿🀀-🫿]️?\s)"
    r"[\s\"'“‘(\[*_#>•·-]{0,8}(?:\(?[\divxa-hIVXA-H]{1,4}[.)]\s{1,4})?[\"'“‘(*_]{0,4}\Z"
)
_WINDOW = 24
_ARTICLE = re.compile(r"\b[Tt]he\s\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORD_BEFORE = re.compile(r"\b([A-Z][a-z]{1,20})\.?\s\Z")
_LETTERS_BEFORE = re.compile(r"([^\W\d_]{1,20})\Z")
_LABEL = re.compile(r"\b([A-Za-z]{3,24})\s([A-Z])(?!\w|['’&/-]\w|\.\w|\.?\s[A-Z][a-z])|\b([a-z]{3,24})\s([A-Z])(?=\.\s)")
PROVISIONS = frozenset("exhibit schedule annex appendix attachment section article title chapter part".split())
"""What has a number or a letter and is no name."""
_NO_LABELS = LEADS | PROVISIONS | {"am"}
_LONGEST = 12
_MEASURE = re.compile(
    r"\b(?:USD?|AU[SD]?|CA[DN]?|NZD?|HKD?|SGD?|EUR|GBP)(?=\.?\s?[$€£¥])"
    r"|\b(?:GMT|UTC|BST|CES?T|[ECMP][SD]T|A[KE][SD]T|HST|(?:Eastern|Central|Mountain|Pacific)\s(?:Standard\s|Daylight\s)?Time)\b"
    r"|(?:\d|[AaPp]\.?[Mm]\b\.?|[Nn]oon|[Mm]idnight)"
    r"(?:\s?\(?(?:[AECMP]T|[AP]M|IST|(?:Eastern|Central|Mountain|Pacific)(?:\s(?:Standard|Daylight))?(?:\sTime)?)\b){1,2}"
)
"""Letters of an amount or a time ("US $5", "5 PM ET")."""
_ASSISTANTS = frozenset("ai assistant model".split())
_OF_ITSELF = re.compile(r"\bI(?:['’]m|\sam)\s\Z")
_MISTAKEN = re.compile(r"\s(?:can|may|might)\smake\s(?:mistakes|errors)\b")
_NUMBER = re.compile(r"\.?\s(?:No\.\s)?\d")
_BEFORE_NUMBERS = ABBREVIATIONS | PROVISIONS
_PLACEHOLDER = 60
_ROMAN = re.compile(r"[IVXLCDM]{1,6}\Z")


class _Token(NamedTuple):
    start: int
    end: int
    text: str
    word: str
    first: bool


def read_names(text: str, language: str = "en") -> Iterator[Item]:
    """Find names, in reading order and apart from one another, in linear time; the key is the name folded.

    In other languages than English capitals say other things, and nothing is read.
    """
    if language != "en":
        return
    end = 0
    labels = (m for m in _LABEL.finditer(text) if (m[1] or m[3]).casefold() not in _NO_LABELS and (m[2] or m[4]) != "I")
    labelled = {m.end() - 1: m for m in labels}
    for run in _runs(text, labelled):
        start, stop = run[0].start, run[-1].end
        label = labelled.get(run[-1].start)
        if label is not None:
            start = min(start, max(end, label.start()))
        words = ENDING.sub("", text[start:stop].rstrip(".'’"))
        if words and start >= end and not _says_nothing(text, start, stop):
            end = start + len(words)
            yield Item(FactKind.NAME, start, end, " ".join(filter(None, map(folded, words.split()))))


def starts_sentence(text: str, start: int) -> bool:
    """Whether what begins at a place begins a sentence, a line, a quotation after a colon, or an item of a list."""
    before = text[max(0, start - _WINDOW) : start]
    m = _OPENING.search(before)
    if m is None or (m.start() == 0 and start > _WINDOW):
        return False
    last = _LETTERS_BEFORE.search(before[: m.start()]) if m.group()[:1] == "." else None
    return last is None or not (is_short(last[1].casefold()) or last[1] == "vs")


def is_short(word: str) -> bool:
    """Whether a full stop after a word says that it is shortened."""
    return len(word) == 1 or word in ABBREVIATIONS or word in TITLES or word in FORMS


def has_article(text: str, start: int) -> bool:
    """Whether "the" stands before a place."""
    return _ARTICLE.search(text, max(0, start - 4), start) is not None


def titles_before(words: Sequence[str]) -> int:
    """Count the titles with which a name begins; the last word is none after which nothing stands, unless it is a name, too."""
    count = 0
    while count < len(words) - 1 and words[count] in TITLES and words[count + 1] not in OFFICES:
        count += 1
    return count - 1 if count and words[count] in TITLES - ALSO_NAMES else count


def has_title(text: str, start: int) -> bool:
    """Whether a title stands before a name that begins at a place."""
    word = _WORD_BEFORE.search(text, max(0, start - _WINDOW), start)
    return word is not None and word[1].casefold() in TITLES


def _runs(text: str, labelled: dict[int, re.Match[str]]) -> Iterator[list[_Token]]:
    run: list[_Token] = []
    for m in TOKEN.finditer(_MEASURE.sub(lambda m: "0" * len(m.group()), text)):
        if not any(c.isupper() for c in m.group()):
            continue
        token = _Token(m.start(), m.end(), m.group(), folded(m.group()), starts_sentence(text, m.start()))
        dated = token.word in _CALENDAR and not _VERSUS.match(text, token.end)
        if run and (dated or len(run) >= _LONGEST or not _joined(run[-1], token, text)):
            yield from _names_of(run, text, labelled)
            run = []
        if not dated:
            run.append(token)
    if run:
        yield from _names_of(run, text, labelled)


def _joined(last: _Token, token: _Token, text: str) -> bool:
    gap = text[last.end : token.start]
    if gap == ", ":
        return token.word in FORMS or token.word in ("jr", "sr", "esq")
    if token.first and gap.strip():
        return False
    if gap == "\n" or _GAP.fullmatch(gap) is None:
        return False
    return is_short(last.word) if gap[0] == "." else last.word == "majesty" or not last.text.endswith(("'s", "’s"))


def _names_of(run: list[_Token], text: str, labelled: dict[int, re.Match[str]]) -> Iterator[list[_Token]]:
    """The names in a run: cut at "and" and "for" unless an institution goes on there, without what only leads to them."""
    for i in range(1, len(run)):
        if _SEPARATOR.search(text, run[i - 1].end, run[i].start) and not _goes_on(run[i:], text):
            yield from _names_of(run[:i], text, labelled)
            yield from _names_of(run[i:], text, labelled)
            return
    while run and _leads(run, text):
        run = run[1:]
    if run and run[0].word != "general":
        # That begins names of companies, too.
        run = run[titles_before([t.word for t in run]) :]
    if len(run) > 1 and len(run[-1].word) == 1 and run[-2].word in PROVISIONS:
        run = run[:-2]
    while run and run[-1].word in _BEFORE_NUMBERS and _NUMBER.match(text, run[-1].end):
        # "Ste. 210"
        run = run[:-1]
    # "Yesterday I", but "Schrems I"
    opens = len(run) == 2 and run[0].first and is_english(run[0].word)
    while run and run[-1].start not in labelled and run[-1].word in LEADS and (len(run[-1].word) > 1 or opens):
        run = run[:-1]
    if run and (run[-1].start in labelled or _is_name(run, text)):
        yield run


def _says_nothing(text: str, start: int, end: int) -> bool:
    """Whether a name is a placeholder, words in square brackets, or an assistant that speaks of itself."""
    if _OF_ITSELF.search(text, max(0, start - _WINDOW), start) or _MISTAKEN.match(text, end):
        return True
    opening, closing = text.rfind("[", max(0, start - _PLACEHOLDER), start), text.find("]", end, end + _PLACEHOLDER)
    words = _LETTERS.findall(text[opening:closing].casefold()) if 0 <= opening < closing else []
    return bool(words) and "]" not in text[opening:start] and all(len(set(w)) == 1 or is_english(w) for w in words)


def _goes_on(run: list[_Token], text: str) -> bool:
    """Whether an institution stands before the next "and"."""
    before = takewhile(lambda pair: not _SEPARATOR.search(text, pair[0].end, pair[1].start), pairwise(run))
    return run[0].word in INSTITUTIONS or any(token.word in INSTITUTIONS for _, token in before)


def _leads(run: list[_Token], text: str) -> bool:
    """Whether the first word only leads to a name: a small one, or one with which a sentence begins."""
    token = run[0]
    if token.word in LEADS and not text.startswith(ROYAL, token.end):
        # "A." and "I." may be initials.
        return len(token.word) > 1 or text[token.end : token.end + 1] != "."
    if not token.first or len(run) == 1:
        return False
    return token.word in _COUNTS or (token.word.endswith(("ing", "ly")) and is_english(token.word))


def _is_name(run: list[_Token], text: str) -> bool:
    token = run[0]
    if is_term_of_law([t.word for t in run]) or all(t.word in _ASSISTANTS for t in run):
        return False
    if len(run) > 1:
        heading = all(t.text.isupper() and len(t.word) > 1 and is_english(t.word) for t in run)
        return not heading and not all(t.word in TITLES for t in run)
    title = token.word in TITLES and (token.word not in ALSO_NAMES or has_article(text, token.start))
    if len(token.word) < 2 or token.word in NO_NAMES or title or _ROMAN.match(token.text):
        return False
    if token.word.removesuffix("ly") in CIRCUITS:
        # "Then Second, ..."
        return False
    return not token.first or not is_english(token.text.casefold()) or _acts(token, text)


def _acts(token: _Token, text: str) -> bool:
    """Whether a word of the language stands at the beginning as a name does."""
    if token.word in LEADS or token.word in _ROLES:
        return False
    if is_also_name(token.word):
        return (_ACTS.match(text, token.end) or _IS_SOMEONE.match(text, token.end)) is not None
    return not token.word.endswith(_ROLE_ENDS) and _ACTS.match(text, token.end) is not None
