"""Comparison of party names, their abbreviations, and where a name begins that was read with the sentence before it."""

import re
import unicodedata
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
    "sci sec secs secy sen serv servs shholder soc socy sol sols spec sr sta stat std stds sub subcomm surg surv sys tchr "
    "tchrs tech techs tel telecomm temp ter theol tr trans transcon transp treas tri twp unif univ util utils vet vill wkly "
    "adm ala ariz ark cal calif colo del fla ga haw ill ind kan kans ky la mass md me mich minn miss mo mont nebr nev okla "
    "ore oreg pa penn tenn tex va vt wash wis wisc wyo capt col gov lt maj sgt supt thos wm chas geo jas jos robt".split()
)
_SHORT_ENDS = frozenset("id no yes act law rule it so not roe doe poe tax him her age war".split())
"""Words of up to three letters that a sentence ends with more often than a name is cut short by them."""
_STOP = re.compile(r"([^\W\d_]+(?:['’][^\W\d_]+)*)[)\]”\"’']{0,3}\.[)\]”\"’']{0,3}\s+(?=[A-Z(])")


def sentence_cut(name: str) -> int:
    """Where the last sentence in a name begins; 0 where its full stops are those of abbreviations."""
    cut = 0
    for m in _STOP.finditer(name):
        if _ends(m[1]):
            cut = m.end()
    return cut


def _ends(word: str) -> bool:
    head, apostrophe, tail = word.replace("’", "'").rpartition("'")
    if apostrophe and tail != "s":
        # "Nat'l", "Ass'n".
        return False
    letters = (head if apostrophe else word).casefold()
    return letters in _SHORT_ENDS or (len(letters) >= 4 and letters not in ABBREVIATIONS)


_SMALL = frozenset("the of and for in re ex parte v a an et al d b matter on to by de la".split())
_FORMS = frozenset(
    "inc incorporated corp corporation co company companies llc ltd limited plc lp llp pc na sa ag gmbh nv bv pllc assn "
    "association no city county town village borough township".split()
)
"""Words that a name has in one spelling and lacks in the next."""
_THE_STATE = frozenset(("state", "people", "commonwealth", "government", "gov", "govt"))
_LONGEST_INITIALS = 6
_WORD = re.compile(r"([^\W_]+(?:['’][^\W_]+)*)(\.?)")


class _Word(NamedTuple):
    letters: str
    short: bool


def one_name(a: str, b: str) -> bool:
    """Compare two spellings of a party's name."""
    first, second = _words(a), _words(b)
    # One that is left without words, or just "State", as a state's own courts call it.
    if any({w.letters for w in words} <= _THE_STATE for words in (first, second)):
        return True
    few, many = sorted((first, second), key=len)
    if _initials(few, b if few is first else a):
        return True
    short, long = _runs(few), _runs(many)
    inside = {i for y in many for i in short.get(y.letters, ())}
    return all(i in inside or x.letters in long or any(_one_word(x, y) for y in many) for i, x in enumerate(few))


def _runs(words: list[_Word]) -> dict[str, range]:
    """Initials of words that stand together, with the places of these: "NY" of "New York Times"."""
    initials = {}
    for i in range(len(words)):
        for j in range(i + 2, min(len(words), i + _LONGEST_INITIALS) + 1):
            initials["".join(w.letters[0] for w in words[i:j])] = range(i, j)
    return initials


def _words(name: str) -> list[_Word]:
    """The distinctive words of a name; all but the smallest if there are no others."""
    words = []
    # "U.S." is one word.
    name = re.sub(r"\b(?:[A-Z]\.\s?){2,}", lambda m: f"{re.sub(r'[^A-Z]', '', m.group())} ", name)
    for m in _WORD.finditer(name):
        letters = _plain(m[1])
        if len(letters) > 1 and letters not in _SMALL:
            words.append(_Word(letters, bool(m[2]) or "'" in m[1] or "’" in m[1] or letters in ABBREVIATIONS))
    return [w for w in words if w.letters not in _FORMS]


def _plain(word: str) -> str:
    letters = unicodedata.normalize("NFKD", word.casefold())
    return re.sub(r"[^\w]", "", re.sub(r"['’]s$", "", letters))


def _one_word(x: _Word, y: _Word) -> bool:
    if x.letters == y.letters:
        return True
    little, long = sorted((x, y), key=lambda w: len(w.letters))
    if little.short and little.letters[0] == long.letters[0]:
        rest = iter(long.letters)
        return all(c in rest for c in little.letters)
    # "Servs." is an abbreviation with an ending, "Smiths" a plural.
    return long.letters.removeprefix(little.letters) in ("s", "es") and len(little.letters) >= 3


def _initials(few: list[_Word], long_name: str) -> bool:
    """Whether a name is the initials of the other, as "NLRB" or "US"."""
    if len(few) != 1 or len(few[0].letters) > _LONGEST_INITIALS:
        return False
    words = [_plain(w) for w in re.findall(r"[^\W_]+(?:['’][^\W_]+)*", long_name)]
    without: tuple[frozenset[str], ...] = (frozenset(), _SMALL, _SMALL | _FORMS)
    return any(few[0].letters == "".join(w[0] for w in words if w and w not in left_out) for left_out in without)
