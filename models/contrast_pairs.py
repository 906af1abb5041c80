"""Contrast pairs from plain text: free, and as many as there are sentences.

A sentence s with its neighbours is evidence; one small edit makes another statement s'. Four pairs come of it, each statement
in other words than its evidence (`reworded`):

    evidence with s  against s  supported        evidence with s' against s' supported
    evidence with s  against s' not              evidence with s' against s  not

So every statement and every evidence stands equally often under both labels, and neither alone shows anything: what is
learned is the comparison. Minimal pairs are known from Gardner et al. 2020, *Evaluating Models' Local Decision Boundaries via
Contrast Sets*; the balanced square is this project's own.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from groundscope.training.pairs import Pair
from models._contrast_changes import capital, cased, changes, chosen
from models._contrast_words import SAME

SHORTEST, LONGEST = 40, 260
"""Characters of a sentence that is edited."""

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


class _Said(NamedTuple):
    evidence: str
    statement: str
    edited: str = ""
    """What the edit took or put there."""


def contrast_pairs(documents: Sequence[Sequence[str]], *, seed: int = 0, most: int | None = None) -> list[Pair]:
    """Make pairs of texts."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    found: list[Pair] = []
    made: Counter[str] = Counter()
    seen: set[str] = set()
    order = list(range(len(documents)))
    draw.shuffle(order)
    for d in order:
        sentences = [s.strip() for s in documents[d]]
        for i, sentence in enumerate(sentences):
            if sentence in seen or not SHORTEST <= len(sentence) <= LONGEST:
                continue
            seen.add(sentence)
            new = list(_fours(sentences, i, f"text-{d}", made, draw))
            if most is not None and len(found) + len(new) > most:
                return found
            found += new
    return found


def easy_pairs(pairs: Sequence[Pair], *, seed: int = 0) -> list[Pair]:
    """Supported pairs and the same sentences against another text's evidence."""
    draw = random.Random(seed)  # noqa: S311 - no secret
    found = []
    for pair in pairs:
        if pair.label < 0.5:
            continue
        other = pairs[draw.randrange(len(pairs))]
        found.append(pair)
        if other.group != pair.group:
            found.append(pair._replace(evidence=other.evidence, label=0.0))
    return found


def _fours(sentences: Sequence[str], i: int, group: str, made: Counter[str], draw: random.Random) -> Iterator[Pair]:
    sentence = sentences[i]
    before = _shown(sentences[max(0, i - draw.choice((0, 0, 1))) : i], sentence)
    after = _shown(sentences[i + 1 : i + 1 + draw.choice((0, 0, 1))], sentence)
    window = " ".join([*before, sentence, *after])
    others = " ".join(draw.sample(sentences, min(4, len(sentences))))
    change = chosen(list(changes(sentence, window, others, draw)), made, draw)
    if change is None:
        return
    other = sentence[: change.start] + change.new + sentence[change.end :]
    old = sentence[change.start : change.end]
    protected = words_of(f"{old} {change.new}")
    one, two = (
        _Said(" ".join([*before, s, *after]), reworded(s, draw, protected), edited)
        for s, edited in ((sentence, old), (other, change.new))
    )
    yield from _square(one, two, group)
    neighbours = [s for s in (*before, *after) if len(s) >= SHORTEST]
    if neighbours and draw.random() < 0.25:
        alone = _Said(" ".join([*before, *after]), reworded(draw.choice(neighbours), draw, set()))
        yield from _square(_Said(sentence, one.statement), alone, group)


def _shown(neighbours: Sequence[str], sentence: str) -> list[str]:
    """Neighbours that stand beside a sentence as its evidence; one that says the same would hide the edit."""
    return [s for s in neighbours if 0 < len(s) < LONGEST and s != sentence]


def _square(one: _Said, two: _Said, group: str) -> Iterator[Pair]:
    yield Pair(one.evidence, one.statement, 1.0, group, "contrast")
    yield Pair(two.evidence, two.statement, 1.0, group, "contrast")
    yield Pair(one.evidence, two.statement, 0.0, group, "contrast", _place(two))
    yield Pair(two.evidence, one.statement, 0.0, group, "contrast", _place(one))


def _place(said: _Said) -> tuple[int, int] | None:
    """Where what was edited stands after the rewording; None where it is not known."""
    found = list(re.finditer(rf"(?<!\w){re.escape(said.edited)}(?!\w)", said.statement)) if said.edited.strip() else []
    return found[0].span() if len(found) == 1 else None


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
