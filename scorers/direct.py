"""Direct prompting: one question, PASS or FAIL with reasons (paper, section 5.3; rows Sonnet 3.5 and GPT-4o of its table 3).

The rule asked for is Lynx's, as in the paper: the answer may neither add to the document nor contradict it. The paper gave all
models Lynx's message, which is the prompt `lynx` (with this project's words in Lynx's sections and keys); the original message is
saved as a prompt of one's own, see `lynx.py`.

With `message` it asks, for every sentence, one of the judges that were trained for a message of their own, as published; see
`groundscope/methods/asking/published.py`. A sentence's support is then 1 or 0, and the response's the lowest.

Departs from the paper: its models can no longer be asked, so any chat model can be chosen, and the signature names it. The
wording is this project's. The verdict comes after the reasons and is forced into a field by a schema where the provider can
do that. Beyond the paper the model also quotes, in all prompts but Lynx's, what is not supported, so that sentences can be shown;
asked by the prompt `three`, it says of each quotation whether the document contradicts it or is silent.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, NamedTuple

from groundscope.chat.conversation import (
    TEXT,
    Asking,
    Quoted,
    array,
    ask_all,
    choice_field,
    one_of,
    quotes_field,
    schema,
    texts_field,
)
from groundscope.chat.messages import Block, ChatModel, Prompt
from groundscope.chat.model_spec import parse
from groundscope.chat.prompt_files import MESSAGE, STANDARD, PromptFile, prompt_named
from groundscope.errors import ModelUnavailable
from groundscope.methods import About, Published
from groundscope.methods.asking.evidence import ClaimFinding, EvidencePlacer
from groundscope.methods.asking.prompted import Draft, Prompted, PromptPlan, claims_of, context_text, need_room
from groundscope.methods.asking.published import in_sections, names, published, scored
from groundscope.types import Case

_FORM = 'Reply in JSON: {"reasons": ["..."], "unsupported": [{"quote": "...", "why": "..."}], "verdict": "PASS" or "FAIL"}.'
_SCHEMA = schema(reasons=array(TEXT), unsupported=array(schema(quote=TEXT, why=TEXT)), verdict=one_of("PASS", "FAIL"))
_THREE = (
    'Reply in JSON: {"reasons": ["..."], "unsupported": [{"quote": "...", "why": "...", "contradicted": true or false}], '
    '"verdict": "PASS" or "FAIL"}.'
)
_QUOTE_OF_THREE = schema(quote=TEXT, why=TEXT, contradicted={"type": "boolean"})
_THREE_SCHEMA = schema(reasons=array(TEXT), unsupported=array(_QUOTE_OF_THREE), verdict=one_of("PASS", "FAIL"))
_SCORES = schema(REASONING=array(TEXT), SCORE=one_of("PASS", "FAIL"))
_ROOM = 2_000
_MESSAGE_ROOM = 600


class _Verdict(NamedTuple):
    passed: bool
    reasons: list[str]
    quotes: Sequence[Quoted] = ()


_ABOUT = About(
    title="Direct prompting",
    measures="Whether a chat model, asked once, calls the answer faithful to its sources; it quotes what is not.",
    threshold=0.5,
    threshold_source="between the two verdicts",
    tunes="nothing",
    needs="a chat model",
    licence="the chat model's",
    aggregation="the model's verdict",
    paper="5.3",
)
VARIANTS = {name: {"message": name} for name in names()}


@dataclass(frozen=True)
class Direct(Prompted):
    """Asks a model for PASS or FAIL; support is 1 or 0. A sentence with an unsupported quote gets 0, the others 1.

    Attributes:
        model: a spec as in `groundscope.chat.model_spec`; empty = the one that the environment names.
        message: name of a published judge, whose message is sent for every sentence; empty = `prompt` is sent.
        prompt: name of a prompt, see `groundscope/chat/prompts/`: `lynx` is the message that the paper gave to all models.
    """

    model: str = ""
    message: str = ""
    prompt: str = STANDARD

    FORMS: ClassVar[tuple[Any, ...]] = (_FORM, _SCHEMA, _SCORES)

    def __post_init__(self) -> None:
        """Refuse the name of no judge, and another prompt beside a judge's own message."""
        if self.message and self.prompt != STANDARD:
            raise ValueError(f"prompt must be left out: {published(self.message).title} has a message of its own")
        super().__post_init__()

    @cached_property
    def instructions(self) -> PromptFile:
        """The prompt, or the published message."""
        return published(self.message).file if self.message else prompt_named("direct", self.prompt)

    @property
    def wording(self) -> tuple[Any, ...]:
        """All texts and schemas that go to the model."""
        if self.message:
            return (published(self.message),)
        return (*super().wording, _THREE, _THREE_SCHEMA) if self._three else super().wording

    def prompts(self) -> tuple[PromptFile, ...]:
        """See `Method`; a published judge has its own message alone."""
        return (self.instructions,) if self.message else super().prompts()

    @property
    def about(self) -> About:
        """Title, meaning, threshold and licence, for users."""
        if not self.message:
            return _ABOUT
        judge = published(self.message)
        needs = f"{judge.title} on a server of your own"
        about = replace(_ABOUT, title=judge.title, measures=judge.measures, needs=needs, licence=judge.licence, paper="")
        return replace(about, published=Published.aggrefact(judge.aggrefact) if judge.aggrefact else None)

    def chat(self) -> ChatModel:
        """The model; for a published judge that judge's own."""
        model = super().chat()
        spec = parse(self.line)
        if self.message and (
            spec.provider not in ("server", "recorded") or published(self.message).model not in spec.model.lower()
        ):
            judge = published(self.message)
            raise ModelUnavailable(
                f"{judge.title} judges with its own model only: choose a server that serves it, under a name that holds "
                f"`{judge.model}`."
            )
        return model

    def plan(self, case: Case) -> PromptPlan:
        """One prompt; of a published judge one a sentence."""
        return PromptPlan(self._prompts(case) if self.message else [self._prompt(case)])

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Send one prompt; of a published judge one a sentence."""
        if self.message:
            return self._judge_sentences(case, asking)
        prompt = self._prompt(case)
        need_room(asking.model, prompt, case)
        verdict = _Verdict(*asking.text(prompt, scored)) if self._in_sections else asking.json(prompt, _read)
        sentences, claims = EvidencePlacer(case).by_quotes(verdict.quotes, passed=verdict.passed, stances=self._three)
        return Draft(float(verdict.passed), sentences, claims, note=" ".join(verdict.reasons))

    @property
    def _three(self) -> bool:
        """Whether the prompt asks what the document contradicts; texts of that name are the prompts' own choice."""
        return bool(self.instructions.text("contradicted"))

    @property
    def _in_sections(self) -> bool:
        return bool(self.instructions.text(MESSAGE))

    def _prompt(self, case: Case) -> Prompt:
        if self._in_sections:
            return in_sections(self.instructions, case, _MESSAGE_ROOM, _SCORES)
        texts = {"question": case.query, "document": context_text(case.context), "answer": case.response}
        blocks = tuple(Block(name, text) for name, text in texts.items())
        if self._three:
            form = f"{self.instructions.text('contradicted')}\n\n{_THREE}"
            return self.asked("task", form, blocks, _THREE_SCHEMA, _ROOM)
        return self.asked("task", _FORM, blocks, _SCHEMA, _ROOM)

    def _judge_sentences(self, case: Case, asking: Asking) -> Draft:
        judge = published(self.message)
        prompts = self._prompts(case)
        for prompt in prompts:
            need_room(asking.model, prompt, case)
        verdicts = ask_all([partial(asking.text, prompt, judge.read) for prompt in prompts])
        findings = [
            ClaimFinding(case.response[s.start : s.end], float(yes), "supported" if yes else "not supported", sentence=i)
            for i, (s, yes) in enumerate(zip(claims_of(case), verdicts, strict=True), 1)
        ]
        sentences, claims = EvidencePlacer(case).by_claims(findings)
        return Draft(min(f.support for f in findings), sentences, claims)

    def _prompts(self, case: Case) -> list[Prompt]:
        document = "\n\n".join(p.text for p in case.context)
        claims = [case.response[s.start : s.end] for s in claims_of(case)]
        return [published(self.message).prompt(document, claim, case.query) for claim in claims]


def _read(content: dict[str, Any]) -> _Verdict:
    passed = choice_field(content, "verdict", ("PASS", "FAIL")) == "PASS"
    return _Verdict(passed, texts_field(content, "reasons"), quotes_field(content, "unsupported"))
