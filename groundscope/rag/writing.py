"""Answers written by a chat model from retrieved passages (Butler and Butler 2026): one question, one call.

As in the paper every retrieved passage goes into the prompt with its number, its metadata and its content, and the model is asked
with its provider's defaults. Two prompts ship: `benchmark`, the default, has the instructions of the benchmark's public code
in this project's words; `cautious` has the model mark what is uncertain, which moves answers between hallucinations and
retrieval errors. Departs from the paper: `benchmark` does not name the benchmark's corpus, since any may be asked; passages stand
in blocks behind a random marker, so that none can pass for an instruction; a reply has a limit of tokens, noted if reached; a
server of one's own is asked at the temperature of its spec.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from groundscope.chat.conversation import Asking
from groundscope.chat.json_reply import Unreadable, ends_reasoning, free_text, refusal_of
from groundscope.chat.messages import Block, ChatModel, Prompt, Reply, need_room
from groundscope.chat.prompt_files import PromptFile, prompt_named
from groundscope.files.fields import clean
from groundscope.rag.types import Written
from groundscope.types import Case, Passage

TASK = "rag_answer"
"""Whose prompts these are, see `groundscope.chat.prompt_files`."""


@dataclass(frozen=True)
class ChatGenerator:
    """Asks a chat model for an answer; see the module.

    `max_tokens`: of the answer. Room for the thinking of models that think apart is added by their provider.
    """

    model: ChatModel
    prompt: PromptFile = field(default_factory=lambda: prompt_named(TASK))
    max_tokens: int = 2_000

    @property
    def signature(self) -> str:
        """Model with its sampling, the prompt's name, the wording's hash and the limit."""
        example = self.plan("question", (Passage("id", "text", "title"), Passage("id", "text")))
        wording = f"prompt={self.prompt.name}|wording={example.key('')[:8]}"
        return f"chat_generator|model={self.model.identity}|{wording}|max_tokens={self.max_tokens}"

    def plan(self, question: str, passages: Sequence[Passage]) -> Prompt:
        """Build the prompt that asks for an answer; `ChatModel.most` gives what it can cost."""
        blocks = (Block("question", clean(question)), *passage_blocks(passages))
        return Prompt(self.prompt.text("task"), self.prompt.text("system"), blocks, max_tokens=self.max_tokens)

    def answer(self, question: str, passages: Sequence[Passage]) -> Written:
        """Write one answer; nothing is sent where there is no question or no passage. Errors as in `Generator.answer`."""
        if not question.strip():
            return Written("", "The question is empty, so no model was asked.")
        if not any(p.text.strip() for p in passages):
            return Written("", "There is no passage to answer from, so no model was asked.")
        prompt = with_room(self.model, self.plan(question, passages))
        reply = Asking(self.model, Case("", question, tuple(passages), "")).ask(prompt)
        return _written(reply, prompt)


def passage_blocks(passages: Sequence[Passage]) -> tuple[Block, ...]:
    """Make a block of data of each passage, with id, title and content, called `passage_1` and so on."""
    return tuple(Block(f"passage_{i}", _described(p)) for i, p in enumerate(passages, 1))


def _described(passage: Passage) -> str:
    # Of one line each, so that neither can pass for the content.
    identity, title = (" ".join(clean(text).split()) for text in (passage.id, passage.source))
    lines = [f"id: {identity}", *([f"title: {title}"] if title else []), "content:", clean(passage.text)]
    return "\n".join(lines)


def with_room(model: ChatModel, prompt: Prompt) -> Prompt:
    """The prompt, unless it does not fit the model: then `ModelUnavailable`, with both sizes and what to do."""
    instead = ", so nothing was sent; retrieve fewer passages, or choose a model with a larger window."
    need_room(model, prompt, "The question with its passages", instead)
    return prompt


def _written(reply: Reply, prompt: Prompt) -> Written:
    """The answer that a reply holds, with what the user must know of it."""
    why = refusal_of(reply)
    if reply.stop == "refusal":
        # What a provider breaks off is no answer.
        return Written("", why)
    notes = [why] if why else []
    try:
        answer = free_text(reply.text, quotable=any(ends_reasoning(block.text) for block in prompt.blocks))
    except Unreadable as error:
        return Written("", " ".join([*notes, str(error)]))
    if ends_reasoning(reply.text) and answer != reply.text.strip():
        notes.append("The model's reasoning before its answer was left out.")
    return Written(answer, " ".join(notes))
