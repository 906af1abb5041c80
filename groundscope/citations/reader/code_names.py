"""Normalised names of reporters, codes, acts and sets of rules."""

import re
from functools import lru_cache

_ALIASES = {
    # The United States Code and its private editions.
    "usca": "usc", "uscs": "usc", "uscode": "usc", "unitedstatescode": "usc", "codefedregulations": "cfr",
    # Federal rules.
    "frcp": "fedrcivp", "frcrp": "fedrcrimp", "fre": "fedrevid", "frap": "fedrappp", "frbp": "fedrbankrp",
    # Codes of the states under their initials.
    "rcw": "washrevcode", "revcodewash": "washrevcode", "mgl": "massgenlaw", "gacode": "ocga", "officialcodega": "ocga",
    "nrs": "nevrevstat", "ars": "arizrevstat", "crs": "colorevstat", "mcl": "michcomplaw", "mcla": "michcomplaw",
    "ors": "orrevstat", "krs": "kyrevstat", "ksa": "kanstat", "hrs": "hawrevstat", "hawaiirevstat": "hawrevstat",
    "rsa": "nhrevstat", "njsa": "njstat", "njs": "njstat", "illcompstat": "ilcs", "nycplr": "cplr", "nycivpraclawrule": "cplr",
    "uniformcomcode": "ucc",
    # Codes that are a title of the United States Code; see `TITLES`.
    "irc": "internalrevenuecode",
    # French codes.
    "cciv": "codeciv", "ccom": "codedecommerce", "ctrav": "codedutravail", "cpén": "codepénal", "cconsom": "codedelaconsommation",
    "cpc": "codedeprocédurecivile", "cpp": "codedeprocédurepénale",
    "publiclaw": "publ", "publ": "publ", "publicl": "publ", "eo": "execorder", "executiveorder": "execorder",
    "fr": "fedreg", "fedregister": "fedreg", "housereport": "hrrep", "senatereport": "srep",
    "codeva": "vacode", "codeala": "alacode", "codeiowa": "iowacode",
}  # fmt: skip
TITLES = {"internalrevenuecode": "26", "bankruptcycode": "11"}
"""Codes that are a title of the United States Code, section for section."""
_STATES = "alabama ala alaska alaska arizona ariz arkansas ark california cal colorado colo connecticut conn delaware del florida fla georgia ga illinois ill indiana ind kansas kan kentucky ky louisiana la maine me maryland md massachusetts mass michigan mich minnesota minn mississippi miss missouri mo montana mont nebraska neb nevada nev oklahoma okla oregon or pennsylvania pa tennessee tenn texas tex vermont vt virginia va washington wash wisconsin wis wyoming wyo"  # noqa: E501
_WORDS = {
    **dict(zip(_STATES.split()[::2], _STATES.split()[1::2], strict=True)), "new york": "ny", "new jersey": "nj", "civil": "civ",
    "procedure": "proc", "criminal": "crim", "business": "bus", "professions": "prof", "general": "gen", "statutes": "stat",
    "statute": "stat", "stats": "stat", "revised": "rev", "compiled": "comp", "consolidated": "cons", "commercial": "com",
    "annotated": "", "ann": "", "laws": "law", "evidence": "evid", "federal": "fed", "government": "gov", "insurance": "ins",
}  # fmt: skip
_SMALL = re.compile(r"(?<=code)of")
_FEDERAL_RULES = re.compile(
    r"f(?:ed)?r(?:ules?)?(?:of)?(civ|crim|app|evid|bankr)(?:ellate|uptcy)?(?:p(?:roc)?)?|(civ|crim|app|evid|bankr)(?:ellate|uptcy)?rule"
)
_RESTATEMENT = re.compile(r"^rest(?:atement)?(?:(?P<second>second|2d)|third|3d)(?:of)?")
_ACT = re.compile(
    r"(?:the)?(?P<name>.*(?:act|code|law))(?:(?:of)?(?P<year>(?:1[6-9]|20)\d\d)(?P<where>cth|nsw|vic|qld|wa|sa|tas|act|nt|uk|ni|scotland|can)?)?"
)
_STATE_CODES = frozenset(
    f"{state}code" for state in (*_STATES.split(), "ny", "nj", "nc", "sc", "nd", "sd", "nh", "nm", "ri", "wva")
)
_LAST = 6
"""Letters at the end of an act's name by which it is indexed; the shortest are as long ("Tax Act")."""
_WORD = re.compile(r"new york|new jersey|[^\W_]+")
_LEADING = re.compile(
    r"^(?:(?:the|under|in|see|by|an?|of|and|that|this|when|while|although|section|sections)\s+)+", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def code_name(reporter: str) -> str:
    """Give a reporter or code one spelling: no dots, spaces or capitals, known abbreviations made one."""
    plain = _LEADING.sub("", reporter.strip())
    letters = re.sub(r"[\W_]", "", plain).casefold()
    if letters in _ALIASES:
        return _ALIASES[letters]
    joined = _SMALL.sub("", "".join(_WORDS.get(w, w) for w in _WORD.findall(plain.casefold())))
    joined = re.sub(r"(civ|crim)proccode$", r"code\1proc", joined)
    joined = _RESTATEMENT.sub(lambda m: f"restatement{'second' if m['second'] else 'third'}of", joined)
    if rules := _FEDERAL_RULES.fullmatch(joined):
        area = rules[1] or rules[2]
        return f"fedr{area}" if area == "evid" else f"fedr{area}p"
    return _ALIASES.get(joined, joined)


@lru_cache(maxsize=4096)
def one_code(a: str, b: str) -> bool:
    """Whether two names mean one code or act; the year and the first words of a name may be missing."""
    first, second = code_name(a), code_name(b)
    if first == second:
        return True
    x, y = _ACT.fullmatch(first), _ACT.fullmatch(second)
    if not x or not y or any(x[part] and y[part] and x[part] != y[part] for part in ("year", "where")):
        return False
    short, long = sorted((x["name"], y["name"]), key=len)
    # "Va. Code" is not the end of "W. Va. Code".
    return long.endswith(short) and (short == long or short not in _STATE_CODES)


def act_of(reporter: str) -> tuple[str, str]:
    """The end of an act's name, which its shorter names share, and its year; empty of other laws and where none is stated."""
    act = _ACT.fullmatch(code_name(reporter))
    return (act["name"][-_LAST:], act["year"] or "") if act and act["name"].endswith("act") else ("", "")
