"""Direct prompting: one question, PASS or FAIL with reasons (paper, section 4; rows Sonnet 3.5 and GPT-4o of its table 3).

The rule asked for is Lynx's, as in the paper: the answer may neither add to the document nor contradict it.

Departs from the paper: its models can no longer be asked, so any chat model can be chosen, and the signature names it. The
wording is this project's. The verdict comes after the reasons and is forced into a field by a schema where the provider can
do that. Beyond the paper the model also quotes what is not supported, so that the sentences can be shown.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from groundscope.chat.conversation import TEXT, Asking, array, choice_field, list_field, one_of, schema, text_field
from groundscope.chat.messages import Block, Prompt
from groundscope.methods import About, Paper
from groundscope.types import Case
from scorers._chat.evidence import Placed
from scorers._chat.prompted import Draft, Prompted, context_text, need_room

_SYSTEM = "You check whether answers to legal questions are supported by the documents that they were written from."
_TASK = (
    "Decide whether the answer is faithful to the document: whether it neither adds anything to the document nor contradicts "
    "it. What you know from elsewhere does not count, and the question is no background information either. First give your "
    "reasons, one short sentence each. Then quote, word for word, every part of the answer that the document does not "
    "support, each with the reason in one short sentence; none if there is none. Then give the verdict: PASS if the whole "
    "answer is faithful, FAIL if any part of it is not.\n\n"
    'Reply in JSON: {"reasons": ["..."], "unsupported": [{"quote": "...", "why": "..."}], "verdict": "PASS" or "FAIL"}.'
)
_SCHEMA = schema(reasons=array(TEXT), unsupported=array(schema(quote=TEXT, why=TEXT)), verdict=one_of("PASS", "FAIL"))


class _Verdict(NamedTuple):
    passed: bool
    reasons: list[str]
    quotes: list[tuple[str, str]]


@dataclass(frozen=True)
class Direct(Prompted):
    """Asks a model for PASS or FAIL; support is 1 or 0. A sentence with an unsupported quote gets 0, the others 1.

    Attributes:
        model: a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names.
    """

    model: str = ""

    WORDING: ClassVar[tuple[Any, ...]] = (_SYSTEM, _TASK, _SCHEMA)
    about: ClassVar[About] = About(
        title="Direct prompting",
        measures="Whether a chat model, asked once, calls the answer faithful to its sources; it quotes what is not.",
        threshold=0.5,
        threshold_source="between the two verdicts",
        needs="a chat model",
        licence="the chat model's",
        aggregation="the model's verdict",
        paper=Paper("GPT-4o (and Sonnet 3.5: 0.726, 0.712)", "4", dev_f1=0.771, test_f1=0.755),
    )

    def plan(self, case: Case) -> tuple[list[Prompt], bool]:
        """One prompt."""
        return [_prompt(case)], False

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Send one prompt."""
        prompt = _prompt(case)
        need_room(asking.model, prompt, case)
        verdict = asking.json(prompt, _read)
        sentences, claims = Placed(case).by_quotes(verdict.quotes, passed=verdict.passed)
        return Draft(float(verdict.passed), sentences, claims, note=" ".join(verdict.reasons))


def _prompt(case: Case) -> Prompt:
    blocks = (
        Block("question", case.query),
        Block("document", context_text(case.context)),
        Block("answer", case.response),
    )
    return Prompt(_TASK, _SYSTEM, blocks, _SCHEMA, max_tokens=2_000)


def _read(found: dict[str, Any]) -> _Verdict:
    passed = choice_field(found, "verdict", ("PASS", "FAIL")) == "PASS"
    quotes = [(text_field(q, "quote"), text_field(q, "why", "")) for q in list_field(found, "unsupported", dict)]
    return _Verdict(passed, list_field(found, "reasons", str), quotes)
