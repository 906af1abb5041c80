"""Claims Verify: claims of the context, claims of the answer, and a verdict on each of the latter (paper, section 5.3).

The paper's adaptation of DeepEval's faithfulness metric (deepeval 4.1.10 at a2e0d4c): three calls of one model. `no` only where
the context's claims contradict the answer's claim, `idk` where they do not back it. The paper calls a response ungrounded if a
claim contradicts or "is not factually supported", which mixes the two; so what `idk` means is an option, to be tuned on dev.

Departs from the paper: its model can no longer be asked, so any chat model can be chosen, and the signature names it; the
wording is this project's. Departs from DeepEval: every claim has the number of its sentence and its verdict a reason; a count
of verdicts that is not the claims' is asked for once more and is then invalid, which DeepEval does not check; an answer
without claims is not assessable, where DeepEval scores it 1. A context that does not fit the model is read in groups of
passages.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple

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
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Block, Prompt
from groundscope.chat.prompt_files import STANDARD
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
from groundscope.types import Case, Status

_TRUTHS = 'Reply in JSON: {"truths": ["..."]}.'
_CLAIMS = 'Reply in JSON: {"claims": [{"sentence": 1, "text": "..."}]}.'
_VERDICTS = 'Reply in JSON: {"verdicts": [{"number": 1, "verdict": "yes", "no" or "idk", "reason": "..."}]}.'
_TRUTHS_FORM = schema(truths=array(TEXT))
_CLAIMS_FORM = schema(claims=array(schema(sentence={"type": "integer"}, text=TEXT)))
_VERDICTS_FORM = schema(verdicts=array(schema(number={"type": "integer"}, verdict=one_of("yes", "no", "idk"), reason=TEXT)))
_LABELS = {"yes": "Backed", "no": "Contradicted", "idk": "Not backed"}


class _Claim(NamedTuple):
    text: str
    sentence: int


@dataclass(frozen=True)
class ClaimsVerify(Prompted):
    """Verifies a response claim by claim against the claims of its context.

    Attributes:
        model: a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names.
        idk: what a claim that is neither backed nor contradicted makes a response: `grounded` (only a contradiction counts, as in
            DeepEval) or `ungrounded`.
    """

    model: str = ""
    idk: Literal["grounded", "ungrounded"] = "grounded"
    prompt: str = STANDARD

    FORMS: ClassVar[tuple[Any, ...]] = (_TRUTHS, _CLAIMS, _VERDICTS, _TRUTHS_FORM, _CLAIMS_FORM, _VERDICTS_FORM)
    about: ClassVar[About] = About(
        title="Claims Verify",
        measures="Whether the claims of a sentence are backed or contradicted by the claims of the sources, by a chat model.",
        threshold=0.5,
        threshold_source="between backed and contradicted, by what `idk` means",
        tunes="nothing",
        needs="a chat model",
        licence="Apache-2.0 (method); the chat model's",
        aggregation="the worst claim",
        paper="5.3",
    )

    def plan(self, case: Case) -> PromptPlan:
        """Prompts for the claims of each group of passages, for those of the response, and for the verdicts.

        The last is as if each sentence held three claims and the context's claims were as long as itself.
        """
        groups = passage_groups(self.chat(), case, self._truths)
        claims = [_Claim("A claim of about this length, with its names and numbers.", 1)] * (3 * len(claims_of(case)))
        singly = [self._verdicts(groups, claims[:1])] * len(claims)
        return PromptPlan([*map(self._truths, groups), self._claims(case), self._verdicts(groups, claims)], singly=singly)

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Extract the claims of both sides, compare them, and combine the verdicts."""
        groups = passage_groups(asking.model, case, self._truths)
        prompt = self._claims(case)
        need_room(asking.model, prompt, case)
        answers: list[list[Any]] = ask_all(
            [
                *(
                    partial(asking.json, self._truths(text), lambda content: list_field(content, "truths", str))
                    for text in groups
                ),
                partial(asking.json, prompt, partial(_read_claims, count=len(claims_of(case)))),
            ],
            more=1,
        )
        truths, claims = [t for part in answers[:-1] for t in part], answers[-1]
        if not claims:
            note = "The model found no claim in the response, so there is nothing to verify."
            return Draft(None, (), note=note, status=Status.NOT_ASSESSABLE)
        need_room(asking.model, self._verdicts(truths, claims), case)
        verdicts = of_each(asking, claims, partial(self._verdicts, truths), _read_verdicts)
        findings = [
            ClaimFinding(c.text, self._support(verdict), _LABELS[verdict], reason, c.sentence, verdict == "no")
            for c, (verdict, reason) in zip(claims, verdicts, strict=True)
        ]
        sentences, placed = EvidencePlacer(case).by_claims(findings)
        return Draft(min(f.support for f in findings), sentences, placed)

    def _support(self, verdict: str) -> float:
        """`idk` lies on the side of the threshold that the option gives it."""
        return {"yes": 1.0, "no": 0.0, "idk": 0.75 if self.idk == "grounded" else 0.25}[verdict]

    def _truths(self, context: str) -> Prompt:
        # A list of claims is about as long as the text that makes them.
        room = min(16_000, 1_000 + len(context) // 3)
        return self.asked("truths", _TRUTHS, (Block("document", context),), _TRUTHS_FORM, room)

    def _claims(self, case: Case) -> Prompt:
        blocks = (Block("question", case.query), Block("answer", numbered(case)))
        return self.asked("claims", _CLAIMS, blocks, _CLAIMS_FORM, 500 + 150 * len(claims_of(case)))

    def _verdicts(self, truths: list[str], claims: list[_Claim]) -> Prompt:
        listed = "\n".join(f"{i}. {' '.join(c.text.split())}" for i, c in enumerate(claims, 1))
        blocks = (Block("facts", "\n\n".join(truths)), Block("claims", listed))
        return self.asked("verdicts", _VERDICTS, blocks, _VERDICTS_FORM, 300 + 80 * len(claims))


def _read_claims(content: dict[str, Any], count: int) -> list[_Claim]:
    claims = []
    for row in list_field(content, "claims", dict | str):
        fields = {"text": row} if isinstance(row, str) else row
        text, sentence = text_field(fields, "text").strip(), number_field(fields, "sentence")
        if text:
            claims.append(_Claim(text, sentence if sentence <= count else 0))
    return claims


def _read_verdicts(content: dict[str, Any], count: int) -> list[tuple[str, str]]:
    rows = list_field(content, "verdicts", dict)
    if not in_order(rows, count):
        raise Unreadable(f"The model gave {len(rows)} verdicts instead of the {count} asked for, or in another order.")
    return [(choice_field(row, "verdict", ("yes", "no", "idk")), text_field(row, "reason", "")) for row in rows]
