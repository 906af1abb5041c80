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
    """Remove triplets with empty parts, the header `(subject, predicate, object)`, and repetitions.

    Args:
        triplets: as a model wrote them.

    Returns:
        The others in their order, without white space around their parts.
    """
    found: dict[tuple[str, ...], Triplet] = {}
    for t in triplets:
        parts = (t.subject.strip(), t.predicate.strip(), t.object.strip())
        if all(parts) and tuple(p.lower() for p in parts) != _HEADER:
            found.setdefault(parts, Triplet(*parts, t.sentence))
    return list(found.values())


def parsed(text: str) -> list[Triplet]:
    """Parse triplets written one a line, `("subject", "predicate", "object")`, in either kind of quotation mark.

    Only what follows the last `###` header is read. Lines of another form or arity, and what is no text, are left out.

    Args:
        text: a model's reply; not trusted, and nothing in it is run.

    Returns:
        Cleaned triplets in order, without the number of their sentence.
    """
    body = re.split(r"^###.*$", text, flags=re.MULTILINE)[-1]
    found = []
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
            found.append(Triplet(subject, predicate, object_))
    return cleaned(found)


def only_lines(text: str) -> list[Triplet]:
    """Parse triplets of a text that holds nothing but triplet lines under at most one header.

    Args:
        text: a model's reply.

    Returns:
        Triplets as by `parsed`; empty for a text that holds anything else.
    """
    body = re.split(r"^###[^\n]*$", text.strip(), maxsplit=1, flags=re.MULTILINE)
    lines = [line for line in body[-1].splitlines() if line.strip()]
    return parsed(text) if not "".join(body[:-1]).strip() and all(map(_LINE.match, lines)) else []


def strict(labels: Sequence[Label]) -> Label | None:
    """Combine the labels of a response's claims by the worst: Contradiction, then Neutral, then Entailment.

    Args:
        labels: one a claim, in any order.

    Returns:
        The worst label; None (abstain) without labels.
    """
    return next((wanted for wanted in ("Contradiction", "Neutral", "Entailment") if wanted in labels), None)


def soft(labels: Sequence[Label]) -> dict[str, float]:
    """Count what share of a response's claims has each label.

    Args:
        labels: one a claim, in any order.

    Returns:
        Shares from 0 to 1 for each label and `Abstain`, with sum 1; all of it is `Abstain` without labels.
    """
    if not labels:
        return {**dict.fromkeys(LABELS, 0.0), "Abstain": 1.0}
    return {**{name: labels.count(name) / len(labels) for name in LABELS}, "Abstain": 0.0}


def majority(labels: Sequence[Label]) -> Label | None:
    """Find the most common label of a response's claims.

    Args:
        labels: one a claim; of equally common labels the first in this order counts.

    Returns:
        The label; None without labels.
    """
    return Counter(labels).most_common(1)[0][0] if labels else None


def merged(labels: Sequence[Label]) -> Label:
    """Combine one claim's labels against several passages: Entailment if any is, else Contradiction if any is, else Neutral.

    Args:
        labels: one a passage, in any order.

    Returns:
        The claim's label; Neutral without labels.
    """
    return next((wanted for wanted in ("Entailment", "Contradiction") if wanted in labels), "Neutral")
