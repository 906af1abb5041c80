"""SelfCheckGPT Multi-Gen: a response against fresh answers to the same prompt (paper, section 5.3; Manakul et al. 2023).

N answers are written by a chat model to query and context. A sentence's hallucination score is the mean over them of
P(contradict | sentence, whole answer) by potsawee/deberta-v3-large-mnli; the response's is the maximum over its sentences.
Support is 1 minus that.

Departs from the paper: it names neither N nor the generator; both are options and part of the signature. The original samples 20
answers at temperature 1; the current models of Anthropic and OpenAI take no temperature, so theirs are sampled as the provider
does, which the judgement says. An answer longer than the NLI model reads is read in overlapping windows. The paper tunes the
threshold on its train split.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from groundscope.chat.clients.model import chat_model
from groundscope.chat.conversation import Asking, ask_all
from groundscope.chat.messages import Block, ChatModel, Prompt
from groundscope.chat.model_spec import ModelSpec, parse
from groundscope.chat.prompt_files import STANDARD
from groundscope.chat.providers import takes_temperature
from groundscope.methods import EVEN, About
from groundscope.methods.asking.evidence import ClaimFinding, EvidencePlacer
from groundscope.methods.asking.prompted import Draft, Prompted, PromptPlan, claims_of, context_text, need_room
from groundscope.models.pairs.encoders import TextPair
from groundscope.models.pairs.scoring import Supports
from groundscope.models.weights.files import WeightFiles
from groundscope.models.weights.local import LocalModel
from groundscope.models.weights.memory import PairPrecision, fast
from groundscope.types import Case
from scorers.context_nli import ContextNLI

_MOST = 100
_OWN_SAMPLING = "No temperature was sent, since this model may take none: its provider sampled the answers in its own way."


@dataclass(frozen=True)
class MultiGen(Prompted, LocalModel):
    """Compares a response with fresh answers of `model`, a `groundscope.chat.model_spec`; empty = that of the environment."""

    model: str = ""
    samples: int = field(default=5, metadata={"least": 1, "most": _MOST})
    temperature: float = field(default=1.0, metadata={"least": 0, "most": 2})
    precision: PairPrecision = field(default_factory=fast)
    prompt: str = STANDARD

    about: ClassVar[About] = About(
        title="Multi-Gen",
        measures="How little fresh answers to the same question, written by a chat model, contradict a sentence.",
        threshold=0.5,
        threshold_source=EVEN,
        needs="a chat model, and the weights of deberta-v3-large-mnli (1,740 MB)",
        licence="the chat model's; that of the weights is not stated here: see its model card",
        paper="5.3",
        tuned_on="train",
        tunes="threshold",
    )

    @property
    def identity(self) -> str:
        """The generator's, at its temperature."""
        model = self._named()
        return model.identity if model else super().identity

    @property
    def signature(self) -> str:
        """With the identity of the NLI model."""
        return f"{super().signature}|by {self._nli.pair_signature}"

    @property
    def needed(self) -> tuple[WeightFiles, ...]:
        """The NLI model's weights."""
        return self._nli.needed

    @property
    def _nli(self) -> ContextNLI:
        return ContextNLI(precision=self.precision)

    def chat(self) -> ChatModel:
        """The generator, at `temperature` where the model takes one, or its line names one."""
        base = super().chat()
        spec = parse(self.line)
        return chat_model(str(replace(spec, temperature=float(self.temperature)))) if self._is_warm(spec) else base

    @staticmethod
    def _is_warm(spec: ModelSpec) -> bool:
        return spec.temperature is not None or takes_temperature(spec.provider, spec.model) is True

    def prepare(self) -> None:
        """Load the NLI model's weights."""
        self._nli.prepare()

    def unavailable(self) -> str:
        """Why it cannot run here and what to do; empty if it can."""
        return Prompted.unavailable(self) or LocalModel.unavailable(self)

    def plan(self, case: Case) -> PromptPlan:
        """One prompt an answer."""
        return PromptPlan([self._prompt(case)] * self.samples)

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Generate fresh answers and compare the response with them."""
        # Before anything is paid for.
        self._nli.prepare()
        prompt = self._prompt(case)
        need_room(asking.model, prompt, case)
        answers = ask_all([partial(asking.answer, prompt, number) for number in range(self.samples)], more=1)
        claims = claims_of(case)
        texts = [case.response[s.start : s.end] for s in claims]
        pairs = [TextPair(text, answer) for text in texts for answer in answers]
        supports = self._nli.pairs(pairs).support.reshape(len(texts), len(answers))
        findings = [
            ClaimFinding(text, float(np.clip(row.mean(), 0, 1)), _said(row), sentence=i)
            for i, (text, row) in enumerate(zip(texts, supports, strict=True), 1)
        ]
        sentences, placed = EvidencePlacer(case).by_claims(findings)
        note = "" if self._is_warm(parse(self.line)) else _OWN_SAMPLING
        return Draft(min(f.support for f in findings), sentences, placed, note=note)

    def _prompt(self, case: Case) -> Prompt:
        blocks = (Block("document", context_text(case.context), shared=True), Block("question", case.query))
        return self.asked("task", "", blocks, None, 1_000)


def _said(supports: Supports) -> str:
    return f"Contradicted by {int((supports < 0.5).sum())} of {len(supports)} fresh answers"
