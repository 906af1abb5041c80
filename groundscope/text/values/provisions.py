"""Sections, rules, articles, exhibits, docket numbers and reports: what a label or a code stands before."""

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import chain
from typing import NamedTuple

from groundscope.text.values.numbers import ONES, by_first_letter, has_digit, kanji_number, roman_number
from groundscope.text.values.types import Value, ValueKind
from groundscope.text.values.units import MEASURES

_LABELS = {
    "section": "§ section+ sec. secs. sect. s ss s. ss. sezione sección seção",
    "subsection": "subsection+ subsec. subsecs. subs. subdivision+ subd.",
    "rule": "rule+ r. rr.",
    "article": "article+ art art. arts. artikel artikeln artículo+ artigo+ articolo articoli",
    "chapter": "chapter+ ch. chs. chap. kapitel chapitre capítulo capitolo",
    "title": "title+ tit. titre título",
    "part": "part+ pt. pts. subpart+ teil",
    "clause": "clause+ cl. cls. subclause+ klausel cláusula",
    "paragraph": "¶ paragraph+ para paras para. paras. par. pars. "
    "subparagraph+ randnummer rn. rdn. rz. absatz abs. párrafo paragraphe",
    "amendment": "amendment+ amend. amends. amdt.",
    "count": "count+",
    "exhibit": "exhibit+ exh exh. exhs. ex. exs.",
    "schedule": "schedule+ sched. scheds. sch.",
    "appendix": "appendix appendices app. anhang",
    "annex": "annex annexes annexe anlage anlagen anexo allegato",
    "attachment": "attachment+ attach. att.",
    "regulation": "regulation+ reg. regs. reg regs verordnung règlement reglamento",
    "recital": "recital+ erwägungsgrund",
    "item": "item+",
    "table": "table+",
    "figure": "figure+ fig. figs.",
    "note": "footnote+ fn. n. nn. note+",
    "page": "page+ p. pp.",
    "volume": "volume+ vol. vols. book band",
    "form": "form+",
    "claim": "claim+",
    "division": "division div.",
    "tab": "tab",
    "canon": "canon+",
    "number": "# no. no nos. nr. number+ nº n° "
    "case_no. case_nos. docket_no. docket_nos. docket_number case_number pat._no. u.s._pat._no.",
    "docket": "dkt. dkt._no. dkt._nos. ecf ecf_no. ecf_nos. doc. docs. doc._no. d.i. docket_entry",
}
"""Label -> its spellings; "+" stands for a plural with s."""
_CAPITALISED = frozenset(
    "bill protocol phase order directive recommendation principle guideline resolution lot unit type level class stage category "
    "zone district opinion circular decision standard tier route grade series".split()
)
"""Labels only where they have a capital letter, or are of a kind and have a number after them."""
_OF_KIND = frozenset("type level class stage category grade tier zone phase".split())
_LABELS |= {label: f"{label}+" for label in _CAPITALISED} | {
    "comment": "comment+ cmt. cmts.",
    "proposition": "proposition+ prop.",
}
LABEL_OF = {
    spelling.replace("_", " "): label
    for label, spellings in _LABELS.items()
    for word in spellings.split()
    for spelling in ((word[:-1], f"{word[:-1]}s") if word.endswith("+") else (word,))
}
_SUB = r"(?: ?\([0-9A-Za-z]{1,5}\))"
GERMAN_BELOW = r"(?:abs(?:atz|\.)|s(?:atz|\.)|n(?:umme)?r\.?|lit\.|buchst(?:abe|\.)|unterabs(?:atz|\.))"
_BELOW = rf"(?: {GERMAN_BELOW} ?(?:\d{{1,3}}|[a-z])\b){{1,4}}"
_NUMERAL = (
    r"(?:\d{1,2}(?:,\d{3}){2}|(?:\d{1,2}:)?\d{2}-[a-z]{2,4}-\d{1,6}(?:-[a-z]{1,5}\b)?"
    r"|(?:[lrd]\. ?)?\d{1,6}[a-z]{0,4}(?:[-./:]\d{1,6}[a-z]{0,3}|-[a-z](?![a-z])){0,6}"
    rf"(?: [a-z](?= {GERMAN_BELOW} ?\d))?{_SUB}{{0,6}}(?:{_BELOW})?(?: notes?\b)?)"
)
_SPELLED = {w: i for i, w in enumerate(ONES) if i}
_ROMAN = r"[ivxlcdm]{1,9}\b(?:[-.][a-z\d]{1,2}\b){0,3}(?!-\d)" + rf"{_SUB}{{0,4}}"
_LETTER = rf"[a-z](?:-?\d{{1,4}})?(?![\w'.]\w|['\w]){_SUB}{{0,4}}"
_TOKEN = rf"(?:{_NUMERAL}|{_ROMAN}|{_LETTER}|{_SUB}{{1,6}}|(?:{'|'.join(sorted(_SPELLED, key=len, reverse=True))})\b)"
_NEXT = re.compile(
    rf"(?P<joint>\s?(?:,|;|/|&)?\s?(?:\b(?:and|or|to|through|und|bis|et|y|e|à|sowie|bzw\.)\b\s|&\s?|-|–)?(?:§{{1,2}}\s?)?)(?P<token>{_TOKEN})"
)
_JOINTS = re.compile(r"[,;/&–-]|\b(?:and|or|to|through|und|bis|et|y|e|à|sowie)\b")
_RANGE = re.compile(r"-|–|\b(?:to|through|bis|à)\b")
_WORDED = by_first_letter(w for w in LABEL_OF if w[0].isalpha())
# What stands before a label comes first: so the scan jumps from word to word.
_LABELED = re.compile(
    rf"[^\w'’.$](?P<label>{_WORDED})(?:(?<=\.)[ \n]?|[ \n])"
    # "Exhibit No. 3", "the docket number is 19-1392"
    rf"(?:(?:n(?:o|os|r)\.[ \n]?|number[ \n])(?=\d)|is[ \n](?=\d\d-\d))?(?P<token>{_TOKEN})"
)
_SIGNED = re.compile(rf"(?P<label>§{{1,2}}|¶{{1,2}}|#)[ \n]?(?P<token>{_TOKEN})")
# A line may end in any of their blanks.
_STATUTE = re.compile(
    (
        r"(?P<title>\d{1,3}) (?P<code>U\. ?S\. ?C\.(?: ?A\.)?|USCA?|C\. ?F\. ?R\.|CFR)"
        r"(?:,? ?(?:§{1,2}|[Ss]ections?|[Ss]ecs?\.|[Pp]arts?|[Pp]t\.))? ?"
        rf"(?P<token>(?i:{_NUMERAL}))"
    ).replace(" ", r"[ \n]")
)
_CODES = ("S.C", "S. C", "USC", "F.R", "F. R", "CFR")
_RULES = re.compile(
    (
        r"(?:\bFed(?:\.|eral) ?R(?:\.|ules?) ?(?:of )?(?P<area>Civ|Crim|App|Evid|Bankr)[a-z]*\.? ?(?:P(?:\.|rocedure))? ?"
        r"(?:[Rr]ules? )?"
        rf"|\b(?P<short>FRCP|FRE|FRCrP|FRAP|FRBP|CPR) (?:r\.? ?)?)(?P<token>(?i:{_NUMERAL}))"
    ).replace(" ", r"[ \n]")
)
_SHORT = {"FRCP": "frcivp", "FRE": "frevid", "FRCrP": "frcrimp", "FRAP": "frappp", "FRBP": "frbankrp", "CPR": "cpr"}
_JAPANESE = re.compile(
    r"第?(?P<number>\d{1,4}|[一二三四五六七八九十百]{1,6})条(?:の(?P<branch>\d{1,3}))?(?:第?(?P<below>\d{1,3})項)?"
)
_DOCKET = re.compile(
    r"[^\w.$€£-](?P<docket>(?:(?:[IVX]{1,5}|\d{1,2}) )?"
    r"(?:ZR|ZB|StR|BvR|BvL|BvE|AZR|ABR|AZB|BLw|CR|C|KZR|NotZ|AnwZ|ARs|U|O|W) \d{1,5}/\d{2,4}"
    r"|(?:No\. )?\d{2} (?:Civ|CV|cv|Cr|Crim|CR)\.? \d{1,6}(?!\w|/)"
    r"|[CTF][-‑–]\d{1,4}/\d{2}(?: P)?(?!\d)|(?:\d{1,2}:)?\d{2}-(?:[a-z]{2}|C[VR]|MC)-\d{1,6}(?:-[A-Z]{1,5})?"
    # Accounts: the second number is longer than that of a range.
    r"|\d{2,4}-\d{5,10}(?![\w-]))"
)
_LAST_DIGITS = re.compile(r"'\d{3}(?=(?:,? (?:(?:and|or) )?'\d{3}){0,6} (?:[Pp]atent|[Aa]pplication|[Rr]egistration))")
_DOCKET_SIGN = re.compile(r"\d(?:/\d\d|-\d{5}|-(?:[a-z]{2,4}|C[VR]|MC)-\d| (?:C[VR]|cv|C(?:iv|r|rim)\.?) \d)")
_SPACED_DOCKET = re.compile(r"(?:no\. )?(\d{2}) (c)(?:iv|v|r|rim)\.? (?=\d)")
_NEUTRAL = re.compile(r"\[(?:1[6-9]|20)\d\d\](?: \d{1,3})? (?:[A-Z][A-Za-z.]{0,9} ?){1,4} ?\d{1,5}(?: \([A-Z][a-z]{2,8}\))?")
# A digit comes first: so the scan jumps from digit to digit.
_REPORT = re.compile(
    r"\d(?<![\w.,].)\d{0,3} (?!R[dn]|Rz|Nr|Abs|Art)(?:[A-Z][A-Za-z]{0,8}\.|[A-Z]{2,6}\b)"
    r"(?: ?(?:[A-Z][A-Za-z]{0,8}\.?|\d[a-z]{1,2})){0,2} \d{1,5}(?!\w|[,.]\d)"
)
_ATTACHED = re.compile(
    # Of visas, forms, zones and roads: "H-1B", "10-K", "I-95".
    r"[A-Z]{1,3}-\d{1,4}[A-Z]?(?![\w/-]|[.,:]\w)|\d{1,4}-[A-Z]{1,4}(?![\w/-]|\.\w)"
    rf"|\d\d{{0,4}}(?:\.\d{{1,5}})?(?:[A-Za-z]{{1,3}}(?:-\d{{1,6}}[a-z]?){{0,3}}{_SUB}{{0,6}}|(?:\([0-9A-Za-z]{{1,4}}\)){{1,6}})(?![\w])"
)
_NO_LETTER = re.compile(
    r"d(?= (?:cir|dep|dist|cong))|(?:st|nd|rd|th|s|[kmb]|bn|mm|am|pm|bps?|x|h|" + "|".join(MEASURES) + r")\b(?![-(])"
)
_NO_PLAIN_LABEL = frozenset(
    {"item", "table", "figure", "note", "claim", "form", "count", "part", "number", "page", "title", "rule", "tab", "volume"}
)
_LETTERED = frozenset({"exhibit", "schedule", "appendix", "annex", "attachment", "tab", "part", "form", "division", "table"})
_PLURALS = frozenset("pp. rr. nn. artikeln articoli anlagen".split())
_PART = re.compile(r"\d+|[a-z]+")
# Not "10b-5" or "2000e-2".
_HYPHENED = re.compile(r"(\d[\d.]*)-(\d[\d.]*)|(\d+)-(\3[a-z]{1,4})|(\d+[a-z]{1,4})-(\d+[a-z]{1,4})|([ivxl]+)-([ivxl]+)")
_CODE_MARKS = re.compile(r"[\s.]|(?<=c)a\.?$")
_GERMAN_BELOW = re.compile(rf" {GERMAN_BELOW} ?(\w+)")
Rank = tuple[tuple[int, int, str], ...]
"""What orders the numbers of provisions."""


class Provision(NamedTuple):
    """Label, code and number of a provision's key."""

    label: str
    code: str
    number: str


def provisions(text: str, low: str) -> Iterator[Value]:
    """Read provisions of statutes, rules and documents, dockets and reports; linear in the text.

    `low` is the text in lower case, as long as it.
    """
    # Statutes first: their section sign would be read again.
    past = 0
    for m in _STATUTE.finditer(text) if any(code in text for code in _CODES) else ():
        if m.start() < past or text[m.start() - 1 : m.start()].isdecimal():
            continue
        code = f"{m['title']} {_CODE_MARKS.sub('', m['code'].casefold())}"
        plural = "§§" in m.group() or "ections" in m.group()
        for value in _listed(text, low, "section", plural, m.start(), m.start("token"), m["token"], code):
            past = value.end
            yield value
    for m in _RULES.finditer(text) if "Fed" in text or "FR" in text or "CPR" in text else ():
        area = m["area"]
        code = _SHORT.get(m["short"] or "") or f"fr{area.casefold()}" + ("" if area == "Evid" else "p")
        yield from _listed(text, low, "rule", "ules" in m.group(), m.start(), m.start("token"), m["token"], code)
    if "条" in text:
        for m in _JAPANESE.finditer(text):
            branch = f"-{int(m['branch'])}" if m["branch"] else ""
            below = f"({int(m['below'])})" if m["below"] else ""
            yield _provision("article", f"{kanji_number(m['number'])}{branch}{below}", m.start(), m.end())
    yield from _labeled(text, low)
    if not has_digit(text):
        return
    for m in _DOCKET.finditer(f"\n{text}") if _DOCKET_SIGN.search(text) else ():
        yield Value(ValueKind.DOCKET, m.start("docket") - 1, m.end() - 1, _docket(m["docket"]), unit="docket")
    for m in chain(_REPORT.finditer(text), _NEUTRAL.finditer(text)):
        yield Value(ValueKind.DOCKET, m.start(), m.end(), re.sub(r"[\W_]", "", m.group()).casefold(), unit="report")
    for m in _LAST_DIGITS.finditer(text) if "'" in text else ():
        yield Value(ValueKind.DOCKET, m.start(), m.end(), m.group(), unit="last digits")
    for m in _ATTACHED.finditer(text):
        before, letters = text[m.start() - 1 : m.start()], m.group().lstrip("0123456789.")
        if before.isalnum() or (before and before in ".,-/$€£_") or _NO_LETTER.match(low, m.end() - len(letters)):
            continue
        key = f"section {canonical_number(m.group())}"
        yield Value(ValueKind.PROVISION, m.start(), m.end(), key, unit="", exact=False)


def _labeled(text: str, low: str) -> Iterator[Value]:
    for m in _LABELED.finditer(f"\n{low}"):
        start, at = m.start("label"), m.start("token") - 1
        label = LABEL_OF[m["label"]]
        written = text[start - 1 : m.end("label") - 1]
        if not _counts_only(m["token"], label, written, text[at : at + len(m["token"])]):
            yield from _listed(text, low, label, _is_plural(m["label"]), start - 1, at, m["token"])
    past = 0
    for m in _SIGNED.finditer(low) if any(sign in low for sign in "§¶#") else ():
        if m.start() < past:
            # Of a list that was read.
            continue
        label, sign = LABEL_OF.get(m["label"][0], "number"), m["label"]
        if not _counts_only(m["token"], label, sign, text[m.start("token") : m.end("token")]):
            for value in _listed(text, low, label, len(sign) > 1, m.start(), m.start("token"), m["token"]):
                past = value.end
                yield value


def provision_of(value: Value) -> Provision:
    """Take a key apart: "42 usc 1983(b)" is a section of a code, "rule 37(e)" a rule of none."""
    head, _, number = value.key.rpartition(" ")
    if number == "note":
        head, _, number = head.rpartition(" ")
        number += " note"
    return Provision(value.unit, "" if head in ("", value.unit, "section") else head, number)


def canonical_number(token: str) -> str:
    """One spelling of a number: Arabic, lower case, no blanks ("IX" -> "9", "12 (B)" -> "12(b)", "9 Abs. 1" -> "9(1)")."""
    low = token.casefold().strip()
    note = " note" if low.endswith(("note", "notes")) else ""
    low = re.sub(r" notes?$", "", low)
    low = _GERMAN_BELOW.sub(r"(\1)", low)
    low = re.sub(r"[\s,]", "", low)
    if low in _SPELLED:
        return str(_SPELLED[low])
    head, sub = (low[: low.index("(")], low[low.index("(") :]) if "(" in low else (low, "")
    roman = re.fullmatch(r"([ivxlcdm]+)((?:[-.]\w+)*)", head)
    # "Form I-9" has a letter.
    if roman and (len(roman[1]) > 1 or (roman[1] in "ivx" and not re.match(r"-\d", roman[2]))) and roman_number(roman[1]):
        head = f"{roman_number(roman[1])}{roman[2].replace('-', '.')}"
    elif head.isdecimal():
        head = str(int(head))
    return f"{head}{sub}{note}"


def _is_plural(word: str) -> bool:
    return word in _PLURALS or (word.rstrip(".").endswith("s") and word not in ("s", "s.", "abs."))


def _counts_only(token: str, label: str, word: str, written: str) -> bool:
    """Whether words are no label: "parts a", "the company's 5", "page a", "count I" of a sentence's pronoun."""
    numeral = re.split(r"[(.-]", written)[0]
    roman = numeral.isupper() and (len(numeral) > 1 or numeral in "IVX") and roman_number(numeral.casefold()) > 0
    if label in _CAPITALISED or word.casefold() == "no":
        numbered = token[0].isdecimal() or (roman and label in _OF_KIND and (numeral != "I" or word[0].isupper()))
        lettered = word == "Series" and len(written) == 1 and written.isupper()
        return not (lettered or numbered) or (word.islower() and label not in _OF_KIND)
    digit = any(c.isdecimal() for c in token)
    if token[0] == "(":
        return label not in ("subsection", "paragraph", "clause", "section", "item", "part")
    if digit:
        # A lower-case "part 2" is a label, "s 98" one of English statutes; "a number 5" or "claims 200 shares" are not.
        return label in ("number", "claim", "form", "count") and word.islower() and not re.search(r"[ .]", word)
    if token in _SPELLED:
        return word.islower() or written.islower() or label in _NO_PLAIN_LABEL - {"title", "part", "count", "rule", "volume"}
    bare = written.split("(")[0]
    if bare != bare.upper() or word.casefold() in ("s", "s.", "ss", "r.", "n.", "p.", "no.", "reg", "#", "para", "art"):
        return True
    if word.islower() and (
        label not in ("section", "article", "chapter", "annex", "exhibit", "schedule", "appendix", "amendment")
        or (bare in ("I", "A") and not word.endswith("."))
    ):
        return True
    if roman_number(numeral.casefold()):
        return False
    return label not in _LETTERED or len(numeral.rstrip("0123456789")) > 1


def _listed(text: str, low: str, label: str, plural: bool, start: int, at: int, token: str, code: str = "") -> Iterator[Value]:
    """The provisions of a list ("sections 3, 4 and 7", "§§ 10-15", "§ 362(d), (e) and (g)"); of a range both ends."""
    digit, number = token[0].isdecimal(), ""
    for _ in range(40):
        end = at + len(token)
        for piece in _ends(token) if plural else (token,):
            number = f"{number.split('(')[0] if piece[0] == '(' else ''}{canonical_number(piece)}"
            yield _provision(label, number, start, at + len(piece), code)
            start = at = at + len(piece) + 1
        following = _NEXT.match(low, end)
        if not following or not _JOINTS.search(following["joint"]):
            break
        token, start = following["token"], following.start("token")
        at = start
        further = plural and (token[0].isdecimal() or (not digit and text[at].isupper()))
        # "Appendix A-1 to A-5"
        alike = text[at].isupper() and token[-1].isdecimal() and number[:1] == token[0] and _RANGE.search(following["joint"])
        if not (token[0] == "(" or further or alike):
            break


def _ends(token: str) -> tuple[str, ...]:
    """Both ends of a range with a hyphen ("10-15", "5d-5f", "iv-vi"), else the number as it is."""
    m = _HYPHENED.fullmatch(token)
    low, high = filter(None, m.groups()) if m else (token, token)
    return (low, high) if rank(canonical_number(low)) < rank(canonical_number(high)) else (token,)


def rank(number: str) -> Rank:
    """What orders a number of a provision among others: "2000e-2" is before "2000e-17", "c" before "aa"."""
    base = len(number.partition("(")[0])
    parts = ((m.start() < base, m.group()) for m in _PART.finditer(number))
    return tuple((0, int(p), "") if p.isdecimal() else (1, len(p) if first else 0, p) for first, p in parts)


def _provision(label: str, number: str, start: int, end: int, code: str = "") -> Value:
    if label == "number" or label == "docket":
        return Value(ValueKind.DOCKET, start, end, f"{_docket(number)}", unit=label)
    head = re.match(r"\d+$", number)
    amount = Decimal(number) if head else None
    return Value(ValueKind.PROVISION, start, end, f"{code or label} {number}", amount, amount, label)


def _docket(written: str) -> str:
    """One spelling of a docket number: no leading zeros, blanks or judge's letters."""
    written = _SPACED_DOCKET.sub(lambda m: f"{m[1]}-{'cr' if 'r' in m.group()[4:] else 'cv'}-", written.casefold())
    plain = re.sub(r"[^\w/:-]", "", written.replace("‑", "-").replace("–", "-"))
    plain = re.sub(r"^\d{1,2}:|(?<=\d)-[a-z]{1,5}$", "", plain) if re.search(r"\d-[a-z]{2,4}-\d", plain) else plain
    return re.sub(r"(?<!\d)0+(?=\d)", "", plain)
