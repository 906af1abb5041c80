"""A chat model as judge of answers, by the rubric of Legal RAG Bench (Butler and Butler 2026).

correct = the answer entails the reference answer: same core meaning, same conclusion. grounded = it introduces no fact or key
term that the retrieved passages lack; who answers from passages that have nothing to do with the question is not grounded, and
uncertainty that is labelled as such is allowed.

Departs from the paper: the wording is this project's; the reasons come before the verdicts, so that these follow from them; a
reply that cannot be read is asked for once more. The paper's judge is a strong model at high reasoning effort: which model judges
here is the user's choice, and so is its effort (`;effort=high` in its spec); the signature names both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from groundscope.chat.conversation import TEXT, Asking, schema, text_field, truth_field
from groundscope.chat.json_reply import Unreadable
from groundscope.chat.messages import Block, ChatModel, Prompt
from groundscope.files.fields import clean
from groundscope.rag.types import Question, Verdict
from groundscope.rag.writing import passage_blocks, with_room
from groundscope.types import Case, Passage

RAW = 2_000
"""Characters that are kept of a reply that cannot be read."""

_SYSTEM = "You judge answers to questions that were written from retrieved passages."
_BLOCKS = "The data is a question, the passages that were retrieved for it, each in a block of its own, and an answer{}. "
_CORRECT = (
    "`correct` is true if the answer entails the reference answer: if it has the same core meaning and comes to the same "
    "conclusion, whatever its wording and whatever it says beyond. It is false if the answer misses or contradicts that, or "
    "gives no answer. Judge this against the reference answer alone, not against what you know. "
)
_GROUNDED = (
    "`grounded` is true if the answer introduces no fact and no key term that the passages lack; what is true but stands in no "
    "passage counts as introduced. An answer that answers the question although its passages have nothing to do with it is not "
    "grounded, nor is one that states a fact where there is no passage. That the passages do not hold the answer may be said, "
    "and what is plainly labelled as uncertain is allowed: neither makes an answer ungrounded. "
)
_FORM = "First give your reasons, in a few sentences, then the {}.\n\nReply in JSON: {{{}}}."
_TRUTH = {"type": "boolean"}


def no_answer(question: Question) -> Verdict:
    """Give the verdict on an empty answer; no judge is asked.

    It is not correct where there is a reference answer, else there is no verdict on that; never one on grounding.
    """
    correct = False if question.reference.strip() else None
    return Verdict(correct, None, "There is no answer, so there is nothing that could be grounded or not.")


@dataclass(frozen=True)
class ChatJudge:
    """Asks a chat model for two verdicts and its reasons; see the module.

    Attributes:
        max_tokens: of the reply. Room for the thinking of models that think apart is added by their provider.
    """

    model: ChatModel
    max_tokens: int = 2_000

    @property
    def title(self) -> str:
        """Who judged, for people."""
        return f"Judged by {self.model.identity}"

    @property
    def signature(self) -> str:
        """Model with its sampling, the wording's hash and the limit."""
        example = (Passage("id", "text", "title"), Passage("id", "text"))
        keys = [self.plan(Question("id", "question", reference), "answer", example).key("") for reference in ("", "reference")]
        wording = "-".join(key[:8] for key in keys)
        return f"chat_judge|model={self.model.identity}|wording={wording}|max_tokens={self.max_tokens}"

    def plan(self, question: Question, answer: str, passages: Sequence[Passage]) -> Prompt:
        """Make the prompt that will be sent; another one follows only if the reply cannot be read."""
        reference = clean(question.reference)
        with_reference = bool(reference.strip())
        blocks = [Block("question", clean(question.text)), *passage_blocks(passages), Block("answer", clean(answer))]
        if with_reference:
            blocks.append(Block("reference_answer", reference))
        names = ("correct", "grounded") if with_reference else ("grounded",)
        form = ", ".join(['"reasoning": "..."', *(f'"{name}": true or false' for name in names)])
        task = (
            _BLOCKS.format(", with the reference answer" if with_reference else "")
            + (_CORRECT if with_reference else "")
            + _GROUNDED
            + _FORM.format("verdicts" if with_reference else "verdict", form)
        )
        reply_schema = schema(reasoning=TEXT, **dict.fromkeys(names, _TRUTH))
        return Prompt(task, _SYSTEM, tuple(blocks), reply_schema, self.max_tokens)

    def judge(self, question: Question, answer: str, passages: Sequence[Passage]) -> Verdict:
        """Judge one answer; without a reference answer correctness is not judged, and about an empty answer no model is asked.

        Both verdicts are None where two replies could not be read: then the reasons say why, and what the model said, at most
        `RAW` characters of it. The errors are those of `Judge.judge`; `ModelUnavailable` also where it does not read as much.
        """
        if not answer.strip():
            return no_answer(question)
        prompt = with_room(self.model, self.plan(question, answer, passages))
        texts = (*passages, Passage("", question.reference))
        asking = Asking(self.model, Case("", question.text, texts, answer))
        with_reference = bool(question.reference.strip())
        try:
            return asking.json(prompt, lambda parsed: _read(parsed, with_reference=with_reference))
        except Unreadable as error:
            return Verdict(None, None, f"{error} {_cut(asking.spent().raw)}".strip())


def _read(parsed: dict[str, Any], *, with_reference: bool) -> Verdict:
    correct = truth_field(parsed, "correct") if with_reference else None
    return Verdict(correct, truth_field(parsed, "grounded"), text_field(parsed, "reasoning", ""))


def _cut(raw: str) -> str:
    shortened = raw.strip()
    return f"It said: {shortened[:RAW]}{'…' if len(shortened) > RAW else ''}" if shortened else ""
