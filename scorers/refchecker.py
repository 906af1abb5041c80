"""RefChecker: the response's claims as triplets, each checked against the context (paper, section 5.3; Hu et al. 2024).

One call extracts (subject, predicate, object) triplets from the response. Then each is labelled Entailment, Neutral or
Contradiction against the whole context: one call a triplet (as the paper, whose remark on cost follows from it), or up to
five in one (`joint`, the original's default). A response is as good as its worst triplet (`strict`), or by one of the other
rules; without triplets the method abstains.

Departs from the paper: its models can no longer be asked, so any chat model can be chosen, and the signature names it.
Departs from the original: the wording is this project's; the model names the sentence of each triplet, and a reason after
each label; a reply without a label is asked for once more and then invalid, where the original takes it for Neutral; five
labels must come for five triplets, where the original pads. A context that does not fit the model is read in groups of
passages, merged as the original does. The rules from claim labels to a response's label are from the tests and code of
amazon-science/RefChecker at 1df1b25, whose parser runs `eval` on what a model wrote; this one reads literals.
"""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any, ClassVar, Literal, NamedTuple, cast

from groundscope.chat.conversation import (
    TEXT,
    Asking,
    array,
    ask_all,
    choice_field,
    list_field,
    number_field,
    one_of,
    schema,
    text_field,
)
from groundscope.chat.json_reply import Unreadable, after_reasoning, json_of
from groundscope.chat.messages import Block, Prompt, Reply
from groundscope.chat.prompt_files import STANDARD
from groundscope.files.fields import clean
from groundscope.methods import About
from groundscope.methods.asking.evidence import ClaimFinding, EvidencePlacer
from groundscope.methods.asking.prompted import (
    Draft,
    Prompted,
    PromptPlan,
    claims_of,
    in_order,
    need_room,
    numbered,
    of_each,
    passage_groups,
)
from groundscope.runtime.progress import report
from groundscope.types import Case, Status

Label = Literal["Entailment", "Neutral", "Contradiction"]
LABELS: tuple[Label, ...] = ("Entailment", "Neutral", "Contradiction")
_HEADER = ("subject", "predicate", "object")
# For lines without spaces around them; no two parts can share a space, of which a stuck model writes thousands.
_LINE = re.compile(r"(?:[-*]\s*|\d+[.)]\s*)?(\(.*\))(?:\s*[,.;])?")
Rule = Literal["strict", "contradiction_only", "soft", "majority"]
_JOINT = 5
_EXTRACT = 'Reply in JSON: {"triplets": [{"sentence": 1, "subject": "...", "predicate": "...", "object": "..."}]}.'
_CHECK = 'Reply in JSON: {"labels": [{"number": 1, "label": "Entailment", "Neutral" or "Contradiction", "reason": "..."}]}.'
_TRIPLETS = schema(triplets=array(schema(sentence={"type": "integer"}, subject=TEXT, predicate=TEXT, object=TEXT)))
_LABELS = schema(labels=array(schema(number={"type": "integer"}, label=one_of(*LABELS), reason=TEXT)))


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


@dataclass(frozen=True)
class RefChecker(Prompted):
    """Checks a response triplet by triplet.

    Attributes:
        model: a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names.
        checking: `single`, one call a triplet, or `joint`, up to five in one, and one by one where a model does not label all.
        aggregation: `strict`: grounded iff all triplets are entailed; `contradiction_only`: iff none is contradicted; `soft`: the
            support is the share of entailed triplets; `majority`: the most common label.
    """

    model: str = ""
    checking: Literal["single", "joint"] = "single"
    aggregation: Rule = "strict"
    prompt: str = STANDARD

    FORMS: ClassVar[tuple[Any, ...]] = (_EXTRACT, _CHECK, _TRIPLETS, _LABELS)

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users; the share of entailed claims has a threshold of its own."""
        return About(
            title="RefChecker",
            measures="Whether each claim of a sentence, taken apart into triplets, is entailed by the sources, by a chat model.",
            threshold=0.5,
            threshold_source="between entailed and not, by the rule chosen",
            tunes="threshold" if self.aggregation == "soft" else "nothing",
            needs="a chat model",
            licence="Apache-2.0 (method); the chat model's",
            aggregation="the worst claim, by the rule chosen",
            paper="5.3",
        )

    def plan(self, case: Case) -> PromptPlan:
        """One prompt to extract, then as if each sentence held three claims; singly where several are checked in one."""
        expected = [Triplet("subject of", "the predicate of", "the object", 1)] * (3 * len(claims_of(case)))
        parts = self._parts(expected)
        groups = passage_groups(self.chat(), case, lambda text: self._check(text, parts[0]))
        checks = [(text, part) for text in groups for part in parts]
        singly = [one for text, part in checks if len(part) > 1 for one in [self._check(text, part[:1])] * len(part)]
        return PromptPlan([self._extract(case), *(self._check(text, part) for text, part in checks)], True, singly)

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Extract triplets, check them, and combine the labels."""
        prompt = self._extract(case)
        need_room(asking.model, prompt, case)
        report(0, 1)
        triplets = asking.text(prompt, partial(_triplets, count=len(claims_of(case))))
        if not triplets:
            note = "The model found no claim in the response, so there is nothing to check."
            return Draft(None, (), note=note, status=Status.ABSTAINED)
        checked = self._checked(case, asking, triplets)
        findings = [
            ClaimFinding(t.text, self._support(label), label, reason, t.sentence, label == "Contradiction")
            for t, (label, reason) in zip(triplets, checked, strict=True)
        ]
        sentences, claims = EvidencePlacer(case).by_claims(findings)
        return Draft(self._response([label for label, _ in checked]), sentences, claims)

    def _checked(self, case: Case, asking: Asking, triplets: list[Triplet]) -> list[tuple[Label, str]]:
        """The label of each triplet with its reason, merged over groups of passages where the context is read in several."""
        parts = self._parts(triplets)
        # What leaves the context least room.
        longest = max(parts, key=lambda part: self._check("", part).tokens() + self._check("", part).max_tokens)
        groups = passage_groups(asking.model, case, lambda text: self._check(text, longest))
        questions = [(text, part) for text in groups for part in parts]
        answers = ask_all([partial(of_each, asking, part, partial(self._check, text), _labels) for text, part in questions])
        by_group = [list(chain(*answers[g * len(parts) : (g + 1) * len(parts)])) for g in range(len(groups))]
        merged_labels = []
        for labels in zip(*by_group, strict=True):
            label = merged([name for name, _ in labels])
            merged_labels.append((label, next(reason for name, reason in labels if name == label)))
        return merged_labels

    def _parts(self, triplets: list[Triplet]) -> list[list[Triplet]]:
        size = _JOINT if self.checking == "joint" else 1
        return [triplets[i : i + size] for i in range(0, len(triplets), size)]

    def _support(self, label: Label) -> float:
        """Neutral lies on the side of the threshold that the rule gives it."""
        neutral = 0.75 if self.aggregation == "contradiction_only" else 0.25
        return {"Entailment": 1.0, "Neutral": neutral, "Contradiction": 0.0}[label]

    def _response(self, labels: list[Label]) -> float:
        if self.aggregation == "soft":
            return soft(labels)["Entailment"]
        if self.aggregation == "majority":
            return self._support(cast(Label, majority(labels)))
        return self._support(cast(Label, strict(labels)))

    def _extract(self, case: Case) -> Prompt:
        blocks = (Block("question", case.query), Block("answer", numbered(case)))
        return self.asked("extract", _EXTRACT, blocks, _TRIPLETS, 500 + 150 * len(claims_of(case)))

    def _check(self, context: str, triplets: list[Triplet]) -> Prompt:
        listed = "\n".join(f"{i}. {' '.join(t.text.split())}" for i, t in enumerate(triplets, 1))
        blocks = (Block("document", context, shared=True), Block("claims", listed))
        return self.asked("check", _CHECK, blocks, _LABELS, 100 + 100 * len(triplets))


def _triplets(reply: Reply, count: int) -> list[Triplet]:
    try:
        content = json_of(reply)
    except Unreadable:
        # A model that writes RefChecker's own form, and nothing else: lines amid prose may be quoted from what it read.
        if lines := only_lines(after_reasoning(reply.text, reply.marker)):
            return lines
        raise
    triplets = []
    for row in list_field(content, "triplets", dict | list):
        listed = row if isinstance(row, list) and len(row) == len(_HEADER) else ()
        fields = row if isinstance(row, dict) else dict(zip(_HEADER, listed, strict=False))
        number = number_field(fields, "sentence")
        subject, predicate, object_ = (text_field(fields, name) for name in _HEADER)
        triplets.append(Triplet(subject, predicate, object_, number if number <= count else 0))
    return cleaned(triplets)


def _labels(content: dict[str, Any], count: int) -> list[tuple[Label, str]]:
    rows = list_field(content, "labels", dict)
    if not in_order(rows, count):
        raise Unreadable(f"The model labelled {len(rows)} claims instead of the {count} asked for, or in another order.")
    return [(cast(Label, choice_field(row, "label", LABELS)), text_field(row, "reason", "")) for row in rows]


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
