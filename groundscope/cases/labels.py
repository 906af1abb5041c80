"""What the value of a label means: one table of words for all files, and columns that look like labels or splits."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from groundscope.files.fields import SPLITS, bare, clean, plain

_SAID: Mapping[str, str] = {
    "grounded": "grounded supported supports support entailment entailed entails faithful consistent correct factual "
    "attributable pass passed fullyattributable fullysupported fullygrounded nothallucinated nohallucination",
    "contradicted": "refuted refutes contradiction contradicted contradicts contradictory",
    "not stated": "neutral notenoughinfo notenoughinformation notmentioned notstated extrapolatory nei",
    "not grounded": "ungrounded notgrounded unsupported notsupported hallucinated hallucination unfaithful notfaithful "
    "inconsistent notconsistent incorrect nonfactual notfactual notentailed notentailment nonentailment "
    "notattributable notfullyattributable "
    "partiallysupported partiallyattributable partiallygrounded fail failed",
    "no label": "generic unlabelled unlabeled notapplicable na nan null unknown",
}
_TRUTH = dict.fromkeys("true yes y t 1".split(), True) | dict.fromkeys("false no n f 0".split(), False)
_MEANING: Mapping[str, str] = {word: meaning for meaning, words in _SAID.items() for word in words.split()}
TAKEN = (
    "yes/no, true/false, 1/0, grounded/ungrounded, supported/unsupported/refuted/not enough info, "
    "entailment/neutral/contradiction, faithful/unfaithful, consistent/inconsistent, correct/incorrect, factual/nonfactual, "
    "attributable/not attributable, hallucinated, PASS/FAIL"
)
"""The words of a label for people; any case, spaces and signs do not count."""


class LabelReading(NamedTuple):
    """What a label says, or `why` a value that is not empty is none.

    `contradicted`: of a response that is not grounded: whether the sources say otherwise; None = not said.
    """

    grounded: bool | None
    contradicted: bool | None = None
    why: str = ""

    @property
    def meaning(self) -> str:
        """What the value is taken for."""
        if self.grounded is None:
            return f"no label{f' ({self.why})' if self.why else ''}"
        return "grounded" if self.grounded else "contradicted" if self.contradicted else "not grounded"


_EMPTY, _UNREAD, _TIE = LabelReading(None), LabelReading(None, why="no word of a label"), LabelReading(None, why="votes tied")


def word_of(value: object) -> str:
    """A value as a short text: no fraction of a whole number, truth values in small letters; empty for what holds nothing."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:g}"
    if isinstance(value, list):
        return ", ".join(filter(None, map(word_of, value)))[:500]
    return "" if value is None or isinstance(value, dict) else " ".join(clean(str(value)[:500]).split())


def label(value: object, field: str = "", grounded: Collection[str] = ()) -> LabelReading:
    """Read a label of one response; of votes on it the majority, and a tie is no label.

    In a column named like `hallucination`, yes means not grounded. `grounded` are the values that mean grounded, and any other
    means ungrounded; empty = the words of `TAKEN`.
    """
    if isinstance(value, bool) and not grounded:
        return LabelReading(value is not reversed_sense(field))
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return _majority([label(vote, field, grounded) for vote in value])
    word = word_of(value)
    if not word:
        return _EMPTY
    if grounded:
        right = word.casefold() in {name.casefold() for name in grounded}
        return LabelReading(right, None if right else _stance(plain(word)))
    # Of a number, every sign counts: 0.1, -1 and 1% are not 1.
    truth = _TRUTH.get(word.removesuffix(".0") if re.search(r"\d", word) else plain(word))
    if truth is not None:
        return LabelReading(truth is not reversed_sense(field))
    meaning = _MEANING.get(plain(word))
    if meaning is None:
        return LabelReading(True) if plain(word) == "none" and reversed_sense(field) else _UNREAD
    return LabelReading({"grounded": True, "no label": None}.get(meaning, False), _stance(plain(word)))


def truth(value: object, field: str) -> bool | None:
    """Read a truth value; raises ValueError for anything else that is not empty."""
    read = label(value)
    if read.why or isinstance(value, list | dict):
        raise ValueError(f"'{field}' must be true, false or empty.")
    return read.grounded


def _stance(word: str) -> bool | None:
    return {"contradicted": True, "not stated": False}.get(_MEANING.get(word, ""))


def _majority(votes: Sequence[LabelReading]) -> LabelReading:
    cast = Counter(vote.grounded for vote in votes if vote.grounded is not None)
    if not cast:
        return _UNREAD if any(vote.why for vote in votes) else _EMPTY
    if cast[True] == cast[False]:
        return _TIE
    if cast[True] > cast[False]:
        return LabelReading(True)
    stances = {vote.contradicted for vote in votes if vote.grounded is False}
    return LabelReading(False, stances.pop() if len(stances) == 1 else None)


_REVERSED = re.compile(r"hallucinat|unfaithful|unsupported|ungrounded|inconsisten|contradict|unfactual|nonfactual|incorrect")
_NEGATED = re.compile(r"(^|_)(no|not|non|without)_|free$|less$")
_LABEL = re.compile(
    r"(^|_)(labels?|verdict|grounded|groundedness|faithful(ness)?|(un)?supported|(in)?consistent|factual|attributable|attribution"
    r"|entail(ment|ed)|unfaithful|ungrounded|(is|has)?_?hallucinat\w*)($|_)|^gold$"
)
_VOTE = re.compile(r"(^|_)(votes?|annotat\w+|rat(er|ing)s?|judge?ments?)($|_)")
_SPLIT = re.compile(r"(^|_)(split|fold|partition|subset)$")
_SPLITS = {*SPLITS, "eval", "evaluation"}


def reversed_sense(field: str) -> bool:
    """Whether yes in a column of this name means that the answer is not grounded."""
    return bool(field) and bool(_REVERSED.search(bare(field))) and not _NEGATED.search(bare(field))


class ColumnUse(NamedTuple):
    """A column beside the texts that looks like labels or splits; `sure` = every value is a word of its part, of clear sense."""

    name: str
    part: str
    sure: bool
    words: tuple[str, ...]

    @property
    def title(self) -> str:
        """Its name for people."""
        return clean(self.name)[:_LONGEST]

    @property
    def scores(self) -> bool:
        """Whether its values are numbers that are no labels."""
        return self.part == "label" and all(map(is_number, self.words)) and any(label(word).why for word in self.words)


_LONGEST = 60
_NUMBER = re.compile(r"-?\d*\.?\d+(e-?\d+)?")


def is_number(word: str) -> bool:
    """Whether a value is written as a number."""
    return bool(_NUMBER.fullmatch(word))


def on_a_scale(words: Iterable[str]) -> str:
    """What to say of labels that are numbers with more than 0 and 1 among them, as 0, 1 and 2 for three answers; else nothing."""
    there = sorted({word for word in words if word})
    scale = all(map(is_number, there)) and any(label(word).why for word in there) and not all(label(word).why for word in there)
    return f"The labels are the numbers {', '.join(there[:6])}, and it is not sure what 1 means among them." if scale else ""


def column_use(name: str, words: tuple[str, ...]) -> ColumnUse | None:
    """What a column of this name and these values looks like."""
    its = bare(name)
    if _SPLIT.search(its) or {word.lower() for word in words} <= _SPLITS:
        return ColumnUse(name, "split", {word.lower() for word in words} <= _SPLITS, words)
    clear = not (_REVERSED.search(its) and _NEGATED.search(its))
    # Yes and no may answer any question, so that they need the name.
    if _LABEL.search(its) or all(plain(word) in _MEANING for word in words):
        return ColumnUse(name, "label", clear and not any(label(word, name).why for word in words), words)
    voted = _VOTE.search(its) and not any(label(word).why for word in words)
    return ColumnUse(name, "label", False, words) if voted else None
