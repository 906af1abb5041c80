"""Direct prompting: one question, PASS or FAIL with reasons (paper, section 5.3; rows Sonnet 3.5 and GPT-4o of its table 3).

The rule asked for is Lynx's, as in the paper: the answer may neither add to the document nor contradict it.

With `message` it asks, for every sentence, one of the judges that were trained for a message of their own, as published; see
`_chat/published.py`. A sentence's support is then 1 or 0, and the response's the lowest.

Departs from the paper: its models can no longer be asked, so any chat model can be chosen, and the signature names it. The
wording is this project's. The verdict comes after the reasons and is forced into a field by a schema where the provider can
do that. Beyond the paper the model also quotes what is not supported, so that the sentences can be shown.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from groundscope.chat.conversation import TEXT, Asking, array, ask_all, choice_field, list_field, one_of, schema, text_field
from groundscope.chat.messages import Block, ChatModel, Prompt
from groundscope.chat.model_spec import parse
from groundscope.errors import ModelUnavailable
from groundscope.methods import About, Paper
from groundscope.types import Case
from scorers._chat.evidence import Finding, Placed
from scorers._chat.prompted import Draft, Prompted, claims_of, context_text, need_room
from scorers._chat.published import names, published

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


_ABOUT = About(
    title="Direct prompting",
    measures="Whether a chat model, asked once, calls the answer faithful to its sources; it quotes what is not.",
    threshold=0.5,
    threshold_source="between the two verdicts",
    needs="a chat model",
    licence="the chat model's",
    aggregation="the model's verdict",
    paper=Paper("GPT-4o (and Sonnet 3.5: 0.726, 0.712)", "5.3", dev_f1=0.771, test_f1=0.755),
)
VARIANTS = {name: {"message": name} for name in names()}


@dataclass(frozen=True)
class Direct(Prompted):
    """Asks a model for PASS or FAIL; support is 1 or 0. A sentence with an unsupported quote gets 0, the others 1.

    Attributes:
        model: a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names.
        message: name of a published judge, whose message is sent for every sentence; empty = this project's message.
    """

    model: str = ""
    message: str = ""

    def __post_init__(self) -> None:
        """Refuse the name of no judge."""
        super().__post_init__()
        if self.message:
            published(self.message)

    @property
    def WORDING(self) -> tuple[Any, ...]:  # type: ignore[override]  # noqa: N802 - the name of all methods that ask
        """All texts and schemas that go to the model."""
        return (published(self.message),) if self.message else (_SYSTEM, _TASK, _SCHEMA)

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        if not self.message:
            return _ABOUT
        found = published(self.message)
        needs = f"{found.title} on a server of your own"
        return replace(_ABOUT, title=found.title, measures=found.measures, needs=needs, licence=found.licence, paper=None)

    def chat(self) -> ChatModel:
        """The model; for a published judge that judge's own.

        Raises:
            ModelUnavailable: none is chosen, or another.
        """
        model = super().chat()
        spec = parse(self.line)
        if self.message and (
            spec.provider not in ("server", "recorded") or published(self.message).model not in spec.model.lower()
        ):
            found = published(self.message)
            raise ModelUnavailable(
                f"{found.title} judges with its own model only: choose a server that serves it, under a name that holds "
                f"`{found.model}`."
            )
        return model

    def plan(self, case: Case) -> tuple[list[Prompt], bool]:
        """One prompt; of a published judge one a sentence."""
        return (self._prompts(case) if self.message else [_prompt(case)]), False

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Send one prompt; of a published judge one a sentence."""
        if self.message:
            return self._judge_sentences(case, asking)
        prompt = _prompt(case)
        need_room(asking.model, prompt, case)
        verdict = asking.json(prompt, _read)
        sentences, claims = Placed(case).by_quotes(verdict.quotes, passed=verdict.passed)
        return Draft(float(verdict.passed), sentences, claims, note=" ".join(verdict.reasons))

    def _judge_sentences(self, case: Case, asking: Asking) -> Draft:
        found = published(self.message)
        prompts = self._prompts(case)
        for prompt in prompts:
            need_room(asking.model, prompt, case)
        said = ask_all([partial(asking.text, prompt, found.read) for prompt in prompts])
        findings = [
            Finding(case.response[s.start : s.end], float(yes), "supported" if yes else "not supported", sentence=i)
            for i, (s, yes) in enumerate(zip(claims_of(case), said, strict=True), 1)
        ]
        sentences, claims = Placed(case).by_claims(findings)
        return Draft(min(f.support for f in findings), sentences, claims)

    def _prompts(self, case: Case) -> list[Prompt]:
        document = "\n\n".join(p.text for p in case.context)
        claims = [case.response[s.start : s.end] for s in claims_of(case)]
        return [published(self.message).prompt(document, claim, case.query) for claim in claims]


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
