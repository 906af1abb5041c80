"""Abbreviations in the names of parties, and where a name that was read with a full stop in it begins a new sentence."""

import re

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
