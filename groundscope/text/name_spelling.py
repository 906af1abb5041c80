"""Spellings of names: letters folded, abbreviations, initials, company forms, states and small words; linear in the name."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

ABBREVIATIONS = frozenset(
    # Bluebook (21st edition), tables T6 and T10, and their usual spellings without an apostrophe.
    "acad acct acctg admin adver advert agric alum amer am app arb assur assn assoc assocs atl auth auto ave bankr bd behav bhd "
    "bldg bldgs bros broad brdcst bus cap cas cath ctr cent chem coal cmty cnty co coll com comm commn commr comp comput "
    "condo cong conn cons consol const constr contl coop corp corps corr cosm cts ct def deft dept det dev devs dir disc "
    "dist distrib div dr econ ed educ elec emp emps eng enr ent enter entmt envtl envt equip est exch "
    "exec expl exp fac fam fed fedn fid fin found ft gen geo glob govt grp guar hist hon hosp hous hum imp imps inc indem "
    "indep indus info inj ins inst intell intl inv invs jr juv lab labs liab libr litig ltd mach mag maint med mem "
    "merch messrs metro mfg mfr mfrs mgmt mkt mkts mktg mod mortg mt mun mut nat natl ne neb ner nw org orgs pac par pers "
    "pet petrol pharm pharms phila pol prac pres priv prob proc prod prods prof profl prop props prot psych pub publ publg "
    "publn pubs ref refin refrig reg reinsur regl rehab rel rels rep reprod res resol resp rest ret rev rd rr rsch rsrv ry sav "
    "sch schs "
    "sci sec secs secy sen serv servs shholder soc socy sol sols spec sr st sta stat std stds sub subcomm surg surv sys tchr "
    "tchrs tech techs tel telecomm temp ter theol tr trans transcon transp treas tri twp unif univ util utils vet vill wkly "
    "adm ala ariz ark cal calif colo del fla ga haw ill ind kan kans ky la mass md me mich minn miss mo mont nebr nev okla "
    "ore oreg pa penn tenn tex va vt wash wis wisc wyo capt civ col crim gov lt maj pat sgt ste supt thos wm chas geo jas "
    "jos robt".split()
)
SMALL = frozenset("the of and for in re ex parte v vs a an et al d b matter on to by de la with".split())
FORMS = frozenset(
    "inc incorporated corp corporation co company companies llc ltd limited plc lp llp pc na sa ag gmbh nv bv pllc assn "
    "association no number city county town village borough township".split()
)
"""Words that a name has in one spelling and lacks in the next."""
SUFFIXES = frozenset("jr sr esq ii iii iv cj lj jj".split())
"""What may follow the name of a person: generations, and judges in England."""
_GOVERNMENTS = frozenset("hm us uk eu".split())
"""What agencies have before their names, as their initials."""
LONGEST_INITIALS = 7
_LONGEST_ACRONYM = 10
_STATES = {
    short: name
    for line in """
alabama al ala | alaska ak | arizona az ariz | arkansas ar ark | california ca cal calif | colorado co colo |
connecticut ct conn | delaware de del | florida fl fla | georgia ga | hawaii hi haw | idaho id | illinois il ill |
indiana in ind | iowa ia | kansas ks kan | kentucky ky | louisiana la | maine me | maryland md | massachusetts ma mass |
michigan mi mich | minnesota mn minn | mississippi ms miss | missouri mo | montana mt mont | nebraska ne neb | nevada nv
nev | ohio oh | oklahoma ok okla | oregon or ore | pennsylvania pa penn | tennessee tn tenn | texas tx tex | utah ut |
vermont vt | virginia va | washington wa wash | wisconsin wi wis | wyoming wy wyo | westvirginia wv wva
""".split("|")
    for name, *shorts in [line.split()]
    for short in shorts
}
"""Those of one word by their abbreviations; the initials of the others are read as initials."""
_OTHER_WORDS = frozenset("al ar ca co ct de hi id in la ma md me mo ms mt oh ok or pa".split())
"""Postal abbreviations that have other meanings, too."""
_CITED = frozenset("ga ky la me md mo or pa va vt".split())
"""Those of two letters that Bluebook citations have."""
_ZIP = re.compile(r"\s\d{5}")
COMPASS = frozenset("north south east west new northern southern eastern western".split())
COMPASS_PLACES = {
    f"{first} {last}": first_whole + last_whole
    for firsts, lasts in (
        ("west w", "virginia va"), ("new n", "mexico"), ("new n", "jersey"), ("new", "england"), ("northern n", "ireland"),
    )
    for first in firsts.split()
    for last in lasts.split()
    for first_whole, last_whole in [(firsts.split()[0], lasts.split()[0])]
}  # fmt: skip
"""Places that are others than the second word alone, as one word by their spellings."""
COMPASS_NAMES = frozenset("virginia carolina dakota york jersey mexico hampshire england ireland korea africa wales".split())
"""What belongs to the point of the compass before it."""
APART_FROM_COMPASS = frozenset(place.split()[1] for place in COMPASS_PLACES)
"""Names of other places where a point of the compass stands before them."""
_WORD = re.compile(r"([^\W_]+(?:['’][^\W_]+)*)(\.?)")
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.\s?){2,12}")
_LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
ENDING = re.compile(r"['’](?:s|m|d|ll|ve|re)?$")
"""Of a possessive, and of a verb ("I'm")."""
_NO_LETTER = re.compile(r"[^\w]")


class NameWord(NamedTuple):
    """A word of a name; `short` where it may be an abbreviation."""

    letters: str
    short: bool


def folded(word: str) -> str:
    """The letters of a word without case, accents, marks and what an apostrophe adds."""
    letters = ENDING.sub("", word.casefold())
    if not letters.isascii():
        letters = unicodedata.normalize("NFKD", letters.translate(_LETTERS))
    return letters if letters.isalnum() and letters.isascii() else _NO_LETTER.sub("", letters)


def is_initials(token: str, word: str) -> bool:
    """Whether a word before others is initials, each for itself: "J.K.", and "HM" and "US" of agencies."""
    return word in _GOVERNMENTS or ("." in token and word not in FORMS and len(word) < 4)


def spellings(word: str) -> tuple[str, ...]:
    """A word folded, and with its umlauts written in two letters ("Müller", "Mueller")."""
    letters = folded(word)
    if word.isascii():
        return (letters,)
    return tuple(dict.fromkeys((letters, folded(unicodedata.normalize("NFC", word.casefold()).translate(_UMLAUTS)))))


def words_of(name: str) -> list[NameWord]:
    """The distinctive words of a name."""
    words = []
    # "U.S." is one word.
    name = _DOTTED.sub(lambda m: f"{_NO_LETTER.sub('', m.group())} ", name)
    for m in _WORD.finditer(name):
        letters = folded(m[1])
        if len(letters) > 1 and letters not in SMALL:
            words.append(NameWord(letters, bool(m[2]) or "'" in m[1] or "’" in m[1] or letters in ABBREVIATIONS))
    return [w for w in words if w.letters not in FORMS]


def one_word(x: NameWord, y: NameWord) -> bool:
    """Whether two words are one, one an abbreviation or a plural of the other."""
    if x.letters == y.letters:
        return True
    little, long = sorted((x, y), key=lambda w: len(w.letters))
    if little.short and little.letters[0] == long.letters[0]:
        rest = iter(long.letters)
        return all(c in rest for c in little.letters)
    # "Servs." is an abbreviation with an ending, "Smiths" a plural.
    return long.letters.removeprefix(little.letters) in ("s", "es") and len(little.letters) >= 3


def initials(letters: Sequence[str]) -> Iterator[tuple[str, range]]:
    """Initials of words that stand together, with the places of these: "NY" of "New York Times"."""
    firsts = "".join(word[:1] for word in letters)
    for i in range(len(firsts) - 1):
        for j in range(i + 2, min(len(firsts), i + LONGEST_INITIALS) + 1):
            yield firsts[i:j], range(i, j)


def acronyms(text: str) -> tuple[str, ...]:
    """What a word may be the initials of: "SEC", "SECs", "ECtHR"."""
    letters = text.removesuffix("s") if text[:-1].isupper() else text
    capitals = "".join(filter(str.isupper, letters))
    if len(capitals) < 2 or len(letters) > _LONGEST_ACRONYM or len(capitals) * 2 <= len(folded(letters)):
        return ()
    return tuple(dict.fromkeys((folded(letters), capitals.casefold())))


def state_of(token: str, after_comma: bool, after: str) -> str:
    """The state that a word abbreviates, or nothing, by whether a comma stands before it ("Bend, OR") and by what follows."""
    state = _STATES.get(token.casefold().rstrip("."), "")
    if token.isupper() and len(token) == 2:
        return state if token.casefold() not in _OTHER_WORDS or after_comma or _ZIP.match(after) else ""
    return state if after[:1] == "." and token[:1].isupper() and (len(token) > 2 or token.casefold() in _CITED) else ""
