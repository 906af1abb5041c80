"""Paraphrase a statement: clauses in another order, a side remark left out, synonyms."""

import random
import re

from models.change_words import SAME
from models.changes import capital, cased

SHORTEST, LONGEST = 40, 260
"""Characters of a sentence: shorter ones keep their side remarks, longer ones their order."""

_WORD_OR_FIGURE = re.compile(r"\w+")
_LEADING = re.compile(
    r"^((?:In|On|At|During|After|Before|If|When|Where|Because|Since|Although|While|By|For|Under|As) [^,.;]{4,80}),"
    r" ([^.;]{15,})\.$"
)
_TRAILING = re.compile(r"^([^.;,]{15,}?),? ((?:after|before|if|when|because|although|while|unless|until) [^.;,]{8,})\.$")
_SIDE_REMARK = re.compile(
    r",? \([^()]{2,80}\)|, (?:which|who|including|such as|where|although|while|with)\b[^,.;]{5,90}(?=[.,;])"
    r"|, [^,.;]{5,60}(?=,)|(?<=\w) (?:in|on|at|during|through) [^,.;]{4,40}(?=\.$)"
)
_LOWERED = frozenset("The A An It They He She This These In We You His Her There Its".split())

_SYNONYM: dict[str, list[str]] = {}
for _same in SAME:
    for _one in _same:
        _SYNONYM.setdefault(_one, []).extend(w for w in _same if w != _one)
_SYNONYMS = re.compile(r"(?<![\w.])(" + "|".join(sorted(map(re.escape, _SYNONYM), key=len, reverse=True)) + r")(?![\w])")


def reworded(sentence: str, draw: random.Random, protected: set[str]) -> str:
    """Say it in other words: clauses in another order, a side remark left out, synonyms."""
    text = _reordered(sentence) if draw.random() < 0.6 else sentence
    remarks = [m for m in _SIDE_REMARK.finditer(text) if not words_of(" ".join(protected)) & words_of(m[0])]
    if remarks and draw.random() < 0.5:
        m = draw.choice(remarks)
        shorter = text[: m.start()] + text[m.end() :]
        text = shorter if len(shorter) > SHORTEST // 2 else text
    return _SYNONYMS.sub(lambda m: cased(m[0], draw.choice(_SYNONYM[m[0]])) if draw.random() < 0.7 else m[0], text)


def words_of(text: str) -> set[str]:
    """The words and figures of a text, without regard to case."""
    return set(_WORD_OR_FIGURE.findall(text.casefold()))


def _reordered(sentence: str) -> str:
    if len(sentence) > LONGEST:
        return sentence
    if m := _LEADING.match(sentence):
        return f"{capital(m[2])} {m[1][0].lower()}{m[1][1:]}."
    if m := _TRAILING.match(sentence):
        main = m[1][0].lower() + m[1][1:] if m[1].split()[0] in _LOWERED else m[1]
        return f"{capital(m[2])}, {main}."
    return sentence
