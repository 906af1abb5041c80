"""Forms of citations that eyecite does not read, or not with their subsections: statutes, rules, treaties, neutral citations.

Groups of a pattern: `v` volume, title or year, `r` code, act or court, `p` section, article or number, `s` subsection or
paragraph, `n` a volume beside a year, `y` a year, `c` a court. A digit at a group's end marks another place of the same thing.
"""

import re
from typing import NamedTuple

from groundscope.citations.types import AuthorityKind
from groundscope.text.values.provisions import GERMAN_BELOW

_YEAR = r"(?:1[6-9]|20)\d\d"
SUBSECTIONS = rf"(?:\s?\((?!{_YEAR}\))(?:[A-Za-z]{{1,4}}|\d{{1,3}}[A-Za-z]?)\)){{0,7}}"
_MORE_SUBSECTIONS = (
    r"(?:(?:,\s?|,?\s(?:and|or|to)\s|-(?=\())\((?:[a-z]{1,3}|\d{1,2}|[A-Z])\)(?:\((?:[a-z]{1,3}|\d{1,2}|[A-Z])\)){0,3}){0,4}"
)
SECTION = r"(?:\d[A-Z]\d\.\d{1,2}|\d{1,6}[A-Za-z]{0,4}(?:[.:‐‑–/-]\d{0,6}[A-Za-z0-9]{1,6}){0,5})"
_SIGN = r"(?:§{1,2}|[Ss]ec(?:tion|tions|s?\.)|SEC(?:TIONS?|S?\.)|[Ss]s?\.)"
_UNTIL = (
    r"\s(?:to|through|thru)\s(?:§{1,2}\s?)?"
    rf"(?={SECTION}(?!\w|\s?(?:%|percent|days?|weeks?|months?|years?|hours?|U\.?\s?S|C\.?\s?F|F\.|S\.)))"
)
"""Between the first and the last section of a range."""
_P = rf"(?P<p>{SECTION})(?P<s>{SUBSECTIONS}{_MORE_SUBSECTIONS})(?:{_UNTIL}(?P<t>{SECTION}))?"
_P2 = rf"(?P<p2>{SECTION})(?P<s2>{SUBSECTIONS}{_MORE_SUBSECTIONS})(?:{_UNTIL}(?P<t2>{SECTION}))?"
_STATES = (
    r"(?:Ala|Alaska|Ariz|Ark|Cal|Colo|Conn|Del|D\.C|Fla|Ga|Haw|Idaho|Ill|Ind|Iowa|Kan|Ky|La|Me|Md|Mass|Mich|Minn|Miss|Mo|Mont"
    r"|Neb|Nev|N\.\s?H|N\.\s?J|N\.\s?M|N\.\s?Y|N\.\s?C|N\.\s?D|Ohio|Okla|Or|Pa|R\.\s?I|S\.\s?C|S\.\s?D|Tenn|Tex|Utah|Vt|Va|Wash"
    r"|W\.\s?Va|Wis|Wyo|California|New York|Texas|Florida|Illinois|Pennsylvania|Massachusetts|Delaware|Michigan|Georgia|Virginia"
    r"|Washington|New Jersey|Colorado|Arizona|Minnesota|Wisconsin|Oregon|Maryland|Missouri|Indiana|Tennessee|Nevada)"
)
_USC = (
    r"(?:U\.?\s?S\.?\sCode(?:\sAnn(?:otated|\.))?|United\sStates\sCode(?:\sAnnotated)?"
    r"|U\.?\s?S\.?\s?C\.?(?![a-z])(?:\s?[AS]\.|[AS]\b)?)"
)
_CFR = r"C\.?\s?F\.?\s?R\.?|Code\sof\sFederal\sRegulations"
_CODE_WORDS = r"(?:(?:[A-Z][\w.’']{0,20}|&|of|and|the)\s){0,7}?"
_CODE_END = r"(?:Code|Stat(?:ute)?s?\.?|Statutes|Laws?|L\.|R\.S\.|C\.?P\.?L\.?R\.?|Admin\.\sCode)(?:\sAnn(?:otated|\.))?"
_RULES = (
    r"(?:Fed\.?\s?R\.?\s?(?:Civ|Crim|App|Evid|Bankr)\.?(?:\s?P(?:roc)?\.?)?|FRCP|FRCrP|FRE|FRAP|F\.?R\.?\s?(?:Civ|Crim|Evid)\.?\s?P?\.?"
    r"|Fed(?:eral|\.)?\sRules?\s(?:Civ|Crim|App|Evid|Bankr)\.(?:\s?P(?:roc)?\.?)?"
    r"|(?<!Local\s)(?<!Court\s)(?<!Ohio\s)(?:Civil|Criminal|Appellate|Bankruptcy|Evidence)\sRule"
    r"|Federal\sRules?\sof\s(?:(?:Civil|Criminal|Appellate|Bankruptcy)\sProcedure|Evidence))"
)
_ACT = (
    # "Title VII" of an act is looked up for itself.
    rf"(?!(?:(?:Sub)?[Tt]itles?|Parts?|Chapters?)\s[IVXL\d]|[IVXL]{{1,6}}\s(?:of|and|or)\s)"
    rf"(?:[A-Z][\w’'-]{{1,24}}(?:\s\([A-Z][\w ,]{{1,40}}\))?,?\s(?:(?:of|and|the|in|for|to|etc)\s){{0,3}}){{1,8}}"
    rf"(?:Act|Order|Regulations|Rules)(?:\sof)?\s{_YEAR}(?:\s\((?:Cth|NSW|Vic|Qld|WA|SA|Tas|ACT|NT|UK|NI|Scotland|Can)\))?"
)
_LAW_WORDS = (
    rf"(?!(?:This|That|The|Said|Such|An?|Under|In|By|See|And|But|Section|If|When|Since|Both)\s)"
    rf"(?:(?:[A-Z][\w’'&-]{{0,24}}|(?:[A-Z]\.){{1,4}}|{_STATES}\.),?\s(?:(?:of|and|the|in|for|to|on)\s){{0,3}}){{1,8}}?"
)
_NAMED = r"(?:GDPR|UK\sGDPR|TFEU|TEU|ECHR|CFREU|DSA|DMA|MiCAR?|AI\sAct|Rome\sI{1,2}(?:\sRegulation)?|Brussels\sI(?:a|\s?bis)?)"
_TREATIES = (
    r"(?:(?:European|Geneva|Hague|Vienna|Berne|Paris|New\sYork)\s)?(?:[A-Z][a-z]{1,14}\s){0,3}"
    r"(?:Code|Constitution|Convention|Charter|Treaty|Covenant)"
)
_EU_ACT = r"(?:Regulation|Directive|(?:Framework\s)?Decision)\s(?:\((?:EU|EC|EEC|Euratom)(?:,\sEuratom)?\)\s)?(?:No\.?\s)?"
_ROMAN = r"[IVXL]{1,7}(?![\w'])"
_ARTICLE = rf"[Aa]rt(?:icle|icles|\.|s\.)?\s(?P<p>\d{{1,4}}[a-z]?(?:-\d{{1,4}})?|{_ROMAN})(?:\sto\s(?P<t>\d{{1,4}}(?!\w)))?"
_UK_COURTS = (
    r"UKSC|UKHL|UKPC|UKUT|UKFTT|UKEAT|EAT|EWCA\s(?:Civ|Crim)|EWHC|EWFC|EWCOP|EWCC|CSIH|CSOH|HCJAC|NICA|NIQB|NICh|NIKB|IESC|IEHC|IECA"
    r"|HCA|FCA|FCAFC|NSWCA|NSWSC|VSC|VSCA|QCA|QSC|WASCA|NZSC|NZCA|NZHC|SGCA|SGHC|HKCFA|HKCA|ZASCA|ZACC|JRC|CAT"
)
_REPORTS = (
    r"A\.?C\.?|Q\.?B\.?(?:D\.?)?|K\.?B\.?|Ch\.?|Fam|P\.?|W\.?L\.?R\.?|All\sE\.?R\.?(?:\s\(Comm\))?|I\.?C\.?R\.?|I\.?R\.?L\.?R\.?|B\.?C\.?L\.?C\.?"
    r"|Lloyd[’']s\sRep\.?|Cr\.?\sApp\.?\sR\.?|L\.?R\.?\s?\d{1,2}\s(?:H\.?L\.?|Q\.?B\.?|Ex\.?|C\.?P\.?|Ch\.?)|App\.?\sCas\.?|E\.?H\.?R\.?R\.?|C\.?M\.?L\.?R\.?|B\.?C\.?C\.?|F\.?L\.?R\.?|Bus\.?\sL\.?R\.?|S\.?T\.?C\.?|P\s&\sC\.?R\.?|C\.?L\.?R\.?|N\.?Z\.?L\.?R\.?|S\.?C\.?R\.?|E\.?C\.?R\.?"
)
_GERMAN = r"(?:SGB\s[IVX]{1,4}|OR|(?!NLRB)(?:[A-ZÄÖÜ][a-zäöü]{0,6}){1,5}[BGOV])\b"
"""Codes of German law are a book, an act, an order or a constitution."""
_ABSATZ = rf"(?:\s(?i:{GERMAN_BELOW})\s?(?:\d{{1,2}}[a-z]?|[a-z]{{1,2}})\b|\s(?:[IVX]{{1,4}}|\d{{1,2}}|[a-z])\b){{0,5}}"
_FRENCH = (
    r"(?:[Cc]ode\s(?:civil|pénal|du\stravail|de\scommerce|de\sprocédure\s(?:civile|pénale)|de\sla\sconsommation|monétaire\set\sfinancier)"
    r"|C\.\s?(?:civ|com|trav|pén|consom)\.|CPC|CPP)"
)


class Pattern(NamedTuple):
    """What a form looks like, and what it cites.

    `anchors`: of which a text of this form has one, as it stands or without blanks and full stops: found much faster. `code`:
    names the code where the form itself does not.
    """

    kind: AuthorityKind
    anchors: tuple[str, ...]
    regex: re.Pattern[str]
    code: str = ""


def _law(anchors: str, regex: str, code: str = "") -> Pattern:
    return Pattern(AuthorityKind.LAW, tuple(anchors.split()), re.compile(regex), code)


def _case(anchors: str, regex: str, code: str = "") -> Pattern:
    return Pattern(AuthorityKind.CASE, tuple(anchors.split()), re.compile(regex), code)


_ACTS_OF_EU = "GDPR TFEU TEU ECHR CFREU DSA DMA MiCA AIAct Rome Brussels"


PATTERNS: tuple[Pattern, ...] = (
    _law("itle", rf"\b[Tt]itle\s(?P<v>\d{{1,3}}),?\s(?:of\s)?(?:the\s)?(?P<r>{_USC}|{_CFR}),?\s(?:at\s)?{_SIGN}\s?{_P}"),
    _law(
        "USC CFR Code",
        rf"\b(?P<v>\d{{1,3}})\s?(?P<r>{_USC}(?:,?\s[Aa]pp\.)?|{_CFR}),?\s?(?:§{{1,2}}|[Ss]ec(?:tion|s?\.)|[Pp](?:ar)?t\.?)?\s?{_P}",
    ),
    _law(
        "itle",
        rf"\b[Ss]ections?\s{_P}\sof\s[Tt]itle\s(?P<v>\d{{1,3}})\b(?:,?\s(?:of\s)?(?:the\s)?(?P<r>{_CFR}|{_USC}))?", "U.S.C.",
    ),
    _law("Stat.", r"\b(?P<v>\d{1,3})\sStat\.\s(?P<p>\d{1,5})(?:,\s(?P<s>\d{1,5}))?(?!\s[A-Z§])", "Stat."),
    _law("FedReg", r"\b(?P<v>\d{1,3})\s(?P<r>Fed\.\s?Reg\.)\s(?P<p>\d{1,3},?\d{3}|\d{1,6})(?:,\s(?P<s>\d{1,3},\d{3}|\d{5}))?"),
    _law(
        "EO xecOrder xecutiveOrder",
        r"\b(?P<r>E\.\s?O\.|EO|Exec(?:utive|\.)\sOrder)\s(?:No\.\s)?(?P<p>\d{1,2},\d{3}|\d{4,5})(?:,?\s§\s?(?P<s>\d[\w()]{0,12}))?",
    ),
    _law(
        "PubL PublicLaw",
        r"\b(?P<r>Pub\.\s?L\.|Public\sLaw)\s(?:Nos?\.?\s)?(?P<p>\d{2,3}[-–]\d{1,4})(?:,\s§{1,2}\s?(?P<s>\d[\w()]{0,12}))?",
    ),
    _law("FedR FRC FRE FRA Rule", rf"\b(?P<r>{_RULES})\s?(?:[Rr]ule\s)?(?P<p>\d{{1,4}}(?:\.\d)?)(?P<s>{SUBSECTIONS})"),
    _law(
        "SConst StatesConst",
        r"\b(?:U\.?\s?S\.?|United\sStates)\sConst(?:\.|itution),?\s(?P<p>(?:[Aa]mend(?:\.|ment)|[Aa]rt(?:\.|icle))\s(?:[IVXL]{1,6}|\d{1,2}))\b"
        r"(?P<s>(?:,\s(?:(?:§|[Ss]ection)\s?\d{1,2}|(?:cl\.|[Cc]lause)\s?\d{1,2})){0,2})", "U.S. Const.",
    ),
    _law(
        "RevenueCode BankruptcyCode CommercialCode",
        rf"\b(?P<r>Internal\sRevenue\sCode|Bankruptcy\sCode|Uniform\sCommercial\sCode)(?:\sof\s{_YEAR})?,?\s"
        rf"(?:{_SIGN})\s?{_P}"
    ),
    _law("RevenueCode", rf"\b(?:{_SIGN})\s?{_P}\sof\sthe\s(?P<r>Internal\sRevenue\sCode)\sof\s{_YEAR}"),
    _law(
        "ModelRule",
        rf"\b(?:ABA\s)?Model\sRules?(?:\sof\sProf(?:essional|[’']l|\.)?\sConduct)?,?\s(?:[Rr]ule\s|[Rr]\.\s)?(?P<p>\d\.\d{{1,2}})"
        rf"(?P<s>{SUBSECTIONS}{_MORE_SUBSECTIONS})", "Model Rules",
    ),
    _law(
        "Rep",
        r"\b(?P<r>(?:H\.\s?R?\.?|S\.)\s(?:Conf\.\s)?Rep\.|(?:House|Senate)\sReport)\s(?:Nos?\.\s)?(?P<p>\d{2,3}[-‐–]\d{1,4})"
        r"(?:,\s(?:pt\.\s\d,\s)?(?:at\s)?(?P<s>\d{1,4})(?!\s[A-Z§]))?"
    ),
    _law(
        "UCC USSG IRC TreasReg Rest",
        rf"\b(?:(?P<r>U\.?C\.?C\.?|U\.?S\.?S\.?G\.?|I\.?R\.?C\.?|Treas\.\sReg\.)\s?(?:{_SIGN}|(?=\d\w?-\d))"
        rf"|(?P<r2>Rest(?:atement|\.)\s?\(?(?:First|Second|Third|Fourth|[23]d)\)?\s(?:of\s)?(?:[A-Z][a-z]{{1,14}},?\s?(?:of\s)?){{1,4}}?){_SIGN})\s?{_P}"
    ),
    _law(
        "ILCS IllComp",
        rf"\b(?P<v>\d{{1,4}})\s(?P<r>ILCS|Ill\.\sComp\.\sStat\.(?:\sAnn\.)?)\s(?P<p>\d{{1,4}}/[\w.-]{{1,14}}\b)(?P<s>{SUBSECTIONS})",
        "ILCS",
    ),
    _law(
        "§",
        rf"\b(?P<v>\d{{1,3}})\s(?P<r>{_STATES}\.?\s(?:Cons\.\s)?(?:Stat\.|Code|R\.)(?:\sAnn\.|\sRegs\.)?)\s(?:§{{1,2}}\s?){_P}",
    ),
    _law(
        "CodeC CodeofC",
        rf"\b(?P<r>{_STATES}\.?\sCode\s(?:of\s)?(?:Civ|Crim)(?:\.|il|inal)\s(?:Proc|P)(?:\.|edure)),?\s(?:{_SIGN}\s?)?{_P}",
    ),
    _law(
        "Code Stat Law L. R.S CPLR",
        rf"\b(?P<r>{_STATES}\.?,?\s{_CODE_WORDS}{_CODE_END}),?\s(?:(?:[Cc]h?|[Tt]it|[Aa]rt)\.\s(?P<v>\w{{1,6}}),?\s)?(?:{_SIGN}\s?)?{_P}",
    ),
    _law("CPLR", rf"\b(?P<r>(?:N\.Y\.\s)?C\.?P\.?L\.?R\.?)\s(?:§{{1,2}}\s?|[Rr]ule\s)?{_P}"),
    _law(
        "OCGA NRS MCL RCW ARS CRS NJS MGL ORS KRS RSA KSA HRS",
        rf"\b(?P<r>O\.?C\.?G\.?A\.?|N\.?R\.?S\.?|M\.?C\.?L\.?A?\.?|R\.?C\.?W\.?|A\.?R\.?S\.?|C\.?R\.?S\.?|N\.?J\.?S\.?A?\.?|M\.?G\.?L\.?|O\.?R\.?S\.?"
        rf"|K\.?R\.?S\.?|R\.?S\.?A\.?|K\.?S\.?A\.?|HRS)(?:,?\s(?:c|ch)\.\s(?P<v>\w{{1,6}}),)?\s(?:§{{1,2}}\s?)?{_P}"
    ),
    # European Union.
    _law(
        "Regulation Directive Decision",
        rf"\b(?:{_ARTICLE}(?P<s>{SUBSECTIONS})\s(?:of\s)?(?:the\s)?)?(?P<r>{_EU_ACT})(?P<v>\d{{1,4}}/\d{{1,4}})(?:/(?:EU|EC|EEC|JHA|Euratom))?(?:,?\s[Aa]rt(?:icle|\.)\s(?P<p2>\d{{1,4}}[a-z]?)(?P<s2>{SUBSECTIONS}))?",
    ),
    _law(
        _ACTS_OF_EU,
        rf"(?:\b{_ARTICLE}|(?<=\band\s)(?P<p2>\d{{1,4}}[a-z]?))(?P<s>{SUBSECTIONS})\s(?:of\s)?(?:the\s)?(?P<r>{_NAMED})\b",
    ),
    _law(_ACTS_OF_EU, rf"\b(?P<r>{_NAMED}),?\s[Aa]rt(?:icle|\.)\s(?P<p>\d{{1,4}}[a-z]?)(?P<s>{SUBSECTIONS})"),
    _law(
        _ACTS_OF_EU,
        rf"\b[Aa]rt(?:icles|s\.)\s(?P<p>\d{{1,4}}[a-z]?)(?P<s>{SUBSECTIONS})(?=\s(?:and|to|or)\s\d{{1,4}}[a-z]?{SUBSECTIONS}\s(?:of\s)?(?:the\s)?(?P<r>{_NAMED})\b)",
    ),
    _case(
        "aseC aseT aseF asesC asesT asesF",
        r"\b(?:[Jj]oined\s)?[Cc]ases?\s(?P<p>[CTF][-‐‑–]\d{1,4}/\d{2})(?:\sP(?:PU)?\b)?",
        "CJEU",
    ),
    _case("EU:", r"\b(?:ECLI:)?EU:(?P<r>[CTF]):(?P<v>\d{4}):(?P<p>\d{1,5})\b", ""),
    _case("ECLI:", r"\bECLI:(?P<r>[A-Z]{2}:[A-Z0-9]{1,12}):(?P<v>\d{4}):(?P<p>[A-Z0-9.]{1,25})\b"),
    _case("/", r"\b(?:[Aa]pp(?:lication|l)?(?:\.|s\.)?\s[Nn]os?\.?)\s(?P<p>\d{2,5}/\d{2})\b", "ECtHR"),
    _case(
        "No. Nos.",
        rf"\bNos?\.\s(?P<p>(?:\d{{1,2}}:)?\d{{2,4}}[-‐‑–](?:[A-Za-z]{{2,4}}[-‐‑–])?\d{{1,6}}(?:[-‐‑–][A-Z]{{1,4}}){{0,3}})"
        rf"(?:,\sslip\sop\.(?:,?\s(?:at\s)?(?P<s>\d{{1,4}}))?)?,?\s\((?=[^()]{{0,40}}\.)(?P<c>[A-Z0-9][\w.]{{0,12}}(?:\s[\w.]{{1,12}}){{0,4}}?)\s"
        rf"(?:[A-Z][a-z]{{2,8}}\.?\s\d{{1,2}},\s)?(?P<y>{_YEAR})\)", "No.",
    ),
    # United Kingdom and the common law beyond.
    _case(
        "[",
        rf"\[(?P<v>{_YEAR})\]\s(?P<r>{_UK_COURTS})\s(?P<p>\d{{1,5}})(?:\s\((?:[A-Z][A-Za-z]{{1,8}})\))?(?:,?\s(?:at\s)?(?:\[(?P<s>\d{{1,4}})\](?!\s[A-Z]{{2}})|paras?\.?\s(?P<s2>\d{{1,4}})))?",
    ),
    _case(
        "[ (1 (2",
        rf"[\[(](?P<v>{_YEAR})[\])]\s(?P<n>\d{{1,3}}\s)?(?P<r>{_REPORTS})\s(?P<p>\d{{1,5}})(?:,?\s(?:at\s)?(?P<s>\d{{1,5}})(?!\s[A-Z]))?",
    ),
    _case(
        "SCC ONCA ONSC BCCA BCSC ABCA ABQB QCCA FCA TCC NSCA MBCA",
        rf"\b(?P<v>{_YEAR})\s(?P<r>SCC|ONCA|ONSC|BCCA|BCSC|ABCA|ABQB|QCCA|FCA|TCC|NSCA|MBCA)\s(?P<p>\d{{1,5}})(?:,?\s(?:at\s)?paras?\.?\s(?P<s>\d{{1,4}}))?",
    ),
    _law(
        "Act Order Regulations Rules",
        rf"\b(?:[Ss]ections|[Ss]s\.?)\s(?P<p>{SECTION})(?P<s>{SUBSECTIONS})"
        rf"(?=(?:(?:,|,?\sand|,?\sor)\s{SECTION}{SUBSECTIONS}){{1,6}}\s(?:of|to)\sthe\s(?P<r>{_ACT}))",
    ),
    _law(
        "Act Order Regulations Rules",
        rf"\b(?:[Ss]ection|[Ss]s?\.?|[Ss]ch(?:edule)?\.?|[Rr]eg(?:ulation)?\.?|[Aa]rt(?:icle)?\.?|[Rr]ule)\s?{_P}\s(?:of|to)\sthe\s(?P<r>{_ACT})",
    ),
    _law(
        "Act Order Regulations Rules",
        rf"\b(?P<r>{_ACT})(?:,?\s(?:{_SIGN}|[Ss]{{1,2}}|[Ss]ch(?:edule)?\.?|[Rr]eg\.?|[Aa]rt\.?)\s?{_P2})?",
    ),
    _law(
        "Act Code Law Statutes",
        rf"(?<!\w){_SIGN}\s?{_P}\s(?:of|under)\sthe\s(?P<r>{_LAW_WORDS}(?:Act|Code(?:\sof\s(?:Civil|Criminal)\sProcedure)?|Law|Statutes))\b(?!\s§)",
    ),
    _law("Act§ Act,§", rf"\b(?P<r>{_LAW_WORDS}Act),?\s§{{1,2}}\s?{_P}"),
    _law("SI", r"\b(?P<r>SI|S\.I\.)\s(?P<v>\d{4})/(?P<p>\d{1,5})\b"),
    # Articles of codes.
    _law(
        "§ Art",
        rf"(?:§{{1,2}}|\bArt(?:ikel|\.))\s?(?P<p>\d{{1,4}}(?:\s?[a-z]\b)?)(?P<s>{SUBSECTIONS}{_ABSATZ})(?P<f>\sff?\.)?\s(?P<r>{_GERMAN})",
    ),
    _law(
        "ode Cciv Ccom Ctrav Cpén Cconsom CPC CPP",
        rf"\b[Aa]rt(?:icle|\.)?\s(?P<p>(?:[LRD]\.?\s?\*?)?\d{{1,4}}(?:-\d{{1,4}}){{0,3}})(?P<s>)\s(?:du\s|de\sla\s)?(?P<r>{_FRENCH})",
    ),
    _law(
        "Code Constitution Convention Charter Treaty Covenant",
        rf"\b{_ARTICLE}(?P<s>{SUBSECTIONS})\s(?:of\s)(?:the\s)(?P<r>{_TREATIES})\b",
    ),
)  # fmt: skip
"""In the order in which they are tried: of two that overlap the earlier one stands."""
_ANCHORS = frozenset(anchor for pattern in PATTERNS for anchor in pattern.anchors)


def patterns_for(text: str) -> list[Pattern]:
    """Patterns that may match in a text, in their order."""
    searched = f"{text}\n{''.join(text.split()).replace('.', '')}"
    anchors = {anchor for anchor in _ANCHORS if anchor in searched}
    return [pattern for pattern in PATTERNS if not anchors.isdisjoint(pattern.anchors)]


BARE = re.compile(
    rf"(?<![\w§])(?:(?P<sign>§{{1,2}}|[Ss]ec(?:tions?|s?\.)\s|[Rr]ules?\s|[Aa]rt(?:icles?|s?\.)\s)\s?(?>{_P})"
    rf"|(?P<sign2>[Aa]rt(?:icles?|s?\.)\s)(?P<p2>{_ROMAN})(?P<s2>{SUBSECTIONS}))(?!\s?[A-Z]{{2}})"
)
"""A section, rule or article of a law that stands elsewhere."""
PLURAL = frozenset(("§§", "sections", "secs.", "rules", "articles", "arts."))
NOTE = re.compile(r"(?:\s(?:note|nt\.?)(?!\w|\s(?:that|how|also|the|this|these|those|whether|why|an?)\b)|\s?\(note\))")
"""After a section of the United States Code: not it, but what is printed under it."""
FOLLOWING = re.compile(r",?\s(?:et\s?seqq?\b\.?|ff\.|and\sfollowing\b)")
EDITION = re.compile(rf"\s\((?:[A-Z][\w.&’']{{0,14}}\s){{0,2}}(?P<y>{_YEAR})(?:\sed\.|\s&\sSupp\.[^()]{{0,20}})?\)")
"""The year of a code's edition."""
MORE = re.compile(rf"(?:,|,?\sand|,?\sor|,?\s&)\s(?P<p>{SECTION})(?P<s>{SUBSECTIONS})(?!\s?(?:[A-Z§%]|days|months|years))")
"""A further section after two section signs."""
MORE_CASES = re.compile(r"(?:,|,?\sand)\s(?P<p>[CTF][-‐‑–]\d{1,4}/\d{2})(?:\sP(?:PU)?\b)?")
SAME_ACT = {
    "gdpr": "2016/679", "dsgvo": "2016/679", "dsa": "2022/2065", "dma": "2022/1925", "aiact": "2024/1689", "mica": "2023/1114",
    "micar": "2023/1114", "romei": "593/2008", "romeiregulation": "593/2008", "romeii": "864/2007",
    "romeiiregulation": "864/2007", "brusselsia": "1215/2012", "brusselsibis": "1215/2012",
}  # fmt: skip
"""Names of acts of the European Union and their numbers."""
