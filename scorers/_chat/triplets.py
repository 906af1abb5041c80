"""RefChecker's claims: (subject, predicate, object), and its rules from claim labels to a response's label.

After amazon-science/RefChecker at 1df1b25, from whose tests and code the rules are; its parser runs `eval` on what a model
wrote, this one reads literals.
"""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from groundscope.files.fields import clean

Label = Literal["Entailment", "Neutral", "Contradiction"]
LABELS: tuple[Label, ...] = ("Entailment", "Neutral", "Contradiction")
_HEADER = ("subject", "predicate", "object")
# For lines without spaces around them; no two parts can share a space, of which a stuck model writes thousands.
_LINE = re.compile(r"(?:[-*]\s*|\d+[.)]\s*)?(\(.*\))(?:\s*[,.;])?")


class Triplet(NamedTuple):
    """A claim; `sentence` is which sentence it comes from, from 1 on, or 0 where the model did not say."""

    subject: str
    predicate: str
    object: str
    sentence: int = 0

    @property
    def text(self) -> str:
        """The claim in words."""
        return f"{self.subject} {self.predicate} {self.object}"


def cleaned(triplets: Sequence[Triplet]) -> list[Triplet]:
    """Remove triplets with empty parts, the header `(subject, predicate, object)`, and repetitions; strip white space."""
    distinct: dict[tuple[str, ...], Triplet] = {}
    for t in triplets:
        parts = (t.subject.strip(), t.predicate.strip(), t.object.strip())
        if all(parts) and tuple(p.lower() for p in parts) != _HEADER:
            distinct.setdefault(parts, Triplet(*parts, t.sentence))
    return list(distinct.values())


def parsed(text: str) -> list[Triplet]:
    """Parse triplets written one a line, `("subject", "predicate", "object")`, in either kind of quotation mark.

    Only what follows the last `###` header is read. Lines of another form or arity, and what is no text, are left out.
    """
    body = re.split(r"^###.*$", text, flags=re.MULTILINE)[-1]
    triplets = []
    for line in body.splitlines():
        if not (match := _LINE.fullmatch(line.strip())):
            continue
        try:
            parts = ast.literal_eval(match[1])
        # TypeError: a literal may hold a list as a key.
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            continue
        if isinstance(parts, tuple) and len(parts) == 3 and all(isinstance(p, str) for p in parts):
            subject, predicate, object_ = map(clean, parts)
            triplets.append(Triplet(subject, predicate, object_))
    return cleaned(triplets)


def only_lines(text: str) -> list[Triplet]:
    """As `parsed`, of a text that holds nothing but triplet lines under at most one header; empty for any other text."""
    body = re.split(r"^###[^\n]*$", text.strip(), maxsplit=1, flags=re.MULTILINE)
    lines = [line for line in body[-1].splitlines() if line.strip()]
    return parsed(text) if not "".join(body[:-1]).strip() and all(map(_LINE.match, lines)) else []


def strict(labels: Sequence[Label]) -> Label | None:
    """The worst of a response's labels: Contradiction, then Neutral, then Entailment; None (abstain) without labels."""
    return next((wanted for wanted in ("Contradiction", "Neutral", "Entailment") if wanted in labels), None)


def soft(labels: Sequence[Label]) -> dict[str, float]:
    """Share of a response's claims with each label and `Abstain`, with sum 1; all of it is `Abstain` without labels."""
    if not labels:
        return {**dict.fromkeys(LABELS, 0.0), "Abstain": 1.0}
    return {**{name: labels.count(name) / len(labels) for name in LABELS}, "Abstain": 0.0}


def majority(labels: Sequence[Label]) -> Label | None:
    """The most common label, of equally common ones the first; None without labels."""
    return Counter(labels).most_common(1)[0][0] if labels else None


def merged(labels: Sequence[Label]) -> Label:
    """One claim's label against several passages: Entailment if any is, else Contradiction if any is, else Neutral."""
    return next((wanted for wanted in ("Entailment", "Contradiction") if wanted in labels), "Neutral")
