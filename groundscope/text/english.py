"""Words of the English language, to distinguish a sentence's first word from a name.

The words are those that the American dictionary of hunspell (SCOWL), which the package spylls carries, writes in lower case: it
knows "baker" and no "goldberg". Their endings are read by this project's own rules, so that nothing is unpacked at start.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

_FOREIGN = frozenset(
    (
        "absentia actus ad alia amici amicus arguendo banc bene bona bono causa certiorari cestui cogens conveniens coram "
        "corpus culpa curiae curiam cy damnum de decidendi decisis delicti delicto dicta dictum dire dixit duces ejusdem "
        "emptor en est facie facto factum faire fide fides generis habeas habendum hoc inter ipsa ipse ipso judicata "
        "jurata jure jus laissez lex limine liminis lis loci locus loquitur majeure mala mandamus mens mero meruit "
        "minimis modus mortis motu nihil nisi nobis nolle nolo nota novo nulla nunc obiter onus operandi parens pari parol "
        "parte passu patriae pendens pendente persequi personam prima prosequi quasi quid quo rata ratio rea rem res "
        "respondeat reus sans scire se sequitur sic sine sponte stare sua subpoena sui supersedeas tecum tem "
        "testificandum tunc vel veniam versus vires vis visavis voir volenti"
    ).split()
)
"""Latin and French words of the law, which are no names with a capital."""
_BESIDE_FOREIGN = frozenset(
    (
        "action brief case claim clause defense doctrine event force forum in motion non nexus per persona petition post ante "
        "principle pro proceeding purchaser quantum relief rule status superior theory ultra writ"
    ).split()
)
_LAW = _FOREIGN | frozenset(
    (
        "additur affiant affirmance alive allocable allocution analyse appellee arbitrability articulable asylee biometric "
        "catalogue chatbot compensable cryptocurrency cybersecurity decisionmaker decisionmaking declarant deductibility "
        "deepfake enquiry estopped evidential evidentiary factfinder formalistic forth idly indemnitor indicia into intrabrand "
        "joinder justiciability laches lienholder memoranda misdemeanant monopsony moratoria movant nondelegable "
        "nondischargeability novation numerosity only pendency per privity ransomware rebut relet remittitur repay replevin "
        "rulemaking scienter setoff stablecoin subrogation telecoms tippee tortfeasor tortious triable unit unreviewable "
        "usufruct wherefore whistleblower whistleblowing workflow"
    ).split()
)
"""Words of the law, and newer ones, that the dictionary lacks."""
_FORMS = frozenset(
    (
        "amongst as has had was is its his her them led died fled owed owing sued suing tied using fallen faq lest ok teeth unto"
    ).split()
)
_ENDINGS = (
    ("ies", ("y",)), ("es", ("", "e", "is")), ("s", ("",)), ("ied", ("y",)), ("ed", ("", "e", "ion")), ("ing", ("", "e")),
    ("ier", ("y",)), ("iest", ("y",)), ("er", ("", "e")), ("est", ("", "e")), ("or", ("", "e", "ion")), ("ee", ("", "e")),
    ("ily", ("y",)), ("ally", ("al", "")), ("ly", ("", "le")), ("iness", ("y",)), ("ness", ("",)), ("ably", ("able",)),
    ("ability", ("able", "", "e")), ("able", ("", "e")), ("ization", ("ize",)), ("ication", ("y",)), ("ation", ("", "e", "ate")),
    ("ion", ("", "e")), ("ment", ("",)), ("ative", ("", "e", "ate")), ("ive", ("", "e", "ion")), ("ory", ("", "e", "ion")),
    ("ity", ("", "e")), ("ual", ("", "e")), ("al", ("", "e")), ("less", ("",)), ("wide", ("",)),
)  # fmt: skip
_BEGINNINGS = (
    "un non re in im mis dis over under sub co con de pro pre counter inter anti multi out fore mid self mega micro back "
    "gate take"
).split()
_SET_APART = frozenset("non co counter anti multi mid self mega micro".split())
"""Beginnings that writers set apart by a hyphen ("non-compete")."""
_BRITISH = (("isation", "ization"), ("ise", "ize"), ("ising", "izing"), ("our", "or"), ("yre", "ire"), ("ence", "ense"))
_LONGEST = 40
"""Letters of a word."""
_LEAST = 3
"""Letters that a word has without its ending."""


@lru_cache(1)
def _dictionary() -> tuple[frozenset[str], frozenset[str]]:
    """Words in lower case, and those that have a capital."""
    # Looked for rather than imported: its code, which would be slow to load, is not used.
    spec = find_spec("spylls")
    folder = Path(spec.submodule_search_locations[0]) if spec and spec.submodule_search_locations else Path()
    lines = (folder / "hunspell/data/en/en_US.dic").read_text(encoding="utf-8").splitlines()[1:]
    words = [line.partition("/")[0] for line in lines]
    return frozenset(w for w in words if w[:1].islower()) | _LAW | _FORMS, frozenset(w.lower() for w in words if w.istitle())


def is_term_of_law(words: Sequence[str]) -> bool:
    """Whether words with capitals, folded, are Latin or French of the law, or say what that is ("Res Judicata Doctrine")."""
    return any(w in _FOREIGN for w in words) and all(w in _FOREIGN or w in _BESIDE_FOREIGN for w in words)


def is_english(word: str) -> bool:
    """Whether a lower-case word is one of the language, in any of its forms and spellings."""
    return len(word) <= _LONGEST and _is_english(word)


def is_written_together(word: str) -> bool:
    """Whether a lower-case word is one of the language without a hyphen: "noncompete" is none, though "compete" is."""
    return len(word) <= _LONGEST and (_has_form(word) or _is_begun(word, (b for b in _BEGINNINGS if b not in _SET_APART)))


def is_also_name(word: str) -> bool:
    """Whether a lower-case word of the language is a name where it has a capital ("baker")."""
    return all(word in words for words in _dictionary())


@lru_cache(20_000)
def _is_english(word: str) -> bool:
    word = word.replace("’", "'").removesuffix("'s").rstrip("'")
    if "-" in word:
        return all(part in _BEGINNINGS or is_english(part) for part in word.split("-", 8)[:8] if part)
    return _has_form(word) or _is_begun(word, _BEGINNINGS)


def _is_begun(word: str, beginnings: Iterable[str]) -> bool:
    return any(word.startswith(b) and len(word) - len(b) > _LEAST and _has_form(word.removeprefix(b)) for b in beginnings)


def _has_form(word: str) -> bool:
    words, _ = _dictionary()
    if word in words:
        return True
    spellings = {word, *(word.replace(british, american) for british, american in _BRITISH if british in word)}
    return any(base in words for spelling in spellings for base in (spelling, *_bases(spelling)))


def _bases(word: str) -> set[str]:
    """What a word may be a form of; of a form of a form both ("indemnitors")."""
    once = _without_ending(word)
    return once | {further for base in once for further in _without_ending(base)}


def _without_ending(word: str) -> set[str]:
    bases = set()
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST:
            base = word.removesuffix(ending)
            bases |= {base + letters for letters in instead}
            if base[-1] == base[-2] and ending in ("ed", "ing", "er", "or", "est"):
                bases.add(base[:-1])
    return bases
