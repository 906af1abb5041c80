"""Lynx v1.1: an open judge trained for one message, PASS or FAIL (paper, section 5.3; Ravi et al. 2024, PatronusAI/Lynx).

One user message with the sections QUESTION, DOCUMENT and ANSWER, each under a line of two dashes; a reply with the keys
REASONING and SCORE. Greedy, 600 new tokens. A reply without a SCORE is invalid, which metrics count as wrong: that is how
the paper's odd row comes about (a recall far below precision and F1).

Departs from the paper unless `prompt` names the message that Lynx was trained on: the wording of the standard one is this
project's, with the model's own sections and keys. The original is its publisher's and does not come with this project. It stands
on the model's card, huggingface.co/PatronusAI/Llama-3-Patronus-Lynx-8B-Instruct, under "How to Get Started with the Model", as a
text named PROMPT: copy what stands between its quotation marks into a file, and save it as a prompt on the Methods page or by
`python -m groundscope prompts lynx --save trained --file FILE`. The licence, CC BY-NC 4.0, forbids commercial use.
"""

from dataclasses import dataclass
from typing import ClassVar

from groundscope.chat.conversation import Asking
from groundscope.chat.messages import ChatModel
from groundscope.chat.model_spec import parse
from groundscope.chat.prompt_files import STANDARD
from groundscope.errors import ModelUnavailable
from groundscope.methods import About
from groundscope.methods.asking.evidence import EvidencePlacer
from groundscope.methods.asking.prompted import Draft, Prompted, PromptPlan, need_room
from groundscope.methods.asking.published import in_sections, scored
from groundscope.types import Case

_ROOM = 600


@dataclass(frozen=True)
class Lynx(Prompted):
    """Asks a Lynx model for PASS or FAIL; support is 1 or 0. It names no sentence, so only PASS says something of them.

    `model` is a spec of a server with it (see `groundscope.chat.model_spec`); empty = that of the environment.
    """

    model: str = ""
    prompt: str = STANDARD

    about: ClassVar[About] = About(
        title="Lynx",
        measures="Whether Lynx, an open model trained to judge answers, calls the whole answer faithful to its sources.",
        threshold=0.5,
        threshold_source="between the two verdicts",
        tunes="nothing",
        needs="a Lynx model on a server of your own",
        licence="CC BY-NC 4.0 (no commercial use)",
        aggregation="the model's verdict",
        paper="5.3",
    )

    def chat(self) -> ChatModel:
        """The model, which must be one of Lynx's."""
        model = super().chat()
        if "lynx" not in parse(self.line).model.lower():
            raise ModelUnavailable(
                "Lynx judges with its own model only: choose a server that serves one, under a name that holds `lynx`."
            )
        return model

    def plan(self, case: Case) -> PromptPlan:
        """One prompt."""
        return PromptPlan([in_sections(self.instructions, case, _ROOM)])

    def judge(self, case: Case, asking: Asking) -> Draft:
        """Send one prompt."""
        prompt = in_sections(self.instructions, case, _ROOM)
        need_room(asking.model, prompt, case)
        passed, reasons = asking.text(prompt, scored)
        sentences, claims = EvidencePlacer(case).by_quotes((), passed=passed)
        return Draft(float(passed), sentences, claims, note=" ".join(reasons))
